"""Algorithms against each other: means of metrics of each next to each other, from runs with two groups of flows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fairlane.engine.libraries import pl
from fairlane.results.metrics import find
from fairlane.results.metrics.frame import table
from fairlane.results.metrics.metric import Metric, MetricError
from fairlane.results.metrics.summary import mean_of
from fairlane.results.statistics import Interval
from fairlane.results.tables import ResultTables
from fairlane.scenario.diagnostics import reporter
from fairlane.scenario.pairs import NAMES, pairs

HARM = Metric(
    "harm_pct",
    "flow",
    "%",
    "Harm to the rival: the share of its goodput next to its own kind that it loses next to this algorithm. "
    "0 or less: the rival is as safe here as beside itself, however unequal the shares are.",
    "Ware et al. 2019, 4: harm of at most that of its own kind",
    "harm to the rival",
    0,
    lambda _flow: None,
)
"""A metric of pairs only."""
METRICS = ("share_pct", HARM.name, "goodput_mbps", "packet_rtt_mean_ms", "retransmits_per_s")
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
    results: ResultTables, metrics: Sequence[str | Metric] = METRICS, filters: Mapping[str, Any] | None = None
) -> list[PairMatrix]:
    """A matrix for each metric of a flow.

    A pair that met counts for both orders. Where every algorithm of the first group met every one of the second, the
    first are the rows and the second the columns; otherwise all are both. Raises MetricError if no run has two groups.
    """
    chosen = [metric if isinstance(metric, Metric) else metric_of_pairs(metric) for metric in metrics]
    read = [find("goodput_mbps") if metric is HARM else metric for metric in chosen]
    frame = table(results, list(dict.fromkeys(read)), "group", filters)
    met = _pairs(frame, _labels(frame, results))
    if not met:
        raise MetricError("a matrix needs runs with two groups of flows each, such as pairs of algorithms")
    rows, columns = _sides(list(dict.fromkeys((pair[0], pair[1]) for pair in _asked(met, frame, results))))
    matrices = []
    for metric, source in zip(chosen, read, strict=True):
        values = _by_repeat(met, frame[source.name].to_list())
        matrices.append(PairMatrix(metric, rows, columns, _means(_harm(values) if metric is HARM else values)))
    return matrices


def metric_of_pairs(name: str) -> Metric:
    """A metric of a flow, or the harm. Raises MetricError."""
    found = HARM if name == HARM.name else find(name)
    if found.of != "flow":
        raise MetricError(f"{name} is a metric of a {found.of}; name one of a flow, such as goodput_mbps")
    return found


def is_matrix(results: ResultTables) -> bool:
    """Whether the experiment is about pairs: its file has a matrix."""
    return any("matrix" in plan.settings.get("sweep", {}) for plan in results.plans)


def _labels(frame: "pl.DataFrame", results: ResultTables) -> list[str]:
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


def _asked(
    met: Sequence[tuple[str, str, int, int, int]], frame: "pl.DataFrame", results: ResultTables
) -> Sequence[tuple[str, str, int, int, int]]:
    """Without the runs of an algorithm next to itself that are there for the harm only."""
    tables = [plan.settings.get("sweep", {}).get("matrix") for plan in results.plans]
    asked = pairs(tables[0], reporter([])) if len(tables) == 1 else None
    if asked is None or not set(NAMES) <= set(frame.columns):
        return met
    first, rival = (frame[name].to_list() for name in NAMES)
    return [pair for pair in met if asked.is_asked(first[pair[3]], rival[pair[3]])] or met


def _sides(met: Sequence[tuple[str, str]]) -> tuple[list[str], list[str]]:
    first, rival = (list(dict.fromkeys(pair[place] for pair in met)) for place in (0, 1))
    if len(set(met)) == len(first) * len(rival):
        return first, rival
    every = list(dict.fromkeys([*first, *rival]))
    return every, every


_Values = dict[tuple[str, str], dict[int, list[float]]]
"""Of each algorithm next to each other one, by repeat."""


def _by_repeat(met: Sequence[tuple[str, str, int, int, int]], values: Sequence[float | None]) -> _Values:
    found: _Values = {}
    for first, rival, repeat, one, other in met:
        for key, place in (((first, rival), one), ((rival, first), other)):
            value = values[place]
            if value is not None:
                found.setdefault(key, {}).setdefault(repeat, []).append(value)
    return found


def _harm(goodputs: _Values) -> _Values:
    """The harm of each to each other one, in %, repeat by repeat; none to one that never met itself."""
    found: _Values = {}
    for (one, other), by_repeat in goodputs.items():
        for repeat, own in goodputs.get((one, one), {}).items():
            if repeat in by_repeat and sum(own) > 0:
                beside, before = (sum(each) / len(each) for each in (by_repeat[repeat], own))
                found.setdefault((other, one), {})[repeat] = [100 * (before - beside) / before]
    return found


def _means(values: _Values) -> dict[tuple[str, str], Interval]:
    means = {key: mean_of([sum(each) / len(each) for each in one.values()]) for key, one in values.items()}
    return {key: mean for key, mean in means.items() if mean is not None}
