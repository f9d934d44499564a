"""A preview of results for a terminal: a small table of text."""

from collections.abc import Sequence
from typing import Any

from fairlane.engine.libraries import pl

MOST_ROWS = 10


def groups_text(flows: "pl.DataFrame", axes: Sequence[str], metrics: Sequence[str]) -> str:
    """A row for each point of the sweep and kind of flow, means over flows and repeats; the first `MOST_ROWS`.

    Columns that say the same as another are left out. `flows` has at least one row.
    """
    names = ["algorithm"] if (flows["name"] == flows["algorithm"]).all() else ["name", "algorithm"]
    told = dict.fromkeys([*(axis for axis in axes if axis in flows.columns), *names])
    by = _distinct(flows, list(told))
    means = [pl.col(name).mean() for name in metrics if name in flows.columns]
    groups = flows.group_by(by, maintain_order=True).agg(pl.len().alias("flows"), *means)
    counted = [] if groups["flows"].max() == 1 else ["flows"]
    rows = [
        [_text(row[column]) for column in (*by, *counted, *metrics) if column in row]
        for row in groups.head(MOST_ROWS).iter_rows(named=True)
    ]
    headings = [column for column in (*by, *counted, *metrics) if column in groups.columns]
    text = _aligned(headings, rows, len(by))
    notes = ["means over flows and repeats"] if counted else []
    notes += [f"{groups.height - MOST_ROWS:,} more rows"] if groups.height > MOST_ROWS else []
    return text + (f"\n({'; '.join(notes)})" if notes else "")


def _distinct(flows: "pl.DataFrame", columns: Sequence[str]) -> list[str]:
    """Those that distinguish rows which earlier columns do not; of a single row the last."""
    kept: list[str] = []
    for column in columns:
        before = flows.select(kept).n_unique() if kept else 1
        if flows.select([*kept, column]).n_unique() > before:
            kept.append(column)
    return kept or [columns[-1]]


def _aligned(headings: Sequence[str], rows: Sequence[Sequence[str]], labels: int) -> str:
    """Words to the left, numbers to the right."""
    widths = [max(map(len, column)) for column in zip(headings, *rows, strict=True)]
    lines = [
        "  ".join(
            cell.ljust(width) if place < labels else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in [headings, *rows]
    ]
    return "\n".join(lines)


def _text(value: Any) -> str:
    """A mean with two digits, anything else as it is.

    >>> _text(1234.567), _text(None), _text(3), _text("bbr"), _text(2.0)
    ('1,234.57', '-', '3', 'bbr', '2.00')
    """
    if value is None:
        return "-"
    return f"{value:,.2f}" if isinstance(value, float) else str(value)
