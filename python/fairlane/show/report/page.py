"""The report as one HTML file."""

import math
from collections.abc import Callable, Sequence

from fairlane.show.comparison.comparison_table import LARGEST, STEPS
from fairlane.show.plots.figure import COLOURS
from fairlane.show.plots.styles import DASHES, named_algorithm, places, style_of
from fairlane.show.report.html import REPORT_SCRIPTS, environment, rendered
from fairlane.show.report.part_view import PartView
from fairlane.show.report.series import MOST_FLOWS
from fairlane.show.report.study_contents import Part
from fairlane.show.text.aligned import FEW_REPEATS

MOST_BYTES = 4_900_000
"""A report may be sent by mail."""
MOST_SERIES_BYTES = 2_600_000
"""The maximum size of the time series."""

WIDE_FROM = 8
"""Tables with more columns have smaller type: a matrix of thirteen algorithms fits a page of 1,280 pixels."""
DASH_PIXELS = 1.3
"""The width of a line, of which dashes are multiples."""
DOT = 2
"""Shorter dashes are dots."""


def page(parts: Sequence[Part], command: str, on_drawn: Callable[[], None] = lambda: None) -> str:
    """The file's text; `command` reproduces it. `on_drawn` is called after each table or figure."""
    reported = [PartView(part, on_drawn) for part in parts]
    bare = len(_rendered(reported, command).encode())
    room = min(MOST_SERIES_BYTES, MOST_BYTES - bare)
    while True:
        for view, sizes in zip(reported, _shares(reported, room), strict=True):
            view.record(sizes)
        text = _rendered(reported, command)
        over = len(text.encode()) - MOST_BYTES
        if over <= 0 or room <= 0:  # without series it is as small as it can be
            return text
        room -= over


def _shares(reported: Sequence[PartView], total: float) -> list[dict[str, float]]:
    """Bytes for each experiment: by the root of its size, so that a small one is not crowded out by a large one."""
    weights = [{one.name: one.points**0.5 for one in view.experiments} for view in reported]
    every = sum(sum(each.values()) for each in weights)
    return [{name: max(0.0, total) * weight / every for name, weight in each.items()} for each in weights]


def _rendered(reported: Sequence[PartView], command: str) -> str:
    several = len(reported) > 1
    made = environment()
    made.filters["slug"] = lambda text: str(text).replace(" ", "-")
    made.filters["capital"] = lambda text: text[:1].upper() + text[1:]
    made.filters["place"] = _place_of
    made.tests["contains"] = lambda sequence, one: one in sequence
    return rendered(
        "report.html",
        [],
        REPORT_SCRIPTS,
        _rules(reported),
        made,
        reported=reported,
        damage=list(dict.fromkeys(line for view in reported for line in view.damage)),
        title="Fairlane report" if several else f"{reported[0].title} – Fairlane report",
        home="overview" if several else reported[0].name,
        command=command,
        few_repeats=FEW_REPEATS,
        most_flows=MOST_FLOWS,
        wide_from=WIDE_FROM,
        near_share=math.log(1 + STEPS[0]) / math.log(LARGEST),
    )


def _rules(reported: Sequence[PartView]) -> list[str]:
    """The styles of lines and the lengths of bars, since the policy allows no style attributes."""
    counts = {count for view in reported for _, count in view.counts}
    counts |= {number for view in reported for number in (view.fitted, dict(view.counts).get("holds", 0) - view.fitted)}
    return [
        *(f".grow-{count} {{ flex-grow: {count}; }}" for count in sorted(counts)),
        *map(_rule, range(len(COLOURS) * len(DASHES))),
    ]


def _place_of(text: str) -> int | None:
    """The number of the style of the shipped algorithm with this name; None if it is another one."""
    name = named_algorithm(text)
    return places([name])[0] if name == text else None


def _rule(place: int) -> str:
    """The colour and dashes of number `place`, as plots have them (`fairlane.show.plots.styles`)."""
    one = style_of(place)
    dashes = f" stroke-dasharray: {' '.join(f'{DASH_PIXELS * length:g}' for length in one.dash)};" if one.dash else ""
    border = "solid" if not one.dash else "dashed" if one.dash[0] > DOT else "dotted"
    return f".k{place} {{ color: var(--c{place % len(COLOURS)});{dashes} border-style: {border}; }}"
