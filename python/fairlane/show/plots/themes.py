"""Named styles of figures: `screen`, and `paper` for a two-column paper set in Times.

What a paper's figure has that a page's has not: serifs like the text around it, a frame on all four sides with ticks
that point inwards, thin lines, no title (the caption says it), and no more width than the page.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

WIDEST_INCHES = 7.16
"""Two columns and the gap between them: 182 mm (IEEE, ACM)."""
SCREEN: dict[str, Any] = {}
PAPER: dict[str, Any] = {
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
STYLES: Mapping[str, dict[str, Any]] = {"screen": SCREEN, "paper": PAPER}
_CHOSEN: ContextVar[str] = ContextVar("style", default="screen")


@contextmanager
def styled(name: str) -> Iterator[None]:
    """All figures inside have this style, a key of `STYLES`."""
    token = _CHOSEN.set(name)
    try:
        yield
    finally:
        _CHOSEN.reset(token)


def changes() -> dict[str, Any]:
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
