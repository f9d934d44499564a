"""Confidence intervals of means, differences of means, and other statistics, by the BCa bootstrap.

BCa (bias-corrected and accelerated; Efron 1987) assumes no distribution: goodputs of flows that win or lose everything
are not normal. Its intervals of few values are too narrow, as those of every bootstrap, because a resample of n values
varies too little by the factor sqrt((n - 1) / n) and normal quantiles replace those of Student's t. The level is
therefore raised as Hesterberg proposes (What Teachers Should Know About the Bootstrap, 2015, 5.3: "expanded").

No resample's mean lies outside the values themselves, however high the level: of three values the interval is at most
as wide as they lie apart, and contains the mean of normal ones in 75 % of cases instead of 95 %, of four in 88 %, of
five in 92 %, of ten in 95 % (`tests/intervals` measures it). Output says so next to intervals of fewer than `FEW`
values.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from fairlane.engine.libraries import np

LEVEL = 0.95
"""The default confidence level."""

LEAST = 3
"""Fewer values than this have no interval."""

FEW = 5
"""The interval of fewer values than this promises less than its level."""

RESAMPLES = 9_999
SEED = 20_191
"""The same values always give the same interval."""


@dataclass(frozen=True)
class Interval:
    """An estimate and its confidence interval."""

    estimate: float
    low: float
    high: float
    n: int
    """The number of values; the smaller number if there are two samples."""

    @property
    def half_width(self) -> float:
        """Half the width; infinite where there were too few values."""
        return (self.high - self.low) / 2

    @property
    def is_known(self) -> bool:
        """Whether there were enough values for an interval."""
        return math.isfinite(self.low) and math.isfinite(self.high)

    @property
    def is_measured(self) -> bool:
        """Whether there is an estimate: the standard deviation of a single value, for example, has none."""
        return math.isfinite(self.estimate)

    @property
    def digits(self) -> int:
        """The decimals that the width of the interval justifies; without an interval, three significant digits."""
        if not self.is_measured:
            return 0
        width = self.half_width if self.is_known else abs(self.estimate) / 100
        if width > 0:
            return min(6, max(0, 1 - math.floor(math.log10(width))))
        return max(0, 2 - math.floor(math.log10(abs(self.estimate)))) if self.estimate else 0

    @property
    def few_digits(self) -> int:
        """As `digits`, and no more than five significant digits in all."""
        size = math.floor(math.log10(abs(self.estimate))) if self.estimate and self.is_measured else 0
        return min(self.digits, max(0, 4 - size))

    def lies_above(self, threshold: float) -> bool:
        """Whether all of it is above the threshold."""
        return self.low > threshold

    def lies_below(self, threshold: float) -> bool:
        """Whether all of it is below the threshold."""
        return self.high < threshold


def interval_of_mean(values: Sequence[float], level: float = LEVEL) -> Interval:
    """Mean of these values, at least one; with fewer than three the interval is infinite.

    >>> interval_of_mean([5.0, 5.0, 5.0])
    Interval(estimate=5.0, low=5.0, high=5.0, n=3)
    >>> interval_of_mean([5.0, 6.0])
    Interval(estimate=5.5, low=-inf, high=inf, n=2)
    """
    sample, n = np.asarray(_checked(values)), len(values)
    found = _of_mean(sample, _times_drawn(n) @ sample / n, level) if n >= LEAST else None
    return found or interval_of([values], lambda sample, axis: sample.mean(axis=axis), level)


def intervals_of_means(samples: Sequence[Sequence[float]], level: float = LEVEL) -> list[Interval]:
    """`interval_of_mean` of many samples; much faster if many large ones have the same number of values."""
    found: list[Interval | None] = [None] * len(samples)
    places: dict[int, list[int]] = {}
    for place, values in enumerate(samples):
        if len(values) >= _TOGETHER_FROM:
            places.setdefault(len(values), []).append(place)
        else:
            found[place] = interval_of_mean(values, level)
    for n, same in places.items():
        arrays = np.array([_checked(samples[place]) for place in same])
        means = _times_drawn(n) @ arrays.T / n
        for place, sample, resampled in zip(same, arrays, means.T, strict=True):
            found[place] = _of_mean(sample, resampled, level) or interval_of_mean(samples[place], level)
    return [one for one in found if one is not None]


_TOGETHER_FROM = 500
"""Values in a sample; the resamples of smaller ones fit in the processor's cache."""


def interval_of_difference(before: Sequence[float], after: Sequence[float], level: float = LEVEL) -> Interval:
    """Mean of `after` less mean of `before`; each needs at least three values for an interval."""
    return interval_of([before, after], lambda one, other, axis: other.mean(axis=axis) - one.mean(axis=axis), level)


def interval_of_paired(differences: Sequence[float], level: float = LEVEL) -> Interval:
    """Mean of paired differences, by Student's t: for decisions from few pairs, and at levels far above 95 %.

    A bootstrap's interval of few values cannot be wider than the values lie apart, whatever the level.

    >>> round(interval_of_paired([1.0, 2.0, 3.0]).half_width, 3)
    2.484
    """
    from scipy.special import stdtrit

    sample, n = np.asarray(_checked(differences)), len(differences)
    if n < LEAST:
        return _unknown(float(sample.mean()), n)
    half = float(stdtrit(n - 1, (1 + level) / 2) * sample.std(ddof=1) / math.sqrt(n))
    return Interval(float(sample.mean()), float(sample.mean()) - half, float(sample.mean()) + half, n)


def interval_of(samples: Sequence[Sequence[float]], statistic: Callable[..., Any], level: float = LEVEL) -> Interval:
    """Something computed from independent samples, each of at least three values for an interval.

    `statistic` takes one array per sample and `axis=`, the axis along which the values of a sample lie.
    """
    arrays = [np.asarray(_checked(values)) for values in samples]
    estimate = float(statistic(*arrays, axis=-1))
    n = min(map(len, arrays))
    if all((array == array[0]).all() for array in arrays) and n >= LEAST:
        return Interval(estimate, estimate, estimate, n)
    return _bootstrap(tuple(arrays), statistic, estimate, n, level) if n >= LEAST else _unknown(estimate, n)


def _checked(values: Sequence[float]) -> list[float]:
    sample = [float(value) for value in values]
    if not sample or not all(map(math.isfinite, sample)):
        raise ValueError("an interval needs at least one value, and none that is infinite or missing")
    return sample


def _unknown(estimate: float, n: int) -> Interval:
    return Interval(estimate, -math.inf, math.inf, n)


def _bootstrap(samples: tuple[Any, ...], statistic: Any, estimate: float, n: int, level: float) -> Interval:
    lengths = tuple(map(len, samples))
    drawn = _places_drawn if sum(lengths) <= _KEPT_VALUES else _places_drawn.__wrapped__
    resamples = [sample[places] for sample, places in zip(samples, drawn(lengths), strict=True)]
    tail = (1 - expanded(level, n)) / 2
    low = high = math.nan
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        resampled = statistic(*resamples, axis=-1)
        if np.isnan(resampled).any():  # of some resamples there is no such statistic
            return Interval(estimate, math.nan, math.nan, n)
        # The second where the first is not defined, as of nearly constant data.
        for tails in (_bca_tails(samples, statistic, resampled, tail), (tail, 1 - tail)):
            if tails is not None:
                low, high = _quantiles(resampled, tails)
            if math.isfinite(low) and math.isfinite(high):
                break
    return Interval(estimate, min(low, estimate), max(high, estimate), n)


def _quantiles(values: Any, shares: Sequence[float]) -> list[float]:
    """The values below which these shares lie, linear between neighbours (Hyndman and Fan 1996, definition 7)."""
    ranks = [share * len(values) + (1 - share) for share in shares]  # from 1
    below = [min(max(math.floor(rank), 1), len(values)) - 1 for rank in ranks]
    above = [min(place + 1, len(values) - 1) for place in below]
    ordered = np.partition(values, sorted({*below, *above}))
    return [
        float((1 - rank % 1) * ordered[low] + rank % 1 * ordered[high])
        for rank, low, high in zip(ranks, below, above, strict=True)
    ]


_KEPT_VALUES = 100
"""Of samples with more values in all, what was drawn is not kept for others of the same lengths."""


@lru_cache(maxsize=8)
def _places_drawn(lengths: tuple[int, ...]) -> list[Any]:
    """For each sample the places of the values in its resamples; the same lengths always give the same places."""
    generator = np.random.default_rng(SEED)
    return [generator.integers(0, length, (RESAMPLES, length)) for length in lengths]


def _bca_tails(samples: tuple[Any, ...], statistic: Any, resampled: Any, tail: float) -> tuple[float, float] | None:
    """The shares of the resamples below both ends of the BCa interval (Efron 1987); None where it is not defined."""
    observed = statistic(*samples, axis=-1)
    below = (np.count_nonzero(resampled < observed) + np.count_nonzero(resampled <= observed)) / (2 * len(resampled))
    cubes = squares = 0.0
    for number, sample in enumerate(samples):  # the influence of each value, by the jackknife
        n = len(sample)
        others = [np.broadcast_to(one, (n, len(one))) for one in samples]
        others[number] = np.broadcast_to(sample, (n, n))[~np.eye(n, dtype=bool)].reshape(n, n - 1)
        left_out = statistic(*others, axis=-1)
        influence = (n - 1) * (left_out.mean() - left_out)
        cubes += (influence**3).sum() / n**3
        squares += (influence**2).sum() / n**2
    if not 0 < below < 1 or not squares > 0:
        return None
    return _tails(below, 1 / 6 * cubes / squares**1.5, tail)


def _tails(below: float, acceleration: float, tail: float) -> tuple[float, float] | None:
    """The shares of the resamples below both ends; `below` is that below the estimate."""
    from scipy.special import ndtr, ndtri

    bias = ndtri(below)
    moved = [bias + quantile for quantile in (ndtri(tail), -ndtri(tail))]
    low, high = (float(ndtr(bias + one / (1 - acceleration * one))) for one in moved)
    return (low, high) if math.isfinite(low) and math.isfinite(high) else None


def expanded(level: float, n: int) -> float:
    """The level at which the bootstrap of `n` values gives intervals of this level."""
    from scipy.special import ndtr, stdtrit  # `scipy.stats` has them under better names, and takes 0.5 s to load

    tail = (1 - level) / 2
    quantile = float(stdtrit(n - 1, tail)) * math.sqrt(n / (n - 1))
    return 1 - 2 * float(ndtr(quantile))


SAME = 1e-12
"""Resamples whose mean differs from the estimate by less than this share of their range have the same mean."""


def _of_mean(sample: Any, means: Any, level: float) -> Interval | None:
    """The BCa interval from the means of the resamples; None where it is not defined, as of nearly constant values."""
    if (sample == sample[0]).all():
        return None
    estimate, n = sample.mean(), len(sample)
    slack = SAME * (sample.max() - sample.min())
    below = (np.count_nonzero(means < estimate - slack) + np.count_nonzero(means <= estimate + slack)) / (
        2 * len(means)
    )
    influence = sample - estimate  # of each value, by the jackknife, but for a factor that cancels
    spread = np.sum(influence**2) ** 1.5
    if not spread or not 0 < below < 1:
        return None
    tails = _tails(below, np.sum(influence**3) / spread / 6, (1 - expanded(level, n)) / 2)
    if tails is None:
        return None
    low, high = np.quantile(means, tails)
    return Interval(float(estimate), min(float(low), float(estimate)), max(float(high), float(estimate)), n)


@lru_cache(maxsize=4)
def _times_drawn(n: int) -> Any:
    """For each resample how often each value is in it."""
    generator = np.random.default_rng(SEED)
    times = np.empty((RESAMPLES, n))
    for begin in range(0, RESAMPLES, _COUNTED_TOGETHER):
        rows = generator.integers(0, n, (min(_COUNTED_TOGETHER, RESAMPLES - begin), n))
        places = rows + n * np.arange(len(rows))[:, np.newaxis]  # of all rows in one sequence
        times[begin : begin + len(rows)] = np.bincount(places.ravel(), minlength=n * len(rows)).reshape(len(rows), n)
    return times


_COUNTED_TOGETHER = 500
"""Resamples; more would need more memory, and would not be faster."""


MOST = 100_000
"""No answer is larger: a question that needs more has none."""


def repeats_needed(found: Interval, half_width: float) -> int | None:
    """Repeats in all until the interval is as narrow as `half_width`, judged by those there are; None if hopeless.

    The width of the interval of a mean falls with the square root of the number of values.

    >>> repeats_needed(Interval(estimate=50.0, low=48.0, high=52.0, n=5), half_width=1.0)
    20
    """
    if not found.is_known:
        return LEAST
    if found.half_width <= half_width:
        return found.n
    if half_width <= 0:
        return None
    needed = math.ceil(found.n * (found.half_width / half_width) ** 2)
    return needed if needed <= MOST else None
