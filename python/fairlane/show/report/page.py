"""The report as one HTML file."""

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from fairlane.show.plots.figure import COLOURS
from fairlane.show.plots.styles import DASHES, look, named_algorithm, places
from fairlane.show.report.content import Part
from fairlane.show.report.paper_agreement import LARGEST, STEPS
from fairlane.show.report.part_view import PartView
from fairlane.show.report.policy import policy
from fairlane.show.report.series import MOST_FLOWS
from fairlane.show.text.aligned import FEW_REPEATS

if TYPE_CHECKING:
    from jinja2 import Environment

MOST_BYTES = 4_900_000
"""A report may be sent by mail."""
MOST_SERIES_BYTES = 2_600_000
"""The maximum size of the time series."""

DASH_PIXELS = 1.3
"""The width of a line, of which dashes are multiples."""
DOT = 2
"""Shorter dashes are dots."""
_HERE = Path(__file__).parent


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
    from markupsafe import Markup

    from fairlane.engine import __version__

    style = _style(reported)
    several = len(reported) > 1
    return (
        _environment()
        .get_template("report.html")
        .render(
            reported=reported,
            damage=list(dict.fromkeys(line for view in reported for line in view.damage)),
            title="Fairlane report" if several else f"{reported[0].title} – Fairlane report",
            home="overview" if several else reported[0].name,
            version=__version__,
            command=command,
            style=Markup(style),
            scripts=[Markup(script) for script in _SCRIPTS],
            policy=Markup(policy([style], _SCRIPTS)),
            few_repeats=FEW_REPEATS,
            most_flows=MOST_FLOWS,
            near_share=math.log(1 + STEPS[0]) / math.log(LARGEST),
        )
    )


def _environment() -> "Environment":
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    made = Environment(
        loader=FileSystemLoader(_HERE / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["slug"] = lambda text: str(text).replace(" ", "-")
    made.filters["capital"] = lambda text: text[:1].upper() + text[1:]
    made.filters["place"] = _place_of
    made.tests["contains"] = lambda sequence, one: one in sequence
    return made


def _style(reported: Sequence[PartView]) -> str:
    """Shipped files, the looks of lines and the lengths of bars, since the policy allows no style attributes."""
    dark = _file("dark.css")
    counts = sorted({count for view in reported for _, count in view.counts})
    return "\n".join(
        [
            _file("uPlot.min.css"),
            _file("report.css"),
            "@media screen {",
            f"@media (prefers-color-scheme: dark) {{ :root:not([data-theme=light]) {{ {dark} }} }}",
            f":root[data-theme=dark] {{ {dark} }}",
            "}",
            _file("print.css"),
            *(f".grow-{count} {{ flex-grow: {count}; }}" for count in counts),
            *map(_look, range(len(COLOURS) * len(DASHES))),
        ]
    )


def _place_of(text: str) -> int | None:
    """The number of the look of the algorithm with this name; None if it is not one of the shipped ones."""
    name = named_algorithm(text)
    return places([name])[0] if name == text else None


def _look(place: int) -> str:
    """The colour and dashes of number `place`, as plots have them (`fairlane.show.plots.styles`)."""
    one = look(place)
    dashes = f" stroke-dasharray: {' '.join(f'{DASH_PIXELS * length:g}' for length in one.dash)};" if one.dash else ""
    border = "solid" if not one.dash else "dashed" if one.dash[0] > DOT else "dotted"
    return f".k{place} {{ color: var(--c{place % len(COLOURS)});{dashes} border-style: {border}; }}"


def _file(name: str) -> str:
    """A style or a script, escaped so that it cannot end its element."""
    folder = "uplot" if name.startswith("uPlot") else "templates"
    text = (_HERE / folder / name).read_text(encoding="utf-8")
    return text.replace("</", "<\\/") if name.endswith(".js") else text


_SCRIPTS = (
    _file("theme.js"),
    _file("uPlot.iife.min.js"),
    "\n".join(map(_file, ("pages.js", "claims.js", "series.js", "medium.js"))),
)
"""The first is run before the page is drawn, the others when all of it is there."""
