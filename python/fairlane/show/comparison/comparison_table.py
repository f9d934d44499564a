"""The table of a comparison: rows, columns and numbers as text. Terminal, LaTeX and HTML render this one structure."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from fairlane.show.text.aligned import number
from fairlane.study.paper.comparison import Cell, Comparison, Place, Row, deviations
from fairlane.study.paper.definition import Key, Value

STEPS = (0.10, 0.25, 1.0)
"""Classes of agreement: within 10 %, within 25 %, within a factor of 2, and beyond."""
BINS = 41
LARGEST = 4.0
"""The strip of a table reaches from a quarter of the paper's number to four times it."""


@dataclass(frozen=True)
class Pair:
    """A number, ours and the paper's, as text; a part is empty where there is none."""

    ours: str
    half_width: str
    """Half the width of the 95 % interval."""
    ends: tuple[str, str] | None
    """The ends of the interval, unless they are equal."""
    paper: str
    """With half the width of its interval, if it has one."""
    difference: str
    """Ours by the paper's, or ours minus the paper's."""
    sign: str
    """Before a difference that is a ratio."""
    shade: str


@dataclass(frozen=True)
class Line:
    """A row: one of a comparison, or all of them along the axis that goes across."""

    head: tuple[str, ...]
    """The experiment, the place and the value, as far as they tell lines apart."""
    values: Sequence[Value]
    """The values that it has numbers of."""
    pairs: tuple[Pair | None, ...]
    """None where nothing was run."""
    runs: str


@dataclass(frozen=True)
class Layout:
    """A table."""

    several: bool
    """Whether lines are of several experiments, and begin with their names."""
    heads: tuple[str, ...]
    """The headings of the columns that hold the head of a line."""
    over: str
    """The heading above all other columns, if any."""
    columns: tuple[str, ...]
    lines: tuple[Line, ...]
    has_paper: bool
    """Whether the paper has any of these numbers."""


@dataclass(frozen=True)
class Agreement:
    """The agreement of a table or figure."""

    total: int
    """Numbers that both have."""
    within: tuple[int, ...]
    """The number of values within each of `STEPS`."""
    bars: tuple[float, ...]
    """How many lie in each of `BINS` from LARGEST times less to LARGEST times more, the most being 1."""


def laid_out(comparison: Comparison) -> Layout:
    """Values side by side; or one value at each place of the axis that goes across."""
    item, rows = comparison.item, comparison.rows
    several, many = len(comparison.experiments) > 1, item.across is not None and len(item.values) > 1
    pairs = {
        id(row): [_pair(*one) for one in zip(row.cells, item.values, found, strict=True)]
        for row, found in zip(rows, deviations(comparison), strict=True)
    }
    over, columns, lines = "", [one_line(value.heading) for value in item.values], []
    if item.across is None:
        for row in rows:
            head = [*([row.experiment] if several else []), *map(word, row.place)]
            lines.append(Line(tuple(head), item.values, tuple(pairs[id(row)]), str(row.runs)))
    else:
        place = item.by.index(item.across)
        over = heading(item.across, comparison.headings).replace("\n", ", ")
        ticks = across(rows, place)
        columns = [word(one) for one in ticks]
        for (experiment, rest), found in split(rows, place).items():
            low, high = min(row.runs for row in found.values()), max(row.runs for row in found.values())
            for index, value in enumerate(item.values):
                head = [
                    *([experiment] if several else []),
                    *map(word, rest),
                    *([one_line(value.heading)] if many else []),
                ]
                along = [pairs[id(found[tick])][index] if tick in found else None for tick in ticks]
                runs = str(low) if low == high else f"{low}–{high}"
                lines.append(Line(tuple(head), [value], tuple(along), runs))
    heads = [*(["experiment"] if several else []), *(["value"] if many else [])]
    heads[several:several] = [
        one_line(heading(column, comparison.headings)) for column in item.by if column != item.across
    ]
    return Layout(several, tuple(heads), over, tuple(columns), tuple(lines), comparison.has_paper)


def _pair(cell: Cell, value: Value, deviation: float | None) -> Pair:
    interval = cell.interval if cell.interval and cell.interval.is_known else None
    other = cell.paper_interval
    width = f" ±{number(other.half_width, value.digits)}" if other and other.is_known else ""
    return Pair(
        number(cell.ours, value.digits),
        "" if interval is None else number(interval.half_width, value.digits),
        (number(interval.low, value.digits), number(interval.high, value.digits))
        if interval is not None and interval.high > interval.low
        else None,
        "" if cell.paper is None else number(cell.paper, value.digits) + width,
        _difference(cell, value),
        "×" if value.compare == "ratio" else "",
        shade(deviation),
    )


def _difference(cell: Cell, value: Value) -> str:
    if cell.ours is None or cell.paper is None:
        return ""
    if value.compare == "difference":
        return f"{'≠ ' if cell.differs else ''}{cell.ours - cell.paper:+.{value.digits}f}"
    return f"{cell.ours / cell.paper:.2f}" if cell.paper else ""


def shade(deviation: float | None) -> str:
    """The shade of a deviation: h1 to h3 if ours is higher, l1 to l3 if it is lower, n if they agree.

    >>> [shade(one) for one in (0.05, 0.2, -0.5, 3.0, None)]
    ['n', 'h1', 'l2', 'h3', '']
    """
    if deviation is None:
        return ""
    step = sum(abs(deviation) > bound for bound in STEPS)
    return f"{'h' if deviation > 0 else 'l'}{step}" if step else "n"


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


def across(rows: Sequence[Row], place: int) -> list[Key]:
    """The values that go across: numbers in ascending order, words in the order of the rows."""
    found = list(dict.fromkeys(row.place[place] for row in rows))
    numbers = [one for one in found if isinstance(one, float)]
    return [*sorted(numbers)] if len(numbers) == len(found) else found


def split(rows: Sequence[Row], place: int) -> dict[tuple[str, Place], dict[Key, Row]]:
    """By experiment and by the place without the axis that goes across."""
    found: dict[tuple[str, Place], dict[Key, Row]] = {}
    for row in rows:
        rest = (*row.place[:place], *row.place[place + 1 :])
        found.setdefault((row.experiment, rest), {})[row.place[place]] = row
    return found


def heading(column: str, headings: Mapping[str, str]) -> str:
    """The heading of a column of `by`."""
    return headings.get(column, column).replace("algorithm_a", "first").replace("algorithm_b", "second")


def one_line(heading: str) -> str:
    """A heading of a table, whose lines may end within a word, where there is more room.

    >>> one_line("retrans-\\nmits/s"), one_line("flow 1\\nMbps")
    ('retransmits/s', 'flow 1 Mbps')
    """
    return heading.replace("-\n", "").replace("\n", " ")


def word(value: Key) -> str:
    """A value of a column `by` as text."""
    return f"{value:g}" if isinstance(value, float) else value
