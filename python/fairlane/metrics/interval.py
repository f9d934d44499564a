"""The mean of repeats, and how far it may be off."""

import math
from collections.abc import Sequence

from fairlane.statistics import Interval, interval_of_mean


def mean_of(values: Sequence[float | None]) -> Interval | None:
    """Mean and its 95 % interval by the BCa bootstrap; None if no value is there. Of one or two values only the mean.

    >>> mean_of([10.0, None, 14.0, 12.0, 12.0, 13.0])
    Interval(estimate=12.2, low=10.4, high=13.6, n=5)
    >>> mean_of([10.0, 12.0]).is_known
    False
    """
    present = [value for value in values if value is not None and math.isfinite(value)]
    if not present:
        return None
    if len(present) == 1:  # numpy takes 0.1 s to load: not for tables without repeats
        return Interval(present[0], -math.inf, math.inf, 1)
    return interval_of_mean(present)
