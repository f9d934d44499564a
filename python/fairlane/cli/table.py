"""`fairlane table`: the metrics of a sweep."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from fairlane.cli.errors import RunFailed
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
    from fairlane.results.metrics.metric import Metric

BAR_FROM = 10_000
"""Runs; with fewer there is nothing to wait for."""


@click.command(
    cls=ExampleCommand,
    examples=[
        "fairlane table results",
        "fairlane table results --per run --metrics jain_index,jain_index_1s --by buffer --across rtt",
        "fairlane table results --where algorithm=bbr --metrics convergence_time_30s_s,stability_30s_kb",
        "fairlane table results --per run --metrics total_retransmits --relative-to algorithm=cubic",
        "fairlane table --list",
    ],
    groups={
        "What to show": ["metric_names", "per", "where", "experiment", "metric_files", "list_metrics"],
        "How to lay it out": ["by", "across", "relative_to", "form"],
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
    form: str,
    metric_files: tuple[Path, ...],
) -> None:
    """Print metrics of a sweep, averaged over repeats.

    RESULTS is a folder that `fairlane run` wrote. The value after ± is half the width of the 95 % confidence interval
    of the mean (BCa bootstrap, at least three repeats); csv and json contain both ends.
    """
    opened = open_results(results, experiment)
    chosen = metrics("--metrics", metric_names or USUAL[per or "group"], metric_files)
    if per is None:
        per, chosen = _fitting(chosen)
    from fairlane.results.metrics.averaging import notes
    from fairlane.results.metrics.frame import table
    from fairlane.results.metrics.summary import relative, summarise
    from fairlane.show.text.progress import Bar

    chosen_flows = filters(opened, where)
    rows = list(dict.fromkeys([*OWN[per], *(axis.column for axis in opened.axes)]))  # an axis may be called algorithm
    bar = Bar(opened.runs.height if opened.runs.height >= BAR_FROM else 0, "runs")
    try:
        frame = table(opened, chosen, per, chosen_flows, lambda: bar.step(drawn_every=BAR_FROM // 20))
    finally:
        bar.finish()
    if relative_to:
        single = {name: values[0] for name, values in filters(opened, [relative_to]).items()}
        for metric in chosen:
            frame = relative(frame, metric.name, ["experiment", "repeat", *rows], single)
            frame = frame.drop(metric.name).rename({f"{metric.name}_relative": metric.name})
        chosen = [replace(one, unit="", label=f"relative {one.label}", digits=3) for one in chosen]
    if not frame.height:
        raise RunFailed(f"no flow in '{results}' matches; widen --where")
    spread = axis_of(opened, "--across", across) if across else None
    if by is not None:
        wanted = [axis_of(opened, "--by", name).column if name not in OWN[per] else name for name in by]
        rows = [*OWN[per], *wanted] if not set(by) & set(OWN[per]) else wanted
    columns = list(dict.fromkeys(column for column in ["experiment", *rows] if column in frame.columns))
    if spread and spread.column not in columns:
        columns.append(spread.column)
    axes_first = [column for column in columns if column not in OWN[per]]
    ordered = [*axes_first, *(column for column in columns if column in OWN[per])]
    summary = summarise(frame, ordered, [metric.name for metric in chosen])
    said = notes(frame, ordered, opened, chosen, per, chosen_flows)
    damage = notice(opened)
    said = [*said, damage] if damage else said
    if form in ("csv", "json"):  # programs read these: no line may come before them
        for line in said:
            echo(line, err=True)
    echo(render(summary, chosen, opened.axes, spread, form, said))


def _fitting(chosen: "list[Metric]") -> "tuple[str, list[Metric]]":
    """The kind of row for which all these metrics have values without an average over different flows."""
    kinds = {metric.of for metric in chosen}
    if kinds == {"link"}:
        return "link", chosen
    if "flow" not in kinds:
        return "run", chosen
    return "group", [metric.of_whole_run() if metric.of == "flows" else metric for metric in chosen]


def _list(ctx: click.Context, wanted: bool) -> None:
    if not wanted:
        return
    from fairlane.results.metrics import catalogue
    from fairlane.show.text.aligned import LEFT, text_table

    rows = [[metric.name, metric.of, metric.unit, metric.summary] for metric in catalogue()]
    echo(text_table([("metric", LEFT), ("of", LEFT), ("unit", LEFT), ("", LEFT)], rows))
    ctx.exit()
