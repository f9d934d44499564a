"""Metrics of whole sweeps: a frame with one row per flow, group of flows, link or run."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from fairlane.metrics.catalogue import OWN, find
from fairlane.metrics.metric import Metric, MetricError
from fairlane.metrics.source import runs
from fairlane.metrics.subject import Flow, Run
from fairlane.wording import unknown

if TYPE_CHECKING:
    import polars as pl

    from fairlane.results.tables import ResultTables

_FITS: dict[str, tuple[str, ...]] = {
    "flow": ("flow",),
    "group": ("flow", "flows", "link", "run"),
    "link": ("link",),
    "run": ("flow", "flows", "link", "run"),
}
"""Which metrics make sense for which rows."""


def table(
    results: "ResultTables",
    metrics: Sequence[str | Metric],
    per: str = "flow",
    filters: Mapping[str, Any] | None = None,
    on_run: Callable[[], None] = lambda: None,
) -> "pl.DataFrame":
    """Axes, seed and repeat, what the row is about, and one column per metric.

    For a group of flows or a run, metrics of a flow are means over the flows; `fairlane.metrics.averaging` says so. For
    a group or a run, metrics of a link are those of the bottleneck; each group has the metrics of its run.
    """
    import polars as pl

    if per not in _FITS:
        raise MetricError(unknown("kind of row", per, _FITS))
    chosen = [metric if isinstance(metric, Metric) else find(metric) for metric in metrics]
    for metric in chosen:
        if metric.of not in _FITS[per]:
            raise MetricError(f"{metric.name} is a metric of a {metric.of}; it has no value for a {per}")
    head = results.head
    rows = []
    for run in runs(results, filters):
        shared = {name: run.get(name) for name in head}
        # An axis called `algorithm` is what the experiment says.
        rows += [row | shared for row in rows_of(run, chosen, per)]
        on_run()
    schema = {name: results.runs.schema[name] for name in head if name in results.runs.schema}
    schema |= {metric.name: pl.Float64() for metric in chosen}
    columns = dict.fromkeys([*head, *OWN[per], *(metric.name for metric in chosen)])
    frame = pl.DataFrame(rows, schema_overrides=schema, infer_schema_length=None)
    return frame.select([column for column in columns if column in frame.columns])


def rows_of(run: Run, metrics: Sequence[Metric], per: str) -> list[dict[str, Any]]:
    """The rows of one run."""
    if per == "flow":
        return [_row(flow.figures, per, {metric.name: metric(flow) for metric in metrics}) for flow in run.flows]
    if per == "link":
        return [_row(link.figures, per, {metric.name: metric(link) for metric in metrics}) for link in run.links]
    if per == "run":
        return [{metric.name: _of_run(run, metric) for metric in metrics}]
    groups: dict[Any, list[Flow]] = {}
    for flow in run.flows:
        groups.setdefault(flow["group"], []).append(flow)
    return [
        _row(
            flows[0].figures,
            per,
            {
                metric.name: _of_flows(flows, metric) if metric.of in ("flow", "flows") else _of_run(run, metric)
                for metric in metrics
            },
        )
        for flows in groups.values()
    ]


def _row(figures: Mapping[str, Any], per: str, values: dict[str, float | None]) -> dict[str, Any]:
    return {**{name: figures[name] for name in OWN[per] if name in figures}, **values}


def _of_flows(flows: Sequence[Flow], metric: Metric) -> float | None:
    if metric.of == "flows":
        return metric(flows)
    values = [value for value in map(metric, flows) if value is not None]
    return sum(values) / len(values) if values else None


def _of_run(run: Run, metric: Metric) -> float | None:
    if metric.of == "run":
        return metric(run)
    if metric.of == "link":
        return metric(run.bottleneck) if run.bottleneck else None
    return _of_flows(run.flows, metric)
