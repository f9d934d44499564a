"""The table of a sweep: metrics as means over repeats, with intervals, and notes on every other average."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from fairlane.engine.libraries import pl
from fairlane.results.metrics.averaging import notes
from fairlane.results.metrics.catalogue import OWN
from fairlane.results.metrics.frame import table
from fairlane.results.metrics.harm import harm
from fairlane.results.metrics.metric import Metric, MetricError
from fairlane.results.metrics.summary import relative, summarise
from fairlane.results.tables import ResultTables


@dataclass(frozen=True)
class SweepTable:
    """The frame of `summarise`, the metrics in it, and notes on what its rows average over."""

    frame: "pl.DataFrame"
    metrics: Sequence[Metric]
    notes: Sequence[str]


def rows_that_fit(metrics: Sequence[Metric]) -> tuple[str, list[Metric]]:
    """The kind of row for which all these metrics have values without an average over different flows."""
    kinds = {metric.of for metric in metrics}
    if kinds == {"link"}:
        return "link", list(metrics)
    if "flow" not in kinds:
        return "run", list(metrics)
    return "group", [metric.of_whole_run() if metric.of == "flows" else metric for metric in metrics]


def sweep_table(
    results: ResultTables,
    metrics: Sequence[Metric],
    per: str,
    *,
    filters: Mapping[str, Any],
    by: Sequence[str] | None = None,
    across: str | None = None,
    relative_to: Mapping[str, Any] | None = None,
    harm_to: Mapping[str, Any] | None = None,
    on_run: Callable[[], None] = lambda: None,
) -> SweepTable:
    """One row for each value of the columns `by` (all axes, if None), and of what a row is about.

    `across` is another column to keep. Metrics are divided by their values where `relative_to` holds, or become the
    harm that is done to flows in comparison with where `harm_to` holds. Raises MetricError.
    """
    own = OWN[per]
    rows = list(dict.fromkeys([*own, *(axis.column for axis in results.axes)]))  # an axis may be called algorithm
    frame = table(results, metrics, per, filters, on_run)
    if reference := relative_to or harm_to:
        for metric in metrics:
            frame = relative(frame, metric.name, ["experiment", "repeat", *rows], reference)
            ratio = frame[f"{metric.name}_relative"]
            values = ratio if relative_to else ratio.map_elements(_harm(metric), return_dtype=ratio.dtype)
            frame = frame.drop(f"{metric.name}_relative").with_columns(values.alias(metric.name))
        word = "relative" if relative_to else "harm in"
        metrics = [replace(one, unit="", label=f"{word} {one.label}", digits=3) for one in metrics]
    if not frame.height:
        raise MetricError(f"no flow in '{results.path}' matches; widen --where")
    if by is not None:
        rows = list(by) if set(by) & set(own) else [*own, *by]
    columns = [column for column in dict.fromkeys(["experiment", *rows, across]) if column in frame.columns]
    ordered = sorted(columns, key=lambda column: column in own)  # axes first
    summary = summarise(frame, ordered, [metric.name for metric in metrics])
    return SweepTable(summary, metrics, notes(frame, ordered, results, metrics, per, filters))


def _harm(metric: Metric) -> Callable[[float], float | None]:
    """The harm by a metric's value over that of the reference."""
    if metric.better is None:
        raise MetricError(f"{metric.name} has no better direction, so nothing harms it; name another metric")
    better = metric.better
    return lambda ratio: harm(1.0, ratio, better)
