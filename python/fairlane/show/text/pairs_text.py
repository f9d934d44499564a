"""Matrices of algorithms against each other as aligned tables."""

from collections.abc import Sequence

from fairlane.results.pairs import PairMatrix
from fairlane.show.text.aligned import LEFT, RIGHT, text_table, with_interval
from fairlane.show.text.sweep_table import metric_heading


def matrices_text(matrices: Sequence[PairMatrix], width: int) -> str:
    """A table with a row for each rival if there is one algorithm, else a table for each metric.

    Where headings are too wide, columns have the numbers of their algorithms.
    """
    first = matrices[0]
    if len(first.rows) == 1:
        return _of_one(first.rows[0], matrices)
    return "\n\n".join(_table(one, width) for one in matrices)


def _of_one(name: str, matrices: Sequence[PairMatrix]) -> str:
    """The algorithm's own metrics next to each rival."""
    columns = [("rival", LEFT), *((metric_heading(one.metric), RIGHT) for one in matrices)]
    rows = [
        [rival, *(with_interval(one.cells.get((name, rival)), one.metric.digits) for one in matrices)]
        for rival in matrices[0].columns
    ]
    return f"{name} against each rival: its own metrics\n\n{text_table(columns, rows)}"


def _table(matrix: PairMatrix, width: int) -> str:
    rows = [[row, *(in_few_digits(matrix.mean(row, column)) for column in matrix.columns)] for row in matrix.rows]
    text = text_table([("", LEFT), *((column, RIGHT) for column in matrix.columns)], rows)
    if max(map(len, text.splitlines())) > width:
        text = _numbered(matrix, rows)
    unit = f", {matrix.metric.unit}" if matrix.metric.unit else ""
    return f"{matrix.metric.label}{unit}: of the row's algorithm against the column's\n\n{text}"


def _numbered(matrix: PairMatrix, rows: Sequence[Sequence[str]]) -> str:
    """Numbers instead of names above the columns; those of the rows tell which."""
    numbers = {name: str(place) for place, name in enumerate(matrix.columns, 1)}
    headings = [("", RIGHT), ("", LEFT), *((numbers[column], RIGHT) for column in matrix.columns)]
    text = text_table(headings, [[numbers.get(row[0], ""), *row] for row in rows], gap=" ")
    others = [name for name in matrix.columns if name not in matrix.rows]
    legend = ", ".join(f"{numbers[name]} {name}" for name in others)
    return f"{text}\n\n{legend}" if legend else text


def in_few_digits(value: float | None) -> str:
    """A cell of a matrix, in at most five characters where the value allows it.

    >>> [in_few_digits(value) for value in (None, 0.0, 0.123, 9.96, 47.26, 12345.6)]
    ['-', '0', '0.12', '10', '47', '12346']
    """
    if value is None:
        return "-"
    if value == 0 or abs(value) >= 9.95:
        return f"{value:.0f}"
    return f"{value:.1f}" if abs(value) >= 0.95 else f"{value:.2f}"
