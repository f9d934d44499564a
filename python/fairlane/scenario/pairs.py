"""`[sweep.matrix]`: algorithms against each other, each pair once, in the two groups of flows of an experiment.

[sweep.matrix]
algorithms = ["./mine.c", "cubic"]     # the first flow
against = "all"                        # the second one; default: the same list, each pair in one order

Each algorithm also meets itself: harm is counted from there.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from fairlane.engine.messages import nearest
from fairlane.scenario.diagnostics import Place, Report

NAMES = ("first", "rival")
"""The axes that a matrix makes."""
KEYS = tuple(f"flows.{number}.algorithm" for number in range(len(NAMES)))
"""The keys of the experiment that it sweeps."""
ALL = "all"
"""Every bundled algorithm."""
_PLACE: Place = ("sweep", "matrix")


class Pairs(NamedTuple):
    """Algorithms of the first and of the second group of flows."""

    first: tuple[str, ...]
    rival: tuple[str, ...]
    asked: tuple[frozenset[str], frozenset[str]] | None
    """Those of which each meets each; None if all meet, in one order: a pair needs no second run when exchanged."""

    def includes(self, first: int, rival: int) -> bool:
        """Whether these two, by their places in the lists, meet."""
        if self.asked is None:
            return first <= rival
        return self.is_asked(self.first[first], self.rival[rival]) or self.first[first] == self.rival[rival]

    def is_asked(self, first: str, rival: str) -> bool:
        """Whether these two meet for another reason than to see what an algorithm does to itself."""
        return self.asked is None or (first in self.asked[0] and rival in self.asked[1])


def pairs(table: Any, report: Report) -> Pairs | None:
    """Reads the table; None if there is none, or it is wrong."""
    if table is None:
        return None
    if not isinstance(table, Mapping):
        report(_PLACE, 'must be a table; write for example [sweep.matrix] and algorithms = ["cubic", "bbr"]')
        return None
    for key in table:
        if key not in ("algorithms", "against"):
            report((*_PLACE, key), f"is no key of it{nearest(str(key), ['algorithms', 'against']) or '.'} Known: "
                   "algorithms, against")  # fmt: skip
            return None
    first = _names(table.get("algorithms"), "algorithms", report)
    rival = _names(table["against"], "against", report) if "against" in table else first
    if first is None or rival is None:
        return None
    if "against" not in table:
        return Pairs(first, first, None)
    every = [tuple(dict.fromkeys(names)) for names in ((*first, *rival), (*rival, *first))]
    return Pairs(every[0], every[1], (frozenset(first), frozenset(rival)))


def _names(given: Any, key: str, report: Report) -> tuple[str, ...] | None:
    if given == ALL:
        given = [ALL]
    if not isinstance(given, Sequence) or isinstance(given, str) or not given:
        report((*_PLACE, key), f'must be a list of algorithms, or "{ALL}"; write for example {key} = ["cubic", "bbr"]')
        return None
    if not all(isinstance(one, str) for one in given):
        report((*_PLACE, key), "has a value that is no name of an algorithm; give text")
        return None
    every = [name for one in given for name in (_bundled() if one == ALL else [one])]
    return tuple(dict.fromkeys(every))


def _bundled() -> list[str]:
    from fairlane.engine import algorithms

    return [one["name"] for one in algorithms()]
