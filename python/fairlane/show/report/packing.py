"""Points of a line as differences of small integers, which compress well.

A value becomes an integer from 1 to LEVELS + 1, as its share of the line's largest; 0 is no value.
"""

from typing import TYPE_CHECKING, Any

from fairlane.show.report.channels import RTT

if TYPE_CHECKING:
    import polars as pl

STRETCHES = 150
"""Intervals of a run that is reduced."""
LEVELS = 1000
BYTES_PER_POINT = 1.0
"""About what a point takes in the page, deflated and in base64."""
FULL_BYTES_PER_POINT = 1.6
"""The same of single samples, which vary more."""


def packed(
    frame: "pl.DataFrame", column: str, end_s: float, stretches: int, *, pairs: bool = False, means: bool = False
) -> list[Any]:
    """The scale, and the differences from one point to the next.

    Each stretch of time has one point, its last sample, or `pairs` of the smallest and the largest.
    """
    import numpy as np

    times, values = frame["t_s"].to_numpy(), frame[column].cast(float).to_numpy()
    there = np.isfinite(values)
    if column == RTT:
        there &= values > 0  # none was measured yet
    times, values = times[there], values[there]
    if not len(values):
        return [0, []]
    # A sample covers the interval before it.
    stretch = np.clip(np.ceil(times / end_s * stretches - 1e-6).astype(int) - 1, 0, stretches - 1)
    first, second = np.full(stretches, np.nan), np.full(stretches, np.nan)
    starts = np.flatnonzero(np.r_[True, stretch[1:] != stretch[:-1]])
    counts = np.diff([*starts, len(values)])
    for count in np.unique(counts):  # stretches of equal length together: a call for each would take most of the time
        begins = starts[counts == count]
        places, parts = stretch[begins], values[begins[:, None] + np.arange(count)]
        if means:
            first[places] = second[places] = parts.mean(axis=1)
        elif pairs:
            low, high = parts.argmin(axis=1), parts.argmax(axis=1)
            rows = np.arange(len(parts))
            first[places], second[places] = parts[rows, np.minimum(low, high)], parts[rows, np.maximum(low, high)]
        else:
            first[places] = parts[:, -1]
    points = np.stack([first, second], axis=1).ravel() if pairs else first
    scale = float(np.nanmax(points)) or 1.0
    whole = np.where(np.isnan(points), 0, np.round(np.nan_to_num(points) / scale * LEVELS) + 1).astype(int)
    return [float(f"{scale:.6g}"), np.diff(whole, prepend=0).tolist()]
