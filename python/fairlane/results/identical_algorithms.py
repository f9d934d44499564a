"""Checks that an experiment tells congestion controls apart, with the limit that hides them if it does not.

Two things are suspicious: algorithms whose runs have equal results under equal conditions, and loss-based rivals that
never lose a packet. Both usually mean that something else decides, such as a receive window.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

from fairlane.engine import algorithms
from fairlane.engine.libraries import pl
from fairlane.results.limits import COLUMNS as OF_LIMITS
from fairlane.results.limits import Limit, limit_of, receive_window_packets
from fairlane.results.tables import ResultTables
from fairlane.scenario.plan import Axis, Plan, PlannedRun

EQUAL = (
    *("bytes_delivered", "data_packets_sent", "retransmits", "lost_packets", "marked_packets", "timeouts"),
    *("mean_rtt_ms", "packet_rtt_mean_ms", "mean_cwnd_packets", "wire_bytes_reverse"),
)
"""Results of a flow that two different algorithms do not share by chance, all together."""
NEARLY = ("goodput_mbps", "mean_rtt_ms", "retransmits")
TOLERANCE = 0.005
"""Two flows whose results of `NEARLY` differ by at most this share are nearly equal."""
MOST = 3
"""Sets of algorithms that are reported."""
MOST_LINES = 8
"""Sentences about a whole study."""
_LOSS_BASED = "loss-based"


@dataclass(frozen=True)
class Alike:
    """Algorithms with equal results under the same conditions: all settings but the algorithm, and the seed."""

    algorithms: tuple[str, ...]
    """In the words of the experiment, those that are equal to the last digit first."""
    equal: int
    """The number of those that are equal to the last digit; the others are within `TOLERANCE`."""
    conditions: int
    of: int
    """All conditions in which algorithms can be compared."""
    limit: Limit | None
    detail: str
    has_signals: bool
    """Whether packets were lost or marked."""

    @property
    def sentence(self) -> str:
        """One sentence with the reason."""
        count, others = len(self.algorithms), len(self.algorithms) - self.equal
        digits = f", {self.equal} of them to the last digit" if self.equal and others else ""
        digits = digits if others else ", to the last digit"
        where = f"{self.conditions} of {self.of} conditions" if self.of > 1 else "the same conditions"
        what = f"{count} algorithms behave identically in {where}{digits} ({', '.join(self.algorithms)})"
        return f"{what}: {_reason(self.limit, self.detail, self.has_signals)}."


@dataclass(frozen=True)
class NoLosses:
    """Runs of loss-based rivals alone in which no packet was lost or marked."""

    runs: int
    of: int
    limit: Limit | None
    detail: str

    @property
    def sentence(self) -> str:
        """One sentence with the reason."""
        where = f"{self.runs} of {self.of} runs" if self.of > 1 else "a run"
        return (
            f"no packet is lost or marked in {where} whose flows are all loss-based rivals: "
            f"{_reason(self.limit, self.detail, True)}."
        )


def _reason(limit: Limit | None, detail: str, has_signals: bool) -> str:
    if limit is not None and not limit.is_of_congestion_control:
        return f"{limit.sentence(detail)}, not congestion control"
    if not has_signals:
        return "no packet is lost or marked, to which they would respond"
    return limit.sentence() if limit else "the limit was not measured"


def checks(results: ResultTables) -> Sequence[Alike | NoLosses]:
    """Findings about the experiments of these results, the one with the most algorithms first."""
    known = results.derived
    if "identical_algorithms" not in known:
        known["identical_algorithms"] = [found for plan in results.plans for found in _of_plan(results, plan)]
    found: list[Alike | NoLosses] = known["identical_algorithms"]
    return found


def sentences(results: ResultTables) -> list[str]:
    """`checks` as sentences, without capitals at the beginning."""
    return [check.sentence for check in checks(results)]


def sentences_of_study(experiments: Mapping[str, ResultTables]) -> list[str]:
    """Those of all experiments of a study, with names, most algorithms first; at most `MOST_LINES`."""
    found = [(name, check) for name, results in experiments.items() for check in checks(results)]
    found.sort(key=lambda one: -len(one[1].algorithms) if isinstance(one[1], Alike) else 0)
    lines = [f"Check, {name}: {check.sentence}" for name, check in found]
    more = len(lines) - MOST_LINES
    return [*lines[:MOST_LINES], *([f"Check: {more} more such sentences are in the report."] if more > 0 else [])]


def _of_plan(results: ResultTables, plan: Plan) -> Iterator[Alike | NoLosses]:
    runs = {run.run: run for run in plan.runs}
    rivals = {key for key, run in runs.items() if _is_of_loss_based_rivals(run)}
    axes = _algorithm_axes(plan)
    if not axes and not rivals:
        return
    flows = _Flows(results, set(runs) if axes else rivals)
    yield from _alike(flows, plan, axes)
    there = [key for key in rivals if key in flows.lost]
    quiet = [key for key in there if not flows.lost[key]]
    limit, detail = flows.limit(quiet) if quiet else (None, "")
    if quiet and not (limit is not None and limit.name == "application"):
        yield NoLosses(len(quiet), len(there), limit, detail)


class _Flows:
    """The flows of some runs."""

    def __init__(self, results: ResultTables, runs: set[str]) -> None:
        present = results.flow_columns.columns
        names = ["run", "flow", *(name for name in dict.fromkeys([*EQUAL, *NEARLY, *OF_LIMITS]) if name in present)]
        flows = results.flow_columns.select(names).with_columns(pl.col("run").cast(pl.String))
        self._results, self._frame = results, flows.filter(pl.col("run").is_in(list(runs)))
        equal = [name for name in EQUAL if name in present]
        prints = pl.struct(equal).hash() * (2 * pl.col("flow").cast(pl.UInt64) + 1)
        signals = [name for name in ("retransmits", "lost_packets", "marked_packets") if name in present]
        by_run = self._frame.group_by("run").agg(
            pl.struct(prints.sum().alias("sum"), pl.len().alias("flows")).first().alias("print"),
            pl.sum_horizontal(pl.col(signals).fill_null(0).sum()).first().alias("lost"),
        )
        self.prints: dict[str, Any] = {
            run: tuple(one.values()) for run, one in zip(by_run["run"], by_run["print"], strict=True)
        }
        """Equal for two runs if `EQUAL` is so for each flow."""
        self.lost: dict[str, int] = dict(zip(by_run["run"], by_run["lost"], strict=True))
        """Packets retransmitted, lost and marked."""

    @cached_property
    def values(self) -> dict[str, list[tuple[float, ...]]]:
        """`NEARLY` of each flow of each run."""
        names = [name for name in NEARLY if name in self._frame.columns]
        found: dict[str, list[tuple[float, ...]]] = defaultdict(list)
        frame = self._frame.sort("flow").select("run", *(pl.col(name).cast(pl.Float64).fill_null(0) for name in names))
        for run, *values in frame.iter_rows():
            found[run].append(tuple(values))
        return found

    def are_near(self, one: str, other: str) -> bool:
        """Whether the results of two runs are nearly equal."""
        ours, theirs = self.values[one], self.values[other]
        return len(ours) == len(theirs) and all(
            abs(a - b) <= TOLERANCE * max(abs(a), abs(b))
            for pair in zip(ours, theirs, strict=True)
            for a, b in zip(*pair, strict=True)
        )

    def limit(self, runs: Sequence[str]) -> tuple[Limit | None, str]:
        """The limit of these runs, and the size of the receive window if that is it."""
        limit = limit_of(self._frame.filter(pl.col("run").is_in(runs)))
        if limit is None or limit.name != "receive window":
            return limit, ""
        packets = receive_window_packets(self._results, runs[:1])
        return limit, f"{packets:,} packets" if packets else ""


def _alike(flows: _Flows, plan: Plan, axes: Sequence["Axis"]) -> list[Alike]:
    """The largest sets of algorithms with equal results."""
    conditions: dict[tuple[Any, ...], dict[str, str]] = defaultdict(dict)
    for run in plan.runs:
        for axis in axes if run.run in flows.prints else ():
            others = tuple(value for column, value in run.axes.items() if column != axis.column)
            conditions[axis.column, others, run.repeat][axis.label(run.axes[axis.column])] = run.run
    comparable = [one for one in conditions.values() if len(one) > 1]
    sets = []  # of equal algorithms, also of nearly equal ones, and their runs
    for runs in comparable:
        for equal in _equal(flows, runs):
            near = {name for name in runs if flows.are_near(runs[equal[0]], runs[name])}
            sets.append((frozenset(equal), near.union(equal), runs))
    candidates = {frozenset(every) for _, every, _ in sets}
    places_of = {names: [one for one in sets if names <= one[1]] for names in candidates}
    order = sorted(places_of, key=lambda names: (-len(names) * len(places_of[names]), sorted(names)))
    made: list[Alike] = []
    for names in order:
        if len(made) == MOST or any(names <= set(one.algorithms) or names >= set(one.algorithms) for one in made):
            continue
        places = [(equal, runs) for equal, _, runs in places_of[names]]
        exact = names.intersection(*(equal for equal, _ in places))
        keys = [runs[name] for _, runs in places for name in runs if name in names]
        limit, detail = flows.limit(keys)
        ordered = tuple(sorted(names, key=lambda name: (name not in exact, _place(name, axes))))
        signals = any(flows.lost[key] for key in keys)
        made.append(Alike(ordered, len(exact), len(places), len(comparable), limit, detail, signals))
    return made


def _equal(flows: _Flows, runs: Mapping[str, str]) -> Iterator[list[str]]:
    """The sets of at least two algorithms with equal runs."""
    by_print: dict[Any, list[str]] = defaultdict(list)
    for name, run in runs.items():
        by_print[flows.prints[run]].append(name)
    return (names for names in by_print.values() if len(names) > 1)


def _place(name: str, axes: Sequence["Axis"]) -> int:
    return min(axis.labels.index(name) for axis in axes if name in axis.labels)


def _algorithm_axes(plan: Plan) -> list["Axis"]:
    """The axes that change the algorithms of the flows."""
    found = []
    for axis in plan.axes:
        if len(axis.values) < 2:
            continue
        by_others: dict[tuple[Any, ...], set[tuple[Any, ...]]] = defaultdict(set)
        for run in plan.runs:
            others = (*(value for column, value in run.axes.items() if column != axis.column), run.repeat)
            by_others[others].add(tuple(group.get("algorithm") for group in run.groups))
        if any(len(different) > 1 for different in by_others.values()):
            found.append(axis)
    return found


@cache
def _classes() -> dict[str, str | None]:
    return {name: one.get("class") for one in algorithms() for name in (one["name"], *one["aliases"])}


def _is_of_loss_based_rivals(run: PlannedRun) -> bool:
    words = [str(group.get("algorithm")).partition(":")[0] for group in run.groups]
    flows = sum(group.get("count", 1) for group in run.groups)
    return flows > 1 and all(_classes().get(word) == _LOSS_BASED for word in words)
