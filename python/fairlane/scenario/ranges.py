"""Ranges of a sweep: `{ from = "10mbit", to = "100mbit", step = "10mbit" }`, or `count` values, evenly or by log."""

import re
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from fairlane.scenario.units import BYTE_UNITS, PACKET_RATE_UNITS, RATE_UNITS, TIME_UNITS

RANGE_KEYS = frozenset({"from", "to", "step", "count", "scale", "values", "labels"})
MAX_VALUES = 100_000

_QUANTITY = re.compile(r"\s*([+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d{1,2})?)\s*([^\d\s]*)\s*", re.IGNORECASE | re.ASCII)
_EXAMPLE = '{ from = "10mbit", to = "100mbit", step = "10mbit" }, or count = 5 instead of step'


def spread(table: Mapping[str, Any]) -> list[Any]:
    """The values of a range. Raises ValueError with reason and remedy.

    >>> spread({"from": "10ms", "to": "30ms", "step": "10ms"})
    ['10ms', '20ms', '30ms']
    >>> spread({"from": 1, "to": 100, "count": 3, "scale": "log"})
    [1, 10, 100]
    >>> spread({"from": "10ms", "to": "1s", "count": 3, "scale": "log"})
    ['10ms', '100ms', '1000ms']
    """
    unknown = set(table) - RANGE_KEYS - {"name"}
    if unknown:
        raise ValueError(f"a range has no {sorted(unknown)[0]}; write {_EXAMPLE}")
    if "values" in table:
        if set(table) - {"values", "name", "labels"}:
            raise ValueError("has values and a range; keep one of them")
        values = table["values"]
        if not isinstance(values, list):
            raise ValueError("values must be a list")
        return values
    if not {"from", "to"} <= set(table) or ("step" in table) == ("count" in table):
        raise ValueError(f"a range needs from, to, and either step or count; write {_EXAMPLE}")
    first, unit = _split(table["from"])
    last = _in_unit("to", table["to"], unit)
    whole = all(isinstance(table[key], int) for key in ("from", "to", "step") if key in table)
    numbers = _by_step(table, first, last, unit) if "step" in table else _by_count(table, first, last)
    return [_written(number, unit, whole=whole) for number in numbers]


def _by_step(table: Mapping[str, Any], first: Fraction, last: Fraction, unit: str) -> list[Fraction]:
    if table.get("scale", "linear") != "linear":
        raise ValueError("a logarithmic range has a count instead of a step")
    step = _in_unit("step", table["step"], unit)
    if step == 0 or (last - first) / step < 0:
        raise ValueError("step does not lead from `from` to `to`; change its sign or swap the ends")
    count = int((last - first) / step) + 1
    if count > MAX_VALUES:
        raise ValueError(f"makes {count:,} values; the most is {MAX_VALUES:,}: raise the step")
    return [first + step * index for index in range(count)]


def _by_count(table: Mapping[str, Any], first: Fraction, last: Fraction) -> list[Fraction]:
    count, scale = table["count"], table.get("scale", "linear")
    if isinstance(count, bool) or not isinstance(count, int) or not 2 <= count <= MAX_VALUES:
        raise ValueError(f"count must be an integer from 2 to {MAX_VALUES:,}")
    if scale not in ("linear", "log"):
        raise ValueError('scale must be "linear" or "log"')
    if scale == "linear":
        return [first + (last - first) * index / (count - 1) for index in range(count)]
    if first <= 0 or last <= 0:
        raise ValueError("a range by log begins and ends above zero")
    ratio = float(last) / float(first)
    between = [Fraction(f"{float(first) * ratio ** (index / (count - 1)):.3g}") for index in range(1, count - 1)]
    return [first, *between, last]


def _in_unit(key: str, value: Any, unit: str) -> Fraction:
    """A number in the unit of `from`."""
    number, own = _split(value)
    if own == unit:
        return number
    for table in (RATE_UNITS, TIME_UNITS, BYTE_UNITS, PACKET_RATE_UNITS):
        if own.lower() in table and unit.lower() in table:
            return number * table[own.lower()] / table[unit.lower()]
    raise ValueError(f"from and {key} have units that do not fit together, '{unit}' and '{own}'; use one")


def _split(value: Any) -> tuple[Fraction, str]:
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        raise ValueError(f"{value!r} is not a number with a unit; write {_EXAMPLE}")
    found = _QUANTITY.fullmatch(str(value))
    if not found:
        raise ValueError(f"'{value}' is not a number with a unit; write {_EXAMPLE}")
    return Fraction(found[1]), found[2]


def _written(number: Fraction, unit: str, *, whole: bool) -> Any:
    if not unit and whole:
        return int(number) if number.denominator == 1 else round(float(number))
    rounded = float(f"{float(number):.9g}")
    if not unit:
        return rounded
    text = f"{int(rounded)}" if rounded == int(rounded) and abs(rounded) < 1e15 else f"{rounded:.9g}"
    return f"{text}{unit}"
