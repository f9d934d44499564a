"""Boxes: how a metric spreads over flows and repeats, for each value of an axis and each group of flows."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from fairlane.results.metrics import find
from fairlane.results.metrics.averaging import notes
from fairlane.show.plots.canvas import canvas, dress, legend, word_ticks
from fairlane.show.plots.groups import LINE, in_order, lines_of, measured, shown
from fairlane.show.plots.options import Options, chosen_axis, label_of, titled

if TYPE_CHECKING:
    from fairlane.results.tables import ResultTables


MOST_GROUPS = 4
"""Boxes next to each other; more are hard to distinguish."""


def draw(path: Path, results: "ResultTables", options: Options) -> None:
    """Median, quartiles, whiskers to 1.5 interquartile ranges, and what lies beyond."""
    from matplotlib.patches import Patch

    metric = options.metric or find("goodput_mbps")
    axis = chosen_axis(options, results, numeric=False)
    per = {"flow": "flow", "link": "link"}.get(metric.of, "run")
    measurements = measured(results, [metric], per, options)
    lines = lines_of(measurements, results, options, [axis.column], flows=per == "flow", most=MOST_GROUPS)
    frame, groups = lines.frame, lines.labels
    said = notes(frame, [axis.column, *lines.kept], results, [metric], per, options.filters, pooled=True)
    places = in_order(frame[axis.column], axis.column, results)
    same = len(groups) == 1
    width = 0.6 if same else 0.8 / len(groups)
    with canvas(path, options.width_inches, options.height_inches or 2.4, titled(options, said)) as made:
        plot = made.subplots()
        handles: list[Any] = []
        for number, group in enumerate(groups):
            style = lines.looks[number]
            part = frame.filter(frame[LINE] == group)
            boxes = [part.filter(part[axis.column] == place)[metric.name].to_list() for place in places]
            shift = 0.0 if same else (number - (len(groups) - 1) / 2) * width
            present = [(at + shift, values) for at, values in enumerate(boxes) if values]
            drawn = plot.boxplot(
                [values for _, values in present],
                positions=[at for at, _ in present],
                widths=width * 0.85,
                patch_artist=True,
                manage_ticks=False,
                medianprops={"color": "black", "linewidth": 1.1},
                boxprops={"linewidth": 0.6},
                whiskerprops={"linewidth": 0.6},
                capprops={"linewidth": 0.6},
                flierprops={
                    "markersize": 2,
                    "marker": style.marker,
                    "markeredgewidth": 0.4,
                    "markeredgecolor": style.colour,
                },
            )
            for box in drawn["boxes"]:
                box.set(facecolor=style.colour, alpha=0.75, hatch=style.hatch)
            handles.append(Patch(facecolor=style.colour, alpha=0.75, hatch=style.hatch, label=group))
        labels = [shown(place, axis.column, results, unit=False) for place in places]
        word_ticks(plot, labels, options.width_inches * 0.85)
        plot.set_xlim(-0.6, len(places) - 0.4)
        dress(plot, label_of(axis), metric.axis_label)
        low, high = plot.get_ylim()
        if 0 < low < high / 2:
            plot.set_ylim(bottom=0)
        if not same:
            legend(made, handles, options)
