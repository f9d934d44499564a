"""`fairlane export`: results in the file formats of other programs."""

from pathlib import Path
from typing import Any

import click

from fairlane.cli.containment import containment_options
from fairlane.cli.help import ExampleCommand
from fairlane.cli.results import filters, open_results, results_options
from fairlane.cli.types import NameList, OneOf, Quantity, WholeNumber
from fairlane.scenario import units
from fairlane.show.export.formats import FORMATS, export
from fairlane.show.text.terminal import echo


@click.command(
    cls=ExampleCommand,
    examples=[
        "fairlane export results csv -o tables",
        "fairlane export results parquet --tables flow-series --where algorithm=bbr -o bbr.parquet",
        "fairlane export results iperf3 --interval 500ms -o iperf3",
        "fairlane export results flent --where buffer=1bdp -o flent",
        "fairlane export results pcapng --where buffer=1bdp --where repeat=0 --where flow=0 -o first.pcapng",
        "fairlane export results qlog --where repeat=0 --where flow=0 -o first.sqlog",
    ],
    lists={"Formats": FORMATS},
    groups={
        "What to export": ["where", "experiment", "tables"],
        "How": ["out", "interval_ns", "at", "payload_bytes", "algorithms"],
    },
)
@results_options
@click.argument("form", metavar="FORMAT", type=OneOf("format", FORMATS))
@click.option("-o", "--out", type=click.Path(path_type=Path), required=True, help="A folder, or a single file.")
@click.option("--tables", type=NameList(), help="CSV, Parquet: runs, flows, links, flow-series, link-series.")
@click.option(
    "--interval", "interval_ns", type=Quantity("TIME", units.positive_time_ns), help="iperf3: time between reports."
)
@click.option("--at", metavar="sender|receiver", help="pcapng, qlog: the host that records.  [default: sender]")
@click.option(
    "--algorithm",
    "algorithms",
    metavar="FILE",
    multiple=True,
    help="pcapng, qlog: an algorithm's file that the results name and that may run; repeatable.",
)
@click.option("--payload", "payload_bytes", type=WholeNumber(0, 65_535, 64), help="pcapng: bytes of payload to keep.")
@containment_options
def command(
    results: Path,
    experiment: str | None,
    where: tuple[str, ...],
    form: str,
    out: Path,
    tables: list[str] | None,
    interval_ns: int | None,
    at: str | None,
    payload_bytes: int | None,
    algorithms: tuple[str, ...],
) -> None:
    """Write results in the file formats of other programs.

    RESULTS is a folder that `fairlane run` wrote. For pcapng and qlog, the runs are simulated again to record their
    packets: select a few with --where.
    """
    given: dict[str, Any] = {
        "tables": tables,
        "interval_s": interval_ns / 1e9 if interval_ns else None,
        "at": at,
        "payload_bytes": payload_bytes,
        "algorithms": algorithms or None,
    }
    opened = open_results(results, experiment)
    chosen = {name: value for name, value in given.items() if value is not None}
    files = export(opened, form, out, filters(opened, where), lambda line: echo(line, err=True), **chosen)
    more = f" and {len(files) - 1} more" if len(files) > 1 else ""
    echo(f"{form}: {files[0]}{more}")
