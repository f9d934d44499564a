"""What repeats allow to be said: intervals, differences, and how many more repeats a question needs.

What belongs here: statistics of plain numbers. Which numbers, and what follows from them, is the business of
`fairlane.results.compare` and of the claims of studies.
"""

from fairlane.results.statistics.interval import (
    FEW,
    LEAST,
    LEVEL,
    Interval,
    interval_of,
    interval_of_difference,
    interval_of_mean,
    intervals_of_means,
    repeats_needed,
)

__all__ = [
    "FEW",
    "LEAST",
    "LEVEL",
    "Interval",
    "interval_of",
    "interval_of_difference",
    "interval_of_mean",
    "intervals_of_means",
    "repeats_needed",
]
