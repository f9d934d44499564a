"""A table of two axes, such as every pair of algorithms, or RTT by loss: heat maps of ours and the paper's."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from fairlane.engine.libraries import np
from fairlane.show.comparison.comparison_table import across, heading, one_line, word
from fairlane.show.plots.canvas import write_values
from fairlane.show.plots.figure import entitle, figure, matplotlib
from fairlane.study.paper.comparison import Comparison

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Map = NDArray[np.float64]

LEAST_LINES = 7
"""The maximum number of distinguishable lines in one panel."""
LOG_FROM = 100
"""Positive values that differ by more than this factor have a logarithmic scale."""


def fits(comparison: Comparison) -> bool:
    """Whether the study requests it, or it has one value per pair of names and too many names for lines."""
    item = comparison.item
    if item.across is None or len(item.by) != 2 + len(item.panels) or len(item.values) != 1:
        return False
    if item.plot == "heatmap":
        return True
    others = {row.place[1 - item.by.index(item.across)] for row in comparison.rows} if not item.panels else set()
    return len(others) >= LEAST_LINES and len(comparison.experiments) == 1


def draw(path: Path, comparison: Comparison) -> None:
    """Draws all heat maps with one scale."""
    item = comparison.item
    right = item.by.index(item.across or "")
    down = next(place for place, name in enumerate(item.by) if place != right and name not in item.panels)
    columns = across(comparison.rows, right)
    rows = list(dict.fromkeys(row.place[down] for row in comparison.rows))
    maps = _maps(comparison, right, down)
    every = np.concatenate([one[np.isfinite(one)] for one in maps.values()] or [np.array([])])
    with figure(path, 2.0 + 4.5 * max(1, len(maps)), 1.8 + 0.32 * len(rows)) as canvas:
        axes = canvas.subplots(1, max(1, len(maps)), sharey=True, squeeze=False)[0]
        image = None
        for axis, (title, values) in zip(axes, maps.items(), strict=False):
            image = axis.imshow(values, cmap="cividis", aspect="auto", norm=_scale(every))
            write_values(axis, image, values, three_digits, 7 if len(columns) <= 10 else 6)
            axis.set_title(title)
            if not np.isfinite(values).any():
                axis.text(0.5, 0.5, "not run", transform=axis.transAxes, ha="center", va="center", fontsize=8)
            axis.set_xticks(range(len(columns)), [word(one) for one in columns], rotation=60, ha="right", fontsize=7)
            axis.set_xlabel(heading(item.by[right], comparison.headings).replace("\n", ", "), fontsize=8)
            axis.tick_params(length=0)
        axes[0].set_yticks(range(len(rows)), [word(one) for one in rows], fontsize=7)
        axes[0].set_ylabel(heading(item.by[down], comparison.headings).replace("\n", ", "), fontsize=8)
        if image is not None:
            canvas.colorbar(image, ax=axes, label=one_line(item.values[0].heading), pad=0.01, fraction=0.04)
        entitle(canvas, item.heading)


def _maps(comparison: Comparison, right: int, down: int) -> "dict[str, Map]":
    """By title, in the order of the sweep, ours empty where nothing was run; empty ones of the paper are left out."""
    panels = [comparison.item.by.index(name) for name in comparison.item.panels]
    columns = across(comparison.rows, right)
    rows = list(dict.fromkeys(row.place[down] for row in comparison.rows))
    known = [*(place for _, place in comparison.planned_panels)]
    known += [tuple(row.place[place] for place in panels) for row in comparison.rows]
    titles = [", ".join([*map(word, panel), name]) for panel in dict.fromkeys(known) for name in ("Fairlane", "paper")]
    maps: dict[str, Map] = {title: np.full((len(rows), len(columns)), np.nan) for title in titles}
    for row in comparison.rows:
        at = rows.index(row.place[down]), columns.index(row.place[right])
        panel = [word(row.place[place]) for place in panels]
        for name, value in zip(("Fairlane", "paper"), (row.cells[0].ours, row.cells[0].paper), strict=True):
            maps[", ".join([*panel, name])][at] = np.nan if value is None else value
    return {title: values for title, values in maps.items() if np.isfinite(values).any() or title.endswith("Fairlane")}


def three_digits(value: float) -> str:
    """Three digits, or all of a large number: cells have no room for exponents."""
    return f"{value:.3g}" if abs(value) < 1000 else f"{value:.0f}"


def _scale(values: "Map") -> Any:
    colours = matplotlib("colors")
    if not values.size:
        return None
    low, high = float(values.min()), float(values.max())
    return colours.LogNorm(low, high) if low > 0 and high > LOG_FROM * low else colours.Normalize(low, high)
