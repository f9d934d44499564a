"""The mean of repeats, and how far it may be off."""

import math
from collections.abc import Sequence

_T = (
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131,
    2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042,
)  # fmt: skip
"""97.5 % quantile of Student's t for 1 to 30 degrees of freedom."""


def mean_and_half_width(values: Sequence[float | None]) -> tuple[float | None, float | None]:
    """Mean, and half the width of its 95 % confidence interval by Student's t; no width for a single value.

    >>> mean, half_width = mean_and_half_width([10.0, 12.0, 14.0])
    >>> mean, round(half_width, 3)  # 4.303 * 2 / sqrt(3)
    (12.0, 4.969)
    """
    present = [value for value in values if value is not None and math.isfinite(value)]
    count = len(present)
    if count == 0:
        return None, None
    mean = math.fsum(present) / count
    if count == 1:
        return mean, None
    variance = math.fsum((value - mean) ** 2 for value in present) / (count - 1)
    # Cornish and Fisher's first terms where the table ends; at 31 they are off by 0.0002.
    freedom = count - 1
    t = _T[freedom - 1] if freedom <= len(_T) else 1.95996 + 2.3723 / freedom + 2.8225 / freedom**2
    return mean, t * math.sqrt(variance / count)
