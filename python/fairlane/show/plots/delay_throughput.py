"""Throughput against delay: good is up and to the right, because the delay grows to the left."""

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fairlane.engine.libraries import np
from fairlane.results.metrics import find
from fairlane.results.metrics.averaging import notes
from fairlane.results.statistics import Interval
from fairlane.results.tables import ResultTables
from fairlane.show.plots.canvas import canvas, dress, legend, tell
from fairlane.show.plots.figure import figure, matplotlib
from fairlane.show.plots.groups import LINE, lines_of, measured
from fairlane.show.plots.options import Options, titled
from fairlane.show.plots.styles import MARKERS, style_of


def draw(path: Path, results: ResultTables, options: Options) -> None:
    """A dot for each flow of each run, and for each group of like flows its mean and an ellipse of one deviation."""
    up, right = options.metric or find("goodput_mbps"), options.against or find("mean_rtt_ms")
    per = "flow" if {up.of, right.of} == {"flow"} else "run"
    lines = lines_of(measured(results, [up, right], per, options), results, options, [], flows=per == "flow")
    said = notes(lines.frame, lines.kept, results, [up, right], per, options.filters, pooled=True)
    with canvas(path, options.width_inches, options.height_inches or 2.5, titled(options, said)) as made:
        axis = made.subplots()
        handles: list[Any] = []
        for place, name in enumerate(lines.labels):
            part = lines.frame.filter(lines.frame[LINE] == name)
            x, y = part[right.name].to_numpy(), part[up.name].to_numpy()
            style = lines.styles[place]
            axis.scatter(x, y, s=6, color=style.colour, marker=style.marker, alpha=0.35, linewidths=0)
            if len(x) > 2:
                axis.add_patch(
                    matplotlib("patches").Ellipse(
                        (x.mean(), y.mean()), **_ellipse(x, y), facecolor=style.colour, alpha=0.12, edgecolor="none"
                    )
                )
            (mark,) = axis.plot(
                [x.mean()], [y.mean()], style.marker, color=style.colour, markersize=6.5, markeredgecolor="black",
                markeredgewidth=0.6, linestyle="none", label=name or "all",
            )  # fmt: skip
            handles.append(mark)
        _orient(axis, right.axis_label, up.axis_label)
        if options.log_x:
            axis.set_xscale("log")
        axis.set_ylim(0, 1.15 * float(axis.get_ylim()[1]))  # the good ones are up there, where the arrow is too
        axis.annotate(
            "better", (0.985, 0.985), (0.87, 0.93), xycoords="axes fraction", textcoords="axes fraction", fontsize=7,
            color="0.35", ha="center", va="center", arrowprops={"arrowstyle": "->", "color": "0.35", "linewidth": 0.8},
        )  # fmt: skip
        legend(made, handles, options)


def _orient(axis: Any, right: str, up: str) -> None:
    dress(axis, f"{right} (less to the right)", up, grid="both")
    axis.invert_xaxis()


def _ellipse(x: Any, y: Any) -> dict[str, float]:
    """One standard deviation along the axes of the covariance."""
    variances, vectors = np.linalg.eigh(np.cov(x, y))
    width, height = 2 * np.sqrt(np.maximum(variances, 0))
    return {"width": float(width), "height": float(height), "angle": float(np.degrees(np.arctan2(*vectors[::-1, 0])))}


@dataclass(frozen=True)
class Mark:
    """The means at a point of a sweep."""

    x: Interval
    y: Interval
    colour: int
    """Number of its style (`fairlane.show.plots.styles`)."""
    shape: int
    kind: str
    """The meaning of the colour."""
    label: str
    """Its label among others of its colour."""
    title: str
    """The tooltip."""
    shape_name: str = ""
    """The meaning of the shape."""
    line: tuple[str, ...] | None = None
    """Marks with the same value are joined in their order."""
    is_best: bool = False
    """Marks that are best have a ring."""

    def draw(self, axis: Any, **more: Any) -> Any:
        """The marker; `more` is matplotlib's."""
        style = {"color": style_of(self.colour).colour, "marker": MARKERS[self.shape % len(MARKERS)], "markersize": 6}
        style["clip_on"] = False  # a mark at the end of an axis is whole
        return axis.plot([self.x.estimate], [self.y.estimate], **{"linestyle": "none", **style, **more})[0]


SIZE_INCHES, NARROW_INCHES = (11.0, 5.2), (3.7, 4.4)
"""Of a page, and of a page on a telephone: 355 pixels, whose type keeps its size."""
LETTERS_PER_INCH = 11
"""Of the label to the right, beside that of the other axis."""
WASTED = 0.5
"""An axis whose lowest value is above this share of the highest does not begin at 0: most of it would be empty."""


RING: dict[str, Any] = {"marker": "o", "fillstyle": "none", "markersize": 11, "color": "0.2", "linestyle": "none"}


def draw_marks(
    path: Path,
    marks: Sequence[Mark],
    right: str,
    up: str,
    size_inches: tuple[float, float] = SIZE_INCHES,
    title: str = "",
) -> None:
    """Each mark with the intervals of its means, and a name next to it where there is room."""
    with figure(path, *size_inches) as made:
        axis = made.subplots()
        for line in dict.fromkeys(mark.line for mark in marks if mark.line):
            joined = [mark for mark in marks if mark.line == line]
            style = style_of(joined[0].colour)
            points = [(one.x.estimate, one.y.estimate) for one in joined]
            axis.plot(*zip(*points, strict=True), color=style.colour, linestyle=style.dashes, linewidth=0.8, alpha=0.55)
        for mark in marks:
            how = {"fmt": "none", "ecolor": style_of(mark.colour).colour, "elinewidth": 0.8, "alpha": 0.7}
            axis.errorbar(mark.x.estimate, mark.y.estimate, _reach(mark.y), _reach(mark.x), **how)
            drawn = mark.draw(axis)
            drawn.set_in_layout(False)
            tell(drawn, [mark.title])
            if mark.is_best:
                mark.draw(axis, **RING).set_in_layout(False)
        _orient(axis, right, up)
        axis.set_xlabel(textwrap.fill(axis.get_xlabel(), int(LETTERS_PER_INCH * size_inches[0])))
        if _begins_at_zero([mark.x.estimate for mark in marks]):
            axis.set_xlim(right=min(0.0, axis.get_xlim()[1]))
        if _begins_at_zero([mark.y.estimate for mark in marks]):
            axis.set_ylim(bottom=0)
        axis.set_title(title, fontsize=9)
        legend(made, [*_handles(axis, marks)], Options(width_inches=size_inches[0]))
        _write_names(made, axis, marks)


def _begins_at_zero(values: Sequence[float]) -> bool:
    return min(values) <= WASTED * max(values)


def _handles(axis: Any, marks: Sequence[Mark]) -> Iterator[Any]:
    """One for each colour with a name, then one for each shape, in grey."""
    of_kinds = {mark.kind: mark for mark in marks if mark.kind}
    of_shapes = {mark.shape_name: mark for mark in marks if mark.shape_name}
    if len(of_kinds) > 1 or len(of_shapes) > 1:
        for kind, mark in of_kinds.items():
            style = style_of(mark.colour)
            (handle,) = axis.plot([], [], color=style.colour, linestyle=style.dashes, linewidth=2.5, label=kind)
            yield handle
        for name, mark in of_shapes.items():
            handle = mark.draw(axis, color="0.3", label=name)
            handle.set_data([], [])
            handle.set_in_layout(False)  # it has no place, which counts as the corner of the figure
            yield handle
    if any(mark.is_best for mark in marks):
        yield matplotlib("lines").Line2D([], [], label="best", **RING)


def _reach(mean: Interval) -> list[list[float]] | None:
    return [[mean.estimate - mean.low], [mean.high - mean.estimate]] if mean.is_known else None


def _whiskers(mark: Mark) -> Iterator[tuple[tuple[float, float], tuple[float, float]]]:
    """The ends of the lines across and up that show the intervals of its means."""
    x, y = mark.x, mark.y
    if x.is_known:
        yield (x.low, y.estimate), (x.high, y.estimate)
    if y.is_known:
        yield (x.estimate, y.low), (x.estimate, y.high)


LETTER_POINTS, LINE_POINTS = 4.8, 10
"""About the width of a letter and the height of a line."""
PLACES = (
    *((7, -3, "left"), (-7, -3, "right"), (0, 7, "center"), (0, -14, "center")),
    *((5, 5, "left"), (-5, 5, "right"), (5, -12, "left"), (-5, -12, "right")),
)
"""Of a name: points to the right of its mark and above it, and its part that is there."""


def _write_names(made: Any, axis: Any, marks: Sequence[Mark]) -> None:
    """The names of marks where they cover neither a mark nor another name; first those that name a colour."""
    made.get_layout_engine().execute(made)
    points = axis.transData.transform([(mark.x.estimate, mark.y.estimate) for mark in marks]) * 72 / made.dpi
    boxes = matplotlib("transforms").Bbox
    frame = boxes(axis.get_window_extent().get_points() * 72 / made.dpi)
    taken = [boxes.from_extents(x - 4, y - 4, x + 4, y + 4) for x, y in points]
    for mark in marks:
        for low, high in _whiskers(mark):
            ends = axis.transData.transform([low, high]) * 72 / made.dpi
            taken.append(boxes.from_extents(*(ends.min(axis=0) - 0.5), *(ends.max(axis=0) + 0.5)))
    unnamed = {mark.kind for mark in marks} if len({mark.kind for mark in marks}) > 1 else set()
    done: set[int] = set()
    for of_kinds in (True, False):
        for number, (mark, (x, y)) in enumerate(zip(marks, points, strict=True)):
            text = f"{mark.kind} {mark.label}".strip() if of_kinds else mark.label
            if (mark.kind in unnamed) != of_kinds or number in done or not text:
                continue
            width = LETTER_POINTS * len(text)
            for right, above, side in PLACES:
                start = x + right - {"left": 0, "center": 0.5, "right": 1}[side] * width
                box = boxes.from_bounds(start, y + above - 2, width, LINE_POINTS)
                if not box.count_overlaps(taken) and frame.contains(*box.min) and frame.contains(*box.max):
                    how = {"color": style_of(mark.colour).colour, "weight": "bold" if of_kinds else "normal"}
                    place: dict[str, Any] = {"xytext": (right, above), "textcoords": "offset points", "ha": side}
                    at = mark.x.estimate, mark.y.estimate
                    axis.annotate(text, at, fontsize=8, **place, **how).set_in_layout(False)
                    taken.append(box)
                    done.add(number)
                    unnamed.discard(mark.kind)
                    break
