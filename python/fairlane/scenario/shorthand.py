"""Short forms that the command line and Python share: `cubic*5`, `codel:ecn=true,target=8ms`, `rate_mbps=20`.

What belongs here: turning them into what an experiment file would say, which is checked when it is loaded.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from fairlane.scenario.units import QuantityError

MOST_FLOWS = 10_000
Option = str | int | float | bool
"""The value of an option of a queue discipline."""
_MULTIPLE = re.compile(r"(.*\S)\s*\*\s*(\d+)", re.DOTALL)
_INTEGER = re.compile(r"[+-]?\d+")
_NUMBER = re.compile(r"[+-]?(\d+\.\d*|\.\d+)")


def multiple(text: str) -> tuple[str, int]:
    """An algorithm and how many flows use it. Raises QuantityError.

    >>> multiple("cubic*5"), multiple("bbr")
    (('cubic', 5), ('bbr', 1))
    """
    found = _MULTIPLE.fullmatch(text)
    if not found:
        return text, 1
    count = int(found[2]) if len(found[2]) < 9 else MOST_FLOWS + 1
    if not 1 <= count <= MOST_FLOWS:
        raise QuantityError(f"'{text}' is not 1 to {MOST_FLOWS:,} flows; write for example cubic*5")
    return found[1], count


def queue_table(text: str) -> str | dict[str, Option]:
    """A queue discipline with options, as the table of an experiment file. Raises QuantityError.

    >>> queue_table("fq_codel"), queue_table("codel:ecn=true,target=8ms")
    ('fq_codel', {'kind': 'codel', 'ecn': True, 'target': '8ms'})
    """
    kind, colon, settings = text.partition(":")
    if not colon:
        return kind
    table: dict[str, Option] = {"kind": kind}
    for setting in settings.split(","):
        name, equals, value = (part.strip() for part in setting.partition("="))
        if not (name and equals and value):
            raise QuantityError(f"'{text}' has an option that is not name=value; write for example codel:target=8ms")
        if name in table:
            raise QuantityError(f"'{text}' sets '{name}' twice; set it once")
        table[name] = _value(value)
    return table


def _value(text: str) -> Option:
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    if _INTEGER.fullmatch(text):
        return int(text)
    return float(text) if _NUMBER.fullmatch(text) else text


IN_UNITS = {
    "rate_mbps": ("rate", "mbit"),
    "reverse_rate_mbps": ("reverse_rate", "mbit"),
    "rtt_ms": ("rtt", "ms"),
    "start_s": ("start", "s"),
    "duration_s": ("duration", "s"),
    "interval_ms": ("interval", "ms"),
    "start_jitter_ms": ("start_jitter", "ms"),
    "buffer_bdp": ("buffer", "bdp"),
    "buffer_kb": ("buffer", "kB"),
    "buffer_packets": ("buffer", "p"),
    "loss_pct": ("loss", "%"),
}
"""Numbers whose unit is in their name, and the quantity that each stands for."""


def in_units(numbers: Mapping[str, object]) -> dict[str, str | list[str]]:
    """Numbers as quantities. Raises QuantityError for two forms of one quantity.

    >>> in_units({"rate_mbps": 20, "rtt_ms": [10, 80.5]})
    {'rate': '20mbit', 'rtt': ['10ms', '80.5ms']}
    """
    found: dict[str, str | list[str]] = {}
    for given, value in numbers.items():
        name, unit = IN_UNITS[given]
        if name in found:
            raise QuantityError(f"{name} is given twice; keep one of its forms")
        if isinstance(value, Sequence) and not isinstance(value, str):
            found[name] = [_quantity(given, one, unit) for one in value]
        else:
            found[name] = _quantity(given, value, unit)
    return found


def _quantity(name: str, value: object, unit: str) -> str:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        what = IN_UNITS[name][0]
        raise QuantityError(f"{name} is not a number: {value!r}; write a number, or {what}=... with its unit")
    return f"{value:.15g}{unit}"


def with_unit(name: str, value: Any) -> Any:
    """The value, unless it is a number without a unit. Raises QuantityError that names the argument with the unit."""
    values = value if isinstance(value, Sequence) and not isinstance(value, str) else [value]
    for one in values:
        if isinstance(one, (int, float)) and not isinstance(one, bool):
            forms = [(given, unit) for given, (known, unit) in IN_UNITS.items() if known == name]
            other = " or ".join(given for given, _ in forms)
            raise QuantityError(f'{name}: {one:g} has no unit; write {name}="{one:g}{forms[0][1]}", or {other}={one:g}')
    return value
