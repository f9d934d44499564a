"""The plot of a run over time, for a file: a panel each for goodput, window, RTT, queue, retransmissions, fairness."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fairlane.show.plots.figure import GREY, entitle, figure
from fairlane.show.plots.styles import named_algorithm, styles_of

MOST_NAMED = 8
"""With more flows than this the legend names algorithms, not flows."""
LABELS = {
    "goodput": "goodput, Mbps",
    "window": "congestion window, packets",
    "mean_window": "30 s mean window, packets",
    "rtt": "smoothed RTT, ms",
    "queue": "queue, kB",
    "retransmissions": "retransmissions, 1/s",
    "jain": "Jain's index",
}
"""The panels and their labels."""
Stroke = tuple[str, Any, str | None]
"""Colour, line style and legend entry."""
USUAL = ("goodput", "window", "rtt", "queue")


@dataclass(frozen=True)
class Curve:
    """Points of one line, one for each interval of time."""

    times_s: Sequence[float]
    values: Sequence[float]
    steps: bool = False
    """Each value holds until the next."""


@dataclass(frozen=True)
class Line:
    """One flow, with its `series` as the engine gives it; of many flows, those of one `group` have one style."""

    label: str
    group: str
    series: Mapping[str, Any]
    curves: Mapping[str, Curve] = field(default_factory=dict)
    """For panels whose points are not the samples: retransmissions in a second, the mean window."""


@dataclass(frozen=True)
class Queue:
    """One queue over time."""

    label: str
    series: Mapping[str, Any]


def draw(
    path: Path,
    title: str,
    lines: Sequence[Line],
    queues: Sequence[Queue],
    *,
    end_s: float,
    capacity_mbps: float | None,
    limit_bytes: float | None,
    panels: Sequence[str] = USUAL,
    fairness: Curve | None = None,
) -> None:
    """Writes the plot to `path`; its suffix says which kind of file. `fairness` is for the panel of Jain's index."""
    from matplotlib.lines import Line2D

    columns = min(2, len(panels))
    height = -(-len(panels) // columns)
    styles = _styles(lines)
    with figure(path, 4.8 * columns if columns > 1 else 7.0, 2.9 * height) as canvas:
        axes = canvas.subplots(height, columns, squeeze=False, sharex=True).flat
        for axis, panel in zip(axes, panels, strict=False):
            if panel == "queue":
                _draw_queues(axis, queues, styles)
            elif panel == "jain":
                _draw_fairness(axis, fairness)
            else:
                _draw_lines(axis, panel, lines, styles)
            limit = {"goodput": capacity_mbps, "queue": limit_bytes and limit_bytes / 1000}.get(panel)
            if limit is not None:
                axis.axhline(limit, color=GREY, linewidth=0.8, zorder=0)
            axis.set_ylabel(LABELS.get(panel, panel))
            axis.set_ylim(bottom=0)
            axis.grid(True, color="0.9", linewidth=0.6)
        for axis in axes[len(panels) :]:
            axis.set_visible(False)
        for axis in axes[max(0, len(panels) - columns) : len(panels)]:  # the lowest of each column
            axis.set_xlabel("time, s")
            axis.set_xlim(0, end_s)
            axis.tick_params(labelbottom=True)
        entitle(canvas, title)
        canvas.align_ylabels()
        entries: list[dict[str, Any]] = [
            {"color": colour, "linestyle": style, "linewidth": _width(lines), "label": label}
            for colour, style, label in styles
            if label is not None
        ]
        handles = [Line2D([], [], **entry) for entry in entries]
        if {"goodput", "queue"} & set(panels):
            handles.append(Line2D([], [], color=GREY, linewidth=0.8, label="limit of the link, of the queue"))
        canvas.legend(handles=handles, loc="outside lower center", ncols=min(5, len(handles)), frameon=False)


def _draw_lines(axis: Any, panel: str, lines: Sequence[Line], styles: Sequence[Stroke]) -> None:
    for line, (colour, style, _) in zip(lines, styles, strict=True):
        times_s, series, drawstyle = line.series["t_s"], line.series, "default"
        if panel == "goodput":
            values: Sequence[float] = _mean_over(series["mbps"], 5)
        elif panel == "rtt":
            values = _positive(series["rtt_ms"])
        elif panel == "window":
            values = series["cwnd_packets"]
        else:
            curve = line.curves.get(panel, Curve([], []))
            times_s, values = curve.times_s, curve.values
            drawstyle = "steps-post" if curve.steps else "default"
        axis.plot(times_s, values, drawstyle=drawstyle, color=colour, linestyle=style, linewidth=_width(lines))


def _draw_queues(axis: Any, queues: Sequence[Queue], styles: Sequence[Stroke]) -> None:
    """One shared queue is dark grey; where each flow had a queue of its own, it has the flow's style."""
    for number, queue in enumerate(queues):
        colour, style, _ = ("0.25", "-", None) if len(queues) == 1 else styles[number]
        kilobytes = [value / 1000 for value in queue.series["queue_bytes"]]
        axis.plot(queue.series["t_s"], kilobytes, color=colour, linestyle=style, linewidth=1.0)


def _draw_fairness(axis: Any, fairness: Curve | None) -> None:
    if fairness is not None:
        axis.plot(fairness.times_s, fairness.values, color="0.25", linewidth=1.0)
    axis.set_ylim(top=1.05)


def _width(lines: Sequence[Line]) -> float:
    return 1.3 if len(lines) <= MOST_NAMED else 0.7


def _styles(lines: Sequence[Line]) -> list[Stroke]:
    """Colour, line style and legend entry of each line."""
    if len(lines) <= MOST_NAMED:
        found = styles_of([named_algorithm(line.group) for line in lines])
        return [(one.colour, one.dashes, line.label) for one, line in zip(found, lines, strict=True)]
    groups = list(dict.fromkeys(line.group for line in lines))
    of_groups = dict(zip(groups, styles_of([named_algorithm(group) for group in groups]), strict=True))
    styles: list[Stroke] = []
    named: set[str] = set()
    for line in lines:
        count = sum(other.group == line.group for other in lines)
        words = f"{line.group} ({count} flows)" if count > 1 else line.label
        label = None if line.group in named else words
        named.add(line.group)
        styles.append((of_groups[line.group].colour, of_groups[line.group].dashes, label))
    return styles


def _mean_over(values: Sequence[float], samples: int) -> list[float]:
    """Moving mean over the last `samples`; single samples of 0.1 s jump by whole packets."""
    means, window = [], 0.0
    for index, value in enumerate(values):
        window += value - (values[index - samples] if index >= samples else 0.0)
        means.append(window / min(index + 1, samples))
    return means


def _positive(values: Sequence[float | None]) -> list[float]:
    """There is no point to draw before the first RTT measurement."""
    return [value if value else float("nan") for value in values]
