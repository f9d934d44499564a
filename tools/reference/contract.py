"""The package `fairlane.engine.contract`, written from the declarations in the built extension."""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from fairlane import engine

FOLDER = Path(__file__).parents[2] / "python" / "fairlane" / "engine" / "contract"
_NOTICE = "Generated from crates/contract by `python -m tools.reference`; do not edit."
_TYPES = {"integer": "int", "number": "float", "boolean": "bool", "string": "str"}
_WIDTH = 120


def files() -> dict[str, str]:
    """The generated files of the package: texts by name."""
    declared = engine.contract()
    return {
        "vocabulary.py": vocabulary(declared),
        "queues.py": queue_types(declared),
        "scenario.py": scenario_types(declared),
        "result.py": result_types(declared),
        "scenario.schema.json": json.dumps(declared["scenario"], indent=1, ensure_ascii=False) + "\n",
    }


def plain_type(schema: Mapping[str, Any]) -> str:
    """The type of a value that is not null."""
    if "$ref" in schema:
        return "string"  # a word
    if "anyOf" in schema:
        return "object"  # a table, or absent
    return str(schema["type"][0] if isinstance(schema["type"], list) else schema["type"])


def vocabulary(declared: Mapping[str, Any]) -> str:
    """The module with the names that are needed at run time."""
    lines = [f'"""Names and units of the contract. {_NOTICE}"""', ""]
    lines += ["from fairlane.engine.contract.terms import Column, Parameter", ""]
    lines += [f"{name} = {value}" for name, value in declared["constants"].items()]
    lines += ["", "QUEUES: dict[str, dict[str, Parameter]] = {"]
    lines += _kinds(declared["scenario"]["$defs"]["QueueConfig"])
    lines += ["}", '"""Each discipline and its parameters."""', ""]
    lines += ["WORKLOADS: dict[str, dict[str, Parameter]] = {"]
    lines += _kinds(declared["scenario"]["$defs"]["Workload"])
    lines += ["}", '"""Each workload and its parameters."""', ""]
    for name, table in (("SENDER", "SenderHost"), ("RECEIVER", "ReceiverHost"), ("QUIC", "QuicSettings")):
        schema = declared["scenario"]["$defs"][table]
        lines += [f"{name}: dict[str, Parameter] = {{", *_parameters(schema, 4), "}"]
        lines += [f'"""{schema["description"]}"""', ""]
    for table, columns in declared["columns"].items():
        lines.append(f"{table.upper()}: dict[str, Column] = {{")
        for one in columns:
            made = f'"{one["type"]}", "{one["unit"]}", {one["optional"]}'
            lines.append(f'    "{one["name"]}": Column({made}),')
        lines += ["}", f'"""Columns of `{table}`."""', ""]
    return "\n".join(lines)


def _kinds(union: Mapping[str, Any]) -> Iterator[str]:
    for schema in union["oneOf"]:
        yield f'    "{schema["properties"]["kind"]["const"]}": {{'
        yield from _parameters(schema, 8)
        yield "    },"


def _parameters(schema: Mapping[str, Any], indent: int) -> Iterator[str]:
    for name, one in schema["properties"].items():
        if name != "kind":
            given = {"unit": one.get("x-unit", ""), "default": one.get("default"), "limits": one.get("x-limit", "")}
            used = [f"{key}={_literal(value)}" for key, value in given.items() if value not in ("", None)]
            used += ["is_required=True"] if name in schema.get("required", ()) else []
            yield f'{" " * indent}"{name}": Parameter({", ".join([_literal(plain_type(one)), *used])}),'


def _literal(value: Any) -> str:
    return json.dumps(value) if isinstance(value, str) else repr(value)


def queue_types(declared: Mapping[str, Any]) -> str:
    """The module with queue disciplines as typed dictionaries."""
    return _types("Queue disciplines as types.", declared["scenario"], _names_of_queues(declared))


def scenario_types(declared: Mapping[str, Any]) -> str:
    """The module with scenarios as typed dictionaries."""
    elsewhere = _names_of_queues(declared)
    names = [name for name in _in_order(declared["scenario"]) if name not in elsewhere]
    imports = f"from fairlane.engine.contract.queues import {_QUEUE}"
    return _types("Scenarios as types.", declared["scenario"], names, imports)


_QUEUE = "QueueConfig"


def _names_of_queues(declared: Mapping[str, Any]) -> list[str]:
    definitions = declared["scenario"]["$defs"]
    return _in_order({**definitions[_QUEUE], "$defs": definitions}, _QUEUE)


def _types(title: str, scenario: Mapping[str, Any], names: Sequence[str], imports: str = "") -> str:
    """A module with these types."""
    tables = {**scenario["$defs"], "Scenario": scenario}
    body = "\n".join(line for name in names for line in _definition(name, tables[name]))
    used = [name for name in ("Literal", "NotRequired", "TypedDict") if name in body]
    lines = [f'"""{title} {_NOTICE}"""', "", f"from typing import {', '.join(used)}", ""]
    return "\n".join([*lines, *([imports, ""] if imports else []), body])


def result_types(declared: Mapping[str, Any]) -> str:
    """The module with the rows of results as typed dictionaries."""
    lines = [f'"""Rows of results as types. {_NOTICE}"""', "", "from typing import TypedDict", ""]
    for table, columns in declared["columns"].items():
        name = "".join(part.capitalize() for part in table.removesuffix("s").split("_"))
        lines += ["", f"class {name}Row(TypedDict):", f'    """A row of `{table}`."""', ""]
        for one in columns:
            kind = _TYPES[one["type"]]
            lines.append(f"    {one['name']}: {kind}{' | None' if one['optional'] else ''}")
            lines += _docstring(one["meaning"], 4)
        lines.append("")
    return "\n".join(lines)


def _in_order(scenario: Mapping[str, Any], root: str = "Scenario") -> list[str]:
    """Names so that each is defined before it is used."""
    found: list[str] = []

    def visit(name: str, schema: Any) -> None:
        for used in _references(schema):
            if used not in found and used != name:
                visit(used, scenario["$defs"][used])
        if name not in found:
            found.append(name)

    visit(root, {key: value for key, value in scenario.items() if key != "$defs"})
    return found


def _references(schema: Any) -> Iterator[str]:
    if isinstance(schema, dict):
        if "$ref" in schema:
            yield schema["$ref"].rpartition("/")[2]
        for inner in schema.values():
            yield from _references(inner)
    elif isinstance(schema, list):
        for inner in schema:
            yield from _references(inner)


def _definition(name: str, schema: Mapping[str, Any]) -> list[str]:
    if "oneOf" not in schema:
        return _typed_dict(name, schema)
    if all("const" in one for one in schema["oneOf"]):
        words = ", ".join(f'"{one["const"]}"' for one in schema["oneOf"])
        return [f"{name} = Literal[{words}]", *_docstring(schema["description"], 0), ""]
    lines, members = [], []
    for one in schema["oneOf"]:
        kind = one["properties"]["kind"]["const"]
        member = "".join(part.capitalize() for part in kind.split("_")) + name.removesuffix("Config")
        members.append(member)
        lines += _typed_dict(member, one)
    union = " | ".join(members)
    if len(name) + len(union) + 3 > _WIDTH:
        union = "(\n    " + "\n    | ".join(members) + "\n)"
    return [*lines, "", f"{name} = {union}", *_docstring(schema["description"], 0), ""]


def _typed_dict(name: str, schema: Mapping[str, Any]) -> list[str]:
    lines = ["", f"class {name}(TypedDict):", *_docstring(schema["description"], 4), ""]
    for key, one in schema["properties"].items():
        kind = _annotation(one)
        lines.append(f"    {key}: {kind if key in schema.get('required', ()) else f'NotRequired[{kind}]'}")
        if key != "kind":
            lines += _docstring(one["description"], 4)
    return [*lines, ""]


def _annotation(schema: Mapping[str, Any]) -> str:
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    if "const" in schema:
        return f'Literal["{schema["const"]}"]'
    if "anyOf" in schema:
        return " | ".join("None" if one.get("type") == "null" else _annotation(one) for one in schema["anyOf"])
    kind = plain_type(schema)
    if kind == "array":
        made = f"list[{_annotation(schema['items'])}]"
    elif kind == "object":
        made = f"dict[str, {_annotation(schema['additionalProperties'])}]"
    else:
        made = _TYPES[kind]
    return f"{made} | None" if isinstance(schema["type"], list) else made


def _docstring(text: str, indent: int) -> list[str]:
    import textwrap

    paragraphs = [" ".join(one.split()) for one in text.split("\n\n")]
    space = " " * indent
    if len(paragraphs) == 1 and indent + len(paragraphs[0]) + 6 <= _WIDTH:
        return [f'{space}"""{paragraphs[0]}"""']
    lines = []
    for number, paragraph in enumerate(paragraphs):
        start = '"""' if number == 0 else ""
        lines += [""] if number else []
        lines += [f"{space}{line}" for line in textwrap.wrap(start + paragraph, _WIDTH - indent)]
    return [*lines, f'{space}"""']
