"""`[sweep.matrix]`: algorithms against each other, each pair once, in the two groups of flows of an experiment.

[sweep.matrix]
algorithms = ["./mine.c", "cubic"]     # the first flow
against = "all"                        # the second one; default: the same list, each pair in one order
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
    in_one_order: bool
    """Whether a pair that met needs no second run with the two exchanged."""

    def includes(self, first: int, rival: int) -> bool:
        """Whether these two, by their places in the lists, meet."""
        return not self.in_one_order or first <= rival


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
    return Pairs(first, rival, "against" not in table)


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
