"""Forms of the values in a file, and the walk that reads a file by them; here those of single values.

A form reads a value, and describes it as JSON Schema. Tables are declared by the engine's contract
(`contract_forms.py`) and, where files add keys, by data classes (`table_classes.py`). Every mistake is reported with
its place; the walk continues with a stand-in.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import inf, isfinite
from typing import Final

from fairlane.engine.messages import listed_near, nearest
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
        self.misspelt: set[Place] = set()
        """Places that a misspelt key was meant for; an error about one of these is none of its own."""
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
        bounds = given_bounds(minLength=self.at_least or None, maxLength=self.at_most, pattern=self.pattern or None)
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
            hint = nearest(str(value), known) or "."
            raise ValueError(f"there is no {shown(value)}{hint} {listed_near(str(value), known)}")
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


@dataclass(frozen=True)
class Unread(Form):
    """A value that is kept as it is, of some types, which `words` name in messages; a list is not empty."""

    types: tuple[type, ...]
    words: str
    substitute: object = None

    def read(self, value: object, place: Place, reader: Reader) -> object:
        if not isinstance(value, self.types) or value == []:
            raise ValueError(f"must be {self.words}, not {shown(value)}")
        return value

    def stand_in(self) -> object:
        return self.substitute


def given_bounds(**bounds: object) -> JsonSchema:
    """The bounds that are given."""
    return {name: bound for name, bound in bounds.items() if bound is not None}


def shown(value: object) -> str:
    """A value as a message shows it."""
    text = str(value).lower() if isinstance(value, bool) else repr(value)
    return text if len(text) <= 40 else f"{text[:37]}..."


FLAG = Flag()
NAME = Text(at_most=100, pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]*$")
