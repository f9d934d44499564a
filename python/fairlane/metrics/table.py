"""Metrics of whole sweeps: a frame with one row per flow, group of flows, link or run."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from fairlane.metrics.catalogue import OWN, find
from fairlane.metrics.metric import Metric, MetricError
from fairlane.metrics.rows import Row
from fairlane.metrics.source import runs
from fairlane.metrics.subject import Flow, Run, Subject
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
    head: list[int] = []  # rows of the tables of runs, and of flows or links: copied together, as columns
    own: list[int] = []
    values: list[list[float | None]] = [[] for _ in chosen]
    for run in runs(results, filters, as_stored=True):
        for subject, row in _rows_of(run, chosen, per):
            head.append(_index(run))
            own.append(_index(subject))
            for column, value in zip(values, row, strict=True):
                column.append(value)
        on_run()
    order = sorted(range(len(head)), key=head.__getitem__)  # that of the runs again
    head, own = ([rows[place] for place in order] for rows in (head, own))
    values = [[column[place] for place in order] for column in values]
    own_names = OWN[per]
    frame = _picked(results.runs, head, results.head)
    if own_names:
        named = _picked(results.links if per == "link" else results.flows, own, own_names)
        # An axis called `algorithm` is what the experiment says.
        frame = frame.with_columns(column for column in named.get_columns() if column.name not in frame.columns)
    return frame.with_columns(
        pl.Series(metric.name, column, dtype=pl.Float64)
        for metric, column in zip(chosen, values, strict=True)
        if metric.name not in results.head
    )


def _index(subject: Subject) -> int:
    assert isinstance(subject.figures, Row)
    return subject.figures.index


def _picked(frame: "pl.DataFrame", rows: list[int], names: Sequence[str]) -> "pl.DataFrame":
    """These rows of these columns, of those that there are."""
    return frame.select([name for name in names if name in frame.columns])[rows]


def _rows_of(run: Run, metrics: Sequence[Metric], per: str) -> Iterator[tuple[Subject, list[float | None]]]:
    """The rows of one run: what each is about, and its values."""
    if per == "flow":
        yield from ((flow, [metric(flow) for metric in metrics]) for flow in run.flows)
    elif per == "link":
        yield from ((link, [metric(link) for metric in metrics]) for link in run.links)
    elif per == "run":
        yield run, [_of_run(run, metric) for metric in metrics]
    else:
        groups: dict[Any, list[Flow]] = {}
        for flow in run.flows:
            groups.setdefault(flow["group"], []).append(flow)
        for flows in groups.values():
            yield (
                flows[0],
                [
                    _of_flows(flows, metric) if metric.of in ("flow", "flows") else _of_run(run, metric)
                    for metric in metrics
                ],
            )


def _of_flows(flows: Sequence[Flow], metric: Metric) -> float | None:
    if metric.of == "flows":
        return metric(flows)
    if len(flows) == 1:
        return metric(flows[0])
    values = [value for value in map(metric, flows) if value is not None]
    return sum(values) / len(values) if values else None


def _of_run(run: Run, metric: Metric) -> float | None:
    if metric.of == "run":
        return metric(run)
    if metric.of == "link":
        return metric(run.bottleneck) if run.bottleneck else None
    return _of_flows(run.flows, metric)
