"""The plot of a run over time, for a file: a panel each for goodput, window, RTT, queue, retransmissions, fairness."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fairlane.engine.libraries import np
from fairlane.results.metrics.definitions.convergence import DRAWN_MEAN_S, moving_mean
from fairlane.results.metrics.definitions.fairness import jain_over_time
from fairlane.results.metrics.subject import Array, Flow, Link
from fairlane.show.plots.absence import filled
from fairlane.show.plots.capacity import EXPLANATION, is_above
from fairlane.show.plots.figure import GREY, entitle, figure, matplotlib
from fairlane.show.plots.options import Options
from fairlane.show.plots.over_time import MOST_NAMED, QUANTITIES, draw_alike, label_alike, sampled
from fairlane.show.plots.styles import Style, named_algorithm, styles_of

Changes = Sequence[tuple[float, float | None]]
"""Seconds and value, one pair for each change."""
MEAN_OF = 5
"""Samples whose mean is drawn as the goodput."""
INTERVALS = 200
"""Bins for retransmissions and Jain's index: 0.3 s for a minute, as in the figures of Turkovic et al. 2019."""
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
USUAL = ("goodput", "window", "rtt", "queue")


@dataclass(frozen=True)
class Line:
    """One flow; of many flows, those of one `group` have one style."""

    label: str
    group: str
    flow: Flow
    watched: Mapping[str, Changes] = field(default_factory=dict)
    """Watched members by name; each has a panel."""


@dataclass(frozen=True)
class Kind:
    """Lines of one style, with their entry in the legend."""

    label: str
    style: Style
    lines: Sequence[Line]


def draw(
    path: Path,
    title: str,
    lines: Sequence[Line],
    queues: Sequence[Link],
    *,
    end_s: float,
    capacity: Sequence[Sequence[float]],
    limit_bytes: float | None,
    panels: Sequence[str] = USUAL,
    bin_s: float | None = None,
) -> None:
    """Writes the plot to `path`; its suffix selects the file format. Panels not in `LABELS` are watched members.

    `capacity` has times in seconds, and the rate in Mbps from then on. With `bin_s` goodput and retransmissions are
    means over bins of that many seconds.
    """
    columns = min(2, len(panels))
    height = -(-len(panels) // columns)
    kinds = _kinds(lines)
    interval_s = _interval_s(lines, end_s)
    with figure(path, 4.8 * columns if columns > 1 else 7.0, 2.9 * height) as canvas:
        axes = canvas.subplots(height, columns, squeeze=False, sharex=True).flat
        exceeds = False
        for axis, panel in zip(axes, panels, strict=False):
            if panel == "queue":
                _draw_queues(axis, queues, lines, kinds)
            elif panel == "jain":
                axis.plot(*jain_over_time([line.flow for line in lines], interval_s), color="0.25", linewidth=1.0)
                axis.set_ylim(top=1.05)
            else:
                how = {"drawstyle": "default" if panel in LABELS else "steps-post", "linewidth": _width(lines)}
                for kind in kinds:
                    curves = [_curve(line, panel, end_s, interval_s, bin_s) for line in kind.lines]
                    # Watched members have a point for each change, of which no median can be taken.
                    for some in [curves] if panel in LABELS else [[one] for one in curves]:
                        draw_alike(axis, some, kind.label, kind.style, end_s, **how)
                    exceeds |= panel == "goodput" and any(is_above(*one, capacity, MEAN_OF) for one in curves)
            # Next to the capacity, each of many flows would be a line at the bottom.
            rates = capacity if len(lines) <= MOST_NAMED else ()
            steps = {"goodput": rates, "queue": [(0.0, limit_bytes / 1000)] if limit_bytes else ()}.get(panel)
            if steps:
                starts_s, limits = zip(*steps, strict=True)
                limit = {"drawstyle": "steps-post", "color": GREY, "linewidth": 0.8, "zorder": 0}
                axis.plot([*starts_s, end_s], [*limits, limits[-1]], **limit)
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
        handles = [
            matplotlib("lines").Line2D(
                [],
                [],
                color=kind.style.colour,
                linestyle=kind.style.dashes,
                linewidth=_width(lines),
                label=label_alike(kind.label, len(kind.lines)),
            )
            for kind in kinds
        ]
        if {"goodput", "queue"} & set(panels):
            handles.append(
                matplotlib("lines").Line2D([], [], color=GREY, linewidth=0.8, label="capacity, limit of the queue")
            )
        if exceeds:
            handles.append(matplotlib("lines").Line2D([], [], linestyle="none", label=EXPLANATION))
        canvas.legend(handles=handles, loc="outside lower center", ncols=min(5, len(handles)), frameon=False)


def _curve(line: Line, panel: str, end_s: float, interval_s: float, bin_s: float | None) -> tuple[Any, Any]:
    """Times and values of a flow; the last value of a watched member holds until the end."""
    flow = line.flow
    if panel == "retransmissions":
        return sampled(flow, QUANTITIES["retransmits"], Options(bin_s=bin_s or interval_s), end_s)
    if panel == "mean_window":
        return moving_mean(flow.series("t_s"), flow.series("cwnd_packets"), DRAWN_MEAN_S)
    if panel == "goodput" and bin_s:
        return sampled(flow, QUANTITIES["goodput"], Options(bin_s=bin_s), end_s)
    if panel == "goodput":
        times_s, values = filled(flow.series("t_s"), flow.series("mbps"), is_rate=True)
        return times_s, _mean_over(values, MEAN_OF)
    if panel == "window":
        return filled(flow.series("t_s"), flow.series("cwnd_packets"), is_rate=False)
    if panel == "rtt":
        return filled(flow.series("t_s"), flow.series("rtt_ms"), is_rate=False)
    changed_s, settled = zip(*line.watched[panel], strict=True) if panel in line.watched else ((), ())
    known = [np.nan if value is None else value for value in settled]  # no limit interrupts the line
    return [*changed_s, *([end_s] if changed_s else [])], [*known, *known[-1:]]


def _interval_s(lines: Sequence[Line], end_s: float) -> float:
    """An integer number of samples, so that no sample belongs to two intervals."""
    longest = max((line.flow.series("t_s") for line in lines), key=len, default=np.zeros(0))
    sample_s = float(np.median(np.diff(longest))) if len(longest) > 1 else end_s
    return sample_s * max(1, round(end_s / INTERVALS / sample_s))


def _draw_queues(axis: Any, queues: Sequence[Link], lines: Sequence[Line], kinds: Sequence[Kind]) -> None:
    """One shared queue is dark grey; where each flow had a queue of its own, it has the flow's style."""
    of_flows = {id(line): (kind.style.colour, kind.style.dashes) for kind in kinds for line in kind.lines}
    looks = [("0.25", "-")] if len(queues) == 1 else [of_flows[id(line)] for line in lines]
    for queue, (colour, dashes) in zip(queues, looks, strict=False):
        axis.plot(
            queue.series("t_s"), queue.series("queue_bytes") / 1000, color=colour, linestyle=dashes, linewidth=1.0
        )


def _width(lines: Sequence[Line]) -> float:
    return 1.3 if len(lines) <= MOST_NAMED else 0.7


def _kinds(lines: Sequence[Line]) -> list[Kind]:
    """Each line by itself; of many lines, those of each group."""
    groups: dict[object, list[Line]] = {}
    for line in lines:
        groups.setdefault(id(line) if len(lines) <= MOST_NAMED else line.group, []).append(line)
    styles = styles_of([named_algorithm(alike[0].group) for alike in groups.values()])
    return [
        Kind(alike[0].group if len(alike) > 1 else alike[0].label, style, alike)
        for alike, style in zip(groups.values(), styles, strict=True)
    ]


def _mean_over(values: Array, samples: int) -> list[float]:
    """Moving mean over the last `samples`; single samples of 0.1 s jump by whole packets."""
    means, window = [], 0.0
    for index, value in enumerate(values):
        window += value - (values[index - samples] if index >= samples else 0.0)
        means.append(window / min(index + 1, samples))
    return means
