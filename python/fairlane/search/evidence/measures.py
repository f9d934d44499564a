"""Values of metrics by run: computed once, and stored as runs end."""

import contextlib
import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from fairlane import files
from fairlane.engine.types import Scenario
from fairlane.runs.backends import SIMULATOR, backend, provenance
from fairlane.scenario.load import PlannedPoint
from fairlane.search.breaks.evaluate import Compute
from fairlane.search.breaks.objectives import Measured, Objective

_MOST_BYTES = 1 << 28
TOGETHER = 16
"""Runs between two writes."""


@dataclass
class Run:
    """A run, and the values that are wanted of it."""

    key: str
    scenario: Scenario
    wanted: dict[str, tuple[Objective, frozenset[int]]] = field(default_factory=dict)
    """By name: expression and flows."""


@dataclass(frozen=True)
class Value:
    """A value, or the reason why there is none."""

    number: float | None
    failure: str = ""


def value_name(objective: Objective, flows: frozenset[int]) -> str:
    """Identifies a value in a run."""
    return f"{objective.formula} @ {','.join(map(str, sorted(flows)))}"


class Measures:
    """The values that are known; a line of the file for each run."""

    def __init__(self, path: Path, place: str = SIMULATOR) -> None:
        self.path = path
        self._identity = "" if place == SIMULATOR else backend(place).identity()
        self._known: dict[str, dict[str, Value]] = {}
        self._file: IO[str] | None = None
        self._keys: dict[int, tuple[PlannedPoint, Callable[[Any], str]]] = {}
        self.computed = 0

    def __enter__(self) -> "Measures":
        files.refuse_links(self.path)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        if self.path.exists():
            content = files.content(self.path, "remove it; its runs are computed again", at_most=_MOST_BYTES)
            lines: list[str] = []
            with contextlib.suppress(*files.FORGED):
                for line in content.decode(errors="replace").split("\n")[:-1]:  # a last line without an end was cut off
                    self._keep(json.loads(line))
                    lines.append(line)
            whole = "".join(f"{line}\n" for line in lines)
            if whole.encode() != content:  # else another command may be appending to it
                files.write_text(self.path, whole)
        self._file = self.path.open("a", encoding="utf-8")
        return self

    def __exit__(self, *_: object) -> None:
        if self._file is not None:
            self._file.close()

    def _keep(self, line: Mapping[str, Any]) -> None:
        found = self._known.setdefault(line["run"], {})
        for name, (number, failure) in line["values"].items():
            if number is not None and not math.isfinite(number):
                raise ValueError(name)
            found[name] = Value(number, str(failure))

    def key(self, point: PlannedPoint, repeat: int) -> str:
        """The key of a run."""
        if id(point) not in self._keys:
            self._keys[id(point)] = point, provenance.keys(point.point.repeat(0), self._identity)
        return self._keys[id(point)][1](point.point.differences(repeat))

    def want(
        self, runs: dict[str, Run], point: PlannedPoint, repeats: int, objective: Objective, of: frozenset[int]
    ) -> None:
        """Adds the repeats of a point to `runs`, each once, and the value that is wanted of these flows."""
        for repeat in range(repeats):
            key = self.key(point, repeat)
            if key not in runs:
                runs[key] = Run(key, point.point.repeat(repeat))
            runs[key].wanted[value_name(objective, of)] = (objective, of)

    def value(self, point: PlannedPoint, repeat: int, objective: Objective, of: frozenset[int]) -> Value | None:
        """A known value of a repeat."""
        return self.get(self.key(point, repeat), value_name(objective, of))

    def get(self, key: str, name: str) -> Value | None:
        """A known value."""
        return self._known.get(key, {}).get(name)

    def compute(
        self, runs: Iterable[Run], compute: Compute, step: Callable[[], None] = lambda: None, together: int = TOGETHER
    ) -> None:
        """Computes the values of runs that are not known yet, and writes them after every `together`."""
        missing = [run for run in runs if any(self.get(run.key, name) is None for name in run.wanted)]
        for begin in range(0, len(missing), together):
            some = missing[begin : begin + together]
            for number, outcome in compute([json.dumps(run.scenario) for run in some]):
                run = some[number]
                values = _values(run, outcome.pieces, outcome.message)
                self._known.setdefault(run.key, {}).update(values)
                kept = {name: [one.number, one.failure] for name, one in values.items()}
                again = outcome.pieces is None and self._identity  # a kernel may fail for want of memory or time
                if self._file is not None and not again:
                    self._file.write(json.dumps({"run": run.key, "values": kept}) + "\n")
                self.computed += 1
                step()
            if self._file is not None:
                self._file.flush()


def _values(run: Run, pieces: Sequence[bytes] | None, message: str) -> dict[str, Value]:
    if pieces is None:
        return dict.fromkeys(run.wanted, Value(None, message.splitlines()[0] if message else "the run failed"))
    packed = b"".join(pieces)
    measured: dict[frozenset[int], Measured] = {}
    found = {}
    for name, (objective, flows) in run.wanted.items():
        if flows not in measured:
            measured[flows] = Measured(packed, flows)
        number = objective.value({"": measured[flows]})
        finite = number is not None and math.isfinite(number)
        found[name] = Value(number if finite else None, "" if finite else f"{objective.formula} has no value here")
    return found
