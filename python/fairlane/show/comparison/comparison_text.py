"""A rerun table or figure: ours next to the paper's in the terminal and as CSV, and the files of both with plots."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from fairlane.files import refuse_links, write_text
from fairlane.results.tables import ResultTables
from fairlane.show.comparison.comparison_table import Pair, heading, laid_out, word
from fairlane.show.comparison.pictures import draw_comparison
from fairlane.show.comparison.time_series import draw_timelines
from fairlane.show.text.aligned import LEFT, RIGHT, text_table
from fairlane.show.text.spreadsheet import csv_text
from fairlane.study.paper.comparison import Cell, Comparison
from fairlane.study.paper.definition import Study, Value
from fairlane.study.paper.numbers_met import Count, Number, count, counts

MOST_SIDE_BY_SIDE = 3
"""With more values than this, ours and the paper's are in separate lines."""

Column = tuple[str, str]
_KINDS = {"ratio": "ratio", "difference": "diff"}


def comparison_text(comparison: Comparison) -> str:
    """The table with its heading."""
    item = comparison.item
    if not comparison.rows:
        return f"{item.heading}\n\n(nothing of it has been run)"
    stacked = item.across is not None or len(item.values) > MOST_SIDE_BY_SIDE
    return f"{item.heading}\n\n{_stacked(comparison) if stacked else _side_by_side(comparison)}"


def write_csv(path: Path, comparison: Comparison) -> None:
    """Writes one row per place and value: ours, the paper's, and how they compare."""
    item = comparison.item
    numbers = ("ours", "ours_ci95_low", "ours_ci95_high", "paper", "difference", "ours_by_paper", "runs")
    rows = [
        [row.experiment, *map(word, row.place), _name(value), *_numbers(cell), row.runs]
        for row in comparison.rows
        for value, cell in zip(item.values, row.cells, strict=True)
    ]
    write_text(path, csv_text([["experiment", *item.by, "value", *numbers], *rows]))


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
    item, layout = comparison.item, laid_out(comparison)
    columns: list[Column] = [("", LEFT)] if layout.several else []
    columns += [(heading(column, comparison.headings), LEFT) for column in item.by]
    for value in item.values:
        columns += [
            (f"{value.heading}\nours", RIGHT),
            (f"\n{comparison.other}", RIGHT),
            (f"\n{_KINDS[value.compare]}", RIGHT),
        ]
    columns.append(("runs", RIGHT))
    rows: list[list[str]] = []
    before = ""
    for line in layout.lines:
        head = list(line.head)
        if layout.several:
            before, head[0] = head[0], "" if head[0] == before else head[0]
        rows.append([*head, *(text for pair in line.pairs for text in _three(pair)), line.runs])
    return text_table(columns, rows)


def _stacked(comparison: Comparison) -> str:
    """Ours, the paper's and the difference below each other; an axis, or the values, across."""
    item, layout = comparison.item, laid_out(comparison)
    by = [heading(column, comparison.headings) for column in item.by if column != item.across]
    empty = len(layout.heads) - layout.several - len(by)
    columns: list[Column] = [("", LEFT)] * layout.several + [(one, LEFT) for one in by] + [("", LEFT)] * (1 + empty)
    if item.across is None:
        columns += [(value.heading, RIGHT) for value in item.values]
    else:
        overs = [layout.over, *[""] * len(layout.columns)]
        columns += [(f"{over}\n{column}", RIGHT) for over, column in zip(overs, layout.columns, strict=False)]
    rows: list[list[str]] = []
    before: tuple[str, ...] = ()
    for line in layout.lines:
        head, named = list(line.head), len(line.head) - empty
        if empty and line.head[:named] == before:
            head[:named] = [""] * named
        before = line.head[:named]
        ours, paper, differences = zip(*map(_three, line.pairs), strict=True)
        rows.append([*head, "ours", *ours])
        if any(value.published for value in line.values):  # else it is a question of our own
            kinds = {_KINDS[value.compare] for value in line.values}
            blank = [""] * len(head)
            rows.append([*blank, comparison.other, *paper])
            rows.append([*blank, kinds.pop() if len(kinds) == 1 else "", *differences])
    return text_table(columns, rows)


def _three(pair: Pair | None) -> tuple[str, str, str]:
    """Ours, the paper's and the difference."""
    if pair is None:
        return ("-", "-", "-")
    return (
        f"{pair.ours} ±{pair.half_width}" if pair.half_width else pair.ours,
        pair.paper or "-",
        pair.difference or "-",
    )


def unsupported_text(study: Study) -> str:
    """The paper's unsupported experiments, their location in the paper, and the missing features."""
    columns = [("not yet runnable", LEFT), ("needs", LEFT), ("in the paper", LEFT), ("", LEFT)]
    rows = study.file.unsupported.items()
    return text_table(columns, [[name, one.needs, one.source, one.title] for name, one in rows])


_COUNTS = [
    ("metric", LEFT),
    ("numbers", RIGHT),
    ("within\n10 %", RIGHT),
    ("25 %", RIGHT),
    ("factor\n2", RIGHT),
    ("typical\nfactor", RIGHT),
    ("used for\ncalibration", RIGHT),
]


def numbers_text(found: Sequence[Number], printed: int) -> str:
    """A row for each metric; those that hardly tell good from bad, such as Jain's index, below the total."""
    telling = [one for one in found if not one.is_bounded]
    held_out = [one for one in telling if not one.testbed]
    bounded = [one for one in found if one.is_bounded]
    rows = [_row(one) for one in counts(telling)]
    rows.append(_row(count("all of these", telling)))
    if len(held_out) < len(telling):
        rows.append(_row(count("not used for calibration", held_out)))
    text = text_table(_COUNTS, rows)
    if bounded:
        rest = [_row(one) for one in counts(bounded)]
        text += "\n\nApart, because any two of their values are close:\n\n" + text_table(_COUNTS, rest)
    return f"{text}\n\nThe tables print {printed} numbers, {len(found)} of them different; each counts once."


def _row(one: Count) -> list[str]:
    met = (one.numbers, one.within_10, one.within_25, one.within_factor_2)
    return [one.metric, *map(str, met), f"{one.factor:.2f}", str(one.trained)]


def write_comparison(folder: Path, comparison: Comparison, results: Mapping[str, ResultTables]) -> None:
    """Writes the table and the plots of one table or figure to `folder`. Raises OSError."""
    table = folder / "table.csv"
    refuse_links(table, inside=folder.parent)
    folder.mkdir(parents=True, exist_ok=True)
    write_csv(table, comparison)
    draw_comparison(folder / "ours-and-paper.png", comparison)
    if comparison.item.time_series:
        list(draw_timelines(folder, comparison, results))  # each is drawn when it is asked for
