"""A rerun table or figure in the terminal and as CSV: ours next to the paper's."""

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from fairlane.files import replacing
from fairlane.show.text.aligned import LEFT, RIGHT, number, text_table
from fairlane.study.paper.comparison import Cell, Comparison, Place, Row
from fairlane.study.paper.definition import Key, Value

if TYPE_CHECKING:
    from fairlane.study.paper.definition import Study


MOST_SIDE_BY_SIDE = 3
"""With more values than this, ours and the paper's are in separate lines."""

Column = tuple[str, str]


def comparison_text(comparison: Comparison) -> str:
    """The table with its heading."""
    item = comparison.item
    head = f"{item.source}: {item.title}"
    if not comparison.rows:
        return f"{head}\n\n(nothing of it has been run)"
    stacked = item.across is not None or len(item.values) > MOST_SIDE_BY_SIDE
    return f"{head}\n\n{_stacked(comparison) if stacked else _side_by_side(comparison)}"


def write_csv(path: Path, comparison: Comparison) -> None:
    """Writes one row per place and value: ours, the paper's, and how they compare."""
    item = comparison.item
    with replacing(path) as temporary, temporary.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(
            [
                "experiment",
                *item.by,
                "value",
                "ours",
                "ours_ci95_low",
                "ours_ci95_high",
                "paper",
                "difference",
                "ours_by_paper",
                "runs",
            ]
        )
        for row in comparison.rows:
            for value, cell in zip(item.values, row.cells, strict=True):
                writer.writerow([row.experiment, *map(word, row.place), _name(value), *_numbers(cell), row.runs])


def _numbers(cell: Cell) -> list[str]:
    both = cell.ours is not None and cell.paper is not None
    difference = f"{cell.ours - cell.paper:.6g}" if both else ""  # type: ignore[operator]
    ratio = f"{cell.ours / cell.paper:.4g}" if both and cell.paper else ""  # type: ignore[operator]
    ends = (cell.interval.low, cell.interval.high) if cell.interval else (None, None)
    plain = ["" if one is None else f"{one:.6g}" for one in (cell.ours, *ends, cell.paper)]
    return [*plain, difference, ratio]


def _name(value: Value) -> str:
    name = value.metric if value.of is None else f"{value.metric}@{value.of}"
    name += f"/{value.divided_by}" if value.divided_by else ""
    return f"{name} relative" if value.relative_to else name


def _side_by_side(comparison: Comparison) -> str:
    """One row per place; for each value three columns."""
    item = comparison.item
    several = len(comparison.experiments) > 1
    columns: list[Column] = [("\n", LEFT)] if several else []
    columns += [(heading(column, comparison.headings), LEFT) for column in item.by]
    for value in item.values:
        columns += [(f"{value.heading}\nours", RIGHT), ("\npaper", RIGHT), (f"\n{_compared(value)}", RIGHT)]
    columns.append(("\nruns", RIGHT))
    rows, before = [], ""
    for row in comparison.rows:
        cells = [row.experiment if row.experiment != before else ""] if several else []
        cells += [word(one) for one in row.place]
        for value, cell in zip(item.values, row.cells, strict=True):
            cells += [_ours(cell, value), number(cell.paper, value.digits), difference(cell, value)]
        rows.append([*cells, str(row.runs)])
        before = row.experiment
    return text_table(_equally_high(columns), rows)


def _stacked(comparison: Comparison) -> str:
    """Ours, the paper's and the difference below each other; an axis, or the values, across."""
    item = comparison.item
    place = item.by.index(item.across) if item.across else None
    kept = [column for column in item.by if column != item.across]
    several = len(comparison.experiments) > 1
    columns: list[Column] = [("", LEFT)] if several else []
    columns += [(heading(column, comparison.headings), LEFT) for column in kept]
    if item.across and len(item.values) > 1:
        columns.append(("", LEFT))
    columns.append(("", LEFT))
    rows: list[list[str]] = []
    if place is None:
        columns += [(value.heading, RIGHT) for value in item.values]
        for row in comparison.rows:
            head = ([row.experiment] if several else []) + [word(one) for one in row.place]
            rows += _three(head, list(zip(item.values, row.cells, strict=True)))
    else:
        values = across(comparison.rows, place)
        title = heading(item.across or "", comparison.headings).replace("\n", ", ")
        columns += [(f"{title}\n{word(one)}" if i == 0 else f"\n{word(one)}", RIGHT) for i, one in enumerate(values)]
        for (experiment, key), found in split(comparison.rows, place).items():
            for index, value in enumerate(item.values):
                head = [*([experiment] if several else []), *(word(one) for one in key)]
                if index:
                    head = [""] * len(head)
                if len(item.values) > 1:
                    head.append(value.heading.replace("\n", " "))
                cells = [found[one].cells[index] if one in found else Cell(None, None, None) for one in values]
                rows += _three(head, [(value, cell) for cell in cells])
    return text_table(_equally_high(columns), rows)


def _three(head: list[str], cells: Sequence[tuple[Value, Cell]]) -> list[list[str]]:
    kinds = {_compared(value) for value, _ in cells}
    blank = [""] * len(head)
    ours = [*head, "ours", *(_ours(cell, value) for value, cell in cells)]
    if not any(value.published for value, _ in cells):
        return [ours]  # a question of our own: the paper has nothing to say
    return [
        ours,
        [*blank, "paper", *(number(cell.paper, value.digits) for value, cell in cells)],
        [*blank, kinds.pop() if len(kinds) == 1 else "", *(difference(cell, value) for value, cell in cells)],
    ]


def across(rows: Sequence[Row], place: int) -> list[Key]:
    """The values that go across: numbers in their order, whatever was run first; words as they come."""
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


def _ours(cell: Cell, value: Value) -> str:
    text = number(cell.ours, value.digits)
    return text if cell.interval is None else f"{text} ±{number(cell.interval.half_width, value.digits)}"


def difference(cell: Cell, value: Value) -> str:
    """How ours compares with the paper's: as a ratio, or with its sign."""
    if cell.ours is None or cell.paper is None:
        return "-"
    if value.compare == "difference":
        return f"{cell.ours - cell.paper:+.{value.digits}f}"
    return f"{cell.ours / cell.paper:.2f}" if cell.paper else "-"


def _compared(value: Value) -> str:
    return "ratio" if value.compare == "ratio" else "diff"


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


def _equally_high(columns: Sequence[Column]) -> list[Column]:
    """Aligns headings at the bottom."""
    height = max(heading.count("\n") for heading, _ in columns)
    return [("\n" * (height - heading.count("\n")) + heading, side) for heading, side in columns]


def unsupported_text(study: "Study") -> str:
    """The paper's unsupported experiments, their location in the paper, and what they need."""
    columns = [("not yet runnable", LEFT), ("needs", LEFT), ("in the paper", LEFT), ("", LEFT)]
    rows = study.file.unsupported.items()
    return text_table(columns, [[name, one.needs, one.source, one.title] for name, one in rows])
