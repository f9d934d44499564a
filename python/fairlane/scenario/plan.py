"""The runs of an experiment: for each its key, its axes, its seed.

The batches hold runs without saying what they are for. The plan says it, so that an experiment that gains an axis,
or shares runs with another one, finds what is already computed.
"""

from dataclasses import dataclass, field
from typing import Any

AxisValue = float | int | str | bool


@dataclass(frozen=True)
class Axis:
    """One dimension of a sweep."""

    name: str
    """Its short name: `rate`."""
    column: str
    """Its column in every table, with the unit: `rate_mbps`."""
    unit: str
    """Empty for words."""
    values: tuple[AxisValue, ...]
    """The column's values, in the order of the experiment file."""
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
    study: str = ""
    """The study that it belongs to, if any."""
    read_from: str = field(default="", compare=False)
    """The checksum of the file that it was read from; empty if it was worked out."""
