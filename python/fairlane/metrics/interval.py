"""The mean of repeats, and how far it may be off."""

import math
from collections.abc import Sequence


def mean_and_half_width(values: Sequence[float | None]) -> tuple[float | None, float | None]:
    """Mean, and half the width of its 95 % confidence interval by Student's t; no width for a single value.

    >>> mean, half_width = mean_and_half_width([10.0, 12.0, 14.0])
    >>> mean, round(half_width, 3)  # 4.3027 * 2 / sqrt(3)
    (12.0, 4.968)
    """
    present = [value for value in values if value is not None and math.isfinite(value)]
    count = len(present)
    if count == 0:
        return None, None
    mean = math.fsum(present) / count
    if count == 1:
        return mean, None
    from scipy.special import stdtrit  # takes 0.15 s to load: not for tables without repeats

    variance = math.fsum((value - mean) ** 2 for value in present) / (count - 1)
    return mean, float(stdtrit(count - 1, 0.975)) * math.sqrt(variance / count)
