"""The JSON Schema of experiment files, by which editors complete and check.

`schema.json` beside this file is what it gives; a test keeps the two equal. Written again by
`python -m fairlane.experiment.schema`.
"""

import json
from pathlib import Path
from typing import Any

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
    from fairlane.experiment.model import Experiment

    made = Experiment.model_json_schema()
    made["title"] = "Fairlane experiment"
    made["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    made["properties"] = {"inherits": _INHERITS, **made["properties"], "sweep": _SWEEP}
    made["$defs"]["Links"]["properties"]["links"].pop("minItems", None)
    for table in (made, *made["$defs"].values()):
        kinds = [name for name, field in table.get("properties", {}).items() if "const" in field and name == "kind"]
        table["required"] = kinds
        if not kinds:
            table.pop("required")
    _allow_short_forms(made["$defs"])
    made["properties"]["network"] = _network(made["properties"]["network"])
    return made


def text() -> str:
    """The schema as the file has it."""
    return json.dumps(schema(), indent=1, sort_keys=False, ensure_ascii=False) + "\n"


def _allow_short_forms(tables: dict[str, Any]) -> None:
    """`loss = "1%"`, `jitter = "5ms"`, `workload = "bulk"`."""
    share = {"type": "string", "pattern": "%\\s*$", "examples": ["0.1%"]}
    time = {"type": "string", "examples": ["5ms"]}
    word = {"enum": ["bulk", "iperf3"]}

    def references(*names: str) -> list[dict[str, str]]:
        return [{"$ref": f"#/$defs/{name}"} for name in names]

    short: dict[str, list[Any]] = {
        "loss": [share, *references("Independent", "GilbertElliott")],
        "jitter": [time, *references("Jitter")],
        "workload": [word, *references("Bulk", "Iperf3", "Bytes", "RequestResponse", "OnOff", "PoissonFlows")],
    }
    for table in tables.values():
        for name, forms in short.items():
            if name in table.get("properties", {}):
                described = table["properties"][name].get("description")
                table["properties"][name] = {"anyOf": forms, **({"description": described} if described else {})}


def _network(field: dict[str, Any]) -> dict[str, Any]:
    """By the topology's name, so that an editor complains about the one that is meant."""
    chosen = [
        {
            "if": {"properties": {"topology": {"const": name}}, "required": ["topology"]},
            "then": {"$ref": f"#/$defs/{table}"},
        }
        for name, table in (("parking_lot", "ParkingLot"), ("links", "Links"))
    ]
    other = {
        "if": {"not": {"anyOf": [{"required": ["topology"]}, {"required": ["links"]}]}},
        "then": {"$ref": "#/$defs/Dumbbell"},
    }
    names = {"topology": {"enum": ["dumbbell", "parking_lot", "links"]}}
    dumbbell = {
        "if": {"properties": {"topology": {"const": "dumbbell"}}, "required": ["topology"]},
        "then": {"$ref": "#/$defs/Dumbbell"},
    }
    del field
    return {"type": "object", "properties": names, "allOf": [*chosen, dumbbell, other]}


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")
