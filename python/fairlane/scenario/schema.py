"""The JSON Schema of experiment files, by which editors complete and check.

`schema.json` next to this file is what it gives; a test keeps the two equal. `python -m tools.reference` writes it.
"""

import json
from pathlib import Path
from typing import Any

from fairlane.engine.contract.vocabulary import QUEUES
from fairlane.scenario.queue import option_of
from fairlane.scenario.units import show_time

FILE = Path(__file__).with_name("schema.json")

_RANGE = {
    "type": "object",
    "properties": {
        "from": {"type": ["string", "number"]},
        "to": {"type": ["string", "number"]},
        "step": {"type": ["string", "number"]},
        "count": {"type": "integer", "minimum": 2},
        "scale": {"enum": ["linear", "log"]},
        "values": {"type": "array", "minItems": 1},
        "labels": {"type": "array", "items": {"type": "string"}},
        "name": {"type": "string", "description": "How tables call the axis."},
    },
    "additionalProperties": False,
}
_SWEEP = {
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
    },
    "additionalProperties": {"anyOf": [{"type": "array", "minItems": 1}, _RANGE, {"type": "object"}]},
    "examples": [{"network.rate": ["10mbit", "100mbit"]}],
}
_INHERITS = {
    "description": "Files whose settings this one starts from; paths from this file.",
    "anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}],
}


def schema() -> dict[str, Any]:
    """The schema. Nothing is required: what one file lacks may be inherited or swept."""
    from fairlane.scenario.model import Experiment

    made = Experiment.model_json_schema()
    tables = made["$defs"]
    for table in (made, *tables.values()):
        table.pop("required", None)
        if "const" in table.get("properties", {}).get("kind", {}):
            table["required"] = ["kind"]
    made = dict(_in_words_of_files(made))
    made["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    made["title"] = "Fairlane experiment"
    made["properties"] = {"inherits": _INHERITS, **made["properties"], "sweep": _SWEEP}
    made["properties"]["network"] = _network()
    for table in made["$defs"].values():
        if "queue" in table["properties"]:
            described = table["properties"]["queue"]["description"]
            table["properties"]["queue"] = {"$ref": "#/$defs/Queue", "description": described}
    made["$defs"]["Queue"] = _queue()
    return made


def text() -> str:
    """The schema as the file has it."""
    return json.dumps(schema(), indent=1, sort_keys=False, ensure_ascii=False) + "\n"


def _in_words_of_files(value: Any) -> Any:
    """Without what only Python has: null, titles, defaults in the engine's numbers."""
    if isinstance(value, list):
        return [_in_words_of_files(one) for one in value]
    if not isinstance(value, dict):
        return value
    made = {key: _in_words_of_files(inner) for key, inner in value.items()}
    if isinstance(made.get("title"), str):
        del made["title"]
    made.pop("minItems", None) if made.get("items") == {"$ref": "#/$defs/Link"} else None  # a sweep may fill it
    if "anyOf" in made:
        forms = [form for form in made.pop("anyOf") if form != {"type": "null"}]
        made |= {"anyOf": forms} if len(forms) > 1 else forms[0]
    if "default" in made:
        default = _default(made.pop("default"), made.get("examples"))
        made |= {} if default is None else {"default": default}
    return made


def _default(value: Any, examples: Any) -> Any:
    """A default as a file would write it; None where that says nothing."""
    if value in (None, "", [], {}) or isinstance(value, dict):
        return None
    like = examples[0] if examples else None
    if isinstance(value, bool) or not isinstance(like, str):
        return value
    if like.endswith("%"):
        return f"{value * 100:g}%"
    return f"{value}B" if like.endswith("B") else show_time(value).replace(" ", "")


def _queue() -> dict[str, Any]:
    """The kinds that the contract declares, each with its options."""
    kinds = []
    for kind, parameters in QUEUES.items():
        options = {option_of(name): _OPTIONS.get(one.unit, {}) for name, one in parameters.items()}
        kinds.append(
            {
                "title": kind,
                "type": "object",
                "properties": {"kind": {"const": kind}, **options},
                "required": ["kind"],
                "additionalProperties": False,
            }
        )
    # By its kind, so that an editor complains about an option and not about all kinds at once.
    chosen = [
        {"if": {"properties": {"kind": {"const": one["title"]}}, "required": ["kind"]}, "then": one} for one in kinds
    ]
    table = {"type": "object", "properties": {"kind": {"enum": list(QUEUES)}}, "allOf": chosen}
    return {"anyOf": [{"enum": list(QUEUES)}, table]}


_OPTIONS: dict[str, dict[str, Any]] = {
    "ns": {"type": "string", "examples": ["5ms"]},
    "bytes": {"type": "string", "examples": ["250kB"]},
    "packets": {"type": "string", "examples": ["100p"]},
    "bit/s": {"type": "string", "examples": ["10mbit"]},
    "packets/s": {"type": "string", "examples": ["1000pps"]},
}
"""By unit."""


def _network() -> dict[str, Any]:
    """By the topology's name, so that an editor complains about the one that is meant."""
    chosen = [
        {
            "if": {"properties": {"topology": {"const": name}}, "required": ["topology"]},
            "then": {"$ref": f"#/$defs/{table}"},
        }
        for name, table in (("parking_lot", "ParkingLot"), ("links", "Links"))
    ]
    wifi = {
        "if": {"properties": {"kind": {"const": "wifi"}}, "required": ["kind"]},
        "then": {"$ref": "#/$defs/Wifi"},
    }
    other = {
        "if": {"not": {"anyOf": [{"required": [key]} for key in ("topology", "links", "media", "kind")]}},
        "then": {"$ref": "#/$defs/Dumbbell"},
    }
    names = {"topology": {"enum": ["dumbbell", "parking_lot", "links"]}}
    dumbbell = {
        "if": {"properties": {"topology": {"const": "dumbbell"}}, "required": ["topology"]},
        "then": {"$ref": "#/$defs/Dumbbell"},
    }
    return {"type": "object", "properties": names, "allOf": [*chosen, dumbbell, wifi, other]}
