"""One metric at one point of a sweep, before and after."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from fairlane.results.metrics.metric import Better, Metric
from fairlane.results.statistics import Interval, interval_of_difference, repeats_needed


class Verdict(StrEnum):
    """What a difference means; the order is that of a report."""

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
