"""Compares two results: pairs the points of two sweeps, and judges each difference by its interval.

`fairlane.show.text.changes` prints it.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from fairlane.engine.libraries import pl
from fairlane.results.metrics.catalogue import find
from fairlane.results.metrics.frame import table
from fairlane.results.metrics.metric import Better, Metric
from fairlane.results.statistics import LEVEL, Interval, interval_of_difference, repeats_needed
from fairlane.results.tables import ResultTables


class Verdict(StrEnum):
    """The meaning of a difference; the order is that of a report."""

    WORSE = "worse"
    BETTER = "better"
    CHANGED = "changed"
    """Beyond the tolerance, of a metric that has no better direction."""
    UNDECIDED = "undecided"
    """The interval includes the tolerance: random variation may explain the difference."""
    SAME = "same"


@dataclass(frozen=True)
class Change:
    """A metric at one point of the sweep."""

    place: Mapping[str, Any]
    """Axes, and of which flows or link; by column."""
    metric: Metric
    before: float
    after: float
    difference: Interval
    """After less before, with the interval that the repeats allow."""
    verdict: Verdict
    repeats: int | None
    """Of an undecided one: repeats that would decide it, judged by these; None if no reasonable number would."""

    @property
    def percent(self) -> tuple[float, float, float] | None:
        """Difference and the ends of its interval in per cent of `before`; None if that is 0."""
        if self.before == 0:
            return None
        scale = 100 / abs(self.before)
        return self.difference.estimate * scale, self.difference.low * scale, self.difference.high * scale


def judge(
    place: Mapping[str, Any],
    metric: Metric,
    before: Sequence[float],
    after: Sequence[float],
    tolerance: float,
    level: float,
) -> Change:
    """Compares repeats of a metric; differences within `tolerance`, a share of the value before, do not matter."""
    first, second = (math.fsum(values) / len(values) for values in (before, after))
    if sorted(before) == sorted(after):  # the simulator repeats itself to the bit: nothing changed, however few repeats
        return Change(place, metric, first, second, Interval(0.0, 0.0, 0.0, len(before)), Verdict.SAME, None)
    difference = interval_of_difference(before, after, level)
    allowed = tolerance * abs(first)
    verdict = _verdict(difference, allowed, metric.better)
    repeats = None
    if verdict is Verdict.UNDECIDED:
        # Decided as soon as the interval excludes the threshold closest to its estimate.
        repeats = repeats_needed(difference, abs(abs(difference.estimate) - allowed))
    return Change(place, metric, first, second, difference, verdict, repeats)


def _verdict(difference: Interval, allowed: float, better: Better | None) -> Verdict:
    if difference.lies_above(allowed):
        return Verdict.CHANGED if better is None else Verdict.BETTER if better == "more" else Verdict.WORSE
    if difference.lies_below(-allowed):
        return Verdict.CHANGED if better is None else Verdict.BETTER if better == "less" else Verdict.WORSE
    inside = -allowed <= difference.low and difference.high <= allowed
    return Verdict.SAME if inside else Verdict.UNDECIDED


TOLERANCE = 0.01
Place = tuple[Any, ...]


class CompareError(ValueError):
    """Two results that have nothing in common; one line with the remedy."""


@dataclass(frozen=True)
class Comparison:
    """Everything that two results have in common."""

    changes: list[Change]
    """For each place and metric, in the order of the results before."""
    only_before: int
    """Places that only the first results have."""
    only_after: int

    def count(self, verdict: Verdict) -> int:
        """The number of differences with this verdict."""
        return sum(change.verdict is verdict for change in self.changes)

    @property
    def frame(self) -> "pl.DataFrame":
        """A row for each place and metric: both means, the difference with its interval, and the verdict."""
        rows = [
            {
                **change.place,
                "metric": change.metric.name,
                "before": change.before,
                "after": change.after,
                "difference": change.difference.estimate,
                "difference_low": change.difference.low,
                "difference_high": change.difference.high,
                "verdict": str(change.verdict),
            }
            for change in self.changes
        ]
        return pl.DataFrame(rows, infer_schema_length=None)

    @property
    def regressed(self) -> bool:
        """Whether a metric became worse by more than the tolerance and random variation."""
        return self.count(Verdict.WORSE) > 0


def compare(
    before: ResultTables,
    after: ResultTables,
    metrics: Sequence[str | Metric],
    *,
    per: str = "run",
    tolerance: float = TOLERANCE,
    level: float = LEVEL,
    filters: Mapping[str, Any] | None = None,
) -> Comparison:
    """Compares two results place by place; places are paired by their axes, repeats need not be the same number.

    `per`, `metrics` and `filters` are those of `Results.table`; `tolerance` is the share of the value before that
    does not matter, `level` the confidence of the intervals.
    """
    columns = _axes(before)
    if columns != _axes(after):
        one, other = sorted(columns ^ _axes(after)), "before" if columns - _axes(after) else "after"
        raise CompareError(f"only the results {other} have the axis {one[0]}; compare sweeps over the same axes")
    chosen = [metric if isinstance(metric, Metric) else find(metric) for metric in metrics]
    frames = [table(results, chosen, per, filters) for results in (before, after)]
    names = [column for column in frames[0].columns if column in _where(frames[0], columns)]
    if before.experiments != after.experiments and len(before.experiments) == len(after.experiments) == 1:
        names.remove("experiment")  # one experiment each: that the file was renamed does not matter
    first, second = (_places(frame, names) for frame in frames)
    common = [place for place in first if place in second]
    if not common:
        raise CompareError(
            "the two results have no place of their sweeps in common; compare runs of the same experiment"
        )
    return Comparison(
        [
            change
            for place in common
            for change in _judged(place, names, chosen, first[place], second[place], tolerance, level)
        ],
        len(first) - len(common),
        len(second) - len(common),
    )


def _axes(results: ResultTables) -> set[str]:
    return {axis.column for axis in results.axes}


def _where(frame: "pl.DataFrame", axes: set[str]) -> set[str]:
    """The columns that say what a row is about, repeats left aside."""
    return {"experiment", "flow", "group", "name", "algorithm", *axes} & set(frame.columns)


def _places(frame: "pl.DataFrame", names: Sequence[str]) -> dict[Place, "pl.DataFrame"]:
    return dict(frame.group_by(names, maintain_order=True)) if names else {(): frame}


def _judged(
    place: Place,
    names: Sequence[str],
    metrics: Sequence[Metric],
    before: "pl.DataFrame",
    after: "pl.DataFrame",
    tolerance: float,
    level: float,
) -> Iterator[Change]:
    where = dict(zip(names, place, strict=True))
    for metric in metrics:
        first, second = (frame[metric.name].drop_nulls().drop_nans().to_list() for frame in (before, after))
        if first and second:
            yield judge(where, metric, first, second, tolerance, level)
