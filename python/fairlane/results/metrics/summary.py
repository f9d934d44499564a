"""Averages over repeats and over columns that are not requested: means and their intervals."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from fairlane.engine.libraries import pl
from fairlane.results.metrics.metric import MetricError
from fairlane.results.statistics import Interval, interval_of_mean, intervals_of_means

LOW, HIGH = "_ci95_low", "_ci95_high"
"""Endings of the columns with the ends of the mean's 95 % confidence interval."""


def summarise(frame: "pl.DataFrame", by: Sequence[str], metrics: Sequence[str]) -> "pl.DataFrame":
    """One row for each combination of the columns `by`, in the order of their appearance.

    For each metric the mean and, as NAME_ci95_low and NAME_ci95_high, its 95 % confidence interval by the BCa
    bootstrap, for which three repeats are the least; `n` says how many rows went into it, and `repeats` how many
    repeats they are of.
    """
    by = [column for column in by if column in frame.columns]
    groups = frame.group_by(by, maintain_order=True) if by else [((), frame)]
    rows: list[dict[str, Any]] = []
    samples: list[list[float] | Interval] = []
    for key, group in groups:
        row: dict[str, Any] = dict(zip(by, key, strict=True))
        row["n"] = group.height
        row["repeats"] = group["repeat"].n_unique() if "repeat" in group.columns else group.height
        samples += [_over_repeats(group, metric) for metric in metrics]
        rows.append(row)
    means = iter(_means(samples))
    for row in rows:
        for metric in metrics:
            mean = next(means)
            row[metric] = mean.estimate if mean else None
            row[metric + LOW], row[metric + HIGH] = (mean.low, mean.high) if mean and mean.is_known else (None, None)
    schema: dict[str, Any] = {column: frame.schema[column] for column in by} | {"n": pl.Int64(), "repeats": pl.Int64()}
    schema |= {column: pl.Float64() for metric in metrics for column in (metric, metric + LOW, metric + HIGH)}
    return pl.DataFrame(rows, schema=schema)


def mean_over_repeats(frame: "pl.DataFrame", metric: str) -> Interval | None:
    """The mean of all rows, and its confidence interval.

    The interval covers the variation between repeats. Rows of one repeat at several points of a sweep differ
    because the points differ, so they are averaged first. If repeats have different numbers of rows, their averages are
    not comparable, and there is no interval.
    """
    return _means([_over_repeats(frame, metric)])[0]


def _over_repeats(frame: "pl.DataFrame", metric: str) -> list[float] | Interval:
    """A value of each repeat; the mean without an interval if they are not comparable."""
    rows = frame.filter(pl.col(metric).is_finite())
    if "repeat" not in rows.columns or rows["repeat"].n_unique() == rows.height:
        return rows[metric].to_list()
    repeats = rows.group_by("repeat", maintain_order=True).agg(pl.col(metric).mean().alias("mean"), pl.len().alias("n"))
    if repeats["n"].n_unique() == 1:
        return repeats["mean"].to_list()
    return Interval(float(rows[metric].to_numpy().mean()), -math.inf, math.inf, rows.height)


def _means(samples: Sequence[list[float] | Interval]) -> list[Interval | None]:
    """`mean_of` of each sample; all together, which takes less time."""
    if not any(isinstance(sample, list) and len(sample) > 1 for sample in samples):
        return [mean_of(sample) if isinstance(sample, list) else sample for sample in samples]
    many = iter(intervals_of_means([one for one in samples if isinstance(one, list) and len(one) > 1]))
    return [one if not isinstance(one, list) else next(many) if len(one) > 1 else mean_of(one) for one in samples]


def mean_of(values: Sequence[float | None]) -> Interval | None:
    """Mean and its 95 % interval by the BCa bootstrap; None if no value is there. Of one or two values only the mean.

    >>> mean_of([10.0, None, 14.0, 12.0, 12.0, 13.0])
    Interval(estimate=12.2, low=10.4, high=13.6, n=5)
    >>> mean_of([10.0, 12.0]).is_known
    False
    """
    present = [value for value in values if value is not None and math.isfinite(value)]
    if not present:
        return None
    if len(present) == 1:  # numpy takes 0.1 s to load: not for tables without repeats
        return Interval(present[0], -math.inf, math.inf, 1)
    return interval_of_mean(present)


def relative(frame: "pl.DataFrame", column: str, axes: list[str], reference: Mapping[str, Any]) -> "pl.DataFrame":
    """Adds `COLUMN_relative`: the column over its value where `reference` holds and the other axes are equal.

    `axes` are all columns that identify rows, including the repeat. None if there is no such row, or its value is 0.
    With `total_retransmits`, and CUBIC against CUBIC as the reference, this is Elephants 2023's equation 4.
    """
    for name, value in reference.items():
        if name not in frame.columns or not frame.filter(pl.col(name) == value).height:
            raise MetricError(f"the reference {name}={value} is not among the results; run it too, or name another")
    rest = [axis for axis in axes if axis not in reference]
    base = frame.filter(*(pl.col(name) == value for name, value in reference.items()))
    base = base.group_by(rest, maintain_order=True).agg(pl.col(column).mean().alias("_reference"))
    ratio = pl.when(pl.col("_reference") != 0).then(pl.col(column) / pl.col("_reference"))
    joined = frame.join(base, on=rest, how="left", nulls_equal=True, maintain_order="left")
    return joined.with_columns(ratio.alias(f"{column}_relative")).drop("_reference")
