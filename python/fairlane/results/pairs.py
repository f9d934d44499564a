"""Algorithms against each other: means of metrics of each next to each other, from runs with two groups of flows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fairlane.results.metrics import find
from fairlane.results.metrics.frame import table
from fairlane.results.metrics.metric import Metric, MetricError
from fairlane.results.metrics.summary import mean_of
from fairlane.results.statistics import Interval

if TYPE_CHECKING:
    import polars as pl

    from fairlane.results.tables import ResultTables

METRICS = ("share_pct", "goodput_mbps", "packet_rtt_mean_ms", "retransmits_per_s")
"""Those that a matrix shows unless others are chosen."""


@dataclass(frozen=True)
class PairMatrix:
    """A metric of each algorithm of a row while it competes with each of a column."""

    metric: Metric
    rows: Sequence[str]
    columns: Sequence[str]
    cells: Mapping[tuple[str, str], Interval]
    """Means over repeats, and over other axes of the sweep; pairs that did not meet are missing."""

    def mean(self, row: str, column: str) -> float | None:
        """The mean of a cell; None if the pair did not meet."""
        found = self.cells.get((row, column))
        return None if found is None else found.estimate


def pair_matrices(
    results: "ResultTables", metrics: Sequence[str | Metric] = METRICS, filters: Mapping[str, Any] | None = None
) -> list[PairMatrix]:
    """A matrix for each metric of a flow.

    A pair that met counts for both orders. Where every algorithm of the first group met every one of the second, the
    first are the rows and the second the columns; otherwise all are both. Raises MetricError if no run has two groups.
    """
    chosen = [metric if isinstance(metric, Metric) else find(metric) for metric in metrics]
    frame = table(results, chosen, "group", filters)
    met = _pairs(frame, _labels(frame, results))
    if not met:
        raise MetricError("a matrix needs runs with two groups of flows each, such as pairs of algorithms")
    rows, columns = _sides(list(dict.fromkeys((first, rival) for first, rival, *_ in met)))
    return [
        PairMatrix(metric, rows, columns, _cells(met, [frame[metric.name].to_list()[i] for i in range(frame.height)]))
        for metric in chosen
    ]


def is_matrix(results: "ResultTables") -> bool:
    """Whether the experiment is about pairs: its file has a matrix."""
    return any("matrix" in plan.settings.get("sweep", {}) for plan in results.plans)


def _labels(frame: "pl.DataFrame", results: "ResultTables") -> list[str]:
    """The name of each row: its algorithm."""
    if {"group", "run"} <= set(frame.columns) and "algorithm" in results.flow_columns.columns:
        flows = results.flow_columns.select(["run", "group", "algorithm"])
        known = {(run, group): algorithm for run, group, algorithm in flows.iter_rows()}
        return [str(known.get((run, group))) for run, group in frame.select("run", "group").iter_rows()]
    return []


def _pairs(frame: "pl.DataFrame", labels: Sequence[str]) -> list[tuple[str, str, int, int, int]]:
    """For each run with two groups: both names, the repeat, and the numbers of the two rows."""
    if not labels:
        return []
    repeats = frame["repeat"].to_list() if "repeat" in frame.columns else [0] * frame.height
    rows: dict[str, list[int]] = {}
    for number, run in enumerate(frame["run"]):
        rows.setdefault(run, []).append(number)
    return [
        (labels[one], labels[other], repeats[one], one, other)
        for one, other in (found for found in rows.values() if len(found) == 2)
    ]


def _sides(met: Sequence[tuple[str, str]]) -> tuple[list[str], list[str]]:
    first, rival = (list(dict.fromkeys(pair[place] for pair in met)) for place in (0, 1))
    if len(set(met)) == len(first) * len(rival):
        return first, rival
    every = list(dict.fromkeys([*first, *rival]))
    return every, every


def _cells(
    met: Sequence[tuple[str, str, int, int, int]], values: Sequence[float | None]
) -> dict[tuple[str, str], Interval]:
    found: dict[tuple[str, str], dict[int, list[float]]] = {}
    for first, rival, repeat, one, other in met:
        for key, place in (((first, rival), one), ((rival, first), other)):
            value = values[place]
            if value is not None:
                found.setdefault(key, {}).setdefault(repeat, []).append(value)
    cells = {}
    for key, by_repeat in found.items():
        mean = mean_of([sum(each) / len(each) for each in by_repeat.values()])
        if mean is not None:
            cells[key] = mean
    return cells
