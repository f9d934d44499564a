"""A measurement with its random variation: the repeats of a metric, or a value computed from several metrics.

Measurements support arithmetic and comparison like numbers. A comparison returns a `Judgement`, which is undecided if
the interval of the difference includes the threshold. The interval is a BCa bootstrap over the repeats of all inputs
(see `fairlane.results.statistics`).
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from fairlane.engine.libraries import np
from fairlane.results.statistics import LEVEL, Interval, interval_of, repeats_needed
from fairlane.study.claims.judgement import Compared, Judgement, Sample, Verdict, all_of

Samples = Mapping[str, tuple[float, ...]]
Statistic = Callable[[Mapping[str, Any], int], Any]
"""From resampled arrays by name, and the axis of the repeats, to the value."""


class NotMeasured(LookupError):
    """A value that a claim needs does not exist, for instance because runs are missing."""


ABOUT = 0.1
"""The tolerance of "about", as a share of the value, unless the claim states otherwise."""


@dataclass(frozen=True, eq=False)
class Measurement:
    """A measured value, or a value computed from measured values."""

    name: str
    samples: Samples
    """Repeats by name; equal names are the same sample everywhere in an expression."""
    statistic: Statistic
    sample: Sample = Sample.REPEATS
    """The kind of the values; if several are combined, the one that is most expensive to extend."""
    exact: bool = False
    """A published number: it has no repeats, and its interval is the number itself."""
    title: str = ""
    """Its name in a drawing; the plain name if empty."""
    unit: str = ""

    @classmethod
    def of(cls, name: str, values: Sequence[float], sample: Sample = Sample.REPEATS) -> "Measurement":
        """The mean of these values, usually repeats. `name` must be unique."""
        if not values:
            raise ValueError(f"{name}: there is no value; was the run excluded?")
        if any(map(math.isnan, values)):
            return cls.published(name, math.nan)
        samples = {name: tuple(map(float, values))}
        return cls(name, samples, lambda data, axis: _numpy().mean(data[name], axis=axis), sample)

    @classmethod
    def published(cls, name: str, value: float) -> "Measurement":
        """A number as a paper prints it; NaN if it prints none, which decides nothing."""
        return replace(cls.of(name, [0.0]), samples={name: (value,)}, exact=True)

    @property
    def stddev(self) -> "Measurement":
        """The standard deviation over the repeats; only for a measurement that is not computed from others.

        NaN for a number as a paper prints it, which has no repeats.
        """
        return self._over_repeats("standard deviation", _spread)

    @property
    def maximum(self) -> "Measurement":
        """The maximum of the repeats; only for a measurement that is not computed from others.

        NaN for a number as a paper prints it, which has no repeats.
        """
        return self._over_repeats("maximum", lambda values, axis: _numpy().max(values, axis=axis))

    @cached_property
    def interval(self) -> Interval:
        """Estimate and 95 % interval."""
        if self.exact:
            value = float(self._of_arrays(*map(_numpy().asarray, self.samples.values()), axis=-1))
            return Interval(value, value, value, 1)
        return interval_of(list(self.samples.values()), self._of_arrays, LEVEL)

    def __add__(self, other: "Measurement | float") -> "Measurement":
        return self._with(other, "+", lambda a, b: a + b)

    def __sub__(self, other: "Measurement | float") -> "Measurement":
        return self._with(other, "-", lambda a, b: a - b)

    def __mul__(self, other: "Measurement | float") -> "Measurement":
        return self._with(other, "×", lambda a, b: a * b)

    def __truediv__(self, other: "Measurement | float") -> "Measurement":
        return self._with(other, "/", lambda a, b: a / b)

    def __radd__(self, other: float) -> "Measurement":
        return self + other

    def __rmul__(self, other: float) -> "Measurement":
        return self * other

    def __lt__(self, other: "Measurement | float") -> Judgement:
        return self._judge(other, below=True)

    def __gt__(self, other: "Measurement | float") -> Judgement:
        return self._judge(other, below=False)

    def __le__(self, other: "Measurement | float") -> Judgement:
        """Like `<`, equality allowed: a measured value equals a bound only by the design of an experiment."""
        return self._judge(other, below=True, equal=True)

    def __ge__(self, other: "Measurement | float") -> Judgement:
        """Like `>`, equality allowed."""
        return self._judge(other, below=False, equal=True)

    def summary(self) -> str:
        """Name, estimate and interval as text."""
        return f"{self.name} {show(self.interval, self.sample)}"

    def _over_repeats(self, what: str, statistic: Callable[[Any, int], Any]) -> "Measurement":
        if self.exact:
            return self.published(f"{what} of {self.name}", math.nan)
        if set(self.samples) != {self.name}:
            raise ValueError(f"the {what} of '{self.name}' is not defined: it is computed from several measurements")
        return replace(
            self,
            name=f"{what} of {self.name}",
            statistic=lambda data, axis: statistic(data[self.name], axis),
            title=f"{what} of {self.title or self.name}",
        )

    def _of_arrays(self, *arrays: Any, axis: int) -> Any:
        return self.statistic(dict(zip(self.samples, arrays, strict=True)), axis)

    def _with(self, other: "Measurement | float", sign: str, join: Callable[[Any, Any], Any]) -> "Measurement":
        if not isinstance(other, Measurement):
            constant = other
            other = Measurement(f"{constant:g}", {}, lambda _data, _axis: constant, exact=True, unit=self.unit)
        for name in self.samples.keys() & other.samples.keys():
            if self.samples[name] != other.samples[name]:
                raise ValueError(f"two samples are both called '{name}'")
        mine, theirs = self.statistic, other.statistic
        keeps_unit = self.unit == other.unit and (sign in "+-" or not other.samples)
        return Measurement(
            f"{self.name} {sign} {other.name}",
            {**self.samples, **other.samples},
            lambda data, axis: join(mine(data, axis), theirs(data, axis)),
            max(self.sample, other.sample, key=list(Sample).index),
            self.exact and other.exact,
            f"{self.title or self.name} {sign} {other.title or other.name}",
            self.unit if keeps_unit else "",
        )

    def _judge(self, other: "Measurement | float", *, below: bool, equal: bool = False) -> Judgement:
        between_both = self - other
        difference = between_both.interval
        summary = f"{self.summary()}, {other.summary()}" if isinstance(other, Measurement) else self.summary()
        low, high = (difference.low, difference.high) if below else (-difference.high, -difference.low)
        if high < 0 or (equal and high <= 0):
            return self._judged(Verdict.HOLDS, summary, other, below)
        if low > 0 or (low >= 0 and not equal):
            return self._judged(Verdict.FAILS, summary, other, below)
        undecided = self._judged(Verdict.UNDECIDED, summary, other, below)
        if between_both.exact:
            return undecided
        estimate = difference.estimate if below else -difference.estimate
        by_estimate = estimate < 0 or (equal and estimate <= 0)
        needed = repeats_needed(difference, abs(difference.estimate))
        return replace(undecided, needed={between_both.sample: needed}, by_estimate=by_estimate)

    def _judged(self, verdict: Verdict, summary: str, other: "Measurement | float", below: bool) -> Judgement:
        if isinstance(other, Measurement):
            bound, title = other.interval, other.title or other.name
        else:
            bound, title = Interval(other, other, other, 1), ""
        compared = Compared(self.title or self.name, self.unit, self.interval, bound, title, below, verdict)
        return Judgement(verdict, summary, compared=(compared,), parts=(verdict,))


def about(measurement: Measurement, value: float, within: float = ABOUT) -> Judgement:
    """Whether it equals `value` within a tolerance, given as a share of `value`."""
    allowed = abs(value) * within
    return between(measurement, value - allowed, value + allowed)


def between(measurement: Measurement, low: float, high: float) -> Judgement:
    """Whether it lies between two numbers."""
    both = all_of([measurement >= low, measurement <= high])
    return replace(both, parts=(both.verdict,))


def show(interval: Interval, sample: Sample = Sample.REPEATS) -> str:
    """`41.2 (40.8 to 41.9)`, with the digits that the interval justifies."""
    if math.isnan(interval.estimate):
        # A published number is its own interval; a spread that too few repeats do not give has an infinite one.
        return (
            "not published"
            if math.isnan(interval.low)
            else f"not measured ({interval.n} {sample.removesuffix('s') if interval.n == 1 else sample})"
        )
    digits = interval.digits
    middle = f"{interval.estimate:,.{digits}f}"
    if not interval.is_known:
        return f"{middle} ({interval.n} {sample.removesuffix('s') if interval.n == 1 else sample}: no interval)"
    return (
        f"{middle} ({interval.low:,.{digits}f} to {interval.high:,.{digits}f})"
        if interval.high > interval.low
        else middle
    )


def _spread(values: Any, axis: int) -> Any:
    """The standard deviation of a sample; NaN for a sample of one."""
    numpy = _numpy()
    if values.shape[axis] < 2:
        return numpy.full(numpy.delete(values.shape, axis), math.nan)
    return numpy.std(values, axis=axis, ddof=1)


def _numpy() -> Any:
    return np
