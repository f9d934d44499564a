"""Metrics of whole sweeps: a frame with one row per flow, group of flows, link or run, and means over repeats."""

import weakref
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from fairlane.engine.libraries import pl
from fairlane.engine.messages import unknown
from fairlane.results.lazy_table import FlowsOnDemand
from fairlane.results.metrics.averaging import notes
from fairlane.results.metrics.catalogue import OWN, find
from fairlane.results.metrics.harm import harm
from fairlane.results.metrics.metric import Metric, MetricError, column, quotient
from fairlane.results.metrics.rows import Row
from fairlane.results.metrics.source import runs
from fairlane.results.metrics.subject import Flow, Flows, Run, Subject
from fairlane.results.metrics.summary import relative, summarise
from fairlane.results.tables import ResultTables

_FITS: dict[str, tuple[str, ...]] = {
    "flow": ("flow",),
    "group": ("flow", "flows", "link", "run"),
    "link": ("link",),
    "run": ("flow", "flows", "link", "run"),
}
"""Which metrics make sense for which rows."""


def table(
    results: ResultTables,
    metrics: str | Sequence[str | Metric],
    per: str = "flow",
    filters: Mapping[str, Any] | None = None,
    on_run: Callable[[], None] = lambda: None,
) -> "pl.DataFrame":
    """Axes, seed and repeat, what the row is about, and one column per metric.

    For a group of flows or a run, metrics of a flow are means over the flows; `fairlane.results.metrics.averaging` says
    so. For a group or a run, metrics of a link are those of the bottleneck; each group has the metrics of its run.
    """
    if per not in _FITS:
        raise MetricError(unknown("kind of row", per, _FITS))
    names = [metrics] if isinstance(metrics, str) else metrics
    chosen = [metric if isinstance(metric, Metric) else find(metric) for metric in names]
    for metric in chosen:
        if metric.of not in _FITS[per]:
            raise MetricError(f"{metric.name} is a metric of a {metric.of}; it has no value for a {per}")
    if filters or per == "flow":
        found = _Values(results, per, filters)
    else:  # a report asks for the same again and again
        found = _KNOWN.setdefault(results, {}).setdefault(per, _Values(results, per))
    found.compute(chosen, on_run)
    own_names = OWN[per]
    frame = _picked(results.runs, found.runs, results.head)
    if own_names:
        named = _picked(results.links if per == "link" else results.flow_columns, found.own, own_names)
        # An axis called `algorithm` is what the experiment says.
        frame = frame.with_columns(column for column in named.get_columns() if column.name not in frame.columns)
    return frame.with_columns(
        pl.Series(metric.name, found.values[metric], dtype=pl.Float64)
        for metric in chosen
        if metric.name not in results.head
    )


class _Values:
    """Metrics of all runs, of their groups of flows, ..."""

    def __init__(self, results: ResultTables, per: str, filters: Mapping[str, Any] | None = None) -> None:
        self._results, self._per, self._filters = weakref.proxy(results), per, filters
        self.runs: list[int] = []
        """For each row the number of the run in the table of runs."""
        self.own: list[int] = []
        """For each row the number of the flow, link or run in its table; of a group that of its first flow."""
        self.values: dict[Metric, list[float | None]] = {}

    def compute(self, metrics: Sequence[Metric], on_run: Callable[[], None]) -> None:
        """Adds those that are missing. Raises MetricError."""
        missing = [metric for metric in dict.fromkeys(metrics) if metric not in self.values]
        if not missing and self.values:
            return
        columns = self._results.flow_columns
        each = [metric.each for metric in missing if isinstance(metric.each, column | quotient)]
        together = {name for one in each for name in one.names}
        columns.select([name for name in columns.columns if name in together])
        parts: list[tuple[int, Sequence[int], Sequence[Sequence[float | None]]]] = []
        for run in runs(self._results, self._filters, as_stored=True):
            parts.append((_index(run), *_rows_of(run, missing, self._per)))
            on_run()
        parts.sort(key=lambda part: part[0])  # the order of the runs again
        self.runs = [index for index, own, _ in parts for _ in own]
        self.own = [place for _, own, _ in parts for place in own]
        for number, metric in enumerate(missing):
            self.values[metric] = [value for _, _, values in parts for value in values[number]]


_KNOWN: weakref.WeakKeyDictionary[ResultTables, dict[str, _Values]] = weakref.WeakKeyDictionary()
"""Values computed so far, by kind of row, of results that are in use."""


def _index(subject: Subject) -> int:
    assert isinstance(subject.figures, Row)
    return subject.figures.index


def _picked(frame: "pl.DataFrame | FlowsOnDemand", rows: list[int], names: Sequence[str]) -> "pl.DataFrame":
    """These rows of these columns, of those that there are."""
    return frame.select([name for name in names if name in frame.columns])[rows]


def _rows_of(run: Run, metrics: Sequence[Metric], per: str) -> tuple[Sequence[int], Sequence[Sequence[float | None]]]:
    """The rows of one run: the number of what each is about in its table, and the values of each metric."""
    if per == "flow":
        flows = _flows_of(run)
        return flows.rows, [metric.of_each(flows) for metric in metrics]
    if per == "link":
        return [_index(link) for link in run.links], [[metric(link) for link in run.links] for metric in metrics]
    if per == "run":
        return [_index(run)], [[_of_run(run, metric)] for metric in metrics]
    groups = _flows_of(run).by("group").values()
    values = [
        [_of_flows(flows, metric) if metric.of in ("flow", "flows") else _of_run(run, metric) for flows in groups]
        for metric in metrics
    ]
    return [flows.rows[0] for flows in groups], values


def _flows_of(run: Run) -> Flows:
    assert isinstance(run.flows, Flows), "a run of the store"
    return run.flows


def _of_flows(flows: Sequence[Flow], metric: Metric) -> float | None:
    if metric.of == "flows":
        return metric(flows)
    values = [value for value in metric.of_each(flows) if value is not None]
    return sum(values) / len(values) if values else None


def _of_run(run: Run, metric: Metric) -> float | None:
    if metric.of == "run":
        return metric(run)
    if metric.of == "link":
        return metric(run.bottleneck) if run.bottleneck else None
    return _of_flows(run.flows, metric)


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
