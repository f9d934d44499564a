"""The editors' schema is complete, and never stricter than Fairlane."""

import copy
import random
import tomllib
from pathlib import Path

import jsonschema
import pytest
from fairlane.scenario.diagnostics import ExperimentError
from fairlane.scenario.load import load
from fairlane.scenario.schema import schema, text

from . import mutator

FILES = sorted((Path(__file__).parent / "files").glob("*.toml"))
SCHEMA = schema()
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
MUTATIONS = 150


def complaints(data) -> list[str]:
    return [f"{error.json_path}: {error.message}" for error in VALIDATOR.iter_errors(data)]


def small(**changes):
    data = {
        "duration": "5s",
        "network": {"rate": "10mbit", "rtt": "20ms", "buffer": "1bdp"},
        "flows": [{"algorithm": "cubic"}],
    }
    for key, value in changes.items():
        table, _, name = key.rpartition("__")
        (data[table] if table else data)[name] = value
    return data


def test_it_is_a_schema_whose_references_lead_somewhere():
    VALIDATOR.check_schema(SCHEMA)
    named = {one.split('"')[0] for one in text().split("#/$defs/")[1:]}
    assert named <= set(SCHEMA["$defs"])


@pytest.mark.parametrize("path", FILES, ids=[path.stem for path in FILES])
def test_valid_files_are_accepted(path):
    assert complaints(mutator.read(path)) == []


@pytest.mark.parametrize(
    "changes",
    [
        {"network__loss": "0.1%"},
        {"network__loss": {"kind": "gilbert_elliott", "good_to_bad": "1%", "bad_to_good": "20%"}},
        {"network__jitter": "2ms"},
        {"network__jitter": {"max": "2ms", "reorder": True}},
        {"network__queue": "codel"},
        {"network__queue": {"kind": "codel", "target": "5ms", "ecn": True}},
        {"network__buffer": "100P"},
        {"network__rate": "2.5 Gbit/s"},
        {"network__rtt": "25000µs"},
        {"network__topology": "dumbbell"},
        {"network__reverse": {"rate": "1mbit", "buffer": "20kB"}},
        {"start_jitter": 0},
        {"start_jitter": "0"},
        {"metrics": {"interval": "1min", "warm_up": "0s"}},
        {"sweep": {"network.rate": ["5mbit"], "network": {"rtt": {"from": "20ms", "to": "1s", "count": 3}}}},
    ],
)
def test_every_way_to_write_a_value(changes):
    load(small(**changes))
    assert complaints(small(**changes)) == []


@pytest.mark.parametrize(
    "changes",
    [
        {"duraton": "5s"},
        {"duration": 5},
        {"network__rate": "10"},
        {"network__rate": "10MB"},
        {"network__bufer": "1bdp"},
        {"network__queue": "codle"},
        {"network__queue": {"kind": "codel", "targt": "5ms"}},
        {"network__topology": "parking_lot"},
        {"metrics": {"interval": "0"}},
        {"sweep": {"zip": {}}},
    ],
)
def test_mistakes_are_underlined(changes):
    with pytest.raises(ExperimentError):
        load(small(**changes))
    assert complaints(small(**changes))


def test_the_schema_accepts_valid_files(monkeypatch):
    chance = random.Random(7)
    accepted = 0
    for path in FILES:
        monkeypatch.chdir(path.parent)
        data = tomllib.loads(path.read_text())
        if "inherits" in data:
            continue  # a sweep from there replaces values as well
        for _ in range(MUTATIONS):
            spoiled = mutator.mutated_data(data, chance)
            spoiled.pop("sweep", None)  # a replaced value may be anything
            try:
                load(copy.deepcopy(spoiled))
            except ExperimentError:
                continue
            accepted += 1
            assert complaints(spoiled) == [], spoiled
    assert accepted > 20
