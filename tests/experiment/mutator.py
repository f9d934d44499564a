"""Mutates experiment files as users, editors and disks do: values, keys, structure, single characters."""

import copy
import random
import tomllib
from pathlib import Path
from typing import Any

ODD: list[Any] = [
    "", " ", "0", "1", "-1", "0ms", "20", "20xs", "1e99mbit", "nan", "inf", "-5mbit", "1bdp", "0.1%", "200%", "10mbit",
    "3p", "1B", "fifo", "codel", "cubic", "cubic:beta=1", "cubic:beta", "./nowhere.c", "/", "\x00", "ä" * 300, "*",
    "long " * 40_000,
    0, 1, -1, 2**63, 2**64, 10**30, 1.5, -0.0, float("nan"), float("inf"), True, False, [], {}, [[]], [{}], ["a"],
    {"kind": "fifo"}, {"kind": 3}, {"from": 1, "to": 2}, {"from": "1ms", "to": "5ms", "step": "1ms"}, {"a": {"b": {}}},
    tomllib.loads("x = 2020-01-01")["x"], tomllib.loads("x = 10:00:00")["x"],
]  # fmt: skip
KEYS = [
    "rate",
    "rtt",
    "kind",
    "network",
    "flows",
    "sweep",
    "zip",
    "exclude",
    "",
    "a.b",
    "*",
    "0",
    "network.rate",
    "...",
]


def mutated_data(data: dict[str, Any], random: random.Random) -> dict[str, Any]:
    """A copy with one to three changes of values or structure."""
    spoiled = copy.deepcopy(data)
    for _ in range(random.randint(1, 3)):
        slots = list(_slots(spoiled))
        if not slots:
            break  # an earlier change took everything away
        holder, key = random.choice(slots)
        match random.randrange(6):
            case 0 | 1:
                holder[key] = copy.deepcopy(random.choice(ODD))
            case 2:
                del holder[key]
            case 3 if isinstance(holder, dict):
                holder[random.choice([*KEYS, _slip(str(key), random)])] = holder.pop(key)
            case 4:
                holder[key] = copy.deepcopy(random.choice([value[key] for value, key in slots]))
            case _ if isinstance(holder[key], str):
                holder[key] = _slip(holder[key], random)
    return spoiled


def mutated_text(text: str, random: random.Random) -> bytes:
    """The text with some bytes changed, lines lost or doubled, or its end cut off."""
    lines = text.splitlines(keepends=True)
    match random.randrange(5):
        case 0:
            del lines[random.randrange(len(lines))]
        case 1:
            lines.insert(random.randrange(len(lines)), random.choice(lines))
        case 2:
            i = random.randrange(len(lines))
            lines[i] = _slip(lines[i], random)
        case 3:
            return text.encode()[: random.randrange(len(text))]
        case 4:
            content = bytearray(text.encode())
            for _ in range(random.randint(1, 4)):
                content[random.randrange(len(content))] = random.randrange(256)
            return bytes(content)
    return "".join(lines).encode()


def read(path: Path) -> dict[str, Any]:
    return tomllib.loads(path.read_text())


def _slots(value: Any) -> Any:
    """Every place that holds a value."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in list(items):
        yield value, key
        yield from _slots(inner)


def _slip(text: str, random: random.Random) -> str:
    """A typing error."""
    if not text:
        return "x"
    at = random.randrange(len(text))
    other = random.choice("aeiou0159.-_=[]{}\"'#%, \n")
    return random.choice(
        [text[:at] + text[at + 1 :], text[:at] + other + text[at:], text[:at] + other + text[at + 1 :]]
    )
