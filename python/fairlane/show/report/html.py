"""Parts that all pages share: templates, style, scripts, packed data, and the policy that guards them.

Titles and names in a page come from files. If one ever became markup, its scripts and styles would not run: the page's
Content-Security-Policy names the hashes of the style and scripts that Fairlane ships. They are computed from the
shipped texts, not from the page.
"""

import base64
import hashlib
import json
import zlib
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from markupsafe import Markup

from fairlane.engine import __version__
from fairlane.show.plots.figure import COLOURS, DARK_COLOURS

if TYPE_CHECKING:
    from jinja2 import Environment

_HERE = Path(__file__).parent

Scripts = Sequence[Sequence[str]]
THEME: Scripts = (("theme.js",),)
REPORT_SCRIPTS: Scripts = (*THEME, ("uPlot.iife.min.js",), ("charts.js", "pages.js", "series.js", "medium.js"))
TRACE_SCRIPTS: Scripts = (*THEME, ("uPlot.iife.min.js",), ("charts.js", "trace.js"))
"""The files of each script of a page. The first runs before the page is drawn, the others when all of it is there."""

DEFLATION = 6
"""zlib's level: 9 takes longer, and saves 27 kB of the 3 MB of a large page."""


def environment() -> "Environment":
    """The templates."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    return Environment(
        loader=FileSystemLoader(_HERE / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def rendered(
    template: str,
    style_files: Sequence[str],
    scripts: Scripts = THEME,
    rules: Sequence[str] = (),
    templates: "Environment | None" = None,
    **variables: object,
) -> str:
    """The text of a page: `variables` in a template, with `rules` after those of the style files."""
    made = templates or environment()
    return made.get_template(template).render(**variables, **_shell(style_files, rules, scripts))


def svg(kind: str, width: float, height: float, title: str, parts: Iterable[str]) -> Markup:
    """A drawing of the class `kind`; `parts` are markup, the `title` is text."""
    text = escape(title)
    return Markup(
        f'<svg class="{kind}" viewBox="0 0 {width:g} {height:g}" width="{width:g}" height="{height:g}" role="img" '
        f'aria-label="{text}"><title>{text}</title>{"".join(parts)}</svg>'
    )


def _shell(style_files: Sequence[str], rules: Sequence[str], scripts: Scripts) -> Mapping[str, object]:
    """The variables of every page: version, style, scripts and their policy."""
    dark = f"{_text('dark.css')}{_variables(DARK_COLOURS)}"
    style = "\n".join(
        [
            f":root {{ {_variables(COLOURS)} }}",
            *map(_text, ("uPlot.min.css", "report.css", *style_files)),
            "@media screen {",
            f"@media (prefers-color-scheme: dark) {{ :root:not([data-theme=light]) {{ {dark} }} }}",
            f":root[data-theme=dark] {{ {dark} }}",
            "}",
            _text("print.css"),
            *rules,
        ]
    )
    # Escaped, so that no script can end its element.
    texts = ["\n".join(map(_text, files)).replace("</", "<\\/") for files in scripts]
    return {
        "version": __version__,
        "style": Markup(style),
        "scripts": [Markup(text) for text in texts],
        "policy": Markup(policy([style], texts)),
    }


def _variables(colours: Sequence[str]) -> str:
    """The colours of data as CSS variables: `--c0` and so on."""
    return " ".join(f"--c{number}: {colour.lower()};" for number, colour in enumerate(colours))


def policy(styles: Sequence[str], scripts: Sequence[str]) -> str:
    """The page's Content-Security-Policy (W3C, CSP level 2 section 4.2.5)."""
    return "; ".join(
        [
            "default-src 'none'",
            f"style-src {' '.join(map(_source, styles))}",
            f"script-src {' '.join(map(_source, scripts))}",
            "img-src data:",
            "base-uri 'none'",
            "form-action 'none'",
        ]
    )


def _source(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


@cache
def _text(name: str) -> str:
    folder = "uplot" if name.startswith("uPlot") else "templates"
    return (_HERE / folder / name).read_text(encoding="utf-8")


def deflated(content: object) -> str:
    """JSON, deflated without zlib's frame, in base64."""
    text = json.dumps(content, separators=(",", ":")).encode()
    return base64.b64encode(zlib.compress(text, DEFLATION)[2:-4]).decode()
