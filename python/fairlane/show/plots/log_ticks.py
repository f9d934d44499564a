"""Ticks of logarithmic axes: the scale begins and ends at a labelled one, so that a value lies between two labels."""

import math
from typing import Any

MOST_FINE = 1.6
"""Decades with labels at 1, 2 and 5; wider axes have one for each decade."""


def edge_ticks(low: float, high: float) -> list[float]:
    """Round values that enclose both; positive.

    >>> edge_ticks(1.5, 249), edge_ticks(130, 170), edge_ticks(3, 3)
    ([1.0, 10.0, 100.0, 1000.0], [100.0, 200.0], [2.0, 5.0])
    """
    parts = (1.0,) if math.log10(high / low) > MOST_FINE else (1.0, 2.0, 5.0)
    first, last = math.floor(math.log10(low)) - 1, math.ceil(math.log10(high)) + 1
    every = [part * 10.0**power for power in range(first, last + 1) for part in parts]
    below, above = max(one for one in every if one <= low), min(one for one in every if one >= high)
    if below == above:
        below, above = max(one for one in every if one < low), min(one for one in every if one > high)
    return [one for one in every if below <= one <= above]


def label_edges(axis: Any, values: list[float], *, zero: bool = False) -> None:
    """Sets the vertical scale around these values; with `zero` it begins with 0 (matplotlib's symlog)."""
    from matplotlib.ticker import FixedFormatter, FixedLocator, NullLocator

    known = [one for one in values if one > 0]
    if not known:
        return
    ticks = edge_ticks(1.0, max(2.0, *known)) if zero else edge_ticks(min(known), max(known))
    if zero:
        ticks = [0.0, *ticks]
    axis.set_ylim(ticks[0], ticks[-1])
    axis.yaxis.set_major_locator(FixedLocator(ticks))
    axis.yaxis.set_major_formatter(FixedFormatter([_text(one) for one in ticks]))
    axis.yaxis.set_minor_locator(NullLocator())


def _text(value: float) -> str:
    """Plain where that is short.

    >>> _text(0.01), _text(20000.0), _text(1e9)
    ('0.01', '20,000', '$10^{9}$')
    """
    if value and not 1e-3 <= value < 1e6 and math.log10(value).is_integer():
        return f"$10^{{{round(math.log10(value))}}}$"
    return f"{value:,.0f}" if value >= 1 or value == 0 else f"{value:g}"
