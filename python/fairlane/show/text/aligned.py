"""Aligned tables of plain text."""

import math
from collections.abc import Iterable, Mapping, Sequence

from fairlane.results.statistics import Interval
from fairlane.show.text.terminal import in_one_line

LEFT, RIGHT = "<", ">"

FEW_REPEATS = (
    "Intervals of fewer than 5 repeats cannot be wider than the repeats lie apart: "
    "of 3 they hold the mean in 75 % of cases, of 4 in 88 %, not in 95 %."
)
"""The note below tables with intervals of fewer than `fairlane.results.statistics.FEW` repeats; the shares are measured
in `tests/intervals`."""


def text_table(columns: Sequence[tuple[str, str]], rows: Sequence[Sequence[str]], gap: str = "  ") -> str:
    """A table; `columns` are (heading, LEFT or RIGHT). A heading may have several lines.

    >>> print(text_table([("flow", LEFT), ("Mbps", RIGHT)], [["cubic", "47.5"], ["bbr", "8.1"]]))
    flow   Mbps
    cubic  47.5
    bbr     8.1
    """
    headings = [heading.split("\n") for heading, _ in columns]
    height = max(len(lines) for lines in headings)
    top = [[([""] * (height - len(lines)) + lines)[line] for lines in headings] for line in range(height)]
    rows = [[in_one_line(cell) for cell in row] for row in rows]
    cells = [*top, *rows]
    widths = [max(len(row[i]) for row in cells) for i in range(len(columns))]
    sides = [side for _, side in columns]
    return "\n".join(
        gap.join(f"{cell:{side}{width}}" for cell, side, width in zip(row, sides, widths, strict=True)).rstrip()
        for row in cells
    )


def table_of(columns: Mapping[str, Sequence[str]]) -> str:
    """A table whose columns are given by their headings; the first is of words, the others are of numbers."""
    sides = [LEFT, *[RIGHT] * (len(columns) - 1)]
    return text_table(list(zip(columns, sides, strict=True)), list(zip(*columns.values(), strict=True)))


def in_unit(unit: str, values: Iterable[float | None]) -> tuple[str, float]:
    """The unit in which a column of rates or times is read best, and the factor to it: 1 kbit/s is not 0.00 Mbps.

    >>> in_unit("Mbps", [0.001, 0.02]), in_unit("Mbps", [0.001, 5.0, None]), in_unit("Mbps", [50_000.0])
    (('kbps', 1000.0), ('Mbps', 1.0), ('Gbps', 0.001))
    >>> in_unit("s", [0.0011, 0.0985]), in_unit("s", [0.2, 0.05]), in_unit("ms", [0.001])
    (('ms', 1000.0), ('s', 1.0), ('ms', 1.0))
    """
    sizes = [abs(value) for value in values if value is not None and math.isfinite(value)]
    smaller = {"Mbps": "kbps", "s": "ms"}.get(unit)
    if smaller and 0 < max(sizes, default=0.0) < _SMALLEST:
        return smaller, 1000.0
    return ("Gbps", 0.001) if unit == "Mbps" and min(sizes, default=0.0) >= _LARGEST_MBPS else (unit, 1.0)


_SMALLEST = 0.1
"""Mbps or seconds: two decimals of less are no number to compare."""
_LARGEST_MBPS = 10_000.0
"""More have five digits before the point."""


def with_interval(mean: Interval | None, digits: int) -> str:
    """A mean with that many decimals, and half the width of its interval; `-` for none.

    >>> with_interval(Interval(5.25, 5.0, 5.5, 9), 1), with_interval(Interval(5.0, -math.inf, math.inf, 1), 1)
    ('5.2 ±0.2', '5.0')
    >>> with_interval(Interval(-0.025, -5.5, 5.6, 3), 0), with_interval(Interval(0.0025, 0.0024, 0.0026, 3), 2)
    ('0 ±6', '0.0025 ±0.0001')
    """
    if mean is None:
        return "-"
    is_zero = mean.is_known and mean.half_width > 10 * abs(mean.estimate)  # more digits of it would say nothing
    digits = decimals(mean.half_width if is_zero else mean.estimate, digits)
    half = f" ±{number(mean.half_width, digits)}" if mean.is_known else ""
    return number(mean.estimate, digits) + half


def number(value: float | None, digits: int) -> str:
    """A number with that many decimals, 0 without a sign; `-` for none."""
    return "-" if value is None else f"{value:z,.{digits}f}"


def decimals(value: float | None, digits: int) -> int:
    """Decimals of a number beside others that have `digits`: more, if it would be 0 with these.

    >>> [decimals(value, 2) for value in (12.0, 0.013, 0.0013, 0.0)]
    [2, 2, 4, 2]
    """
    if value is None or not math.isfinite(value) or abs(value) < _NOTHING or round(value, digits):
        return digits
    return 1 - math.floor(math.log10(abs(value)))


def visible(value: float | None, digits: int) -> str:
    """A number with that many decimals, or with as many as show that it is not 0.

    >>> visible(12.0, 2), visible(0.0013, 2), visible(None, 2)
    ('12.00', '0.0013', '-')
    """
    return number(value, decimals(value, digits))


_NOTHING = 1e-9
"""Rounding errors of sums."""


def short(value: float, digits: int = 4) -> str:
    """A number with so many significant digits, or its integer part if that has as many.

    >>> short(12345.6), short(0.051234), short(123.4, 3)
    ('12,346', '0.05123', '123')
    """
    return f"{value:.{digits}g}" if abs(value) < 10 ** (digits - 1) else f"{value:,.0f}"
