"""A figure relative to what it is in a reference experiment.

With `total_retransmits`, and CUBIC against CUBIC as the reference, these are Elephants 2023's relative retransmissions:

    RR = R(cca1 vs cca2) / R(cubic vs cubic)          (4)

computed for each run against the run with the same axes otherwise, then averaged.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from fairlane.metrics.metric import MetricError

if TYPE_CHECKING:
    import polars as pl


def relative(frame: "pl.DataFrame", column: str, axes: list[str], reference: Mapping[str, Any]) -> "pl.DataFrame":
    """Adds `COLUMN_relative`: the column over its value where `reference` holds and the other axes are equal.

    `axes` are all columns that tell rows apart, the repeat included. None where there is no such row, or a 0 in it.
    """
    import polars as pl

    for name, value in reference.items():
        if name not in frame.columns or not frame.filter(pl.col(name) == value).height:
            raise MetricError(f"the reference {name}={value} is not among the results; run it too, or name another")
    rest = [axis for axis in axes if axis not in reference]
    base = frame.filter(*(pl.col(name) == value for name, value in reference.items()))
    base = base.group_by(rest, maintain_order=True).agg(pl.col(column).mean().alias("_reference"))
    ratio = pl.when(pl.col("_reference") != 0).then(pl.col(column) / pl.col("_reference"))
    joined = frame.join(base, on=rest, how="left", nulls_equal=True, maintain_order="left")
    return joined.with_columns(ratio.alias(f"{column}_relative")).drop("_reference")
