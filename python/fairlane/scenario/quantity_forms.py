"""Forms of quantities with units."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from fairlane.scenario import units
from fairlane.scenario.diagnostics import Place
from fairlane.scenario.forms import Definitions, Form, JsonSchema, Range, Reader


@dataclass(frozen=True)
class Unit:
    """A unit that a file writes behind a number."""

    parse: Callable[[str], Any]
    show: Callable[[Any], str]
    pattern: str
    examples: tuple[str, ...]
    stand_in: object = None
    may_be_zero: bool = False
    """Zero needs no unit."""


_NUMBER = r"[+]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?"


_ZERO = r"[+-]?(0+(\.0*)?|\.0+)"


@dataclass(frozen=True)
class Quantity(Form):
    """A number with a unit."""

    unit: Unit
    range: Range = Range()

    def read(self, value: object, place: Place, reader: Reader) -> object:
        if isinstance(value, bool) or not isinstance(value, (str, int, float)):
            raise ValueError(f'must be text with a unit, such as "{self.unit.examples[0]}"')
        found = self.unit.parse(str(value))
        if isinstance(found, (int, float)):
            self.range.check(found, lambda bound: self.unit.show(bound))
        return found

    def stand_in(self) -> object:
        return self.unit.stand_in

    def schema(self, definitions: Definitions) -> JsonSchema:
        pattern = f"{_NUMBER}\\s*({self.unit.pattern})"
        made: JsonSchema = {"type": "string", "pattern": rf"^\s*{pattern}\s*$"}
        if self.unit.may_be_zero and self.range.low <= 0:  # zero needs no quotes then
            made = {
                "type": ["string", "number"],
                "pattern": rf"^\s*({pattern}|{_ZERO})\s*$",
                "minimum": 0,
                "maximum": 0,
            }
        return {**made, "examples": list(self.unit.examples)}

    def written(self, value: object) -> object:
        return self.unit.show(value)


def _any_case(*words: str) -> str:
    return "|".join("".join(f"[{c}{c.upper()}]" if c.isalpha() else c for c in word) for word in words)


def _bytes(text: str) -> int:
    size = units.buffer(text, "250kB")
    if size.unit != "bytes":
        raise units.QuantityError(f"'{text}' is not a number of bytes; write for example 250kB")
    return int(size.amount)


def _compact(show: Callable[[float], str]) -> Callable[[float], str]:
    return lambda value: show(value).replace(" ", "")


_TIME = _any_case("ns", "us", "ms", "s", "min", "h") + "|[µμ][sS]"
_SIZE = r"[kKmMgG]?[iI]?[bB]"


RATE = Unit(
    units.rate_bps,
    _compact(units.show_rate),
    r"[kKmMgGtT]?([bB][iI][tT]([sS]|/[sS])?|b[pP][sS]|b/[sS])",
    ("100mbit", "2.5gbit"),
    10**9,
)


TIME = Unit(
    units.time_ns,
    _compact(units.show_time),
    _TIME,
    ("20ms", "5s"),
    10**6,
    may_be_zero=True,
)


POSITIVE_TIME = replace(TIME, parse=units.positive_time_ns, examples=("20ms", "30s"), may_be_zero=False)


SIZE = Unit(_bytes, units.size_text, _SIZE, ("250kB", "64MiB"), 1000)


BUFFER = Unit(
    units.buffer,
    str,
    f"{_any_case('bdp')}|{_TIME}|{_SIZE}|{_any_case('p', 'packet', 'packets')}",
    ("1bdp", "250ms", "250kB", "100p"),
)


SHARE = Unit(units.probability, lambda share: f"{share * 100:g}%", "%", ("0.1%", "2%"), 0.0, may_be_zero=True)
