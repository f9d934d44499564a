"""Figures for files: the look that all plots share.

Colours are Okabe and Ito's, which the colour-blind can tell apart; lines also differ in style. The
same data always give the same file, byte for byte. matplotlib is imported only here, and only when a figure is drawn.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

SUFFIXES = (".png", ".svg", ".pdf")
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#8C6D31")
STYLES = ("-", "--", "-.", ":")
GREY = "0.6"
TITLE = "title"
"""What the title is called in an SVG file: a page that has its own leaves it out, however many lines it takes."""


@contextmanager
def figure(
    path: Path, width_inches: float, height_inches: float, changes: Mapping[str, Any] | None = None
) -> Iterator[Any]:
    """An empty figure that is written to `path` in the end; the suffix says which kind of file.

    `changes` to the look are matplotlib's settings.

    No window system and no global state, no dates and no random names in the file.
    """
    import matplotlib as mpl
    from matplotlib.figure import Figure

    style: dict[Any, Any] = {
        "font.size": 9,
        "axes.titlesize": 9,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "figure.titlesize": 10,
        "svg.hashsalt": "fairlane",
        "savefig.dpi": 150,
        **(changes or {}),
    }
    metadata: dict[str, dict[str, None]] = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}
    with mpl.rc_context(style):
        canvas = Figure(figsize=(width_inches, height_inches), layout="constrained")
        yield canvas
        canvas.savefig(path, metadata=metadata.get(path.suffix.lower()))


def entitle(canvas: Any, title: str) -> None:
    """Above the figure, over several lines where one is too short."""
    canvas.suptitle(title, wrap=True, gid=TITLE)
