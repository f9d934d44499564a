"""The BCa bootstrap of a mean: the same interval as by scipy's general bootstrap, in a fraction of the time; but
resamples with the same mean count as such, where rounding makes scipy's differ.

Tables have thousands of means. How often each of n values is in a resample depends on n and the seed alone: that is
drawn once for each n. Equations: Efron and Tibshirani, An Introduction to the Bootstrap (1993), 14.9 to 14.15.
"""

from functools import lru_cache
from typing import Any

SAME = 1e-12
"""Resamples whose mean lies nearer to the estimate than this share of their range have the same mean."""


def bca_of_mean(sample: Any, level: float, resamples: int, seed: int) -> tuple[float, float] | None:
    """Both ends of the interval of an array; None where BCa is not defined, as of nearly constant values."""
    import numpy as np
    from scipy.special import ndtr, ndtri

    estimate = sample.mean()
    means = _times_drawn(len(sample), resamples, seed) @ sample / len(sample)
    slack = SAME * (sample.max() - sample.min())
    below = (np.count_nonzero(means < estimate - slack) + np.count_nonzero(means <= estimate + slack)) / (2 * resamples)
    influence = sample - estimate  # of each value, by the jackknife, but for a factor that cancels
    spread = np.sum(influence**2) ** 1.5
    if not spread or not 0 < below < 1:
        return None
    bias, acceleration = ndtri(below), np.sum(influence**3) / spread / 6
    tails = []
    for quantile in (ndtri((1 - level) / 2), -ndtri((1 - level) / 2)):
        moved = bias + quantile
        tails.append(ndtr(bias + moved / (1 - acceleration * moved)))
    if not np.isfinite(tails).all():
        return None
    low, high = np.quantile(means, tails)
    return float(low), float(high)


@lru_cache(maxsize=8)
def _times_drawn(n: int, resamples: int, seed: int) -> Any:
    """For each resample how often each value is in it."""
    import numpy as np

    drawn = np.random.default_rng(seed).integers(0, n, (resamples, n))
    return np.stack([np.count_nonzero(drawn == place, axis=1) for place in range(n)], axis=1).astype(float)
