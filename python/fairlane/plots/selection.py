"""Which runs a plot over time shows."""

from typing import TYPE_CHECKING

from fairlane.metrics.source import runs
from fairlane.metrics.subject import Run
from fairlane.plots.options import Options, PlotError

if TYPE_CHECKING:
    from fairlane.store.plan import Axis
    from fairlane.store.results import Results

MOST_PANELS = 8


def one_run_each(results: "Results", options: Options, axis: "Axis | None") -> list[Run]:
    """The first repeat of the one place of the sweep that the filters leave, or of each value of `axis`."""
    found: dict[object, Run] = {}
    others: dict[str, set[object]] = {}
    for run in runs(results, options.filters):
        for other in results.axes:
            if other != axis:
                others.setdefault(other.name, set()).add(run[other.column])
        found.setdefault(run[axis.column] if axis else None, run)
    if not found:
        raise PlotError("no flow in the results is like that; widen --where")
    varying = [name for name, values in others.items() if len(values) > 1]
    if varying:
        raise PlotError(
            f"runs with different {' and '.join(varying)} match; choose with --where {varying[0]}=VALUE"
            + ("" if axis else f", or give each a panel with --panels {varying[0]}")
        )
    if axis is None:
        return list(found.values())
    ordered = [found[value] for value in axis.values if value in found]
    if len(ordered) > MOST_PANELS:
        raise PlotError(
            f"{len(ordered)} panels are too many for one picture; choose with --where {axis.name}=VALUE,VALUE"
        )
    return ordered
