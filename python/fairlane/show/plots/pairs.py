"""Matrices of algorithms against each other as a picture: coloured cells, or bars if there is one algorithm."""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from fairlane.engine.libraries import np
from fairlane.results.pairs import HARM, PairMatrix
from fairlane.show.plots.canvas import canvas, dress, word_ticks, write_values
from fairlane.show.plots.figure import COLOURS
from fairlane.show.text.pairs_text import in_few_digits

CELL_INCHES = 0.34
_LABEL_INCHES = 1.0
_SIDE_BY_SIDE_INCHES = 13.0
"""Wider figures have their panels below each other."""


def draw_pairs(path: Path, matrices: Sequence[PairMatrix]) -> None:
    """A panel for each metric."""
    if len(matrices[0].rows) == 1:
        _draw_bars(path, matrices)
    else:
        _draw_cells(path, matrices)


def matrix_inches(rows: int, columns: int) -> tuple[float, float]:
    """Width and height of a panel in which numbers fit into the cells, with names at the sides and a bar of colours."""
    return _LABEL_INCHES + CELL_INCHES * columns + 0.9, _LABEL_INCHES + 0.26 * rows


def _draw_bars(path: Path, matrices: Sequence[PairMatrix]) -> None:
    [name], rivals = matrices[0].rows, matrices[0].columns
    wide = _LABEL_INCHES + 1.7 * len(matrices)
    with canvas(path, wide, 0.7 + 0.2 * len(rivals), f"{name}, next to each rival") as made:
        panels = made.subplots(1, len(matrices), sharey=True, squeeze=False)[0]
        for panel, matrix in zip(panels, matrices, strict=True):
            values = [matrix.mean(name, rival) or 0.0 for rival in rivals]
            panel.barh(
                range(len(rivals)), values, color=COLOURS[0], height=0.7, xerr=_errors(matrix, name), ecolor="0.35"
            )
            dress(panel, matrix.metric.axis_label, None, grid="x")
            if matrix.metric is HARM:
                panel.axvline(0, color="0.4", linewidth=0.8)
            else:
                panel.set_xlim(0, 100 if matrix.metric.name == "share_pct" else None)
            if matrix.metric.name == "share_pct":
                panel.axvline(50, color="0.4", linewidth=0.8, dashes=(3, 2))
        panels[0].set_yticks(range(len(rivals)), rivals)
        panels[0].invert_yaxis()


def _errors(matrix: PairMatrix, name: str) -> list[list[float]]:
    """The lower and upper halves of the intervals."""
    halves: list[list[float]] = [[], []]
    for rival in matrix.columns:
        mean = matrix.cells.get((name, rival))
        known = mean is not None and mean.is_known
        halves[0].append(max(0.0, mean.estimate - mean.low) if mean and known else 0.0)
        halves[1].append(max(0.0, mean.high - mean.estimate) if mean and known else 0.0)
    return halves


def _draw_cells(path: Path, matrices: Sequence[PairMatrix]) -> None:
    wide, high = matrix_inches(len(matrices[0].rows), len(matrices[0].columns))
    side_by_side = max(1, min(len(matrices), int(_SIDE_BY_SIDE_INCHES / wide)))
    lines = math.ceil(len(matrices) / side_by_side)
    side_by_side = math.ceil(len(matrices) / lines)
    with canvas(path, wide * side_by_side, high * lines, None) as made:
        panels = [panel for line in made.subplots(lines, side_by_side, squeeze=False) for panel in line]
        for panel, matrix in zip(panels, matrices, strict=False):
            _draw_panel(made, panel, matrix)
        for panel in panels[len(matrices) :]:
            panel.set_visible(False)


def _draw_panel(made: Any, panel: Any, matrix: PairMatrix) -> None:
    cells = np.array(
        [[math.nan if (mean := matrix.mean(row, column)) is None else mean for column in matrix.columns]
         for row in matrix.rows]
    )  # fmt: skip
    even = {"cmap": "PuOr_r", "vmin": -100 if matrix.metric is HARM else 0, "vmax": 100}
    image = panel.imshow(cells, aspect="auto", **(even if matrix.metric.unit == "%" else {"cmap": "cividis"}))
    write_values(panel, image, cells, in_few_digits, 7)
    word_ticks(panel, list(matrix.columns), CELL_INCHES * len(matrix.columns))
    panel.set_yticks(range(len(matrix.rows)), matrix.rows)
    panel.set_title(f"{matrix.metric.axis_label}\nof the row's algorithm against the column's")
    panel.tick_params(length=0)
    for side in panel.spines.values():
        side.set_visible(False)
    made.colorbar(image, ax=panel, pad=0.02, fraction=0.05).outline.set_visible(False)
