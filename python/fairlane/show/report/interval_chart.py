"""A picture of marks with intervals, in the colours of the page: axes, whiskers, direct labels, tooltips."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

from fairlane.results.statistics import Interval

WIDTH, HEIGHT = 720, 400
LEFT, RIGHT, TOP, BOTTOM = 62, 16, 16, 46
LETTER, LINE = 6.4, 13
"""About the width of a letter and the height of a line, in pixels at 12 px."""
TICKS = 6
SHAPES = (
    "M-4.5 0a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0 -9 0z",
    "M-4 -4h8v8h-8z",
    "M0 -5.2L5 3.8H-5z",
    "M0 -5.6L5.6 0L0 5.6L-5.6 0z",
    "M0 5.2L5 -3.8H-5z",
    "M-1.6 -5h3.2v3.4h3.4v3.2h-3.4v3.4h-3.2v-3.4h-3.4v-3.2h3.4z",
)


@dataclass(frozen=True)
class Mark:
    """A point of the picture."""

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


@dataclass(frozen=True)
class Scale:
    """From values to pixels."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        """The pixel of a value."""
        return self.start + (value - self.low) / (self.high - self.low) * (self.end - self.start)


def picture(marks: Sequence[Mark], x_label: str, y_label: str) -> str:
    """The SVG element. The x axis is reversed; both start at 0."""
    x_ticks, y_ticks = (
        ticks(max(one.high if one.is_known else one.estimate for one in values))
        for values in ([mark.x for mark in marks], [mark.y for mark in marks])
    )
    # Delays at 0 keep their whole mark within the picture.
    x = Scale(x_ticks[-1], 0.0, LEFT, WIDTH - RIGHT - 8)
    y = Scale(0.0, y_ticks[-1], HEIGHT - BOTTOM, TOP)
    parts = [*_axes(x, y, x_ticks, y_ticks, x_label, y_label), *_lines(marks, x, y)]
    parts += [_mark(mark, x, y) for mark in marks]
    parts += _labels(marks, x, y)
    return (
        f'<svg class="marks" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" role="img" '
        f'aria-label="{escape(y_label)} against {escape(x_label)}">{"".join(parts)}</svg>'
    )


def ticks(highest: float) -> list[float]:
    """Round numbers from 0 to at least the highest value.

    >>> ticks(95.6), ticks(0.0)
    ([0.0, 20.0, 40.0, 60.0, 80.0, 100.0], [0.0, 1.0])
    """
    if not highest > 0:
        return [0.0, 1.0]
    size = 10.0 ** math.floor(math.log10(highest / TICKS))
    step = next(factor * size for factor in (1, 2, 2.5, 5, 10) if factor * size * TICKS >= highest * 0.999)
    return [step * place for place in range(math.ceil(highest / step * 0.999) + 1)]


def _axes(
    x: Scale, y: Scale, x_ticks: Sequence[float], y_ticks: Sequence[float], x_label: str, y_label: str
) -> Iterator[str]:
    for value in y_ticks:
        at = y(value)
        yield f'<path class="grid" d="M{LEFT} {at:.1f}H{WIDTH - RIGHT}"/>'
        yield f'<text class="tick" x="{LEFT - 7}" y="{at + 4:.1f}" text-anchor="end">{value:,.10g}</text>'
    for value in x_ticks:
        at = x(value)
        yield f'<path class="grid" d="M{at:.1f} {TOP}V{HEIGHT - BOTTOM}"/>'
        yield f'<text class="tick" x="{at:.1f}" y="{HEIGHT - BOTTOM + 17}" text-anchor="middle">{value:,.10g}</text>'
    middle = (LEFT + WIDTH - RIGHT) / 2
    yield f'<text class="tick" x="{middle:.0f}" y="{HEIGHT - 8}" text-anchor="middle">{escape(x_label)}</text>'
    middle = (TOP + HEIGHT - BOTTOM) / 2
    yield (
        f'<text class="tick" transform="translate(14 {middle:.0f}) rotate(-90)" text-anchor="middle">'
        f"{escape(y_label)}</text>"
    )


def _lines(marks: Sequence[Mark], x: Scale, y: Scale) -> Iterator[str]:
    for line in dict.fromkeys(mark.line for mark in marks if mark.line):
        of_line = [mark for mark in marks if mark.line == line]
        points = " ".join(f"{x(one.x.estimate):.1f},{y(one.y.estimate):.1f}" for one in of_line)
        if len(of_line) > 1:
            yield f'<polyline class="join k{of_line[0].colour}" points="{points}"/>'


def _mark(mark: Mark, x: Scale, y: Scale) -> str:
    at, up = x(mark.x.estimate), y(mark.y.estimate)
    whiskers = ""
    if mark.x.is_known:
        whiskers += f"M{x(mark.x.low):.1f} {up:.1f}H{x(mark.x.high):.1f}"
    if mark.y.is_known:
        whiskers += f"M{at:.1f} {y(mark.y.low):.1f}V{y(mark.y.high):.1f}"
    drawn = f'<path class="whisker" d="{whiskers}"/>' if whiskers else ""
    return (
        f'<g class="mark k{mark.colour}"><title>{escape(mark.title)}</title>{drawn}'
        f'<path class="dot" transform="translate({at:.1f} {up:.1f})" d="{_shape(mark.shape)}"/></g>'
    )


def legend(marks: Sequence[Mark]) -> str:
    """The legend of colours and shapes as a line of HTML: not every name fits into the picture."""
    kinds = {mark.kind: mark.colour for mark in marks if mark.kind}
    shapes = {mark.shape_name: mark.shape for mark in marks if mark.shape_name}
    parts = [f'<span class="k{place}"><i></i><b>{escape(kind)}</b></span>' for kind, place in kinds.items()]
    parts += [
        f'<span><svg viewBox="-7 -7 14 14" width="14" height="14" aria-hidden="true"><path d="{_shape(place)}"/></svg>'
        f"{escape(name)}</span>"
        for name, place in shapes.items()
    ]
    return f'<div class="kinds">{"".join(parts)}</div>' if len(kinds) > 1 or len(shapes) > 1 else ""


def _shape(place: int) -> str:
    return SHAPES[place % len(SHAPES)]


Box = tuple[float, float, float, float]


def _labels(marks: Sequence[Mark], x: Scale, y: Scale) -> Iterator[str]:
    """The names of marks where they cover neither a mark nor another name; first those that name a colour."""
    taken: list[Box] = [_around(x(mark.x.estimate), y(mark.y.estimate)) for mark in marks]
    named: set[str] = set()
    done: set[int] = set()
    several = len({mark.kind for mark in marks}) > 1
    for with_kind in (True, False):
        for number, mark in enumerate(marks):
            is_first = several and mark.kind not in named
            if with_kind != is_first or number in done:
                continue
            text = " ".join(filter(None, [mark.kind if is_first else "", mark.label]))
            found = _free(text, x(mark.x.estimate), y(mark.y.estimate), taken) if text else None
            if found is None:
                continue
            if is_first:
                named.add(mark.kind)
            done.add(number)
            (left, bottom), box = found
            taken.append(box)
            weight = ' class="name"' if is_first else ""
            yield f'<g class="k{mark.colour}"><text{weight} x="{left:.1f}" y="{bottom:.1f}">{escape(text)}</text></g>'


def _around(at: float, up: float) -> Box:
    return at - 6, up - 6, at + 6, up + 6


def _free(text: str, at: float, up: float, taken: Sequence[Box]) -> tuple[tuple[float, float], Box] | None:
    """A place for a name next to its mark."""
    width = LETTER * len(text)
    for left, bottom in (
        (at + 9, up + 4),
        (at - 9 - width, up + 4),
        (at - width / 2, up - 10),
        (at - width / 2, up + 19),
        (at + 7, up - 7),
        (at - 7 - width, up - 7),
        (at + 7, up + 16),
        (at - 7 - width, up + 16),
    ):
        box = (left - 1, bottom - LINE + 3, left + width + 1, bottom + 3)
        inside = box[0] >= LEFT and box[2] <= WIDTH and box[1] >= 0 and box[3] <= HEIGHT - BOTTOM + 4
        if inside and not any(_overlap(box, other) for other in taken):
            return (left, bottom), box
    return None


def _overlap(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]
