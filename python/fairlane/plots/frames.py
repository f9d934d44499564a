"""The metrics that a plot shows, as a frame without gaps."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from fairlane.metrics.metric import Metric
from fairlane.metrics.table import table
from fairlane.plots.options import Options, PlotError

if TYPE_CHECKING:
    import polars as pl

    from fairlane.store.results import Results


def measured(results: "Results", metrics: Sequence[Metric], per: str, options: Options) -> "pl.DataFrame":
    """One row for each flow, group, link or run that has all these metrics; of links only bottlenecks."""
    frame = table(results, metrics, per, options.filters)
    if not frame.height:
        raise PlotError("no flow in the results is like that; widen --where")
    if per == "link":
        named = frame.filter(frame["name"] == "bottleneck")
        frame = (named if named.height else frame).rename({"name": "link"})
    frame = frame.drop_nulls([metric.name for metric in metrics])
    if not frame.height:
        raise PlotError(f"there is no {' with '.join(metric.name for metric in metrics)} in these results")
    return frame
