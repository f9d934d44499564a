"""Jain's index over time: how fair the sharing is, second by second."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from fairlane.results.metrics.averaging import listed
from fairlane.results.metrics.definitions.fairness import jain_over_time
from fairlane.results.metrics.source import runs
from fairlane.results.metrics.subject import Array
from fairlane.show.plots.canvas import canvas, dress, legend
from fairlane.show.plots.groups import shown
from fairlane.show.plots.options import Options, PlotError, titled
from fairlane.show.plots.styles import looks, named_algorithm

if TYPE_CHECKING:
    from fairlane.results.tables import ResultTables

MOST_LINES = 8


def draw(path: Path, results: "ResultTables", options: Options) -> None:
    """A line for each value of the axis `lines`: the mean over its runs, and a band from the lowest to the highest."""
    column = options.lines or next((axis.column for axis in results.axes if len(axis.values) > 1), None)
    axis_of = {axis.column: axis for axis in results.axes} | {axis.name: axis for axis in results.axes}
    column = axis_of[column].column if column in axis_of else column
    found: dict[Any, list[Array]] = {}
    others: dict[tuple[Any, str], set[Any]] = {}
    bin_s = options.bin_s or 1.0
    for run in runs(results, options.filters):
        if len(run.flows) > 1:
            line = run.get(column) if column else None
            found.setdefault(line, []).append(jain_over_time(run.flows, bin_s)[1])
            for axis in results.axes:
                others.setdefault((line, axis.name), set()).add(run[axis.column])
    if not found:
        raise PlotError("no run has two flows, so there is nothing to share")
    if len(found) > MOST_LINES:
        raise PlotError(f"{len(found)} lines are too many; choose with --where, or another axis with --lines")
    over = list(dict.fromkeys(name for (_, name), values in others.items() if len(values) > 1))
    said = [f"averaged over {listed(over)}"] if over else []
    with canvas(path, options.width_inches, options.height_inches or 2.2, titled(options, said)) as made:
        plot = made.subplots()
        handles: list[Any] = []
        end_s = 0.0
        values = sorted(found, key=lambda value: _place(value, column, results))
        styles = looks([named_algorithm(str(value)) for value in values])
        for value, style in zip(values, styles, strict=True):
            count = max(map(len, found[value]))
            rows = np.array([np.pad(row, (0, count - len(row)), constant_values=np.nan) for row in found[value]])
            kept = np.isfinite(rows).any(axis=0)
            times_s = (np.arange(count)[kept] + 0.5) * bin_s
            rows = rows[:, kept]
            name = "all runs" if value is None or column is None else shown(value, column, results)
            (line,) = plot.plot(
                times_s, np.nanmean(rows, axis=0), color=style.colour, linestyle=style.dashes, label=name
            )
            if len(rows) > 1:
                low, high = np.nanmin(rows, axis=0), np.nanmax(rows, axis=0)
                plot.fill_between(times_s, low, high, color=style.colour, alpha=0.13, linewidth=0)
            handles.append(line)
            end_s = max(end_s, count * bin_s)
        dress(plot, "time, s", f"Jain's index, bins of {bin_s:g} s")
        plot.set_xlim(0, options.until_s or end_s)
        plot.set_ylim(top=1.02)
        legend(made, handles, options)


def _place(value: Any, column: str | None, results: "ResultTables") -> tuple[int, str]:
    for axis in results.axes:
        if axis.column == column and value in axis.values:
            return axis.values.index(value), ""
    return len(str(value)), str(value)
