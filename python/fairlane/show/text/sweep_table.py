"""A table of a sweep: axes and metrics, with intervals where there are repeats."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from fairlane.engine.libraries import pl
from fairlane.results.metrics.metric import Metric
from fairlane.results.metrics.summary import HIGH, LOW
from fairlane.results.statistics import FEW, LEAST
from fairlane.scenario.plan import Axis
from fairlane.show.text.aligned import FEW_REPEATS, LEFT, RIGHT, decimals, in_unit, number, text_table
from fairlane.show.text.latex_table import latex_of_words
from fairlane.show.text.spreadsheet import csv_text

FORMATS = ("text", "markdown", "latex", "csv", "json")

Cells = list[list[str]]


def render(
    frame: "pl.DataFrame",
    metrics: Sequence[Metric],
    axes: Sequence["Axis"],
    across: Axis | None,
    form: str,
    notes: Sequence[str] = (),
) -> str:
    """The frame of `fairlane.results.metrics.summary` in one of `FORMATS`. `across` spreads an axis over the columns.

    `notes` are above the table: what it averages over.
    """
    if form == "json":
        return json.dumps(frame.to_dicts(), indent=1)
    if form == "csv":
        return csv_text([frame.columns, *frame.iter_rows()]).rstrip("\n")
    by = frame.columns[: frame.columns.index("n")]
    if across is None:
        headings, rows, labels = laid_out(frame, metrics, axes)
    else:
        headings, rows, labels = _spread(
            frame, [column for column in by if column != across.column], metrics, axes, across
        )
    sentences = [f"{note[0].upper()}{note[1:]}." for note in notes]
    if form == "markdown":
        return "\n".join([*(f"{sentence}\n" for sentence in sentences), markdown_table(headings, rows, labels)])
    if form == "latex":
        return "\n".join([*(f"% {sentence}" for sentence in sentences), *latex_of_words(headings, rows, labels)])
    columns = [(heading, LEFT if place < labels else RIGHT) for place, heading in enumerate(headings)]
    note = f"\n\n{FEW_REPEATS}" if frame["repeats"].is_between(LEAST, FEW - 1).any() else ""
    title = "".join(f"{sentence}\n" for sentence in sentences) + ("\n" if sentences else "")
    return title + text_table(columns, rows) + note


def laid_out(frame: "pl.DataFrame", metrics: Sequence[Metric], axes: Sequence["Axis"]) -> tuple[list[str], Cells, int]:
    """Headings, rows, and how many columns at the left say what a row is about."""
    by = frame.columns[: frame.columns.index("n")]
    shown = _varying(frame, by)
    repeats = frame["n"].max() if frame.height else 1
    scales = [in_unit(metric.unit, frame[metric.name]) for metric in metrics]
    headings = [axis_heading(column, axes) for column in shown]
    headings += [metric_heading(metric, unit) for metric, (unit, _) in zip(metrics, scales, strict=True)]
    rows = [
        [
            *(axis_label(row[column], column, axes) for column in shown),
            *(_figure(row, metric, factor) for metric, (_, factor) in zip(metrics, scales, strict=True)),
        ]
        for row in frame.iter_rows(named=True)
    ]
    if repeats != 1:
        headings.append("runs")
        for cells, row in zip(rows, frame.iter_rows(named=True), strict=True):
            cells.append(str(row["n"]))
    return headings, rows, len(shown)


def _spread(
    frame: "pl.DataFrame", by: Sequence[str], metrics: Sequence[Metric], axes: Sequence["Axis"], across: Axis
) -> tuple[list[str], Cells, int]:
    shown = _varying(frame, by)
    values = [value for value in across.values if value in set(frame[across.column])]
    found: dict[tuple[Any, ...], dict[Any, Mapping[str, Any]]] = {}
    for row in frame.iter_rows(named=True):
        found.setdefault(tuple(row[column] for column in by), {})[row[across.column]] = row
    places = [by.index(column) for column in shown]
    several = len(metrics) > 1
    headings = [axis_heading(column, axes) for column in shown]
    headings += [""] if several else []
    headings += [f"{across.name}\n{axis_label(value, across.column, axes)}" for value in values]
    rows = [
        [
            *(axis_label(key[place], by[place], axes) for place in places),
            *([metric.axis_label] if several else []),
            *(_figure(cells[value], metric) if value in cells else "-" for value in values),
        ]
        for key, cells in found.items()
        for metric in metrics
    ]
    return headings, rows, len(shown) + several


def _varying(frame: "pl.DataFrame", by: Sequence[str]) -> list[str]:
    """Columns that tell rows apart; one at least, so that no row is nameless."""
    return varying({column: frame[column].to_list() for column in by}) or list(by[-1:])


def varying(columns: Mapping[str, Sequence[object]]) -> list[str]:
    """The columns that tell rows apart; numbers of groups and names that say what another one says are left out.

    >>> varying({"group": [0, 1], "name": ["mine", "rival"], "algorithm": ["cubic", "cubic"]})
    ['name']
    >>> varying({"group": [0, 1], "name": [None, None], "algorithm": ["cubic", "cubic"]})  # numbers alone say nothing
    ['group', 'algorithm']
    """
    found = [name for name, values in columns.items() if len(set(values)) > 1]
    if "group" in found and "name" not in found:
        found = [name for name in columns if name in {*found, "algorithm"}]
    if "name" in found and "group" in found:
        found.remove("group")
    if {"name", "algorithm"} <= set(found) and list(columns["name"]) == list(columns["algorithm"]):
        found.remove("name")
    return found


def _figure(row: Mapping[str, Any], metric: Metric, factor: float = 1.0) -> str:
    mean, digits = row[metric.name], metric.digits
    if digits >= SECONDS and mean and abs(mean) < 10 ** (1 - digits):
        digits += 2  # completion times of a data center are less than 10 ms
    value = None if mean is None else mean * factor
    digits = decimals(value, digits)
    text = number(value, digits)
    low, high = row[metric.name + LOW], row[metric.name + HIGH]
    return text if low is None else f"{text} ±{number((high - low) / 2 * factor, digits)}"


SECONDS = 3
"""Decimals of metrics in seconds, which leave one digit or none of small ones."""


def metric_heading(metric: Metric, unit: str | None = None) -> str:
    """The heading of a metric: label and unit in two lines; `unit` instead of its own."""
    unit = metric.unit if unit is None else unit
    return f"{metric.label}\n{unit}" if unit else metric.label


def metrics_text(metrics: Sequence[Metric]) -> str:
    """A list of metrics: name, subject, unit and meaning."""
    rows = [[metric.name, metric.of, metric.unit, metric.summary] for metric in metrics]
    return text_table([("metric", LEFT), ("of", LEFT), ("unit", LEFT), ("", LEFT)], rows)


def axis_heading(column: str, axes: Sequence["Axis"]) -> str:
    """The heading of an axis."""
    return next((axis.name for axis in axes if axis.column == column), column)


def axis_label(value: Any, column: str, axes: Sequence["Axis"]) -> str:
    """A value of an axis in the words of the experiment file."""
    axis = next((axis for axis in axes if axis.column == column), None)
    return axis.label(value) if axis else "-" if value is None else str(value)


def markdown_table(headings: Sequence[str], rows: Sequence[Sequence[str]], labels: int) -> str:
    """A table in Markdown; the first `labels` columns are words, the others numbers."""
    lines = [" | ".join(heading.replace("\n", " ") for heading in headings)]
    lines.append(" | ".join("---" if place < labels else "---:" for place in range(len(headings))))
    lines += [" | ".join(cell.replace("|", "\\|") for cell in row) for row in rows]
    return "\n".join(f"| {line} |" for line in lines)
