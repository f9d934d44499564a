"""Names of the dimensions of a sweep in tables: a short name, a unit, numbers where there are numbers."""

from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from fairlane.engine.declarations import metric_columns, yielding
from fairlane.scenario import units
from fairlane.scenario.matrix import Dimension
from fairlane.scenario.plan import Axis, AxisValue

RESERVED = frozenset(
    {"experiment", "run", "seed", "repeat", "flow", "link", "group", "name", "algorithm", "t_s", "command", "host"}
)
"""Columns that tables have anyway."""


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
        for read, measures in _KINDS:
            try:
                found = [read(value) for value in values]
            except units.QuantityError:
                continue
            suffix, unit, size = measures(found)
            if suffix:
                return f"{name}_{suffix}", unit, tuple(float(value / size) for value in found)
    if all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in values):
        return name, "", tuple(values)
    if all(isinstance(value, bool) for value in values):
        return name, "", tuple(values)
    return name, "", dimension.labels


Measure = tuple[str, str, int]


def _rates(_values: Sequence[Any]) -> Measure:
    return "mbps", "Mbps", 10**6


def _times(values: Sequence[Any]) -> Measure:
    return ("s", "s", 10**9) if all(value == 0 or value >= 10**9 for value in values) else ("ms", "ms", 10**6)


def _sizes(values: Sequence[Any]) -> Measure:
    unit = values[0].unit if len({value.unit for value in values}) == 1 else ""
    return {"bdp": ("bdp", "BDP", 1), "bytes": ("kb", "kB", 1000), "packets": ("packets", "packets", 1)}.get(
        unit, ("", "", 1)
    )


def _shares(_values: Sequence[Any]) -> Measure:
    return "pct", "%", 1


class _Size(units.Buffer):
    """A buffer that can be divided, as the other quantities can."""

    def __truediv__(self, divisor: int) -> Fraction:
        return self.amount / divisor


def _size(text: str) -> _Size:
    found = units.buffer(text)
    return _Size(found.amount, found.unit)


def _share(text: str) -> float:
    return units.probability(text) * 100


_KINDS: tuple[tuple[Callable[[str], Any], Callable[[Sequence[Any]], Measure]], ...] = (
    (units.rate_bps, _rates),
    (units.time_ns, _times),
    (_size, _sizes),
    (_share, _shares),
)
