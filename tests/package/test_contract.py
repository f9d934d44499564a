"""Files generated from the engine's declarations are up to date."""

import copy

import jsonschema
import pytest
from fairlane import engine
from fairlane.engine import declarations
from fairlane.engine.declarations import in_file, kinds_of, settings_of
from fairlane.scenario import contract_forms, table_classes
from fairlane.scenario.contract_forms import keys_of
from fairlane.scenario.diagnostics import ExperimentError
from fairlane.scenario.load import load
from fairlane.scenario.schema import schema

from tools.reference import contract, experiment_file


def test_generated_types_are_up_to_date():
    assert contract.FILE.read_text(encoding="utf-8") == contract.text(), "write it again: make reference"


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


TABLES = ["SenderHost", "ReceiverHost", "QuicSettings", *(f"Workload.{kind}" for kind in kinds_of("Workload"))]


@pytest.mark.parametrize("table", TABLES)
def test_an_experiment_file_knows_every_setting(table):
    declared = {in_file(table, name) for name in settings_of(table)} - {""}
    assert set(keys_of(table)) - {"kind"} == declared


def test_a_setting_that_the_contract_gains_needs_no_line_of_python(monkeypatch):
    """Reader, sweep, schema and reference page have it."""
    declared = copy.deepcopy(engine.contract())
    sender = declared["scenario"]["$defs"]["SenderHost"]["properties"]
    sender["spare_time_ns"] = {"type": "integer", "minimum": 5, "default": 7, "description": "Idle.", "x-unit": "ns"}
    monkeypatch.setattr(declarations, "contract", lambda: declared)
    for one in (contract_forms.keys_of, contract_forms._table, contract_forms._named, table_classes.table_of):
        one.cache_clear()
    try:
        flow = {"algorithm": "reno", "sender": {"spare_time": "3us"}}
        data = {"duration": "1s", "network": {"rate": "1mbit", "rtt": "9ms"}, "flows": [flow]}
        points = load({**data, "sweep": {"flows.0.sender.spare_time": ["1us", "2us"]}}).points
        assert [one.point.scenario["flows"][0]["sender"]["spare_time_ns"] for one in points] == [1000, 2000]
        assert points[0].axes == {"spare_time_ms": 0.001}
        flow["sender"]["spare_time"] = "4ns"
        with pytest.raises(ExperimentError, match="at least 5ns"):
            load(data)
        assert schema()["$defs"]["SenderHost"]["properties"]["spare_time"]["description"] == "Idle."
        assert '| `spare_time` | `"20ms"` | `"7ns"` | Idle. |' in experiment_file.markdown()
    finally:
        for one in (contract_forms.keys_of, contract_forms._table, contract_forms._named, table_classes.table_of):
            one.cache_clear()
