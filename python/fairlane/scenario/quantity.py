"""The values of an experiment file: text with a unit, turned into the engine's integers."""

from collections.abc import Callable
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, WithJsonSchema

from fairlane.scenario import units

_NUMBER = r"[+]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?"
_ZERO = r"[+-]?(0+(\.0*)?|\.0+)"


def _read(parse: Callable[[str], Any], example: str) -> Callable[[Any], Any]:
    def read(value: Any) -> Any:
        if isinstance(value, bool) or not isinstance(value, (str, int, float)):
            raise ValueError(f'must be text with a unit, such as "{example}"')
        return parse(str(value))

    return read


def _quantity(parse: Callable[[str], Any], unit: str, *examples: str, may_be_zero: bool = False) -> Any:
    pattern = f"{_NUMBER}\\s*({unit})"
    schema: dict[str, Any] = {"type": "string", "pattern": rf"^\s*{pattern}\s*$"}
    if may_be_zero:  # zero needs no unit, and then no quotes
        schema = {"type": ["string", "number"], "pattern": rf"^\s*({pattern}|{_ZERO})\s*$", "minimum": 0, "maximum": 0}
    schema["examples"] = list(examples)
    return (BeforeValidator(_read(parse, examples[0])), WithJsonSchema(schema), Field(examples=list(examples)))


def _bytes(text: str) -> int:
    size = units.buffer(text, "250kB")
    if size.unit != "bytes":
        raise units.QuantityError(f"'{text}' is not a number of bytes; write for example 250kB")
    return int(size.amount)


def _any_case(*words: str) -> str:
    return "|".join("".join(f"[{c}{c.upper()}]" if c.isalpha() else c for c in word) for word in words)


_RATE = r"[kKmMgGtT]?([bB][iI][tT]([sS]|/[sS])?|b[pP][sS]|b/[sS])"
_TIME = _any_case("ns", "us", "ms", "s", "min", "h") + "|[µμ][sS]"
_BYTES = r"[kKmMgG]?[iI]?[bB]"
_PACKETS = _any_case("p", "packet", "packets")
_BDP = _any_case("bdp")

Rate = Annotated[int, *_quantity(units.rate_bps, _RATE, "100mbit", "2.5gbit")]
Time = Annotated[int, *_quantity(units.time_ns, _TIME, "20ms", "5s", may_be_zero=True)]
PositiveTime = Annotated[int, *_quantity(units.positive_time_ns, _TIME, "20ms", "30s")]
Size = Annotated[int, *_quantity(_bytes, _BYTES, "250kB", "64MiB")]
BufferSize = Annotated[units.Buffer, *_quantity(units.buffer, f"{_BDP}|{_BYTES}|{_PACKETS}", "1bdp", "250kB", "100p")]
Share = Annotated[float, *_quantity(units.probability, "%", "0.1%", "2%", may_be_zero=True)]
