"""Runs over time as small drawings, for tables and figures that the paper draws over time: legible on paper too."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from fairlane.report.series import GOODPUT, LEVELS, RTT, STRETCHES, TITLES, WINDOW, Recording
from fairlane.study.study import Item

HEIGHT = 100
"""Of a drawing; it is 2 * STRETCHES wide, and stretched to its place on the page."""


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
    panels: Sequence[Panel]


def timelines(recording: Recording, item: Item) -> list[Timeline]:
    """The runs that belong to the table or figure."""
    chosen = [run for run, place in zip(recording.runs, recording.places, strict=True) if item.wants(place)]
    return [
        Timeline(
            " ".join(
                axis["labels"][index] for axis, index in zip(recording.axes, run["at"], strict=True) if index >= 0
            ),
            run["end"],
            run["lines"],
            [_panel(metric, run[metric]) for metric in (GOODPUT, WINDOW, RTT)],
        )
        for run in chosen
    ]


def _panel(metric: str, packed: Sequence[Any]) -> Panel:
    name, _, unit = TITLES[metric].partition(", ")
    top = max((scale for scale, _ in packed), default=0.0)
    return Panel(f"{name}, to {top:.3g} {unit}", ["".join(_path(scale, steps, top)) for scale, steps in packed])


def _path(scale: float, steps: Sequence[int], top: float) -> Iterator[str]:
    """A line as SVG writes it: where it begins, then steps to the right and up or down."""
    level = 0
    before: tuple[int, int] | None = None
    for place, step in enumerate(steps[: 2 * STRETCHES]):
        level += step
        if not level:
            continue  # nothing was measured: the line goes straight to the next point
        here = (place, round(HEIGHT * (1 - (level - 1) / LEVELS * scale / top))) if top else (place, HEIGHT)
        if before is None:
            yield f"M{here[0]} {here[1]}l0 0"
        else:
            yield f" {here[0] - before[0]} {here[1] - before[1]}"
        before = here
