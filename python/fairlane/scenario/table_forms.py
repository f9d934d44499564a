"""Forms of values that contain others: lists, maps, and tables of declared keys."""

from collections.abc import Callable, Mapping, Sized
from dataclasses import dataclass
from functools import cached_property

from fairlane.engine.messages import listed_near, nearest, similar_to
from fairlane.scenario.diagnostics import Place
from fairlane.scenario.forms import Definitions, Form, JsonSchema, Reader, given_bounds, shown
from fairlane.scenario.quantity_forms import RATE, Quantity


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
        bounds = given_bounds(minItems=self.at_least or None, maxItems=self.at_most)
        return {"type": "array", "items": self.items.schema(definitions), **bounds}

    def written(self, value: object) -> object:
        return [self.items.written(one) for one in value] if isinstance(value, list) else value


@dataclass(frozen=True)
class OneOrMore(Form):
    """A list, or its only entry."""

    entries: ListOf

    def read(self, value: object, place: Place, reader: Reader) -> object:
        return self.entries.read(value, place, reader) if isinstance(value, list) else self._one(value, place, reader)

    def _one(self, value: object, place: Place, reader: Reader) -> object:
        return [self.entries.items.read(value, place, reader)]

    def stand_in(self) -> object:
        return self.entries.stand_in()

    def schema(self, definitions: Definitions) -> JsonSchema:
        one = self.entries.items.schema(definitions)
        inner = one.get("anyOf", [one])
        return {"anyOf": [*(inner if isinstance(inner, list) else []), self.entries.schema(definitions)]}

    def written(self, value: object) -> object:
        return self.entries.written(value)


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


_OTHER_NAMES = {
    "time": "duration",
    "length": "duration",
    "runs": "repeats",
    "algorithms": "algorithm",
    "congestion_control": "algorithm",
    "delay": "rtt",
    "latency": "rtt",
    "bandwidth": "rate",
    "speed": "rate",
    "qdisc": "queue",
    "limit": "buffer",
    "number": "count",
}
"""Keys by names that the command line or other programs give them."""
_OF_THE_FILE = ("duration", "repeats", "seed", "title", "description")
"""Keys that TOML takes into the table above them, if they are written below it."""


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
                meant = self._report_unknown(str(name), place, reader)
                reader.misspelt |= {(*place, *one.split(".")) for one in meant if one not in value}
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
                if (*place, name) not in reader.misspelt:
                    reader.report((*place, name), f"is missing{keys[name].missing or keys[name].example(name)}")
                values[name] = _stand_in(keys[name])
        made = self._make(values)
        if len(reader.diagnostics) == before:
            reader.remember(self, value, made)
        return made

    def _report_unknown(self, name: str, place: Place, reader: Reader) -> list[str]:
        """The keys that may be meant."""
        known = sorted(self.keys) + ([] if place else ["inherits", "sweep"])
        other = _OTHER_NAMES.get(name, "")
        meant = [other] if other in known else similar_to(name, known)
        of_file = [one for one in _OF_THE_FILE if name in (one, one.rstrip("s"))] if place else []
        if of_file and not meant:
            text = f"is no key of this table; write {of_file[0]} at the top of the file, above the first [table]"
        else:
            meant = meant or self._below(name)
            listed = listed_near(name, known)
            hint = f"; did you mean {' or '.join(meant)}? {listed}" if meant else f"; {listed[0].lower()}{listed[1:]}"
            text = f"unknown key{hint}"
        reader.report((*place, name), text)
        return meant

    def _below(self, name: str) -> list[str]:
        """The most similar key of the tables in this one, in each: `sender.sack` and `receiver.sack` for `sack`."""
        tables = {key: one.form for key, one in self.keys.items() if isinstance(one.form, Table)}
        words = [word for table in tables.values() for word in table.keys]
        return [f"{key}.{one}" for one in similar_to(name, words)[:1] for key in tables if one in tables[key].keys]

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
