"""A table of words by words, such as every pair of algorithms: ours and the paper's as heat maps side by side."""

from pathlib import Path
from typing import Any

from fairlane.present.comparison import across, word
from fairlane.present.figure import figure
from fairlane.study.compare import Comparison

LEAST_LINES = 7
"""Fewer lines than this can be told apart in one panel."""


def fits(comparison: Comparison) -> bool:
    """Whether it has one value for each pair of words, and too many words for lines."""
    item = comparison.item
    if item.across is None or len(item.by) != 2 or len(item.values) != 1 or item.panels:
        return False
    others = {row.place[1 - item.by.index(item.across)] for row in comparison.rows}
    return len(others) >= LEAST_LINES and len(comparison.experiments) == 1


def draw(path: Path, comparison: Comparison) -> None:
    """Draws both heat maps with one scale."""
    import numpy as np

    item = comparison.item
    right = item.by.index(item.across or "")
    columns = across(comparison.rows, right)
    rows = list(dict.fromkeys(row.place[1 - right] for row in comparison.rows))
    maps = {name: np.full((len(rows), len(columns)), np.nan) for name in ("Fairlane", "paper")}
    for row in comparison.rows:
        at = rows.index(row.place[1 - right]), columns.index(row.place[right])
        for name, value in zip(maps, (row.cells[0].ours, row.cells[0].paper), strict=True):
            maps[name][at] = np.nan if value is None else value
    every = np.concatenate([one[np.isfinite(one)] for one in maps.values()])
    limits: dict[str, Any] = {"vmin": float(every.min()), "vmax": float(every.max())} if every.size else {}
    with figure(path, 11.0, 1.6 + 0.32 * len(rows)) as canvas:
        axes = canvas.subplots(1, 2, sharey=True)
        for axis, (name, values) in zip(axes, maps.items(), strict=True):
            image = axis.imshow(values, cmap="cividis", aspect="auto", **limits)
            for (y, x), value in np.ndenumerate(values):
                if np.isfinite(value):
                    dark = image.norm(value) < 0.5
                    axis.text(x, y, f"{value:.2f}", ha="center", va="center", fontsize=6, color="w" if dark else "k")
            axis.set_title(name)
            axis.set_xticks(range(len(columns)), [word(one) for one in columns], rotation=60, ha="right", fontsize=7)
            axis.tick_params(length=0)
        axes[0].set_yticks(range(len(rows)), [word(one) for one in rows], fontsize=7)
        canvas.colorbar(image, ax=axes, label=item.values[0].heading.replace("\n", " "), pad=0.01, fraction=0.04)
        canvas.suptitle(f"{item.place}: {item.title}")
