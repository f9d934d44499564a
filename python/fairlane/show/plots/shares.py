"""The share matrix: what the row's algorithm gets of the link that it shares with the column's."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from fairlane.results.metrics import find
from fairlane.results.metrics.averaging import listed, time_in_common
from fairlane.results.metrics.common_time import goodputs_of_run_mbps
from fairlane.results.metrics.source import runs
from fairlane.show.plots.canvas import canvas, ink_on, word_ticks
from fairlane.show.plots.groups import names_change
from fairlane.show.plots.options import Options, PlotError, titled

if TYPE_CHECKING:
    from fairlane.results.tables import ResultTables


def draw(path: Path, results: "ResultTables", options: Options) -> None:
    """From all runs with two groups of flows, in the time that all flows have in common.

    A pair that met both ways round is averaged; the title names what else was.
    """
    algorithms = names_change(results.flows)
    shares: dict[tuple[str, str], list[float]] = {}
    others: dict[tuple[str, str, str], set[Any]] = {}
    for run in runs(results, options.filters):
        groups: dict[Any, tuple[str, float]] = {}
        goodputs = goodputs_of_run_mbps(run)
        if not goodputs:
            continue
        for flow, goodput in zip(run.everyone, goodputs, strict=True):
            label, total = groups.get(flow["group"], (str(flow["algorithm"]) if algorithms else flow.label, 0.0))
            groups[flow["group"]] = (label, total + goodput)
        if len(groups) != 2:
            continue
        (first, one), (second, other) = groups.values()
        for axis in results.axes:
            others.setdefault((first, second, axis.name), set()).add(run[axis.column])
        if one + other > 0:
            shares.setdefault((first, second), []).append(100 * one / (one + other))
            shares.setdefault((second, first), []).append(100 * other / (one + other))
    if not shares:
        raise PlotError("a share matrix needs runs with two groups of flows each, such as pairs of algorithms")
    names = list(dict.fromkeys(name for pair in shares for name in pair))
    matrix = np.array([[np.mean(shares.get((row, column), [np.nan])) for column in names] for row in names])
    cell = (options.width_inches - 1.0) / len(names)
    height = options.height_inches or min(0.95 + cell * len(names) * 0.86, 7.5)
    over = list(dict.fromkeys(name for (*_, name), values in others.items() if len(values) > 1))
    said = [f"averaged over {listed(over)}"] if over else []
    if time := time_in_common(results, [find("share_pct")], options.filters):
        said.append(f"goodputs {time}, the time that the flows have in common")
    with canvas(path, options.width_inches, height, titled(options, said)) as made:
        axis = made.subplots()
        image = axis.imshow(matrix, cmap="PuOr_r", vmin=0, vmax=100, aspect="auto")
        size = max(5.5, min(8.0, 26 * cell))
        for row in range(len(names)):
            for column in range(len(names)):
                value = matrix[row, column]
                if np.isfinite(value):
                    colour = ink_on(image.cmap(image.norm(value)))
                    axis.text(column, row, f"{value:.0f}", ha="center", va="center", fontsize=size, color=colour)
        word_ticks(axis, names, cell * len(names))
        axis.set_yticks(range(len(names)), names)
        axis.set_xlabel("… against this one")
        axis.set_ylabel("share of this algorithm …")
        axis.tick_params(length=0)
        for side in axis.spines.values():
            side.set_visible(False)
        axis.set_xticks(np.arange(0.5, len(names) - 1), minor=True)
        axis.set_yticks(np.arange(0.5, len(names) - 1), minor=True)
        axis.grid(which="minor", color="white", linewidth=1)
        axis.tick_params(which="minor", length=0)
        bar = made.colorbar(image, ax=axis, label="share of goodput, %", pad=0.02, fraction=0.06)
        bar.outline.set_visible(False)
