"""How far our numbers are from the paper's, and how that is shaded and summed up."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from fairlane.study.paper.comparison import Cell, Comparison
from fairlane.study.paper.definition import Value

STEPS = (0.10, 0.25, 1.0)
"""Classes of agreement: within 10 %, within 25 %, within a factor of 2, and beyond."""

BINS = 41
LARGEST = 4.0
"""The strip of a table reaches from a quarter of the paper's number to four times it."""


@dataclass(frozen=True)
class Agreement:
    """The agreement of a table or figure."""

    total: int
    """Numbers that both have."""
    within: tuple[int, ...]
    """The number of values within each of `STEPS`."""
    bars: tuple[float, ...]
    """How many lie in each of `BINS` from LARGEST times less to LARGEST times more, the most being 1."""


def deviation(cell: Cell, value: Value, scale: float) -> float | None:
    """How far ours is from the paper's: 0.1 is a tenth more, -0.1 a tenth less; None where one of them is missing.

    As a ratio it is what must be added to the smaller to make the larger: twice and half as much are 1 and -1. What
    is compared as a difference, such as Jain's index, is related to `scale`, the paper's largest.
    """
    ours, paper = cell.ours, cell.paper
    if ours is None or paper is None:
        return None
    if value.compare == "difference":
        return (ours - paper) / scale if scale else None
    if ours == paper:
        return 0.0
    if ours * paper <= 0:
        return math.copysign(math.inf, ours - paper)
    return ours / paper - 1 if ours > paper else 1 - paper / ours


def deviations(comparison: Comparison) -> list[list[float | None]]:
    """For each row of a comparison that of each of its values."""
    values = comparison.item.values
    scales = [
        max((abs(row.cells[index].paper or 0.0) for row in comparison.rows), default=0.0)
        for index in range(len(values))
    ]
    return [
        [deviation(cell, value, scale) for cell, value, scale in zip(row.cells, values, scales, strict=True)]
        for row in comparison.rows
    ]


def shade(found: float | None) -> str:
    """The shade of a deviation: h1 to h3 if ours is higher, l1 to l3 if it is lower, n if they agree.

    >>> [shade(one) for one in (0.05, 0.2, -0.5, 3.0, None)]
    ['n', 'h1', 'l2', 'h3', '']
    """
    if found is None:
        return ""
    step = sum(abs(found) > bound for bound in STEPS)
    return f"{'h' if found > 0 else 'l'}{step}" if step else "n"


def agreement(found: Sequence[float | None]) -> Agreement | None:
    """Sums up deviations; None where nothing can be compared."""
    known = [one for one in found if one is not None]
    if not known:
        return None
    counts = [0] * BINS
    for one in known:
        distance = math.copysign(min(math.log(1 + abs(one)), math.log(LARGEST)), one) / math.log(LARGEST)
        counts[round((1 + distance) / 2 * (BINS - 1))] += 1
    within = tuple(sum(abs(one) <= step for one in known) for step in STEPS)
    return Agreement(len(known), within, tuple(count / max(counts) for count in counts))
