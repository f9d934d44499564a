"""Two recordings of the same scenario on top of each other, one small panel per scenario."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from fairlane.show.plots.figure import COLOURS, figure
from fairlane.study.linux.recorded_series import Series

COLUMNS = 2


@dataclass(frozen=True)
class Panel:
    """One scenario: the flows as Linux had them and as the simulator has them."""

    title: str
    linux: Sequence[Series]
    ours: Sequence[Series]


def draw(path: Path, panels: Sequence[Panel]) -> None:
    """Draws the congestion windows over time: Linux thick and pale, ours thin and dark, a colour for each flow."""
    from matplotlib.lines import Line2D

    rows = -(-len(panels) // COLUMNS)
    with figure(path, 9.6, 0.6 + 2.0 * rows) as canvas:
        axes = canvas.subplots(rows, COLUMNS, squeeze=False).flatten()
        for place, panel in zip(axes, panels, strict=False):
            for number, (theirs, mine) in enumerate(zip(panel.linux, panel.ours, strict=True)):
                colour = COLOURS[number % len(COLOURS)]
                place.plot(theirs.t_s, theirs.cwnd_packets, color=colour, linewidth=3.2, alpha=0.35)
                place.plot(mine.t_s, mine.cwnd_packets, color=colour, linewidth=0.9)
            place.set_title(panel.title)
            place.set_xlim(left=0)
            place.set_ylim(bottom=0)
            place.set_ylabel("cwnd, packets")
        for place in axes[len(panels) :]:
            place.remove()
        for place in axes[max(0, len(panels) - COLUMNS) : len(panels)]:
            place.set_xlabel("time, s")
        canvas.legend(
            handles=[
                Line2D([], [], color="0.3", linewidth=3.2, alpha=0.35, label="Linux"),
                Line2D([], [], color="0.1", linewidth=0.9, label="Fairlane"),
                Line2D([], [], color=COLOURS[0], label="first flow"),
                Line2D([], [], color=COLOURS[1], label="second flow"),
            ],
            loc="outside lower center",
            ncols=4,
            frameon=False,
        )
