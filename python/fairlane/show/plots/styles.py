"""One colour, dash pattern and marker for each algorithm, the same in every plot, page and table.

`ALGORITHMS` gives the shipped algorithms their styles. Lines that have no algorithm, or one of the user's own, take
styles that no other line of the plot has.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from fairlane.show.plots.figure import COLOURS

MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
DASHES: tuple[tuple[float, ...], ...] = ((), (5, 1.5), (5, 1.5, 1, 1.5), (1.2, 1.2))
"""Lengths of dashes and gaps, as multiples of the line's width."""
HATCHES = ("", "///", "\\\\\\", "...", "xx", "++", "oo", "--")
OF_OTHERS = (6, 7)
"""The colours that belong to no shipped algorithm."""
_OF_ALGORITHMS = tuple(place for place in range(len(COLOURS)) if place not in OF_OTHERS)
ALGORITHMS = (
    *("cubic", "bbr", "reno", "vegas", "bbr3", "dctcp"),
    *("westwood", "htcp", "illinois", "bic", "veno", "yeah", "hybla", "highspeed"),
    *("copa", "prague", "modest_bbr", "bbr2", "lola", "scalable"),
)
"""In the order in which they get styles: the first fourteen have a colour each. The last six share theirs with one of
the first six, with which they are seldom compared, and differ in dashes and markers."""


@dataclass(frozen=True)
class Style:
    """Colour, dashes, marker and hatch of one kind of thing."""

    colour: str
    dash: tuple[float, ...]
    """As in `DASHES`."""
    marker: str
    hatch: str

    @property
    def dashes(self) -> Any:
        """The dash pattern as matplotlib's line style."""
        return (0, self.dash) if self.dash else "-"


def style_of(place: int) -> Style:
    """Style number `place`; after all colours the dashes move on."""
    count = len(COLOURS)
    shift = place // count
    return Style(
        COLOURS[place % count],
        DASHES[(place + shift) % len(DASHES)],
        MARKERS[(place + 3 * shift) % len(MARKERS)],
        HATCHES[(place + shift) % len(HATCHES)],
    )


def places(algorithms: Sequence[str | None]) -> list[int]:
    """The number of the style of each line of a plot, by its algorithm.

    Several lines of one algorithm keep its colour and differ in dashes; if all lines are about one algorithm, they
    differ in colour, because the colour then says nothing about the algorithm.

    >>> places(["cubic", "bbr", "bbr"]), places(["bbr"]), places(["mine", "cubic"]), places([None, None])
    ([0, 1, 17], [1], [6, 0], [0, 1])
    >>> places(["bbr", "bbr:probe_rtt_cwnd_gain=1"])
    [1, 2]
    """
    known = [_place_of(algorithm) for algorithm in algorithms]
    distinct = {place for place in known if place is not None}
    if not distinct:
        return list(range(len(known)))
    if len(distinct) == 1 and None not in known:
        first = distinct.pop()
        return [first + index for index in range(len(known))]
    used: set[int] = set()
    chosen = []
    others = (place for place in range(10**6) if place % len(COLOURS) in OF_OTHERS)
    for place in known:
        if place is None:
            chosen.append(next(others))
            continue
        while place in used or (place in distinct and place != _first(known, place, chosen)):
            place += len(COLOURS)
        used.add(place)
        chosen.append(place)
    return chosen


def styles_of(algorithms: Sequence[str | None]) -> list[Style]:
    """The style of each line of a plot, as `places` distributes them."""
    return [style_of(place) for place in places(algorithms)]


def named_algorithm(label: str) -> str | None:
    """The shipped algorithm that a label names, such as `bbr` or `cubic:beta=717`; None if it names none."""
    word = label.partition(":")[0].strip()
    return word if word in ALGORITHMS else None


def _place_of(algorithm: str | None) -> int | None:
    name = named_algorithm(algorithm) if algorithm else None
    if name is None:
        return None
    row, column = divmod(ALGORITHMS.index(name), len(_OF_ALGORITHMS))
    return row * len(COLOURS) + _OF_ALGORITHMS[column]


def _first(known: Sequence[int | None], place: int, chosen: Sequence[int]) -> int | None:
    """The style of an algorithm belongs to its first line."""
    return place if known[len(chosen)] == place and place not in known[: len(chosen)] else None
