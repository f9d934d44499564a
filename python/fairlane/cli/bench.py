"""`fairlane bench`: speed and memory of the simulator; `fairlane bench algorithms`: time per ACK of each algorithm."""

import json
from collections.abc import Sequence

import click

from fairlane.cli.containment import containment_options
from fairlane.cli.errors import bad_value
from fairlane.cli.help import ExampleCommand
from fairlane.cli.options import algorithm_named, as_json
from fairlane.show.text.terminal import echo


@click.command(
    cls=ExampleCommand,
    examples=[
        "fairlane bench",
        "fairlane bench a b --json",
        "fairlane bench algorithms",
        "fairlane bench algorithms bbr ./mine.c --trust ./mine.c",
    ],
)
@click.argument("names", nargs=-1, metavar="[NAME...]")
@as_json("a JSON list")
@containment_options
def command(names: tuple[str, ...], as_json: bool) -> None:
    """Measure the simulator's speed and memory.

    NAME is a, b or c; the default is all three. Each runs in a separate process, one after the other. The CPU
    time covers the simulation, including loading the algorithm but not the start of Python;
    the memory is that of the whole process.

    \b
    a   1 cubic flow, 100 Mbps, 20 ms, buffer 1 BDP, MTU 1500, 60 s
    b   20 cubic flows, 1 Gbps, 62 ms, buffer 2 BDP, MTU 8900, 30 s
    c   500 cubic flows, 25 Gbps, 62 ms, buffer 2 BDP, MTU 8900, 20 s

    "algorithms" instead of NAME measures the time per ACK in the callbacks of each bundled algorithm, or of the
    algorithms that follow.
    """
    if names[:1] == ("algorithms",):
        _algorithms(names[1:], as_json)
        return
    from fairlane.engine.messages import unknown
    from fairlane.runs.benchmark import CASES, measure
    from fairlane.show.text.benchmark_text import benches_text

    known = {case.name: case for case in CASES}
    for name in names:
        if name not in known:
            raise bad_value("NAME", unknown("bench", name, [*known, "algorithms"]))
    measured = [measure(known[name]) for name in dict.fromkeys(names or known)]
    if as_json:
        echo(json.dumps(measured))
        return
    echo(benches_text(measured))
    for one in measured:
        echo(f"{one['name']}: {known[one['name']].summary}")


def _algorithms(words: Sequence[str], as_json: bool) -> None:
    """Prints a table, the most expensive algorithm first."""
    from fairlane.algorithm.name import Kind
    from fairlane.engine import algorithms
    from fairlane.runs.benchmark import NETWORK, measure_algorithm
    from fairlane.show.text.benchmark_text import costs_text

    measured = []
    for word in words or [algorithm["name"] for algorithm in algorithms()]:
        algorithm = algorithm_named(word)
        if algorithm.kind is Kind.PYTHON:
            raise bad_value("NAME", f"'{word}' is a Python class; only C programs can be timed")
        measured.append(measure_algorithm(algorithm))
    costs = [cost.as_json() for cost in sorted(measured, key=lambda cost: cost.ns_per_ack, reverse=True)]
    if as_json:
        echo(json.dumps(costs))
        return
    echo(costs_text(costs))
    echo(f"{NETWORK}: time in the callbacks of the first one")
