"""The plot of a run over time, for a file: goodput, window, RTT, queue."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fairlane.present.figure import COLOURS, GREY, STYLES, figure

MOST_NAMED = 8
"""With more flows than this the legend names algorithms, not flows."""


@dataclass(frozen=True)
class Line:
    """One flow, with its `series` as the engine gives it; flows of one `group` look alike where there are many."""

    label: str
    group: str
    series: dict[str, Any]


@dataclass(frozen=True)
class Queue:
    """One queue over time."""

    label: str
    series: dict[str, Any]


def draw(
    path: Path,
    title: str,
    lines: Sequence[Line],
    queues: Sequence[Queue],
    *,
    end_s: float,
    capacity_mbps: float,
    limit_bytes: float | None,
) -> None:
    """Writes the plot to `path`; its suffix says which kind of file."""
    from matplotlib.lines import Line2D

    with figure(path, 9.6, 5.8) as canvas:
        (goodput, window), (rtt, queue) = canvas.subplots(2, 2, sharex=True)
        _draw_lines((goodput, window, rtt), lines)
        _draw_queues(queue, queues, _styles(lines))
        goodput.axhline(capacity_mbps, color=GREY, linewidth=0.8, zorder=0)
        if limit_bytes is not None:
            queue.axhline(limit_bytes / 1000, color=GREY, linewidth=0.8, zorder=0)
        axes = {
            "goodput, Mbps": goodput,
            "congestion window, packets": window,
            "smoothed RTT, ms": rtt,
            "queue, kB": queue,
        }
        for label, axis in axes.items():
            axis.set_ylabel(label)
            axis.set_ylim(bottom=0)
            axis.grid(True, color="0.9", linewidth=0.6)
        for axis in (rtt, queue):
            axis.set_xlabel("time, s")
            axis.set_xlim(0, end_s)
        canvas.suptitle(title)
        canvas.align_ylabels()
        handles, labels = goodput.get_legend_handles_labels()
        limits = Line2D([], [], color=GREY, linewidth=0.8, label="limit of the link, of the queue")
        canvas.legend(
            handles=[*handles, limits],
            labels=[*labels, str(limits.get_label())],
            loc="outside lower center",
            ncols=min(5, len(handles) + 1),
            frameon=False,
        )


def _draw_lines(axes: Sequence[Any], lines: Sequence[Line]) -> None:
    goodput, window, rtt = axes
    width = 1.3 if len(lines) <= MOST_NAMED else 0.7
    for line, (colour, style, label) in zip(lines, _styles(lines), strict=True):
        look: dict[str, Any] = {"color": colour, "linestyle": style, "linewidth": width}
        times_s = line.series["t_s"]
        goodput.plot(times_s, _mean_over(line.series["mbps"], 5), label=label, **look)
        window.plot(times_s, line.series["cwnd_packets"], **look)
        rtt.plot(times_s, _positive(line.series["rtt_ms"]), **look)


def _draw_queues(axis: Any, queues: Sequence[Queue], styles: Sequence[tuple[str, str, str | None]]) -> None:
    """One shared queue is dark grey; where each flow had a queue of its own, it has the flow's look."""
    for number, queue in enumerate(queues):
        colour, style, _ = ("0.25", "-", None) if len(queues) == 1 else styles[number]
        kilobytes = [value / 1000 for value in queue.series["queue_bytes"]]
        axis.plot(queue.series["t_s"], kilobytes, color=colour, linestyle=style, linewidth=1.0)


def _styles(lines: Sequence[Line]) -> list[tuple[str, str, str | None]]:
    """Colour, line style and legend entry of each line."""
    if len(lines) <= MOST_NAMED:
        return [(COLOURS[i], STYLES[i % len(STYLES)], line.label) for i, line in enumerate(lines)]
    groups = list(dict.fromkeys(line.group for line in lines))
    styles: list[tuple[str, str, str | None]] = []
    named: set[str] = set()
    for line in lines:
        count = sum(other.group == line.group for other in lines)
        label = None if line.group in named else f"{line.group} ({count} flows)"
        named.add(line.group)
        index = groups.index(line.group)
        styles.append((COLOURS[index % len(COLOURS)], STYLES[index // len(COLOURS) % len(STYLES)], label))
    return styles


def _mean_over(values: Sequence[float], samples: int) -> list[float]:
    """Moving mean over the last `samples`; single samples of 0.1 s jump by whole packets."""
    means, window = [], 0.0
    for index, value in enumerate(values):
        window += value - (values[index - samples] if index >= samples else 0.0)
        means.append(window / min(index + 1, samples))
    return means


def _positive(values: Sequence[float | None]) -> list[float]:
    """Where no RTT was measured yet there is no point to draw."""
    return [value if value else float("nan") for value in values]
