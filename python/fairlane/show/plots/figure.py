"""Figures for files: the style that all plots share.

The first colours are Okabe and Ito's, which colour-blind readers can distinguish; lines also differ in style. The
same data always give the same file, byte for byte. matplotlib is imported only here, and only when a figure is drawn.
"""

import io
import os
import sys
import textwrap
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache, cached_property
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fairlane.files import replacing, temporary_folder

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Settings = dict[str, Any]
"""Settings of matplotlib (its rcParams)."""
SUFFIXES = (".png", ".svg", ".pdf")
COLOURS = (
    *("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#8C6D31"),
    *("#5B2A86", "#8E1B1B", "#7FA600", "#B0178F", "#1A2B6D", "#F08A80", "#2F6B4F", "#00B3B3"),
)
"""Okabe and Ito's, and eight more for plots of many algorithms."""
DARK_COLOURS = (
    *("#5aa9e0", "#ff8a4c", "#35c79a", "#e39ac4", "#f0b53a", "#8fd0f5", "#e7e4dd", "#c9a55f"),
    *("#bd9bff", "#d05c5c", "#b4d640", "#e86fd0", "#6a76e6", "#ffb3aa", "#7fa58b", "#4fe0dc"),
)
"""The same colours on a dark page."""
GREY = "0.6"
TITLE = "title"
"""The id of the title in an SVG file: a page removes it, because its heading has the same text."""


NOTE: ContextVar[Callable[[], str]] = ContextVar("note", default=lambda: "")
"""The note below a figure, such as missing runs; called after the figure has read its data."""


def matplotlib(module: str = "") -> Any:
    """Matplotlib, or a module of it, as all code gets it.

    The first import reads settings from a file `matplotlibrc` in the working folder, which may be anybody's: a pipe
    would block it, and other settings change every plot. So it does not see that folder.
    """
    name = f"matplotlib.{module}" if module else "matplotlib"
    if "matplotlib" in sys.modules or not os.path.lexists("matplotlibrc"):
        return import_module(name)
    here = os.open(".", os.O_PATH | os.O_CLOEXEC)
    try:
        os.chdir(os.sep)
        return import_module(name)
    finally:
        os.fchdir(here)
        os.close(here)


@contextmanager
def figure(
    path: Path, width_inches: float, height_inches: float, changes: Mapping[str, Any] | None = None
) -> Iterator[Any]:
    """An empty figure that is written to `path` in the end; the suffix selects the file format.

    `changes` to the style are matplotlib's settings.

    No window system and no global state, no dates and no random names in the file.
    """
    settings: dict[Any, Any] = {
        "font.size": 9,
        "axes.titlesize": 9,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "figure.titlesize": 10,
        "svg.hashsalt": "fairlane",
        "savefig.dpi": 150,
        **(changes or {}),
        **changes_of_theme(),
    }
    metadata: dict[str, dict[str, None]] = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}
    with matplotlib().rc_context(settings):
        width_inches, height_inches = fitted(width_inches, height_inches)
        canvas = _laid_out_once()(figsize=(width_inches, height_inches), layout="constrained")
        yield canvas
        note = NOTE.get()()
        if note:
            _add_note(canvas, note, width_inches, height_inches)
        _settle_labels(canvas)
        with replacing(path) as temporary:
            canvas.savefig(temporary, metadata=metadata.get(path.suffix.lower()))


@cache
def _laid_out_once() -> "type[Figure]":
    """A figure that is drawn once: matplotlib draws one with a layout twice, the first time only to lay it out."""
    figure, engines = matplotlib("figure"), matplotlib("layout_engine")

    class LaidOutOnce(figure.Figure):  # type: ignore[name-defined,misc]
        def draw(self, renderer: Any) -> None:
            engine = self.get_layout_engine()
            if self.axes and isinstance(engine, engines.ConstrainedLayoutEngine):
                engine.execute(self)
            else:  # there is nothing to lay out, or it is done
                super().draw(renderer)

    return LaidOutOnce


def _settle_labels(canvas: Any) -> None:
    """Gives labels without text a place, since matplotlib measures all ticks whenever it looks for one."""
    for axes in canvas.axes:
        for axis in (axes.xaxis, axes.yaxis):
            if not axis.get_label_text():
                axis.set_label_coords(0.5, 0.5)


def _add_note(canvas: Any, note: str, width_inches: float, height_inches: float) -> None:
    """Writes a note below everything else, and makes room for it."""
    characters = max(20, int(width_inches * _NOTE_CHARACTERS_PER_INCH))
    lines = textwrap.wrap(note, characters, break_on_hyphens=False)
    share = min(0.5, (len(lines) + 1) * _NOTE_LINE_INCHES / height_inches)
    canvas.get_layout_engine().set(rect=(0, share, 1, 1 - share))
    canvas.text(0.01, 0.02, "\n".join(lines), fontsize=6, color=COLOURS[1], parse_math=False)


_NOTE_CHARACTERS_PER_INCH = 20
_NOTE_LINE_INCHES = 0.1


def entitle(canvas: Any, title: str) -> None:
    """Above the figure, wrapped if needed; a paper has a caption instead."""
    if is_paper():
        return
    canvas.suptitle(title, wrap=True, gid=TITLE)


_SHOWN_PER_INCH = 160
"""Pixels on a screen for an inch on paper: type of 7 points stays legible."""
_COLOURS = 128
"""Enough for lines and shades; keeps notebooks small."""


class Picture:
    """A plot of results, drawn when it is shown or saved."""

    def __init__(self, draw: Callable[[Path], None], description: str) -> None:
        self._draw = draw
        self._description = description

    def save(self, path: str | Path) -> Path:
        """Writes the plot as `.png`, `.svg` or `.pdf`."""
        self._draw(Path(path))
        return Path(path)

    @cached_property
    def svg(self) -> str:
        """The plot as an SVG file."""
        with temporary_folder("plot") as folder:
            path = folder / "picture.svg"
            self._draw(path)
            return path.read_text()

    @cached_property
    def png(self) -> bytes:
        """The plot as a PNG file, with few colours."""
        from PIL import Image

        with temporary_folder("plot") as folder:
            path = folder / "picture.png"
            self._draw(path)
            with Image.open(path) as drawn:
                few = drawn.convert("RGB").quantize(_COLOURS)
        content = io.BytesIO()
        few.save(content, "PNG", optimize=True, dpi=(300, 300))
        return content.getvalue()

    def _repr_mimebundle_(self, **_options: Any) -> tuple[dict[str, object], dict[str, object]]:
        """The picture for a notebook."""
        from PIL import Image

        with Image.open(io.BytesIO(self.png)) as picture:
            width = round(picture.width / 300 * _SHOWN_PER_INCH)
        return {"image/png": self.png, "text/plain": repr(self)}, {"image/png": {"width": width}}

    def __repr__(self) -> str:
        return f"Plot: {self._description}; save(PATH) writes it"


WIDEST_INCHES = 7.16
"""Two columns and the gap between them: 182 mm (IEEE, ACM)."""
SCREEN: Settings = {}
PAPER: Settings = {
    # Matplotlib brings STIX, which has the metrics of Times.
    "font.family": "STIXGeneral",
    "mathtext.fontset": "stix",
    "font.size": 8,
    "axes.titlesize": 8,
    "axes.labelsize": 8,
    "xtick.labelsize": 7,
    "ytick.labelsize": 7,
    "legend.fontsize": 7,
    "figure.titlesize": 8,
    "axes.spines.top": True,
    "axes.spines.right": True,
    "axes.linewidth": 0.6,
    "xtick.direction": "in",
    "ytick.direction": "in",
    "xtick.top": True,
    "ytick.right": True,
    "xtick.major.width": 0.5,
    "ytick.major.width": 0.5,
    "xtick.major.size": 2.5,
    "ytick.major.size": 2.5,
    "lines.linewidth": 0.9,
    "lines.markersize": 3.5,
    "savefig.dpi": 300,
    "pdf.fonttype": 42,  # TrueType, which publishers require
}
STYLES: Mapping[str, Settings] = {"screen": SCREEN, "paper": PAPER}
_CHOSEN: ContextVar[str] = ContextVar("style", default="screen")


@contextmanager
def styled(name: str) -> Iterator[None]:
    """All figures inside have this style, a key of `STYLES`."""
    token = _CHOSEN.set(name)
    try:
        yield
    finally:
        _CHOSEN.reset(token)


def changes_of_theme() -> Settings:
    """Matplotlib's settings of the chosen style."""
    return STYLES[_CHOSEN.get()]


def is_paper() -> bool:
    """Whether figures are for a paper."""
    return _CHOSEN.get() == "paper"


def fitted(width_inches: float, height_inches: float) -> tuple[float, float]:
    """A size that fits onto the page of a paper; panels become less wide, and somewhat less high.

    >>> with styled("paper"):
    ...     fitted(3.46, 2.0), fitted(14.32, 8.0)
    ((3.46, 2.0), (7.16, 5.6))
    """
    if not is_paper() or width_inches <= WIDEST_INCHES:
        return width_inches, height_inches
    return WIDEST_INCHES, height_inches * max(WIDEST_INCHES / width_inches, 0.7)
