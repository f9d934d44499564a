"""Repeats, and whatever else is not asked about, drawn together: means and their intervals."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from fairlane.metrics.interval import mean_of
from fairlane.statistics import Interval

if TYPE_CHECKING:
    import polars as pl

LOW, HIGH = "_ci95_low", "_ci95_high"
"""Endings of the columns with the ends of the mean's 95 % confidence interval."""


def summarise(frame: "pl.DataFrame", by: Sequence[str], metrics: Sequence[str]) -> "pl.DataFrame":
    """One row for each combination of the columns `by`, in the order of their appearance.

    For each metric the mean and, as NAME_ci95_low and NAME_ci95_high, its 95 % confidence interval by the BCa
    bootstrap, for which three repeats are the least; `n` says how many rows went into it, and `repeats` how many
    repeats they are of.
    """
    import polars as pl

    by = [column for column in by if column in frame.columns]
    groups = frame.group_by(by, maintain_order=True) if by else [((), frame)]
    rows: list[dict[str, Any]] = []
    for key, group in groups:
        row: dict[str, Any] = dict(zip(by, key, strict=True))
        row["n"] = group.height
        row["repeats"] = group["repeat"].n_unique() if "repeat" in group.columns else group.height
        for metric in metrics:
            mean = mean_over_repeats(group, metric)
            row[metric] = mean.estimate if mean else None
            row[metric + LOW], row[metric + HIGH] = (mean.low, mean.high) if mean and mean.is_known else (None, None)
        rows.append(row)
    schema: dict[str, Any] = {column: frame.schema[column] for column in by} | {"n": pl.Int64(), "repeats": pl.Int64()}
    schema |= {column: pl.Float64() for metric in metrics for column in (metric, metric + LOW, metric + HIGH)}
    return pl.DataFrame(rows, schema=schema)


def mean_over_repeats(frame: "pl.DataFrame", metric: str) -> Interval | None:
    """The mean of all rows, and how far chance may have moved it.

    Chance is what repeats differ by. Rows of one repeat at several places of a sweep differ because the places do,
    which no repeat changes: they are averaged first. Where repeats have not the same number of rows, their averages
    are not of the same thing, and there is no interval.
    """
    import polars as pl

    rows = frame.filter(pl.col(metric).is_finite())
    if "repeat" not in rows.columns or rows["repeat"].n_unique() == rows.height:
        return mean_of(rows[metric].to_list())
    repeats = rows.group_by("repeat", maintain_order=True).agg(pl.col(metric).mean().alias("mean"), pl.len().alias("n"))
    if repeats["n"].n_unique() == 1:
        return mean_of(repeats["mean"].to_list())
    return Interval(float(rows[metric].to_numpy().mean()), -math.inf, math.inf, rows.height)
