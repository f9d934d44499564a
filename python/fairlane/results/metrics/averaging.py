"""Says what the rows of a table, or the points of a plot, are means over: nothing is averaged silently."""

from collections.abc import Mapping, Sequence
from typing import Any

from fairlane.engine.libraries import pl
from fairlane.results.metrics.bottleneck import bottleneck_note
from fairlane.results.metrics.catalogue import OWN
from fairlane.results.metrics.common_time import common_time_s
from fairlane.results.metrics.metric import Metric
from fairlane.results.metrics.source import runs
from fairlane.results.tables import ResultTables

OF_BOTTLENECK = ("bottleneck_utilisation_pct",)
"""Metrics of a run that are about one of its links."""


def averaged_axes(frame: "pl.DataFrame", kept: Sequence[str], results: ResultTables, per: str) -> list[str]:
    """The columns that differ among rows with equal `kept` columns: names of axes, and flows where they differ.

    Repeats are not named: an average over repeats is what intervals are about.
    """
    kept = [column for column in dict.fromkeys(kept) if column in frame.columns]
    names = {axis.column: axis.name for axis in results.axes}
    names |= {column: "flows" for column in OWN[per] if column not in names}
    others = [column for column in names if column in frame.columns and column not in kept]
    if not others or not frame.height:
        return []
    counts = [pl.col(column).n_unique().alias(column) for column in others]
    most = (frame.group_by(kept).agg(counts) if kept else frame.select(counts)).max()
    return list(dict.fromkeys(names[column] for column in others if most[column].item() > 1))


def averaged_flows(
    results: ResultTables, metrics: Sequence[Metric], per: str, filters: Mapping[str, Any] | None = None
) -> str | None:
    """The flows over which such rows average: "the flows of each group". None if that is one flow."""
    if per not in ("group", "run") or not any(metric.of == "flow" for metric in metrics):
        return None
    flows = results.select("flows", dict(filters or {}))
    keys = ["run", "group"] if per == "group" else ["run"]
    # Two experiments may have a run in common.
    most = flows.unique(["run", "flow"]).group_by(keys).len()["len"].max() if flows.height else 0
    return f"the flows of each {per}" if isinstance(most, int) and most > 1 else None


def time_in_common(
    results: ResultTables, metrics: Sequence[Metric], filters: Mapping[str, Any] | None = None
) -> str | None:
    """Which time shares and indices refer to where flows are not simultaneous: "from 5 s to 40 s"."""
    if not any(metric.together for metric in metrics):
        return None
    found: set[tuple[float, float]] = set()
    for run in runs(results, filters):
        everyone = any(metric.together and metric.of == "flow" for metric in metrics)
        time_s = common_time_s(run.everyone if everyone else run.flows)
        if time_s is not None and time_s[0] < time_s[1]:
            found.add((round(time_s[0], 3), round(time_s[1], 3)))
    if not found:
        return None
    begins, ends = zip(*found, strict=True)
    return f"from {_span(begins)} to {_span(ends)}"


def _span(values_s: Sequence[float]) -> str:
    low, high = min(values_s), max(values_s)
    return f"{low:g} s" if low == high else f"{low:g}\N{EN DASH}{high:g} s"


def listed(names: Sequence[str]) -> str:
    """Names as in a sentence.

    >>> listed(["rtt", "buffer", "loss"])
    'rtt, buffer and loss'
    """
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def notes(
    frame: "pl.DataFrame",
    kept: Sequence[str],
    results: ResultTables,
    metrics: Sequence[Metric],
    per: str,
    filters: Mapping[str, Any] | None = None,
    *,
    pooled: bool = False,
) -> list[str]:
    """The notes of a table or a plot: averages, the bottleneck if it may be another one, the time in common of flows.

    `pooled`: all rows are shown, and not their mean.
    """
    flows = averaged_flows(results, metrics, per, filters)
    over = averaged_axes(frame, kept, results, per)
    if (pooled or flows) and "flows" in over:
        over.remove("flows")
    over += [flows] if flows and not pooled else []
    said = [f"{'pooled' if pooled else 'averaged'} over {listed(over)}"] if over else []
    said += [f"averaged over {flows}"] if flows and pooled else []
    if per in ("group", "run") and any(metric.of == "link" or metric.name in OF_BOTTLENECK for metric in metrics):
        named = bottleneck_note(results, filters)
        said += [named] if named else []
    time = time_in_common(results, metrics, filters)
    if time:
        said.append(f"shares and fairness: {time}, the time that all flows have in common")
    return said
