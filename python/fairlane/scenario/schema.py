"""The JSON Schema of experiment files, by which editors complete and check: `fairlane show --schema` prints it."""

import json
from typing import cast

from fairlane.scenario.experiment import Experiment
from fairlane.scenario.forms import Definitions, JsonSchema
from fairlane.scenario.table_classes import table_of

_RANGE: JsonSchema = {
    "type": "object",
    "properties": {
        "from": {"type": ["string", "number"]},
        "to": {"type": ["string", "number"]},
        "step": {"type": ["string", "number"]},
        "count": {"type": "integer", "minimum": 2},
        "scale": {"enum": ["linear", "log"]},
        "values": {"type": "array", "minItems": 1},
        "labels": {"type": "array", "items": {"type": "string"}},
        "name": {"type": "string", "description": "Name of the axis in tables."},
    },
    "additionalProperties": False,
}
_NAMES: JsonSchema = {
    "description": 'Names of algorithms or paths of files, or "all".',
    "anyOf": [{"type": "array", "items": {"type": "string"}, "minItems": 1}, {"const": "all"}],
}
_SWEEP: JsonSchema = {
    "type": "object",
    "description": "Axes: a key of this file in quotes, and a list of values or a range. All are combined with all.",
    "properties": {
        "zip": {
            "type": "array",
            "description": "Lists of equal length that advance together.",
            "items": {"type": "object", "additionalProperties": {"anyOf": [{"type": "array"}, {"type": "object"}]}},
        },
        "exclude": {
            "type": "array",
            "description": "Combinations to leave out: keys of the sweep, each with a value or a list of values.",
            "items": {"type": "object"},
        },
        "matrix": {
            "type": "object",
            "description": "Algorithms against each other: each pair once, in the two groups of flows.",
            "properties": {"algorithms": _NAMES, "against": _NAMES},
            "required": ["algorithms"],
            "additionalProperties": False,
        },
    },
    "additionalProperties": {"anyOf": [{"type": "array", "minItems": 1}, _RANGE, {"type": "object"}]},
    "examples": [{"network.rate": ["10mbit", "100mbit"]}],
}
_INHERITS: JsonSchema = {
    "description": "Files whose settings this one starts from; paths from this file.",
    "anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}],
}


def schema() -> JsonSchema:
    """The schema. Nothing is required: one file may lack a key that another one or the sweep gives."""
    definitions: Definitions = {}
    table_of(Experiment).schema(definitions)
    top = definitions.pop("Experiment")
    properties = cast(JsonSchema, top.pop("properties"))
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Fairlane experiment",
        **top,
        "properties": {"inherits": _INHERITS, **properties, "sweep": _SWEEP},
        "$defs": definitions,
    }


def text() -> str:
    """The schema as JSON."""
    return json.dumps(schema(), indent=1, ensure_ascii=False) + "\n"
