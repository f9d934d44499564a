"""Time series as small plots, for items that the paper plots over time; legible in print."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from fairlane.show.report.channels import (
    BETWEEN,
    DRAWN_TITLES,
    FAIRNESS,
    GOODPUT,
    LEVELS,
    MEAN_WINDOW,
    RETRANSMISSIONS,
    RTT,
    STRETCHES,
    WINDOW,
)
from fairlane.show.report.series import Recording
from fairlane.show.text.aligned import short
from fairlane.study.paper.definition import Item

HEIGHT = 100
"""Of a drawing; it is 2 * STRETCHES wide, and stretched to its place on the page."""
_METRICS = {
    "goodput": GOODPUT,
    "window": WINDOW,
    "mean_window": MEAN_WINDOW,
    "rtt": RTT,
    "retransmissions": RETRANSMISSIONS,
    "jain": FAIRNESS,
}
"""The channels that have a line for each flow, or one for all."""


@dataclass(frozen=True)
class Panel:
    """A metric of a run."""

    label: str
    """With the value at the top."""
    paths: Sequence[str]
    """One per flow."""


@dataclass(frozen=True)
class Timeline:
    """A run."""

    title: str
    end_s: float
    lines: Sequence[str]
    styles: Sequence[int]
    """The number of each line's style."""
    panels: Sequence[Panel]


def timelines(recording: Recording | None, item: Item) -> list[Timeline]:
    """The runs that belong to the table or figure; each metric has one scale in all of them."""
    if recording is None:
        return []
    chosen = [run for run, place in zip(recording.runs, recording.places, strict=True) if item.wants(place)]
    metrics = [_METRICS[one] for one in item.channels if one in _METRICS]
    tops = {
        metric: 1.0
        if metric == FAIRNESS
        else max((scale for run in chosen for scale, _ in run.series[metric]), default=0.0)
        for metric in metrics
    }
    return [
        Timeline(
            " ".join(axis["labels"][index] for axis, index in zip(recording.axes, run.at, strict=True) if index >= 0),
            run.end,
            run.lines,
            run.styles,
            [_panel(metric, run.series[metric], tops[metric]) for metric in metrics if run.series[metric]],
        )
        for run in chosen
    ]


def _panel(metric: str, packed: Sequence[Any], top: float) -> Panel:
    name, _, unit = DRAWN_TITLES[metric].partition(", ")
    paths = ["".join(_path(scale, steps, top)) for scale, steps in packed]
    return Panel(f"{name}, to {short(top, 3)} {unit}".strip(), paths)


def _path(scale: float, steps: Sequence[int], top: float) -> Iterator[str]:
    """A line as an SVG path: the start, then relative steps; a level stretch is one step."""
    level = 0
    drawn: tuple[int, int] | None = None
    last = (0, 0)
    for place, step in enumerate(steps[: 2 * STRETCHES]):
        level += step
        if level == BETWEEN:
            continue
        if not level:  # nothing was measured: the line is interrupted
            if drawn is not None and drawn != last:
                yield _step(drawn, last)
            drawn = None
            continue
        here = (place, round(HEIGHT * (1 - (level - 1) / LEVELS * scale / top))) if top else (place, HEIGHT)
        if drawn is None:
            yield f"M{here[0]} {here[1]}l0 0"
            drawn = last = here
        elif here[1] != last[1]:
            if drawn != last:
                yield _step(drawn, last)
            yield _step(last, here)
            drawn = here
        last = here
    if drawn is not None and drawn != last:
        yield _step(drawn, last)


def _step(before: tuple[int, int], after: tuple[int, int]) -> str:
    return f" {after[0] - before[0]} {after[1] - before[1]}"
