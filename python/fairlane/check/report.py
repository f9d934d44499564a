"""All checks of one program, in order, as they are done."""

from collections.abc import Iterator, Mapping

from fairlane.check import compilers
from fairlane.check.networks import Network, networks
from fairlane.check.verdict import Verdict, fails, not_tried
from fairlane.workers import Outcome, run_all

_NEVER_RETURNS = "endless loop"
"""In the engine's words for such a fault."""


def check(word: str, parameters: Mapping[str, int]) -> Iterator[Verdict]:
    """The verdicts on a built-in algorithm or a C file with these parameters."""
    first = compilers.check_simulator(word, parameters)
    yield first
    if first.outcome == "fails":
        yield not_tried("everything else", "it does not compile for the simulator")
        return
    yield from compilers.check_kernel(word, parameters)
    first_network, *asked = networks(word, parameters)
    [outcome] = run_all([first_network.scenario], keep=["flows"])
    yield _judge(first_network, outcome)
    if _NEVER_RETURNS in outcome.error:  # each further network would take as long to find that out
        yield not_tried("the other networks", "the program does not return")
        return
    # A process of its own for each run: a program that is broken enough may take its process with it.
    outcomes = run_all((network.scenario for network in asked), keep=["flows"])
    for network, outcome in zip(asked, outcomes, strict=True):
        yield _judge(network, outcome)


def _judge(network: Network, outcome: Outcome) -> Verdict:
    return fails(network.name, outcome.error) if outcome.result is None else network.judge(outcome.result)
