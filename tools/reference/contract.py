"""The module `fairlane.engine.types`, written from the declarations in the built extension."""

import textwrap
from collections.abc import Iterator, Sequence
from pathlib import Path

from fairlane.engine.declarations import Setting, kinds_of, plain_type, schema_of

FILE = Path(__file__).parents[2] / "python" / "fairlane" / "engine" / "types.py"
_HEAD = '''\
"""Scenarios as types. Generated from crates/contract by `python -m tools.reference`; do not edit.

No key is marked as required, and none is null: an absent setting is left out. A table with several kinds has the keys
of all of them.
"""

from typing import Literal, TypedDict
'''
_TYPES = {"integer": "int", "number": "float", "boolean": "bool", "string": "str"}
_APART = {"MediumConfig": {"half_duplex": "HalfDuplexMedium", "wifi": "WifiMedium"}}
"""Unions whose kinds are types of their own, because they share a key of different types."""


def text() -> str:
    """The module."""
    parts = [_HEAD.rstrip()]
    for name in _in_order("Scenario"):
        parts += _definition(name)
    return "\n".join(parts) + "\n"


def _definition(name: str) -> list[str]:
    schema = schema_of(name)
    kinds = schema.get("oneOf", [schema])
    if "const" in kinds[0]:
        words = ", ".join(f'"{one["const"]}"' for one in kinds)
        return [f"\n\n{name} = Literal[{words}]"]
    if name in _APART:
        made = [line for kind in kinds_of(name) for line in _table(_APART[name][kind], [schema_of(f"{name}.{kind}")])]
        return [*made, f"\n\n{name} = {' | '.join(_APART[name].values())}"]
    return _table(name, kinds)


def _table(name: str, schemas: Sequence[Setting]) -> list[str]:
    """One type for tables that may have all these keys."""
    found: dict[str, dict[str, None]] = {}
    for schema in schemas:
        for key, one in schema["properties"].items():
            found.setdefault(key, {}).update(dict.fromkeys(_annotation(one).split(" | ")))
    words = [one["properties"]["kind"]["const"] for one in schemas if "kind" in one["properties"]]
    kinds = {key: " | ".join(annotations) for key, annotations in found.items()}
    if words:
        listed = ", ".join(f'"{word}"' for word in words)
        kinds["kind"] = f"Literal[{listed}]" if len(listed) < 90 else "str"
    about = schemas[0]["description"] if len(schemas) == 1 else schema_of(name)["description"]
    return _typed_dict(name, about, kinds)


def _typed_dict(name: str, about: str, kinds: dict[str, str]) -> list[str]:
    first = " ".join(about.split()).split(". ")[0].removesuffix(".")
    head = textwrap.shorten(first, 100, placeholder=" ...")
    return [
        f'\n\nclass {name}(TypedDict, total=False):\n    """{head}."""\n',
        *(f"    {k}: {v}" for k, v in kinds.items()),
    ]


def _in_order(root: str) -> list[str]:
    """Names so that each is defined before it is used."""
    found: list[str] = []

    def visit(name: str) -> None:
        for used in _references(schema_of(name)):
            if used not in found and used != name:
                visit(used)
        if name not in found:
            found.append(name)

    visit(root)
    return found


def _references(schema: object) -> Iterator[str]:
    if isinstance(schema, dict):
        if "$ref" in schema:
            yield str(schema["$ref"]).rpartition("/")[2]
        for key, inner in schema.items():
            if key != "$defs":
                yield from _references(inner)
    elif isinstance(schema, list):
        for inner in schema:
            yield from _references(inner)


def _annotation(schema: Setting) -> str:
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    if "const" in schema:
        return f'Literal["{schema["const"]}"]'
    if "anyOf" in schema:
        return next(_annotation(one) for one in schema["anyOf"] if "$ref" in one)
    kind = plain_type(schema)
    if kind == "array":
        made = f"list[{_annotation(schema['items'])}]"
    elif kind == "object":
        made = f"dict[str, {_annotation(schema['additionalProperties'])}]"
    else:
        made = _TYPES[kind]
    return made
