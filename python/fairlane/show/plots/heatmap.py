"""A heat map: a metric over two axes of the sweep."""

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from fairlane.results.metrics import find
from fairlane.results.metrics.averaging import notes
from fairlane.show.plots.canvas import canvas, ink_on, word_ticks
from fairlane.show.plots.groups import in_order, measured, shown
from fairlane.show.plots.options import Options, PlotError, chosen_axis, label_of, titled

if TYPE_CHECKING:
    from fairlane.results.tables import ResultTables


def draw(path: Path, results: "ResultTables", options: Options) -> None:
    """Means over everything else, which the title names; the axis to the right is `x`, the one upwards `lines`."""
    metric = options.metric or find("jain_index")
    across = chosen_axis(options, results)
    up = next((axis for axis in results.axes if options.lines in (axis.name, axis.column)), None)
    up = up or next((axis for axis in results.axes if axis != across and len(axis.values) > 1), None)
    if up is None:
        raise PlotError("a heat map needs two swept axes; draw a line plot of this one")
    frame = measured(results, [metric], "run", options)
    columns = in_order(frame[across.column], across.column, results)
    rows = in_order(frame[up.column], up.column, results)
    found = {key: part[metric.name].fill_nan(None).mean() for key, part in frame.group_by([up.column, across.column])}
    matrix = np.array([[found.get((row, column)) for column in columns] for row in rows], dtype=float)
    height = options.height_inches or min(0.9 + 0.34 * len(rows), 7.5)
    said = notes(frame, [across.column, up.column], results, [metric], "run", options.filters)
    with canvas(path, options.width_inches, height, titled(options, said)) as made:
        axis = made.subplots()
        # Numbers grow upwards, words are read downwards.
        numeric = all(isinstance(value, (int, float)) for value in rows)
        image = axis.imshow(matrix, cmap="cividis", aspect="auto", origin="lower" if numeric else "upper")
        wide = (options.width_inches - 1.3) / len(columns)
        for row in range(len(rows)):
            for column in range(len(columns)):
                value = matrix[row, column]
                if np.isfinite(value) and wide > 0.28:
                    digits = min(metric.digits, 2 if wide > 0.36 else 1)
                    colour = ink_on(image.cmap(image.norm(value)))
                    axis.text(column, row, f"{value:.{digits}f}", ha="center", va="center", fontsize=7, color=colour)
        labels = [shown(value, across.column, results, unit=False) for value in columns]
        word_ticks(axis, labels, wide * len(labels))
        axis.set_yticks(range(len(rows)), [shown(value, up.column, results, unit=False) for value in rows])
        axis.set_xlabel(label_of(across))
        axis.set_ylabel(label_of(up))
        axis.tick_params(length=0)
        for side in axis.spines.values():
            side.set_visible(False)
        bar = made.colorbar(image, ax=axis, label=metric.axis_label, pad=0.02, fraction=0.06)
        bar.outline.set_visible(False)
