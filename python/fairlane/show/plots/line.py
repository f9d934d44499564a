"""A metric against an axis of the sweep: a line with its confidence band for each group of flows."""

from pathlib import Path
from typing import Any

from fairlane.engine.libraries import np, pl
from fairlane.results.metrics import Metric, find
from fairlane.results.metrics.averaging import notes
from fairlane.results.metrics.summary import mean_over_repeats
from fairlane.results.tables import ResultTables
from fairlane.scenario.plan import Axis
from fairlane.show.plots.canvas import canvas, dress, legend, word_ticks
from fairlane.show.plots.groups import LINE, Lines, in_order, lines_of, measured, shown
from fairlane.show.plots.options import Options, chosen_axis, label_of, name_of, titled


def draw(path: Path, results: ResultTables, options: Options) -> None:
    """Means over the repeats, and over what the title names; the band is the 95 % interval."""
    metric = options.metric or find("goodput_mbps")
    axis = chosen_axis(options, results)
    per = {"flow": "group", "link": "link"}.get(metric.of, "run")
    frame = measured(results, [metric], per, options)
    used = [axis.column, *([options.panels.column] if options.panels else [])]
    lines = lines_of(frame, results, options, used, flows=per == "group")
    said = notes(frame, [*used, *lines.kept], results, [metric], per, options.filters)
    panels = in_order(frame[options.panels.column], options.panels.column, results) if options.panels else [None]
    height = options.height_inches or 0.75 + 1.65 * len(panels)
    with canvas(path, options.width_inches, height, titled(options, said)) as made:
        drawn = made.subplots(len(panels), 1, sharex=True, sharey=True, squeeze=False)[:, 0]
        handles: dict[str, object] = {}
        for plot, value in zip(drawn, panels, strict=True):
            part = lines.frame.filter(frame[options.panels.column] == value) if options.panels else lines.frame
            _lines(plot, part, lines, metric.name, axis, handles)
            dress(plot, None, None if options.panels else metric.axis_label)
            if options.panels:
                label = shown(value, options.panels.column, results)
                plot.set_title(f"{name_of(options.panels)} {label}", loc="left", pad=2)
        if options.panels:
            made.supylabel(metric.axis_label, fontsize=8)
        finish(drawn[-1], axis, options)
        drawn[-1].set_ylim(bottom=0, top=_top(drawn[-1], metric, frame))
        legend(made, list(handles.values()), options)


def _lines(plot: Any, frame: "pl.DataFrame", lines: Lines, name: str, axis: Axis, handles: dict[str, object]) -> None:
    labels = lines.labels
    for place, (line, style) in enumerate(zip(labels, lines.styles, strict=True)):
        part = frame.filter(frame[LINE] == line)
        label = line or name
        points = []
        for at, x in enumerate(axis.values):
            mean = mean_over_repeats(part.filter(part[axis.column] == x), name)
            if mean is not None:
                ends = (mean.low, mean.high) if mean.is_known else (mean.estimate, mean.estimate)
                points.append((x if axis.is_numeric else at, mean.estimate, *ends))
        if not points:
            continue
        x_values, means, lows, highs = (np.array(part, dtype=float) for part in zip(*points, strict=True))
        how = {"color": style.colour, "marker": style.marker, "markersize": 3.5, "label": label}
        if axis.is_numeric:
            (drawn,) = plot.plot(x_values, means, linestyle=style.dashes, **how)
        else:  # nothing lies between two words
            offset = (place - (len(labels) - 1) / 2) * min(0.16, 0.6 / len(labels))
            drawn = plot.errorbar(
                x_values + offset,
                means,
                (means - lows, highs - means),
                linestyle="none",
                elinewidth=0.8,
                capsize=1.5,
                capthick=0.8,
                **how,
            )
        if axis.is_numeric and (highs > lows).any():
            plot.fill_between(x_values, lows, highs, color=style.colour, alpha=0.18, linewidth=0)
        handles.setdefault(label, drawn)


def _top(plot: Any, metric: Metric, frame: "pl.DataFrame") -> float:
    """The upper end of the axis; an interval may reach beyond 100 %, its value does not."""
    top = float(plot.get_ylim()[1])
    most = frame[metric.name].max() or 0.0
    return min(top, 104.0) if metric.unit == "%" and isinstance(most, float) and most <= 100 else top


def finish(plot: Any, axis: Axis, options: Options) -> None:
    """The axis to the right: numbers on a scale, or words side by side."""
    plot.set_xlabel(label_of(axis))
    if not axis.is_numeric:
        word_ticks(plot, axis.labels, options.width_inches * 0.85)
        return
    values = [float(value) for value in axis.values]
    spread = options.log_x or (min(values) > 0 and max(values) / min(values) >= 16 and len(values) > 2)
    if spread:
        plot.set_xscale("log", base=2)
        plot.set_xticks(values, [f"{value:g}" for value in values])
        plot.minorticks_off()
