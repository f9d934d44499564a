"""Matrices of numbers: a metric over two axes of a sweep, and the shares of pairs of algorithms."""

from pathlib import Path
from typing import Any

from fairlane.engine.libraries import np
from fairlane.results.metrics import find
from fairlane.results.metrics.averaging import notes, time_in_common
from fairlane.results.metrics.common_time import goodputs_of_run_mbps
from fairlane.results.metrics.source import runs
from fairlane.results.metrics.subject import Run
from fairlane.results.tables import ResultTables
from fairlane.show.plots.canvas import canvas, word_ticks, write_values
from fairlane.show.plots.groups import averaged, in_order, measured, names_change, shown
from fairlane.show.plots.options import Options, PlotError, chosen_axis, label_of, titled
from fairlane.show.plots.pairs import matrix_inches


def draw_heatmap(path: Path, results: ResultTables, options: Options) -> None:
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
        image = axis.imshow(matrix, cmap="cividis", aspect="auto", origin="lower" if up.is_numeric else "upper")
        wide = (options.width_inches - 1.3) / len(columns)
        if wide > 0.28:
            digits = min(metric.digits, 2 if wide > 0.36 else 1)
            write_values(axis, image, matrix, lambda value: f"{value:.{digits}f}", 7)
        labels = [shown(value, across.column, results, unit=False) for value in columns]
        word_ticks(axis, labels, wide * len(labels))
        axis.set_yticks(range(len(rows)), [shown(value, up.column, results, unit=False) for value in rows])
        axis.set_xlabel(label_of(across))
        axis.set_ylabel(label_of(up))
        _frame(made, axis, image, metric.axis_label)


def draw_shares(path: Path, results: ResultTables, options: Options) -> None:
    """From all runs with two groups of flows, in the time that all flows have in common.

    A pair that met both ways round is averaged; the title names what else was.
    """
    algorithms = names_change(results.flows)
    shares: dict[tuple[str, str], list[float]] = {}
    drawn: dict[tuple[str, str], list[Run]] = {}
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
        drawn.setdefault((first, second), []).append(run)
        if one + other > 0:
            shares.setdefault((first, second), []).append(100 * one / (one + other))
            shares.setdefault((second, first), []).append(100 * other / (one + other))
    if not shares:
        raise PlotError("a share matrix needs runs with two groups of flows each, such as pairs of algorithms")
    names = list(dict.fromkeys(name for pair in shares for name in pair))
    matrix = np.array([[np.mean(shares.get((row, column), [np.nan])) for column in names] for row in names])
    needed, high = matrix_inches(len(names), len(names))
    wide = max(options.width_inches, needed) if options.may_be_wider else options.width_inches
    cell = (wide - 1.0) / len(names)
    height = options.height_inches or max(min(0.95 + cell * len(names) * 0.86, 7.5), min(high, wide))
    said = averaged(results, drawn.values())
    if time := time_in_common(results, [find("share_pct")], options.filters):
        said.append(f"goodputs {time}, the time that the flows have in common")
    with canvas(path, wide, height, titled(options, said)) as made:
        axis = made.subplots()
        image = axis.imshow(matrix, cmap="PuOr_r", vmin=0, vmax=100, aspect="auto")
        size = max(5.5, min(8.0, 26 * cell))
        write_values(axis, image, matrix, "{:.0f}".format, size)
        word_ticks(axis, names, cell * len(names))
        axis.set_yticks(range(len(names)), names)
        axis.set_xlabel("… against this one")
        axis.set_ylabel("share of this algorithm …")
        axis.set_xticks(np.arange(0.5, len(names) - 1), minor=True)
        axis.set_yticks(np.arange(0.5, len(names) - 1), minor=True)
        axis.grid(which="minor", color="white", linewidth=1)
        axis.tick_params(which="minor", length=0)
        _frame(made, axis, image, "share of goodput, %")


def _frame(made: Any, axis: Any, image: Any, label: str) -> None:
    """No lines around the cells, and a bar of colours."""
    axis.tick_params(length=0)
    for side in axis.spines.values():
        side.set_visible(False)
    bar = made.colorbar(image, ax=axis, label=label, pad=0.02, fraction=0.06)
    bar.outline.set_visible(False)
