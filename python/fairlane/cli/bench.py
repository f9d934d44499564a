"""`fairlane bench`: speed and memory of the simulator."""

import json

import click

from fairlane.cli.containment import containment_options
from fairlane.cli.errors import RunFailed, bad_value
from fairlane.cli.help import ExampleCommand
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
@click.option("--json", "as_json", is_flag=True, help="Print a JSON list.")
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
        from fairlane.cli.bench_algorithms import bench_algorithms

        bench_algorithms(names[1:], as_json)
        return
    from fairlane.engine.messages import unknown
    from fairlane.runs.benchmark.measure import CASES, MeasurementFailed, measure
    from fairlane.show.text.aligned import LEFT, RIGHT, number, text_table

    known = {case.name: case for case in CASES}
    for name in names:
        if name not in known:
            raise bad_value("NAME", unknown("bench", name, [*known, "algorithms"]))
    try:
        measured = [measure(known[name]) for name in dict.fromkeys(names or known)]
    except MeasurementFailed as error:
        raise RunFailed(str(error)) from None
    if as_json:
        echo(json.dumps(measured))
        return
    columns = [
        ("bench", LEFT),
        ("data packets", RIGHT),
        ("CPU s", RIGHT),
        ("wall s", RIGHT),
        ("packets per CPU s", RIGHT),
        ("peak MB", RIGHT),
    ]
    rows = [
        [
            one["name"],
            number(one["data_packets"], 0),
            number(one["cpu_s"], 2),
            number(one["wall_s"], 2),
            number(one["packets_per_cpu_s"], 0),
            number(one["peak_rss_mb"], 1),
        ]
        for one in measured
    ]
    echo(text_table(columns, rows))
    for one in measured:
        echo(f"{one['name']}: {known[one['name']].summary}")
