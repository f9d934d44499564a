"""The paper's numbers, from CSV files, found by what they are about."""

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from fairlane.study.study import Item, Key, Study, StudyError
from fairlane.wording import unknown

Place = tuple[Key, ...]
"""Values of the columns `by`."""


def published(study: Study, item: Item) -> dict[Place, list[float | None]]:
    """The paper's numbers of an item: for each place one per value, None where the paper has none."""
    if item.published is None:
        return {}
    path = study.folder / item.published
    found: dict[Place, list[float | None]] = {}
    columns = [value.published for value in item.values]
    for row in _rows(path, [*item.by, *item.select, *(column for column in columns if column)]):
        if all(row[column] == value for column, value in item.select.items()):
            place = tuple(key(row[column]) for column in item.by)
            found[place] = [float(row[column]) if column and row[column] else None for column in columns]
    return found


def key(value: Any) -> Key:
    """A value by which rows are matched: a number, whether it was written as one or as text, else the text.

    >>> key("0.5"), key(100), key("cubic")
    (0.5, 100.0, 'cubic')
    >>> key(True)
    'yes'
    """
    if isinstance(value, bool):
        return "yes" if value else "no"
    try:
        return float(value)
    except (TypeError, ValueError):
        return str(value)


def _rows(path: Path, columns: Sequence[str]) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        reader = csv.DictReader(file)
        present = reader.fieldnames or []
        for column in columns:
            if column not in present:
                raise StudyError(f"{path}: {unknown('column', column, present)}")
        return list(reader)
