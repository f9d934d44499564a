"""`fairlane table`: the metrics of a sweep."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from fairlane.cli.errors import bad_value
from fairlane.cli.help import ExampleCommand
from fairlane.cli.results import (
    axis_of,
    filters,
    metric_names,
    metrics,
    metrics_from,
    notice,
    open_results,
    output_format,
    per,
    results_options,
)
from fairlane.cli.types import NameList
from fairlane.results.metrics.catalogue import OWN, USUAL
from fairlane.show.text.sweep_table import FORMATS, render
from fairlane.show.text.terminal import echo

if TYPE_CHECKING:
    from fairlane.results.tables import ResultTables

BAR_FROM = 10_000
"""Runs; with fewer there is nothing to wait for."""


@click.command(
    cls=ExampleCommand,
    examples=[
        "fairlane table results",
        "fairlane table results --per run --metrics jain_index,jain_index_1s --by buffer --across rtt",
        "fairlane table results --where algorithm=bbr --metrics convergence_time_30s_s,stability_30s_kb",
        "fairlane table results --per run --metrics total_retransmits --relative-to algorithm=cubic",
        "fairlane table results --metrics goodput_mbps --harm-to algorithm=cubic",
        "fairlane table --list",
    ],
    groups={
        "What to show": ["metric_names", "per", "where", "experiment", "metric_files", "list_metrics"],
        "How to lay it out": ["by", "across", "relative_to", "harm_to", "form"],
    },
)
@results_options
@metric_names("The metrics to show; `--list` lists all.")
@per("The subject of a row: group (of flows), flow, ... Default: depends on the metrics.")
@click.option("--by", type=NameList(), help="Axes with rows; the table says which others it averages. Default: all.")
@click.option("--across", metavar="AXIS", help="An axis whose values become columns.")
@click.option(
    "--relative-to", metavar="AXIS=VALUE", help="Divide by the value at this point of the axis, all else equal."
)
@click.option(
    "--harm-to",
    metavar="AXIS=VALUE",
    help="The harm done to flows (Ware et al. 2019): what they lose of what they have at this point of the axis.",
)
@output_format(FORMATS)
@metrics_from
@click.option(
    "--list",
    "list_metrics",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=lambda c, p, v: _list(c, v),
    help="List all metrics.",
)
def command(
    results: Path,
    experiment: str | None,
    where: tuple[str, ...],
    metric_names: list[str] | None,
    per: str | None,
    by: list[str] | None,
    across: str | None,
    relative_to: str | None,
    harm_to: str | None,
    form: str,
    metric_files: tuple[Path, ...],
) -> None:
    """Print metrics of a sweep, averaged over repeats.

    RESULTS is a folder that `fairlane run` wrote. The value after ± is half the width of the 95 % confidence interval
    of the mean (BCa bootstrap, at least three repeats); csv and json contain both ends.
    """
    from fairlane.results.metrics.frame import rows_that_fit, sweep_table
    from fairlane.show.text.progress import Bar

    opened = open_results(results, experiment)
    chosen = metrics("--metrics", metric_names or _usual(opened, per or "group", where), metric_files)
    if per is None:
        per, chosen = rows_that_fit(chosen)
    if relative_to and harm_to:
        raise bad_value("--harm-to", "is another form of --relative-to; leave one of them out")
    flows = filters(opened, where)
    references = {
        name: filters(opened, [text] if text else [], name)
        for name, text in (("--relative-to", relative_to), ("--harm-to", harm_to))
    }
    spread = axis_of(opened, "--across", across) if across else None
    wanted = by and [name if name in OWN[per] else axis_of(opened, "--by", name).column for name in by]
    with Bar(opened.runs.height if opened.runs.height >= BAR_FROM else 0, "runs") as bar:
        made = sweep_table(
            opened,
            chosen,
            per,
            filters=flows,
            by=wanted,
            across=spread.column if spread else None,
            relative_to={name: values[0] for name, values in references["--relative-to"].items()},
            harm_to={name: values[0] for name, values in references["--harm-to"].items()},
            on_run=lambda: bar.step(drawn_every=BAR_FROM // 20),
        )
    notes = [*made.notes, *filter(None, [notice(opened)])]
    if form in ("csv", "json"):  # programs read these: no line may come before them
        for line in notes:
            echo(line, err=True)
    echo(render(made.frame, made.metrics, opened.axes, spread, form, notes))


def _usual(opened: "ResultTables", per: str, where: Sequence[str]) -> list[str]:
    """The usual metrics; of flows that do not all compete none of shares, unless those that do were chosen."""
    from fairlane.results.metrics import find
    from fairlane.show.report.flow_roles import all_compete

    others = [name for name in USUAL[per] if not find(name).together]
    return USUAL[per] if where or others == USUAL[per] or all_compete(opened) else others


def _list(ctx: click.Context, wanted: bool) -> None:
    if not wanted:
        return
    from fairlane.results.metrics import catalogue
    from fairlane.show.text.sweep_table import metrics_text

    echo(metrics_text(catalogue()))
    ctx.exit()
