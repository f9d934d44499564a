"""What an experiment consists of: for each run its key, its axes, its seed.

The batches hold runs without saying what they are for. The plan says it, so that an experiment that gains an axis,
or shares runs with another one, finds what is already computed.
"""

import json
from dataclasses import asdict, dataclass, field
from typing import Any

from fairlane.store.layout import Layout, cannot_write, write_atomically

AxisValue = float | int | str | bool


@dataclass(frozen=True)
class Axis:
    """One dimension of a sweep."""

    name: str
    """How people call it: `rate`."""
    column: str
    """Its column in every table, with the unit: `rate_mbps`."""
    unit: str
    """Empty for words."""
    values: tuple[AxisValue, ...]
    """What the column holds, in the order of the experiment file."""
    labels: tuple[str, ...]
    """The same as the experiment file writes it: `100mbit`."""


@dataclass(frozen=True)
class PlannedRun:
    """One run of an experiment."""

    run: str
    """Its key in the store."""
    axes: dict[str, AxisValue]
    """By column."""
    seed: int
    repeat: int
    """From 0."""
    groups: tuple[dict[str, Any], ...] = ()
    """For each entry of the experiment what to call its flows, `name` and `algorithm`, and their number, `count`."""


@dataclass(frozen=True)
class Plan:
    """An experiment as the store knows it."""

    experiment: str
    axes: tuple[Axis, ...]
    runs: tuple[PlannedRun, ...]
    title: str = ""
    settings: dict[str, Any] = field(default_factory=dict)
    """The experiment file, inheritance resolved."""

    def save(self, layout: Layout) -> None:
        """Writes the plan, if it is a new one."""
        path = layout.plans / f"{self.experiment}.json"
        content = json.dumps(asdict(self), separators=(",", ":")).encode()
        try:
            if not path.exists() or path.read_bytes() != content:
                write_atomically(path, content)
        except OSError as error:
            raise cannot_write(path, error) from None


def load_all(layout: Layout) -> list[Plan]:
    """All plans of a store, in the order of their names. A damaged one is left out; the next run writes it again."""
    found = []
    for path in sorted(layout.plans.glob("*.json")):
        try:
            data = json.loads(path.read_bytes())
            axes = tuple(
                Axis(**{**axis, "values": tuple(axis["values"]), "labels": tuple(axis["labels"])})
                for axis in data.pop("axes")
            )
            runs = tuple(PlannedRun(**{**run, "groups": tuple(run["groups"])}) for run in data.pop("runs"))
            found.append(Plan(axes=axes, runs=runs, **data))
        except (OSError, ValueError, KeyError, TypeError):
            continue
    return found
