"""Forms of the values in a file, and the walk that reads a file by them.

A form reads a value, and describes it as JSON Schema. Tables are declared by the engine's contract
(`contract_forms.py`) and, where files add keys, by data classes (`table_classes.py`). Every mistake is reported with
its place; the walk continues with a stand-in.
"""

from collections.abc import Callable, Mapping, Sized
from dataclasses import dataclass, replace
from functools import cached_property
from math import inf, isfinite
from typing import Any, Final

from fairlane.engine.messages import nearest
from fairlane.scenario import units
from fairlane.scenario.diagnostics import Diagnostic, Place

JsonSchema = dict[str, object]
"""A JSON Schema, or a part of one."""
Definitions = dict[str, JsonSchema]
MOST_REMEMBERED: Final = 10_000
"""Tables that one reader remembers; the points of a sweep share most of theirs."""


class Reader:
    """One reading of a file: its mistakes so far, and the tables that it has read without one."""

    def __init__(self) -> None:
        self.diagnostics: list[Diagnostic] = []
        self._read: dict[tuple[int, int], tuple[object, object]] = {}

    def report(self, place: Place, text: str) -> None:
        """Adds a mistake."""
        self.diagnostics.append(Diagnostic(place, text))

    def value(self, form: "Form", given: object, place: Place) -> object:
        """The value by this form, or what stands in for a wrong one; None if nothing does."""
        try:
            return form.read(given, place, self)
        except ValueError as error:
            self.report(place, str(error))
            return form.stand_in()

    def known(self, form: "Form", value: object) -> object:
        """The result for this very object; None if it has not been read."""
        return self._read.get((id(form), id(value)), (None, None))[1]

    def remember(self, form: "Form", value: object, result: object) -> None:
        """Stores the result for this very object, and keeps the object alive so that its id stays its own."""
        if len(self._read) >= MOST_REMEMBERED:
            self._read.clear()
        self._read[id(form), id(value)] = (value, result)


class Form:
    """A kind of value."""

    def read(self, value: object, place: Place, reader: Reader) -> object:
        """The value in the engine's units. Raises ValueError with reason and remedy if it is of another form."""
        raise NotImplementedError

    def stand_in(self) -> object:
        """A value to continue with where a given one is wrong; None: the key's default."""
        return None

    def schema(self, definitions: Definitions) -> JsonSchema:
        """Its JSON Schema; tables are added to `definitions`."""
        raise NotImplementedError

    def written(self, value: object) -> object:
        """A value in the engine's units as a file writes it."""
        return value


@dataclass(frozen=True)
class Range:
    """Bounds of a number, and a hint for values beyond them."""

    low: float = -inf
    high: float = inf
    above: float = -inf
    below: float = inf
    hint: str = ""

    def check(self, value: float, show: Callable[[float], str]) -> None:
        """Raises ValueError with the range if the value is outside of it."""
        if self.low <= value <= self.high and self.above < value < self.below:
            return
        bounds = {"at least": self.low, "above": self.above, "at most": self.high, "below": self.below}
        text = " and ".join(f"{word} {show(bound)}" for word, bound in bounds.items() if isfinite(bound))
        if isfinite(self.low) and isfinite(self.high):
            text = f"{show(self.low)} to {show(self.high)}"
        hint = self.hint if self.hint.startswith(",") or not self.hint else f" {self.hint}"
        raise ValueError(f"is {show(value)}; give {text}{hint}")

    @property
    def smallest(self) -> float:
        """A number inside, near the lower end."""
        return self.low if self.low > -inf else self.above + 1 if self.above > -inf else 0

    def schema(self) -> JsonSchema:
        """As JSON Schema."""
        bounds = {"minimum": self.low, "maximum": self.high, "exclusiveMinimum": self.above}
        bounds |= {"exclusiveMaximum": self.below}
        return {name: bound for name, bound in bounds.items() if isfinite(bound)}


@dataclass(frozen=True)
class Number(Form):
    """A number without a unit."""

    range: Range = Range()
    is_integer: bool = True

    def read(self, value: object, place: Place, reader: Reader) -> int | float:
        wanted = "an integer" if self.is_integer else "a number"
        if isinstance(value, bool) or not isinstance(value, int if self.is_integer else (int, float)):
            raise ValueError(f"must be {wanted}, not {shown(value)}")
        if not isfinite(value):
            raise ValueError("must be a finite number")
        self.range.check(value, lambda number: f"{number:,}" if isinstance(number, int) else f"{number:g}")
        return value if self.is_integer else float(value)

    def stand_in(self) -> object:
        return int(self.range.smallest) if self.is_integer else float(self.range.smallest)

    def schema(self, definitions: Definitions) -> JsonSchema:
        return {"type": "integer" if self.is_integer else "number", **self.range.schema()}


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
    _any_case("ns", "us", "ms", "s", "min", "h") + "|[µμ][sS]",
    ("20ms", "5s"),
    10**6,
    may_be_zero=True,
)
POSITIVE_TIME = replace(TIME, parse=units.positive_time_ns, examples=("20ms", "30s"), may_be_zero=False)
SIZE = Unit(_bytes, units.size_text, _SIZE, ("250kB", "64MiB"), 1000)
BUFFER = Unit(
    units.buffer, str, f"{_any_case('bdp')}|{_SIZE}|{_any_case('p', 'packet', 'packets')}", ("1bdp", "250kB", "100p")
)
SHARE = Unit(units.probability, lambda share: f"{share * 100:g}%", "%", ("0.1%", "2%"), 0.0, may_be_zero=True)


@dataclass(frozen=True)
class Text(Form):
    """Text."""

    at_least: int = 0
    at_most: int | None = None
    pattern: str = ""

    def read(self, value: object, place: Place, reader: Reader) -> str:
        import re

        if not isinstance(value, str):
            raise ValueError(f"must be text in quotes, not {shown(value)}")
        if len(value) < self.at_least:
            raise ValueError("is empty; give it a text")
        if self.at_most is not None and len(value) > self.at_most:
            raise ValueError(f"has {len(value)} characters; the most is {self.at_most}")
        if self.pattern and not re.match(self.pattern, value):
            raise ValueError(f"{shown(value)} must consist of letters, digits, '-', '_' and '.'")
        return value

    def stand_in(self) -> object:
        return "unnamed"

    def schema(self, definitions: Definitions) -> JsonSchema:
        bounds = _given(minLength=self.at_least or None, maxLength=self.at_most, pattern=self.pattern or None)
        return {"type": "string", **bounds}


@dataclass(frozen=True)
class Words(Form):
    """One of some words; `flags`: or true or false."""

    words: tuple[str, ...]
    flags: bool = False

    def read(self, value: object, place: Place, reader: Reader) -> str | bool:
        if isinstance(value, bool) and self.flags:
            return value
        if not isinstance(value, str) or value not in self.words:
            known = [*(("true", "false") if self.flags else ()), *self.words]
            raise ValueError(f"there is no {shown(value)}{nearest(str(value), known) or '.'} Known: {', '.join(known)}")
        return value

    def stand_in(self) -> object:
        return False if self.flags else self.words[0]

    def schema(self, definitions: Definitions) -> JsonSchema:
        if len(self.words) == 1 and not self.flags:
            return {"const": self.words[0], "type": "string"}
        return {"enum": [*((True, False) if self.flags else ()), *self.words]}


class Flag(Form):
    """True or false."""

    def read(self, value: object, place: Place, reader: Reader) -> bool:
        if not isinstance(value, bool):
            raise ValueError(f"must be true or false, not {shown(value)}")
        return value

    def schema(self, definitions: Definitions) -> JsonSchema:
        return {"type": "boolean"}

    def stand_in(self) -> object:
        return False


def _given(**bounds: object) -> JsonSchema:
    return {name: bound for name, bound in bounds.items() if bound is not None}


def _check_count(values: Sized, at_least: int, at_most: int | None) -> None:
    """Raises ValueError for too few or too many entries."""
    if len(values) < at_least:
        least = f"name at least {'one' if at_least == 1 else at_least}"
        raise ValueError(f"has {len(values)} entries; {least}" if len(values) else f"is empty; {least}")
    if at_most is not None and len(values) > at_most:
        raise ValueError(f"has {len(values)} entries; the most is {at_most}")


@dataclass(frozen=True)
class ListOf(Form):
    """A list."""

    items: Form
    at_least: int = 0
    at_most: int | None = None

    def read(self, value: object, place: Place, reader: Reader) -> object:
        known = reader.known(self, value)
        if known is not None:
            return known
        if not isinstance(value, list):
            raise ValueError(f"must be a list, not {shown(value)}")
        _check_count(value, self.at_least, self.at_most)
        before = len(reader.diagnostics)
        made = [reader.value(self.items, one, (*place, index)) for index, one in enumerate(value)]
        made = [one for one in made if one is not None]
        if len(reader.diagnostics) == before:
            reader.remember(self, value, made)
        return made

    def stand_in(self) -> object:
        return [self.items.stand_in()] * self.at_least

    def schema(self, definitions: Definitions) -> JsonSchema:
        bounds = _given(minItems=self.at_least or None, maxItems=self.at_most)
        return {"type": "array", "items": self.items.schema(definitions), **bounds}

    def written(self, value: object) -> object:
        return [self.items.written(one) for one in value] if isinstance(value, list) else value


@dataclass(frozen=True)
class MapOf(Form):
    """A table with keys of the user's choice."""

    values: Form
    at_least: int = 0
    at_most: int | None = None

    def read(self, value: object, place: Place, reader: Reader) -> object:
        if not isinstance(value, Mapping):
            raise ValueError(f"must be a table, not {shown(value)}")
        _check_count(value, self.at_least, self.at_most)
        made = {str(name): reader.value(self.values, one, (*place, str(name))) for name, one in value.items()}
        return {name: one for name, one in made.items() if one is not None}

    def stand_in(self) -> object:
        return {}

    def schema(self, definitions: Definitions) -> JsonSchema:
        return {"type": "object", "additionalProperties": self.values.schema(definitions)}


@dataclass(frozen=True)
class Key:
    """A key of a table."""

    form: Form
    description: str
    default: object = None
    """In the engine's units; None where absence has a meaning of its own."""
    is_required: bool = False
    examples: tuple[object, ...] = ()
    """As in a file."""
    engine: str = ""
    """Name in the contract."""
    stand_in: object = None
    """Value for the rest of the check where this one is wrong or missing."""
    missing: str = ""
    """The remedy where it is missing, in place of an example."""

    def example(self, name: str) -> str:
        """An example for the end of a message; may be empty."""
        examples = self.examples or (self.form.unit.examples if isinstance(self.form, Quantity) else ())
        if not examples:
            return self.missing
        one = examples[0]
        text = str(one).lower() if isinstance(one, bool) else f'"{one}"' if isinstance(one, str) else one
        return f"; write for example {name} = {text}"

    def schema(self, definitions: Definitions) -> JsonSchema:
        """Its JSON Schema."""
        made = {**self.form.schema(definitions), "description": self.description}
        if self.examples:
            made["examples"] = list(self.examples)
        if self.default not in (None, "", [], {}) and not isinstance(self.default, Mapping) and _is_plain(self.default):
            made["default"] = self.form.written(self.default)
        return made


def _is_plain(value: object) -> bool:
    return isinstance(value, (str, int, float, bool, list))


class Table(Form):
    """A table with known keys. `make` turns the values that are there, by key, into the result."""

    def __init__(
        self,
        name: str,
        description: str,
        keys: Callable[[], dict[str, Key]],
        make: Callable[[dict[str, object]], object],
    ) -> None:
        self.name, self.description = name, description
        self._declare, self._make = keys, make

    @cached_property
    def keys(self) -> dict[str, Key]:
        """By name in the file."""
        return self._declare()

    @cached_property
    def _required(self) -> list[str]:
        return [name for name, key in self.keys.items() if key.is_required]

    def read(self, value: object, place: Place, reader: Reader) -> object:
        known = reader.known(self, value)
        if known is not None:
            return known
        if not isinstance(value, Mapping):
            raise ValueError(f"must be a table, not {shown(value)}")
        before, values, keys = len(reader.diagnostics), dict[str, object](), self.keys
        for name, given in value.items():
            key = keys.get(name)
            if key is None:
                self._report_unknown(str(name), place, reader)
                continue
            try:
                values[name] = key.form.read(given, (*place, name), reader)
            except ValueError as error:
                example = key.example(name) if str(error).startswith("must be") and "such as" not in str(error) else ""
                reader.report((*place, name), f"{error}{example}")
                stand_in = _stand_in(key)
                if stand_in is not None:
                    values[name] = stand_in
        for name in self._required:
            if name not in value:
                reader.report((*place, name), f"is missing{keys[name].missing or keys[name].example(name)}")
                values[name] = _stand_in(keys[name])
        made = self._make(values)
        if len(reader.diagnostics) == before:
            reader.remember(self, value, made)
        return made

    def _report_unknown(self, name: str, place: Place, reader: Reader) -> None:
        known = sorted(self.keys) + ([] if place else ["inherits", "sweep"])
        hint = nearest(name, known)
        reader.report((*place, name), f"unknown key{hint or ';'} {'Known' if hint else 'known'}: {', '.join(known)}")

    def stand_in(self) -> object:
        return self.read({}, (), Reader())

    def schema(self, definitions: Definitions) -> JsonSchema:
        if self.name not in definitions:
            made: JsonSchema = {"type": "object", "description": self.description}
            definitions[self.name] = made
            made["properties"] = {name: key.schema(definitions) for name, key in self.keys.items()}
            made["additionalProperties"] = False
        return {"$ref": f"#/$defs/{self.name}"}


def _stand_in(key: Key) -> object:
    if key.stand_in is not None:
        return key.stand_in
    is_rate = isinstance(key.form, Quantity) and key.form.unit is RATE
    return key.form.stand_in() if key.is_required or is_rate else None


@dataclass(frozen=True)
class Choice(Form):
    """One of several tables, chosen by `kind`, or by other keys if there is a `guess`."""

    tables: Mapping[str, Table]
    guess: Callable[[Mapping[str, object]], str] | None = None

    def read(self, value: object, place: Place, reader: Reader) -> object:
        if not isinstance(value, Mapping):
            raise ValueError(f"must be a table, not {shown(value)}")
        kind = value.get("kind", self.guess(value) if self.guess else None)
        if kind is None:
            raise ValueError(f'needs a kind; write for example {{ kind = "{next(iter(self.tables))}" }}')
        if not isinstance(kind, str) or kind not in self.tables:
            hint = nearest(str(kind), self.tables) or "."
            raise ValueError(f"there is no {shown(kind)}{hint} Known: {', '.join(self.tables)}")
        return self.tables[kind].read(value, place, reader)

    def stand_in(self) -> object:
        return next(iter(self.tables.values())).stand_in()

    def schema(self, definitions: Definitions) -> JsonSchema:
        made = [table.schema(definitions) for table in self.tables.values()]
        for table in self.tables.values() if self.guess is None else ():
            definitions[table.name]["required"] = ["kind"]
        return {"anyOf": made}


@dataclass(frozen=True)
class Short(Form):
    """A table, or a short form that stands for one."""

    table: Form
    short: Form
    """The short form, for the schema."""
    expand: Callable[[object], object]
    """The table that a value stands for; a value that is no short form is returned as it is."""

    def read(self, value: object, place: Place, reader: Reader) -> object:
        return self.table.read(value if isinstance(value, Mapping) else self.expand(value), place, reader)

    def stand_in(self) -> object:
        return self.table.stand_in()

    def schema(self, definitions: Definitions) -> JsonSchema:
        tables = self.table.schema(definitions)
        inner = tables.get("anyOf", [tables])
        return {"anyOf": [self.short.schema(definitions), *(inner if isinstance(inner, list) else [])]}


def shown(value: object) -> str:
    """A value as a message shows it."""
    text = str(value).lower() if isinstance(value, bool) else repr(value)
    return text if len(text) <= 40 else f"{text[:37]}..."


FLAG = Flag()
NAME = Text(at_most=100, pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]*$")
