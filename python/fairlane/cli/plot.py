"""`fairlane plot`: plots of a sweep."""

from pathlib import Path

import click

from fairlane.cli.help import ExampleCommand
from fairlane.cli.results import axis_of, filters, metrics, metrics_from, open_results, results_options
from fairlane.cli.types import OneOf, OutputFile, Quantity
from fairlane.scenario import units
from fairlane.show.plots.figure import STYLES, SUFFIXES, styled
from fairlane.show.plots.kinds import KINDS
from fairlane.show.text.terminal import echo

WIDTHS = ("column", "page")


@click.command(
    cls=ExampleCommand,
    examples=[
        "fairlane plot results overview --where algorithm=bbr --where buffer=1bdp -o run.pdf",
        "fairlane plot results line --metric share_pct --x buffer -o shares.svg",
        "fairlane plot results shares -o matrix.pdf",
        "fairlane plot results delay-throughput --where rtt=20ms -o tradeoff.png",
        "fairlane plot results heatmap --metric jain_index --x buffer --lines rtt -o fairness.pdf",
        "fairlane plot results cwnd --panels buffer --where first=bbr -o windows.pdf",
    ],
    lists={"Kinds": KINDS},
    groups={
        "What to draw": ["metric", "against", "x", "lines", "panels", "where", "experiment", "metric_files"],
        "How it looks": ["out", "style", "width", "height", "title", "bin_ns", "until_ns", "log_x"],
    },
)
@results_options
@click.argument("kind", metavar="KIND", type=OneOf("kind of plot", KINDS))
@click.option("-o", "--out", type=OutputFile(SUFFIXES), required=True, help="The file to write: .png, .svg or .pdf.")
@click.option("--metric", metavar="NAME", help="The metric on the y axis; `fairlane table --list` lists all.")
@click.option("--against", metavar="NAME", help="The metric on the x axis of delay-throughput.")
@click.option("--x", metavar="AXIS", help="The axis of the sweep on the x axis.")
@click.option("--lines", metavar="AXIS", help="The axis (or algorithm, name) with one line, box or row per value.")
@click.option("--panels", metavar="AXIS", help="An axis with one panel per value.")
@click.option(
    "--width",
    type=OneOf("width", WIDTHS),
    help="column: 88 mm; page: 182 mm.  [default: column; shares: as wide as it needs]",
)
@click.option(
    "--style",
    default=next(iter(STYLES)),
    show_default=True,
    type=OneOf("style", STYLES),
    help="paper: serifs, a frame with ticks inside, thin lines; no wider than a page.",
)
@click.option("--height", type=click.FloatRange(0.5, 20), metavar="INCHES", help="Default: depends on the content.")
@click.option("--title", help="A title; papers use captions instead.")
@click.option(
    "--bin", "bin_ns", type=Quantity("TIME", units.positive_time_ns), help="Average over bins of this length."
)
@click.option("--until", "until_ns", type=Quantity("TIME", units.positive_time_ns), help="End of the time axis.")
@click.option("--log-x", is_flag=True, help="A logarithmic x axis.")
@metrics_from
def command(
    results: Path,
    experiment: str | None,
    where: tuple[str, ...],
    kind: str,
    out: Path,
    metric: str | None,
    against: str | None,
    x: str | None,
    lines: str | None,
    panels: str | None,
    width: str | None,
    height: float | None,
    title: str | None,
    bin_ns: int | None,
    until_ns: int | None,
    log_x: bool,
    style: str,
    metric_files: tuple[Path, ...],
) -> None:
    """Plot results in the style of a networking paper.

    RESULTS is a folder that `fairlane run` wrote.
    """
    opened = open_results(results, experiment)
    chosen = metrics("--metric", [metric] if metric else [], metric_files)
    other = metrics("--against", [against] if against else [], ())
    from fairlane.show.plots.kinds import draw
    from fairlane.show.plots.options import WIDTHS as INCHES
    from fairlane.show.plots.options import Options
    from fairlane.show.text.progress import meanwhile

    line = lines
    if lines and lines not in ("algorithm", "name", "group", "flow"):
        line = axis_of(opened, "--lines", lines).column
    options = Options(
        metric=chosen[0] if chosen else None,
        against=other[0] if other else None,
        x=axis_of(opened, "--x", x) if x else None,
        lines=line,
        panels=axis_of(opened, "--panels", panels) if panels else None,
        filters=filters(opened, where),
        width_inches=INCHES[width or "column"],
        may_be_wider=width is None,
        height_inches=height,
        title=title,
        bin_s=bin_ns / 1e9 if bin_ns else None,
        until_s=until_ns / 1e9 if until_ns else None,
        log_x=log_x,
    )
    with styled(style), meanwhile("drawing"):
        draw(kind, out, opened, options)
    echo(f"plot: {out}")
