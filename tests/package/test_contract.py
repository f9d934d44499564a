"""Files generated from the engine's declarations are up to date."""

import jsonschema
import pytest
from fairlane import engine
from fairlane.engine.contract.vocabulary import QUIC, RECEIVER, SENDER, WORKLOADS
from fairlane.scenario import model
from fairlane.scenario.load import load
from fairlane.scenario.queue import option_of
from fairlane.scenario.workload import TABLES

from tools.reference import contract


@pytest.mark.parametrize("name", list(contract.files()))
def test_generated_files_are_up_to_date(name):
    text = (contract.FOLDER / name).read_text(encoding="utf-8")
    assert text == contract.files()[name], "write it again: make reference"


def test_the_schema_accepts_scenarios_of_experiments():
    network = {"rate": "10mbit", "rtt": "20ms", "buffer": "1bdp", "queue": "fq_codel", "loss": "1%", "jitter": "1ms"}
    flow = {"algorithm": "cubic", "workload": {"kind": "on_off", "on": "1s", "off": "1s"}}
    point = load({"duration": "2s", "network": network, "flows": [flow, {"algorithm": "bbr"}]}).points[0].point
    jsonschema.Draft202012Validator(engine.contract()["scenario"]).validate(point.repeat(0))


def test_results_have_the_columns_that_are_declared():
    point = load({"duration": "1s", "network": {"rate": "10mbit", "rtt": "20ms"}, "flows": [{"algorithm": "reno"}],
                  "cross_traffic": [{"rate": "1mbit"}]}).points[0].point  # fmt: skip
    result = engine.run(point.repeat(0))
    columns = {name: [one["name"] for one in table] for name, table in engine.contract()["columns"].items()}
    for table in ("flows", "links", "cross_traffic"):
        assert list(result[table][0]) == columns[table]
    assert set(columns["runs"]) >= {name for name, value in result.items() if not isinstance(value, (list, dict))}


@pytest.mark.parametrize(
    ("table", "declared"), [(model.Sender, SENDER), (model.Receiver, RECEIVER), (model.Quic, QUIC)]
)
def test_an_experiment_file_knows_every_setting_of_an_endpoint(table, declared):
    # `ecn = "accecn"` says both in an experiment file, so that one axis of a sweep has all three.
    assert set(table.model_fields) == {option_of(name) for name in declared} - {"accecn"}


def test_an_experiment_file_knows_every_workload():
    fields = {one.model_fields["kind"].annotation.__args__[0]: set(one.model_fields) - {"kind"} for one in TABLES}
    assert fields.keys() == WORKLOADS.keys()
    for kind, declared in WORKLOADS.items():
        assert all(name in fields[kind] or option_of(name) in fields[kind] for name in declared), kind
        assert len(fields[kind]) == len(declared), kind
