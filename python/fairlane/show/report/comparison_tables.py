"""Comparisons as tables of cells, each with ours and the paper's: what the page and LaTeX show."""

from collections.abc import Sequence
from dataclasses import dataclass

from fairlane.show.comparison.text import across, difference, heading, one_line, split, word
from fairlane.show.report.paper_agreement import deviations, shade
from fairlane.show.text.aligned import number
from fairlane.study.paper.comparison import Cell, Comparison
from fairlane.study.paper.definition import Value


@dataclass(frozen=True)
class Pair:
    """A number: ours and the paper's, as they are printed."""

    ours: str
    ends: tuple[str, str] | None
    """Of the 95 % interval."""
    paper: str
    """Empty where the paper has no number."""
    difference: str
    shade: str


@dataclass(frozen=True)
class Line:
    """A row."""

    head: tuple[str, ...]
    pairs: tuple[Pair | None, ...]
    """None where nothing was run."""
    runs: str


@dataclass(frozen=True)
class Layout:
    """A table."""

    heads: tuple[str, ...]
    """Of the columns that say what a row is about."""
    over: str
    """The heading above all other columns, if any."""
    columns: tuple[str, ...]
    lines: tuple[Line, ...]
    has_paper: bool
    """Whether the paper has any of these numbers."""


def laid_out(comparison: Comparison) -> Layout:
    """Values side by side; or one value at each place of the axis that goes across."""
    item = comparison.item
    shades = [[shade(one) for one in row] for row in deviations(comparison)]
    several = len(comparison.experiments) > 1
    printed = any(cell.paper is not None for row in comparison.rows for cell in row.cells)
    kept = [column for column in item.by if column != item.across]
    heads = [*(["experiment"] if several else []), *(one_line(heading(column, comparison.headings)) for column in kept)]
    if item.across is None:
        lines = [
            Line(
                (*([row.experiment] if several else []), *map(word, row.place)),
                tuple(_pair(*one) for one in zip(row.cells, item.values, shading, strict=True)),
                str(row.runs),
            )
            for row, shading in zip(comparison.rows, shades, strict=True)
        ]
        columns = [one_line(value.heading) for value in item.values]
        return Layout(tuple(heads), "", tuple(columns), tuple(lines), printed)
    place = item.by.index(item.across)
    ticks = across(comparison.rows, place)
    shade_of = {id(row): shading for row, shading in zip(comparison.rows, shades, strict=True)}
    many = len(item.values) > 1
    lines = []
    for (experiment, rest), found in split(comparison.rows, place).items():
        runs = [row.runs for row in found.values()]
        for index, value in enumerate(item.values):
            pairs = [
                _pair(found[tick].cells[index], value, shade_of[id(found[tick])][index]) if tick in found else None
                for tick in ticks
            ]
            head = [*([experiment] if several else []), *map(word, rest), *([one_line(value.heading)] if many else [])]
            lines.append(Line(tuple(head), tuple(pairs), _range(runs)))
    over = heading(item.across, comparison.headings).replace("\n", ", ")
    return Layout(tuple([*heads, *(["value"] if many else [])]), over, tuple(map(word, ticks)), tuple(lines), printed)


def _pair(cell: Cell, value: Value, shading: str) -> Pair:
    ends = None
    if cell.interval is not None and cell.interval.high > cell.interval.low:
        ends = (number(cell.interval.low, value.digits), number(cell.interval.high, value.digits))
    compared = difference(cell, value) if value.published else ""
    if compared not in ("", "-") and value.compare == "ratio":
        compared = f"×{compared}"
    paper = "" if cell.paper is None else number(cell.paper, value.digits)
    return Pair(number(cell.ours, value.digits), ends, paper, compared if compared != "-" else "", shading)


def _range(counts: Sequence[int]) -> str:
    low, high = min(counts), max(counts)
    return str(low) if low == high else f"{low}–{high}"
