"""Times without samples: no flow existed, so that rates are 0 there, and windows and RTTs have no value."""

from fairlane.engine.libraries import np
from fairlane.results.metrics.subject import Array

LONGEST = 1.5
"""Sampling intervals; between samples further apart than this, one is missing."""


def sampling_interval_s(times_s: Array) -> float:
    """The usual time from one sample to the next, in seconds; 0 if there are too few samples to tell."""
    return float(np.median(np.diff(times_s))) if len(times_s) > 1 else 0.0


def filled(times_s: Array, values: Array, *, is_rate: bool) -> tuple[Array, Array]:
    """The samples, and one for each that is missing: 0 for a rate, else NaN, at which a line is interrupted.

    >>> import numpy as np
    >>> times_s, values = np.array([1.0, 2.0, 3.0, 6.0, 7.0]), np.array([5.0, 5.0, 5.0, 9.0, 9.0])
    >>> [one.tolist() for one in filled(times_s, values, is_rate=True)]
    [[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0], [5.0, 5.0, 5.0, 0.0, 0.0, 9.0, 9.0]]
    >>> filled(times_s, values, is_rate=False)[1].tolist()
    [5.0, 5.0, 5.0, nan, nan, 9.0, 9.0]
    """
    interval_s = sampling_interval_s(times_s)
    steps_s = np.diff(times_s)
    before = np.flatnonzero(steps_s > LONGEST * interval_s)
    if not interval_s or not len(before):
        return times_s, values
    counts = np.maximum(1, np.round(steps_s[before] / interval_s).astype(int) - 1)
    missing_s = [
        times_s[at] + steps_s[at] * np.arange(1, count + 1) / (count + 1)
        for at, count in zip(before, counts, strict=True)
    ]
    places = np.repeat(before + 1, counts)
    fill = 0.0 if is_rate else np.nan
    return np.insert(times_s, places, np.concatenate(missing_s)), np.insert(values.astype(float), places, fill)
