"""The axes of an experiment as tables name them, and its runs: for each its key, its axes, its seed.

The batches hold runs without saying what they are for. The plan says it, so that an experiment that gains an axis,
or shares runs with another one, finds what is already computed.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from fairlane.engine.declarations import metric_columns, yielding
from fairlane.scenario import units
from fairlane.scenario.matrix import Dimension

AxisValue = float | int | str | bool
MOST_SAMPLES = 100_000_000
"""Of all flows and links of a run."""
RESERVED = frozenset(
    {"experiment", "run", "seed", "repeat", "flow", "link", "group", "name", "algorithm", "t_s", "command", "host"}
)
"""Columns that tables have anyway."""


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

    def label(self, value: object) -> str:
        """A value as the experiment file writes it; `-` for none."""
        if value in self.values:
            return self.labels[self.values.index(value)]
        return "-" if value is None else str(value)

    @property
    def is_numeric(self) -> bool:
        """Whether all values are numbers; true and false are not."""
        return all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in self.values)


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


def axes(dimensions: Sequence[Dimension]) -> tuple[Axis, ...]:
    """The axes, in the order of the dimensions."""
    short = [one.name or _short(one.key) for one in dimensions]
    counts = Counter(short)
    made: list[Axis] = []
    for one, name in zip(dimensions, short, strict=True):
        shared = one.key.startswith(("flows.*.", "flows[*]."))
        if one.name is None and (counts[name] > 1 or (name in RESERVED and not (name == "algorithm" and shared))):
            name = _long(one.key)
        column, unit, values = _measured(name, one)
        column = yielding(column, metric_columns())
        taken = {axis.column for axis in made} | {axis.name for axis in made}
        while column in taken or name in taken:
            name, column = f"{name}_", f"{column}_"
        made.append(Axis(name, column, unit, values, one.labels))
    return tuple(made)


def _short(key: str) -> str:
    return _word(key.rsplit(".", 1)[-1])


def _long(key: str) -> str:
    """`flows.0.algorithm` is `flow0_algorithm`, `flows.rival.rtt` is `rival_rtt`."""
    parts = key.split(".")
    if parts[0] == "flows" and len(parts) > 2:
        parts = [f"flow{parts[1]}" if parts[1].isdigit() else "flows" if parts[1] == "*" else parts[1], *parts[2:]]
    return _word("_".join(parts))


def _word(text: str) -> str:
    word = "".join(letter if letter.isalnum() else "_" for letter in text)
    return word or "axis"


def _measured(name: str, dimension: Dimension) -> tuple[str, str, tuple[AxisValue, ...]]:
    """Column, unit and values: numbers with the unit in the column's name where every value is such a quantity."""
    values = dimension.values
    if all(isinstance(value, str) for value in values):
        for measured in (_rates, _times, _sizes, _shares):
            try:
                suffix, unit, numbers = measured(values)
            except units.QuantityError:
                continue
            return f"{name}_{suffix}", unit, tuple(float(number) for number in numbers)
    are_flags = {isinstance(value, bool) for value in values}
    if len(are_flags) == 1 and all(isinstance(value, (int, float)) for value in values):
        return name, "", tuple(values)
    return name, "", dimension.labels


Measure = tuple[str, str, Iterable[float | Fraction]]
"""The end of the column's name, the unit, and the values in it."""


def _rates(texts: Sequence[str]) -> Measure:
    return "mbps", "Mbps", [units.rate_bps(text) / 10**6 for text in texts]


def _times(texts: Sequence[str]) -> Measure:
    times_ns = [units.time_ns(text) for text in texts]
    unit, size = ("s", 10**9) if all(ns == 0 or ns >= 10**9 for ns in times_ns) else ("ms", 10**6)
    return unit, unit, [ns / size for ns in times_ns]


def _sizes(texts: Sequence[str]) -> Measure:
    sizes = [units.buffer(text) for text in texts]
    if len({size.unit for size in sizes}) > 1:
        raise units.QuantityError("the sizes have different units")
    if sizes[0].unit == "time":
        return _times(texts)
    suffix, unit, size = {"bdp": ("bdp", "BDP", 1), "bytes": ("kb", "kB", 1000), "packets": ("packets", "packets", 1)}[
        sizes[0].unit
    ]
    return suffix, unit, [one.amount / size for one in sizes]


def _shares(texts: Sequence[str]) -> Measure:
    return "pct", "%", [units.probability(text) * 100 for text in texts]
