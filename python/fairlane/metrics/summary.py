"""Repeats, and whatever else is not asked about, drawn together: means and their intervals."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from fairlane.metrics.interval import mean_of

if TYPE_CHECKING:
    import polars as pl

LOW, HIGH = "_ci95_low", "_ci95_high"
"""Endings of the columns with the ends of the mean's 95 % confidence interval."""


def summarise(frame: "pl.DataFrame", by: Sequence[str], metrics: Sequence[str]) -> "pl.DataFrame":
    """One row for each combination of the columns `by`, in the order of their appearance.

    For each metric the mean and, as NAME_ci95_low and NAME_ci95_high, its 95 % confidence interval by the BCa
    bootstrap, for which three rows are the least; `n` says how many rows went into it. The interval means something if
    the rows are repeats with seeds of their own.
    """
    import polars as pl

    by = [column for column in by if column in frame.columns]
    groups = frame.group_by(by, maintain_order=True) if by else [((), frame)]
    rows: list[dict[str, Any]] = []
    for key, group in groups:
        row: dict[str, Any] = {**dict(zip(by, key, strict=True)), "n": group.height}
        for metric in metrics:
            mean = mean_of(group[metric].to_list())
            row[metric] = mean.estimate if mean else None
            row[metric + LOW], row[metric + HIGH] = (mean.low, mean.high) if mean and mean.is_known else (None, None)
        rows.append(row)
    schema: dict[str, Any] = {column: frame.schema[column] for column in by} | {"n": pl.Int64()}
    schema |= {column: pl.Float64() for metric in metrics for column in (metric, metric + LOW, metric + HIGH)}
    return pl.DataFrame(rows, schema=schema)
