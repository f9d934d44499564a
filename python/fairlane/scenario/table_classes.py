"""Tables of a file as data classes: keys that only files have, and settings of the contract.

    @dataclass(frozen=True)
    class Metrics:
        settings: Scenario = contract_settings("Scenario", prefix="metrics.")     # interval, warm_up, watch
        title: str = own(Text(), "A title.", "")

A field that is `own` or a `contract_key` is a key of its name. `contract_settings` gathers all other settings of a
table of the contract, in the engine's form.
"""

from collections.abc import Callable, Iterator
from dataclasses import field, fields, replace
from functools import cache
from typing import Any, TypeVar

from fairlane.scenario import contract_forms
from fairlane.scenario.contract_forms import Defaults, engine_form, keys_of, one_line
from fairlane.scenario.diagnostics import ExperimentError, Place, key_text
from fairlane.scenario.document import Document
from fairlane.scenario.forms import Form, Reader
from fairlane.scenario.table_forms import Key, Table

EMPTY: Any = object()
"""Default of a key: the table without any key."""
T = TypeVar("T")


def own(
    form: Form | type | str | Callable[[], Form], text: str, default: object = None, *examples: object, **more: Any
) -> Any:
    """A key that only files have. `form` is a form, a table class, a table of the contract, or makes a form.

    Of a table of the contract the key has the settings that are given. `more` are attributes of `Key`.
    """

    def key(_name: str) -> Key:
        made = _form(form)
        is_missing: Any = {"is_required": True} if default is ... else {}
        value = made.stand_in() if default is EMPTY else None if default is ... else default
        return Key(made, text, value, examples=examples, **is_missing, **more)

    return field(default=None, metadata={"key": key})


def _form(form: Form | type | str | Callable[[], Form]) -> Form:
    if isinstance(form, str):
        return contract_forms.table(form, Defaults.GIVEN)
    return table_of(form) if isinstance(form, type) else form if isinstance(form, Form) else form()


def contract_key(table: str, note: str = "", **changes: Any) -> Any:
    """A setting of the contract under its name in files, with a `note`; `changes` are attributes of `Key`."""

    def key(name: str) -> Key:
        declared = keys_of(table)[name]
        return replace(declared, description=f"{declared.description} {note}".strip(), **changes)

    return field(default=None, metadata={"key": key})


def contract_settings(
    table: str, *, prefix: str = "", without: tuple[str, ...] = (), defaults: Defaults = Defaults.ALL
) -> Any:
    """All settings of a table of the contract that are no fields of the class, below `prefix` in files."""

    def keys(taken: set[str]) -> dict[str, Key]:
        found = {name: key for name, key in keys_of(table, prefix).items() if name not in taken | set(without)}
        if defaults is Defaults.LAYERED:
            return {name: replace(key, is_required=False, default=None) for name, key in found.items()}
        return {
            name: replace(key, is_required=defaults is not Defaults.GIVEN and key.is_required)
            for name, key in found.items()
        }

    return field(default_factory=dict, metadata={"keys": keys, "defaults": defaults})


@cache
def table_of(cls: type[T]) -> Table:
    """The form of a table class."""
    single = {one.name: one.metadata["key"] for one in fields(cls) if "key" in one.metadata}  # type: ignore[arg-type]
    gathered = {one.name: one.metadata for one in fields(cls) if "keys" in one.metadata}  # type: ignore[arg-type]

    @cache
    def keys_in_groups() -> dict[str, dict[str, Key]]:
        return {name: meta["keys"](set(single)) for name, meta in gathered.items()}

    @cache
    def defaults() -> dict[str, object]:
        keys = table.keys
        return {name: keys[name].default for name in single}

    def keys() -> Iterator[tuple[str, Key]]:
        for one in fields(cls):  # type: ignore[arg-type]
            if one.name in single:
                yield one.name, single[one.name](one.name)
            elif one.name in gathered:
                yield from keys_in_groups()[one.name].items()

    def make(values: dict[str, object]) -> object:
        given: dict[str, Any] = {name: values.get(name, default) for name, default in defaults().items()}
        for name, group in keys_in_groups().items():
            inside = {key: value for key, value in values.items() if key in group}
            given[name] = engine_form(group, inside, gathered[name]["defaults"])
        return cls(**given)

    table = Table(cls.__name__, one_line(cls.__doc__ or ""), lambda: dict(keys()), make)
    return table


def read(cls: type[T], value: object, place: Place, reader: Reader) -> T:
    """Reads a table of this class. Mistakes are reported to the reader; raises ValueError if it is no table."""
    form: Table = table_of(cls)  # type: ignore[arg-type]
    made = form.read(value, place, reader)
    assert isinstance(made, cls)
    return made


def read_document(cls: type[T], found: Document, check: Callable[[T, Reader], None]) -> T:
    """Reads a file as a table of this class; `check` reports further mistakes. Raises ExperimentError with all."""
    reader = Reader()
    made = read(cls, found.data, (), reader)
    check(made, reader)
    if reader.diagnostics:
        lines = [f"{found.origin(one.place)}: {key_text(one.place)}: {one.text}" for one in reader.diagnostics]
        raise ExperimentError(list(dict.fromkeys(lines)))
    return made
