"""Forms of the settings that the engine's contract declares, and the few that files write differently.

A setting of the contract needs no line here: its JSON Schema gives type, unit, range, default, name in files and text.
Reading a table gives the engine's form: the contract's names, integers in its units.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from enum import Enum
from functools import cache
from typing import Any

from fairlane.engine.declarations import Setting, kinds_of, option_of, schema_of
from fairlane.scenario.forms import FLAG, NAME, Form, Number, Range, Text, Words
from fairlane.scenario.quantity_forms import POSITIVE_TIME, RATE, SHARE, SIZE, TIME, Quantity
from fairlane.scenario.queue import QUEUE
from fairlane.scenario.table_forms import Choice, Key, ListOf, MapOf, OneOrMore, Short, Table
from fairlane.scenario.workloads import BOX

ACCECN = "accecn"
"""`ecn = "accecn"` sets both `ecn` and `accecn`, so that one axis of a sweep has all three."""
_BOUNDS = {"uint8": (0, 2**8 - 1), "uint16": (0, 2**16 - 1), "uint32": (0, 2**32 - 1), "int64": (-(2**63), 2**63 - 1)}
"""Of integer formats; no file can write more than 64 bits."""


class Defaults(Enum):
    """The settings that a table in the engine's form has."""

    ALL = 1
    """Those that have a default, and those that the file gives."""
    GIVEN = 2
    """Those that the file gives."""
    LAYERED = 4
    """Those that the file gives; another table has what is absent, so that the default is none of this one's."""
    CHANGED = 3
    """Those that the file gives, and that are not the default."""


@cache
def keys_of(table: str, prefix: str = "") -> dict[str, Key]:
    """The keys that a file has for the settings of a table; those below `prefix`, if it is given."""
    schema = schema_of(table)
    required = schema.get("required", ())
    made = {}
    for name, setting in schema["properties"].items():
        in_file = setting.get("x-file", option_of(name))
        rest = in_file.removeprefix(prefix)
        if "const" in setting and not prefix:
            made[name] = Key(Words((setting["const"],)), "", setting["const"], engine=name)
        elif in_file.startswith(prefix) and rest and "." not in rest:
            added = ADDED.get((table, rest))
            if added:
                made |= added(_key(table, name, rest, setting, name in required))
            else:
                made[rest] = _key(table, name, rest, setting, name in required)
    return made


def table(name: str, defaults: Defaults = Defaults.ALL) -> Table:
    """The form of a table of the contract. Reading it gives the engine's form."""
    return _table(name, defaults)


@cache
def _table(name: str, defaults: Defaults) -> Table:
    text = one_line(schema_of(name)["description"])
    return Table(name, text, lambda: keys_of(name), lambda values: engine_form(keys_of(name), values, defaults))


def engine_form(
    keys: Mapping[str, Key], values: Mapping[str, object], defaults: Defaults = Defaults.ALL
) -> dict[str, object]:
    """Settings by the contract's names, from those of a file."""
    made: dict[str, object] = {}
    if defaults is Defaults.ALL:
        made = {key.engine: key.default for key in keys.values() if key.default is not None}
    for name, value in values.items():
        key = keys.get(name)
        if key is not None and not (defaults is Defaults.CHANGED and value == key.default):
            made[key.engine] = value
    return made


def _key(table: str, name: str, in_file: str, setting: Setting, is_required: bool) -> Key:
    form = _form(f"{table}.{name}", name, in_file, setting)
    default = setting.get("x-file-default", setting.get("default"))
    if default is None and setting.get("type") == "array" and not is_required:
        default = []
    return Key(
        form,
        _description(setting),
        default,
        is_required and default is None,
        tuple(setting.get("examples", ())),
        engine=name,
    )


def _description(setting: Setting) -> str:
    """The text of a setting, with that of its words."""
    text = one_line(setting["description"])
    words = _definition(setting).get("oneOf", ())
    told = [f"`{word['const']}`: {one_line(word['description'])}" for word in words if "const" in word]
    return " ".join([text, *told])


def _definition(setting: Setting) -> Setting:
    return schema_of(setting["$ref"].rpartition("/")[2]) if "$ref" in setting else {}


def _form(place: str, name: str, in_file: str, setting: Setting) -> Form:
    if "anyOf" in setting:
        setting = next(one for one in setting["anyOf"] if "$ref" in one)
    if "$ref" in setting:
        return _named(setting["$ref"].rpartition("/")[2])
    kind = setting["type"][0] if isinstance(setting["type"], list) else setting["type"]
    bounds = _range(setting)
    if setting.get("x-unit") == "share" and kind == "number":
        return Quantity(SHARE, bounds)
    if kind in ("integer", "number"):
        unit = _unit(name, in_file, bounds)
        return Quantity(unit, bounds) if unit else Number(bounds, kind == "integer")
    if kind == "array":
        items = {"x-unit": setting.get("x-unit"), "x-hint": "", **setting["items"]}
        return ListOf(_form(place, name, in_file, items), setting.get("minItems", 0), setting.get("maxItems"))
    if kind == "object":
        return MapOf(_form(place, name, in_file, setting["additionalProperties"]))
    return FLAG if kind == "boolean" else Text(max(1, setting.get("minLength", 0)), setting.get("maxLength"))


def _unit(name: str, in_file: str, bounds: Range) -> Any:
    """The unit that a file writes behind the value: that of the contract's name, where the file's has none."""
    if name == in_file and name != "bytes":
        return None
    time = POSITIVE_TIME if bounds.low >= 1 else TIME
    endings = {"_ns": time, "_bps": RATE, "bytes": SIZE}
    return next((unit for ending, unit in endings.items() if name.endswith(ending)), None)


def _range(setting: Setting) -> Range:
    infinite = float("inf")
    low, high = _BOUNDS.get(setting.get("format", ""), (-infinite, infinite))
    return Range(
        setting.get("minimum", low),
        setting.get("maximum", high),
        setting.get("exclusiveMinimum", -infinite),
        setting.get("exclusiveMaximum", infinite),
        setting.get("x-hint", ""),
    )


@cache
def _named(name: str) -> Form:
    """The form of a definition: words, a table, or one of several tables, with its short form."""
    if name == "QueueConfig":
        return QUEUE
    schema = schema_of(name)
    if "oneOf" not in schema:
        form: Form = table(name)
    elif all("const" in one for one in schema["oneOf"]):
        form = Words(tuple(one["const"] for one in schema["oneOf"]))
    else:
        form = Choice({kind: table(f"{name}.{kind}") for kind in kinds_of(name)}, GUESS.get(name))
    return SHORT[name](form) if name in SHORT else form


def _by_kind(form: Form) -> Form:
    """A word stands for a table of that kind."""
    tables = form.tables if isinstance(form, Choice) else {}
    words = tuple(kind for kind, one in tables.items() if not any(key.is_required for key in _others(one)))
    return Short(form, Words(words), lambda value: {"kind": value} if isinstance(value, str) else value)


def _others(one: Table) -> Iterator[Key]:
    return (key for name, key in one.keys.items() if name != "kind")


def _sizes(form: Form) -> Form:
    """The name of a distribution stands for a table with its name."""
    words = Words(tuple(BOX))
    return Short(form, words, lambda value: {"kind": "empirical", "name": value} if isinstance(value, str) else value)


def _kind_of_outages(given: Mapping[str, object]) -> str:
    if "at" not in given and any(key.startswith("mean_") for key in given):
        return "random"
    return "periodic" if "every" in given else "listed"


GUESS: dict[str, Callable[[Mapping[str, object]], str]] = {"OutageConfig": _kind_of_outages}
"""Definitions whose kind a file may leave out."""
SHORT: dict[str, Callable[[Form], Form]] = {
    "Workload": _by_kind,
    "WifiDriver": _by_kind,
    "Sizes": _sizes,
    "LossConfig": lambda form: Short(form, Quantity(SHARE), lambda it: {"kind": "independent", "probability": it}),
    "JitterConfig": lambda form: Short(form, Quantity(TIME), lambda value: {"max": value}),
    "CorruptConfig": lambda form: Short(form, Quantity(SHARE), lambda value: {"probability": value}),
    "EcnFaultConfig": lambda form: Short(form, _named("EcnFault"), lambda it: {"fault": it}),
    "ReorderConfig": lambda form: Short(form, Quantity(SHARE), lambda value: {"probability": value}),
    "SlotConfig": lambda form: Short(form, Quantity(TIME), lambda value: {"min": value}),
}
"""Definitions that a file may write as one value."""


def ecn(key: Key) -> Key:
    """ECN with or without accurate feedback."""
    text = f'{key.description} `"{ACCECN}"` offers accurate feedback too (RFC 9768).'
    return replace(key, form=Words((ACCECN,), flags=True), description=text, default=None, examples=())


def _points(_key: Key) -> dict[str, Key]:
    what = "Path of a file with one point of the CDF per line: bytes, and a share up to 1 or percent."
    return {
        "name": Key(Words(tuple(BOX)), "A published distribution.", engine="name"),
        "file": Key(Text(), what, engine="file"),
    }


def _arrivals(key: Key) -> dict[str, Key]:
    what = "Path of a CSV file with the columns `start_s` and `bytes`, a row for each connection."
    return {"arrivals": Key(Text(1), what, None, True, ("arrivals.csv",), engine=key.engine)}


def _machine(key: Key) -> dict[str, Key]:
    text = "Name of the machine, for `tcp_memory`; without it each entry of `flows` is a machine."
    return {"machine": Key(NAME, text, engine="machine")}


def _one_or_more(name: str) -> Callable[[Key], dict[str, Key]]:
    """One entry needs no brackets."""

    def made(key: Key) -> dict[str, Key]:
        assert isinstance(key.form, ListOf)
        return {name: replace(key, form=OneOrMore(key.form))}

    return made


ADDED: dict[tuple[str, str], Callable[[Key], dict[str, Key]]] = {
    ("LinkConfig", "outages"): _one_or_more("outages"),
    ("OutageConfig.listed", "at"): _one_or_more("at"),
    ("Sizes.empirical", "points"): _points,
    ("Workload.arrivals", "arrivals"): _arrivals,
    ("AccessLogConfig", "start"): lambda key: {
        "start": Key(key.form, f"{key.description} Absent, half of the run.", engine=key.engine)
    },
    ("SenderHost", "ecn"): lambda key: {"ecn": ecn(key)},
    ("ReceiverHost", "ecn"): lambda key: {"ecn": ecn(key)},
    ("SenderHost", "machine"): _machine,
}
"""Keys that a file has in place of one of the contract's, by table and name."""


def one_line(text: str) -> str:
    """A text of the contract without its line ends."""
    return re.sub(r"\s+", " ", text).strip()
