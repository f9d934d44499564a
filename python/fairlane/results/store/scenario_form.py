"""Scenarios in tables: JSON, whose values have the types that the contract declares.

A store of others may hold any text there. Settings that this version does not know are no damage: an older one knew
them.
"""

import json
from collections.abc import Mapping
from typing import Any

from fairlane.engine import contract
from fairlane.engine.types import FlowConfig, Scenario
from fairlane.files import MAX_DEPTH
from fairlane.results.store.layout import StoreError

_TYPES: Mapping[str, type | tuple[type, ...]] = {
    "object": dict,
    "array": list,
    "string": str,
    "integer": int,
    "number": (int, float),
    "boolean": bool,
    "null": type(None),
}


def scenario(text: str | None) -> Scenario:
    """The scenario of a run. Raises StoreError."""
    declared = contract()["scenario"]
    try:
        found: Scenario = json.loads(text or "")
        wrong = _misfit(found, declared, "")
    except (RecursionError, ValueError):
        wrong = " is not JSON"
    if wrong:
        raise StoreError(f"a stored scenario{wrong}, which Fairlane does not write; remove these results")
    return found


def group_of(found: Scenario, group: object) -> FlowConfig:
    """The settings of a flow by the number of its group. Raises StoreError."""
    flows = found["flows"]
    if not isinstance(group, int) or not 0 <= group < len(flows):
        raise StoreError(f"a stored flow is of group {group}, which its scenario has not; remove these results")
    return flows[group]


def _misfit(value: Any, schema: Mapping[str, Any], place: str, depth: int = 0) -> str:
    """The first part of a value that does not have its declared type, in words; empty if all do."""
    if "$ref" in schema:
        schema = contract()["scenario"]["$defs"][schema["$ref"].rpartition("/")[2]]
    if depth > MAX_DEPTH:
        return f"{place} is nested too deeply"
    for several in ("anyOf", "oneOf"):
        if several in schema:
            found = [_misfit(value, one, place, depth + 1) for one in schema[several]]
            return "" if "" in found else found[0]
    if "const" in schema:
        return "" if value == schema["const"] else f"{place} is unknown"
    names = schema.get("type", ())
    types = [names] if isinstance(names, str) else names
    if types and not any(_is(value, one) for one in types):
        return f"{place} is not of type {' or '.join(types)}"
    if isinstance(value, dict) and "properties" in schema:
        if missing := [name for name in schema.get("required", ()) if name not in value]:
            return f"{place} lacks {missing[0]}"
        parts = [(f"{place}.{name}", value[name], one) for name, one in schema["properties"].items() if name in value]
    elif isinstance(value, list) and "items" in schema:
        parts = [(f"{place}[{number}]", one, schema["items"]) for number, one in enumerate(value)]
    else:
        return ""
    return next((wrong for part, one, of in parts if (wrong := _misfit(one, of, part, depth + 1))), "")


def _is(value: Any, name: str) -> bool:
    if isinstance(value, bool):
        return name == "boolean"
    return isinstance(value, _TYPES[name])
