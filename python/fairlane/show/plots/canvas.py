"""Empty plots in the style of a paper, and what they share: labels, legends, ticks, numbers in cells, tooltips."""

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any

from fairlane.engine.libraries import np
from fairlane.show.plots.figure import Settings, figure, matplotlib
from fairlane.show.plots.options import Options

PAPER: Settings = {
    "font.size": 8,
    "axes.titlesize": 8,
    "axes.labelsize": 8,
    "xtick.labelsize": 7.5,
    "ytick.labelsize": 7.5,
    "legend.fontsize": 7.5,
    "figure.titlesize": 8.5,
    "axes.linewidth": 0.7,
    "xtick.major.width": 0.7,
    "ytick.major.width": 0.7,
    "lines.linewidth": 1.2,
    "lines.markersize": 4,
    "savefig.dpi": 300,
    "pdf.fonttype": 42,
    "figure.constrained_layout.h_pad": 0.02,
    "figure.constrained_layout.w_pad": 0.02,
}
"""Type that stays above 7 points when the figure is as wide as a column; TrueType in PDF, which publishers require."""


@contextmanager
def canvas(path: Path, width_inches: float, height_inches: float, title: str | None) -> Iterator[Any]:
    """An empty figure of that size, written to `path` in the end."""
    more = 0.14 * title.count("\n") if title else 0.0
    with figure(path, width_inches, height_inches + more, PAPER) as made:
        if title:
            made.suptitle(title)
        yield made


def dress(axis: Any, x: str | None, y: str | None, *, grid: str = "y") -> None:
    """Labels and a faint grid."""
    if x:
        axis.set_xlabel(x)
    if y:
        axis.set_ylabel(y)
    axis.grid(True, axis=grid, color="0.88", linewidth=0.5)
    axis.set_axisbelow(True)


def word_ticks(axis: Any, labels: Sequence[str], width_inches: float) -> None:
    """Words side by side to the right, turned where they would touch each other."""
    turned = max(map(len, labels)) * 0.065 > width_inches / len(labels)
    axis.set_xticks(
        range(len(labels)),
        labels,
        rotation=40 if turned else 0,
        ha="right" if turned else "center",
        rotation_mode="anchor" if turned else "default",
    )


def legend(made: Any, handles: Sequence[Any], options: Options, least: int = 2) -> None:
    """A legend above the axes, in as many columns as fit; none for fewer entries than `least`.

    It takes no room from the axes. The title of the figure becomes the legend's: both would be at
    the top.
    """
    if len(handles) < least:
        return
    title = made.get_suptitle()
    if title:
        made.suptitle("").set_in_layout(False)
    longest = max(len(str(handle.get_label())) for handle in handles)
    larger = _legend_points() / PAPER["legend.fontsize"]
    columns = max(1, min(len(handles), int(options.width_inches / ((0.42 + 0.062 * longest) * larger))))
    rows = -(-len(handles) // columns)
    if options.height_inches is None:
        made.set_figheight(made.get_figheight() + 0.16 * (rows - 1 + bool(title)))
    made.legend(
        handles=list(handles),
        loc="outside upper center",
        ncols=columns,
        frameon=False,
        handlelength=2.4,
        columnspacing=1.2,
        borderaxespad=0.2,
        title=title or None,
        title_fontsize=PAPER["figure.titlesize"],
    )


def _legend_points() -> float:
    """The size of type in legends of the figure that is drawn now."""
    size = matplotlib().rcParams["legend.fontsize"]
    return float(matplotlib("font_manager").FontProperties(size=size).get_size_in_points())


ON_DARK, ON_LIGHT = "#fefefe", "#010101"
"""Ink on a coloured cell: not the white and black that give way where a page is dark."""


def ink_on(colour: Any) -> str:
    """Black or white, whichever is read more easily on this colour (WCAG 2.2, relative luminance)."""
    parts = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in colour[:3]]
    luminance = 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]
    return ON_LIGHT if (luminance + 0.05) ** 2 > 0.05 * 1.05 else ON_DARK


def write_values(axis: Any, image: Any, matrix: Any, text: Callable[[float], str], size: float) -> None:
    """The number of each cell of a matrix that is drawn as an image."""
    for (row, column), value in np.ndenumerate(matrix):
        if np.isfinite(value):
            ink = ink_on(image.cmap(image.norm(value)))
            axis.text(column, row, text(value), ha="center", va="center", fontsize=size, color=ink)


MOST_FINE = 1.6
"""Decades with labels at 1, 2 and 5; wider axes have one for each decade."""


def edge_ticks(low: float, high: float) -> list[float]:
    """Round values that enclose both; positive.

    >>> edge_ticks(1.5, 249), edge_ticks(130, 170), edge_ticks(3, 3)
    ([1.0, 10.0, 100.0, 1000.0], [100.0, 200.0], [2.0, 5.0])
    """
    parts = (1.0,) if math.log10(high / low) > MOST_FINE else (1.0, 2.0, 5.0)
    first, last = math.floor(math.log10(low)) - 1, math.ceil(math.log10(high)) + 1
    every = [part * 10.0**power for power in range(first, last + 1) for part in parts]
    below, above = max(one for one in every if one <= low), min(one for one in every if one >= high)
    if below == above:
        below, above = max(one for one in every if one < low), min(one for one in every if one > high)
    return [one for one in every if below <= one <= above]


def label_edges(axis: Any, values: list[float], *, zero: bool = False) -> None:
    """Sets the vertical scale around these values; with `zero` it begins with 0 (matplotlib's symlog)."""
    ticker = matplotlib("ticker")
    known = [one for one in values if one > 0]
    if not known:
        return
    ticks = edge_ticks(1.0, max(2.0, *known)) if zero else edge_ticks(min(known), max(known))
    if zero:
        ticks = [0.0, *ticks]
    axis.set_ylim(ticks[0], ticks[-1])
    axis.yaxis.set_major_locator(ticker.FixedLocator(ticks))
    axis.yaxis.set_major_formatter(ticker.FixedFormatter([_text(one) for one in ticks]))
    axis.yaxis.set_minor_locator(ticker.NullLocator())


def _text(value: float) -> str:
    """Plain where that is short.

    >>> _text(0.01), _text(20000.0), _text(1e9)
    ('0.01', '20,000', '$10^{9}$')
    """
    if value and not 1e-3 <= value < 1e6 and math.log10(value).is_integer():
        return f"$10^{{{round(math.log10(value))}}}$"
    return f"{value:,.0f}" if value >= 1 or value == 0 else f"{value:g}"


TIP = "tip-"
"""Prefix of the ids of elements with tooltips; the number of the texts follows."""
_TIPS: ContextVar[list[Sequence[str]] | None] = ContextVar("tooltips", default=None)


@contextmanager
def collected() -> Iterator[list[Sequence[str]]]:
    """The tooltips of everything that is drawn inside, which a page shows; a file for print has none."""
    texts_of: list[Sequence[str]] = []
    token = _TIPS.set(texts_of)
    try:
        yield texts_of
    finally:
        _TIPS.reset(token)


def tell(artist: Any, texts: Sequence[str]) -> None:
    """Gives each marker of a line its text, in their order, or a single shape its only one."""
    collecting = _TIPS.get()
    if collecting is not None:
        artist.set_gid(f"{TIP}{len(collecting)}")
        collecting.append(texts)
