"""How many repeats a question needs."""

import math

from fairlane.statistics.interval import LEAST, Interval

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
