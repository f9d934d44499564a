"""Box plots of a rerun figure: the distribution over repeats, with the paper's value as a line."""

from pathlib import Path

from fairlane.show.comparison.layout import one_line, word
from fairlane.show.comparison.styles import looks_of, tip
from fairlane.show.plots.figure import entitle, figure
from fairlane.show.plots.styles import look, named_algorithm
from fairlane.show.plots.tooltips import tell
from fairlane.study.paper.comparison import Comparison


def draw(path: Path, comparison: Comparison) -> None:
    """A panel for each value: median, quartiles, whiskers to 1.5 interquartile ranges, and what lies beyond."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    item = comparison.item
    rows = comparison.rows
    same = [place for place in range(len(item.by)) if len({row.place[place] for row in rows}) == 1]
    names = [" ".join(word(one) for place, one in enumerate(row.place) if place not in same) for row in rows]
    styles = looks_of([row.place for row in rows])
    if not any(named_algorithm(str(one)) for row in rows for one in row.place):
        styles = [look(0)] * len(rows)
    with figure(path, max(5.0, 0.6 * len(rows)), 2.3 * len(item.values) + 0.8) as canvas:
        panels = canvas.subplots(len(item.values), 1, squeeze=False).flat
        for index, (axis, value) in enumerate(zip(panels, item.values, strict=True)):
            cells = [row.cells[index] for row in rows]
            boxes = axis.boxplot(
                [list(cell.sample) for cell in cells],
                positions=range(len(cells)),
                widths=0.6,
                patch_artist=True,
                manage_ticks=False,
                medianprops={"color": "black"},
                flierprops={"markersize": 2},
            )
            for box, style, name, cell in zip(boxes["boxes"], styles, names, cells, strict=True):
                box.set(facecolor=style.colour, alpha=0.7)
                tell(box, [tip([name, one_line(value.heading)], "", cell.ours, cell.paper)])
            for place, cell in enumerate(cells):
                if cell.paper is not None:
                    axis.hlines(cell.paper, place - 0.4, place + 0.4, color="0.3", linestyles="--")
            axis.set_title(one_line(value.heading))
            axis.set_xticks(range(len(names)), names, rotation=40, ha="right", fontsize=7)
            axis.grid(True, axis="y", color="0.9", linewidth=0.6)
        entitle(canvas, f"{item.source}: {item.title}")
        if comparison.has_paper:
            handles = [
                Patch(facecolor="0.6", edgecolor="black", alpha=0.7, label="Fairlane"),
                Line2D([], [], color="0.3", linestyle="--", label="paper"),
            ]
            canvas.legend(handles=handles, loc="outside lower center", ncols=2, frameon=False)
