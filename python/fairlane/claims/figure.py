"""A figure with the chance that is in it: repeats of a metric, or something computed from several such.

Figures are computed with as if they were numbers, and compared as if they were numbers; but a comparison gives a
`Judgement`, which is undecided where the interval of the difference reaches across the border. The interval is a BCa
bootstrap over the repeats of everything that went in (see `fairlane.statistics`).
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from fairlane.claims.judgement import Judgement, Sample, Verdict, all_of
from fairlane.statistics import LEVEL, Interval, interval_of, repeats_needed

Samples = Mapping[str, tuple[float, ...]]
Statistic = Callable[[Mapping[str, Any], int], Any]
"""From resampled arrays by name, and the axis along which the repeats lie, to the figure."""

ABOUT = 0.1
"""Where a paper says "about", this share either way is meant unless the claim says otherwise."""


@dataclass(frozen=True, eq=False)
class Figure:
    """Something measured, or computed from what was measured."""

    name: str
    samples: Samples
    """Repeats by name; the same name is the same sample, wherever it occurs in an expression."""
    statistic: Statistic
    sample: Sample = Sample.REPEATS
    """What the values are; where it is computed from several kinds, the one that is hardest to get more of."""

    @classmethod
    def of(cls, name: str, values: Sequence[float], sample: Sample = Sample.REPEATS) -> "Figure":
        """The mean of repeats, or of what else the values are. `name` must tell it from all others."""
        if not values:
            raise ValueError(f"{name}: there is no value; was the run left out?")
        samples = {name: tuple(map(float, values))}
        return cls(name, samples, lambda data, axis: _numpy().mean(data[name], axis=axis), sample)

    @property
    def spread(self) -> "Figure":
        """The standard deviation between repeats; only of a plain figure."""
        name = self._plain("spread")
        return Figure(
            f"spread of {self.name}",
            self.samples,
            lambda data, axis: _numpy().std(data[name], axis=axis, ddof=1),
            self.sample,
        )

    @property
    def largest(self) -> "Figure":
        """The largest of the repeats; only of a plain figure."""
        name = self._plain("largest")
        return Figure(
            f"largest {self.name}", self.samples, lambda data, axis: _numpy().max(data[name], axis=axis), self.sample
        )

    @cached_property
    def interval(self) -> Interval:
        """Estimate and 95 % interval."""
        return interval_of(list(self.samples.values()), self._of_arrays, LEVEL)

    def __add__(self, other: "Figure | float") -> "Figure":
        return self._with(other, "+", lambda a, b: a + b)

    def __sub__(self, other: "Figure | float") -> "Figure":
        return self._with(other, "-", lambda a, b: a - b)

    def __mul__(self, other: "Figure | float") -> "Figure":
        return self._with(other, "×", lambda a, b: a * b)

    def __truediv__(self, other: "Figure | float") -> "Figure":
        return self._with(other, "/", lambda a, b: a / b)

    def __radd__(self, other: float) -> "Figure":
        return self + other

    def __rmul__(self, other: float) -> "Figure":
        return self * other

    def __lt__(self, other: "Figure | float") -> Judgement:
        return self._judge(other, below=True)

    def __gt__(self, other: "Figure | float") -> Judgement:
        return self._judge(other, below=False)

    def __le__(self, other: "Figure | float") -> Judgement:
        """Like `<`: what was measured is equal to a bound only by the design of an experiment."""
        return self._judge(other, below=True, equal=True)

    def __ge__(self, other: "Figure | float") -> Judgement:
        """Like `>`, equal allowed."""
        return self._judge(other, below=False, equal=True)

    def says(self) -> str:
        """Name, estimate and interval."""
        return f"{self.name} {show(self.interval, self.sample)}"

    def _plain(self, what: str) -> str:
        if set(self.samples) != {self.name}:
            raise ValueError(f"the {what} of '{self.name}' is not defined: it is computed from several figures")
        return self.name

    def _of_arrays(self, *arrays: Any, axis: int) -> Any:
        return self.statistic(dict(zip(self.samples, arrays, strict=True)), axis)

    def _with(self, other: "Figure | float", sign: str, join: Callable[[Any, Any], Any]) -> "Figure":
        mine = self.statistic
        if not isinstance(other, Figure):
            return Figure(
                f"{self.name} {sign} {other:g}",
                self.samples,
                lambda data, axis: join(mine(data, axis), other),
                self.sample,
            )
        for name in self.samples.keys() & other.samples.keys():
            if self.samples[name] != other.samples[name]:
                raise ValueError(f"two samples are both called '{name}'")
        theirs = other.statistic
        return Figure(
            f"{self.name} {sign} {other.name}",
            {**self.samples, **other.samples},
            lambda data, axis: join(mine(data, axis), theirs(data, axis)),
            max(self.sample, other.sample, key=list(Sample).index),
        )

    def _judge(self, other: "Figure | float", *, below: bool, equal: bool = False) -> Judgement:
        between_both = self - other
        difference = between_both.interval
        says = f"{self.says()}, {other.says()}" if isinstance(other, Figure) else self.says()
        low, high = (difference.low, difference.high) if below else (-difference.high, -difference.low)
        if high < 0 or (equal and high <= 0):
            return Judgement(Verdict.HOLDS, says)
        if low > 0 or (low >= 0 and not equal):
            return Judgement(Verdict.FAILS, says)
        estimate = difference.estimate if below else -difference.estimate
        leaning = estimate < 0 or (equal and estimate <= 0)
        needed = repeats_needed(difference, abs(difference.estimate))
        return Judgement(Verdict.UNDECIDED, says, {between_both.sample: needed}, leaning)


def about(figure: Figure, value: float, within: float = ABOUT) -> Judgement:
    """Whether it is `value`, give or take that share."""
    allowed = abs(value) * within
    return between(figure, value - allowed, value + allowed)


def between(figure: Figure, low: float, high: float) -> Judgement:
    """Whether it lies between two numbers."""
    return all_of([figure >= low, figure <= high])


def show(interval: Interval, sample: Sample = Sample.REPEATS) -> str:
    """`41.2 (40.8 to 41.9)`, with as many digits as the interval deserves."""
    width = interval.half_width if interval.is_known else abs(interval.estimate) / 100
    digits = min(6, max(0, 1 - math.floor(math.log10(width)))) if width > 0 else _digits(interval.estimate)
    middle = f"{interval.estimate:,.{digits}f}"
    if not interval.is_known:
        return f"{middle} ({interval.n} {sample.removesuffix('s') if interval.n == 1 else sample}: no interval)"
    return f"{middle} ({interval.low:,.{digits}f} to {interval.high:,.{digits}f})" if width > 0 else middle


def _digits(value: float) -> int:
    return max(0, 2 - math.floor(math.log10(abs(value)))) if value else 0


def _numpy() -> Any:
    import numpy as np

    return np
