"""All checks of one program, in order, as they are done."""

from collections.abc import Iterator, Mapping

from fairlane.check import compilers
from fairlane.check.networks import networks
from fairlane.check.verdict import Verdict, fails, not_tried


def check(word: str, parameters: Mapping[str, int]) -> Iterator[Verdict]:
    """The verdicts on a built-in algorithm or a C file with these parameters."""
    from fairlane.workers import run_all

    first = compilers.check_simulator(word, parameters)
    yield first
    if first.outcome == "fails":
        yield not_tried("everything else", "it does not compile for the simulator")
        return
    yield from compilers.check_kernel(word, parameters)
    asked = networks(word, parameters)
    # A process of its own for each run: a program that is broken enough may take its process with it.
    outcomes = run_all((network.scenario for network in asked), keep=["flows"])
    for network, outcome in zip(asked, outcomes, strict=True):
        yield fails(network.name, outcome.error) if outcome.result is None else network.judge(outcome.result)
