"""The values of an experiment file: text with a unit, turned into the engine's integers."""

from collections.abc import Callable
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, WithJsonSchema

from fairlane import units

_NUMBER = r"^\s*[+]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?\s*"


def _read(parse: Callable[[str], Any], example: str) -> Callable[[Any], Any]:
    def read(value: Any) -> Any:
        if isinstance(value, bool) or not isinstance(value, (str, int, float)):
            raise ValueError(f'must be text with a unit, such as "{example}"')
        return parse(str(value))

    return read


def _quantity(parse: Callable[[str], Any], unit: str, *examples: str) -> Any:
    schema = {"type": "string", "pattern": f"{_NUMBER}({unit})\\s*$", "examples": list(examples)}
    return (BeforeValidator(_read(parse, examples[0])), WithJsonSchema(schema), Field(examples=list(examples)))


def _bytes(text: str) -> int:
    size = units.buffer(text)
    if size.unit != "bytes":
        raise units.QuantityError(f"'{text}' is no number of bytes; write for example 250kB")
    return int(size.amount)


_RATE = r"[kKmMgGtT]?(bit(s|/s|ps)?|bps|b/s)"
_TIME = r"ns|us|µs|μs|ms|s|min|h"
_BYTES = r"[bB]|[kKmMgG][iI]?[bB]"
_PACKETS = r"p|packets?"

Rate = Annotated[int, *_quantity(units.rate_bps, _RATE, "100mbit", "2.5gbit")]
Time = Annotated[int, *_quantity(units.time_ns, _TIME, "20ms", "5s")]
PositiveTime = Annotated[int, *_quantity(units.positive_time_ns, _TIME, "20ms", "30s")]
Size = Annotated[int, *_quantity(_bytes, _BYTES, "250kB", "64MiB")]
BufferSize = Annotated[units.Buffer, *_quantity(units.buffer, f"bdp|{_BYTES}|{_PACKETS}", "1bdp", "250kB", "100p")]
Share = Annotated[float, *_quantity(units.probability, "%", "0.1%", "2%")]
