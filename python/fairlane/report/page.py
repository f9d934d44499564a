"""The report as one HTML file."""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from fairlane.present.table import FEW_REPEATS
from fairlane.report.content import Part
from fairlane.report.nearness import LARGEST, STEPS
from fairlane.report.part_view import PartView
from fairlane.report.series import MOST_FLOWS

if TYPE_CHECKING:
    from jinja2 import Environment

_HERE = Path(__file__).parent


def page(parts: Sequence[Part], command: str) -> str:
    """The file's text; `command` is what makes it again."""
    from markupsafe import Markup

    from fairlane.engine import __version__

    reported = [PartView(part) for part in parts]
    several = len(reported) > 1
    return (
        _environment()
        .get_template("report.html")
        .render(
            reported=reported,
            title="Fairlane report" if several else f"{reported[0].title} – Fairlane report",
            home="overview" if several else reported[0].name,
            version=__version__,
            command=command,
            file=lambda name: Markup(_file(name)),
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
    made.tests["contains"] = lambda sequence, one: one in sequence
    return made


def _file(name: str) -> str:
    """A style or a script. Nothing in it may end the element that it stands in."""
    folder = "uplot" if name.startswith("uPlot") else "templates"
    text = (_HERE / folder / name).read_text(encoding="utf-8")
    return text.replace("</", "<\\/") if name.endswith(".js") else text
