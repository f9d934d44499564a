"""`fairlane new`: every template runs, and its file is not overwritten."""

import tomllib

import fairlane
import pytest
from fairlane.scenario.experiment_templates import templates, text_of


def test_there_are_templates_for_common_networks():
    assert set(templates()) >= {"home-router", "mobile", "datacenter", "policer", "rrul", "parking-lot"}
    assert all(len(summary) < 120 for summary in templates().values())


@pytest.mark.parametrize("name", templates())
def test_a_template_runs(name, tmp_path):
    experiment = tomllib.loads(text_of(name))
    experiment |= {"name": "short", "repeats": 1}
    for key, flows in (("duration", [*experiment["flows"]]),):
        if name != "datacenter":
            experiment[key] = "6s"
            for flow in flows:
                flow["start"] = "0s"
            experiment["metrics"] = {"warm_up": "1s"}
            experiment["network"].pop("changes", None)
    results = fairlane.run(experiment, tmp_path / "results", progress=False)
    totals = results.table(["total_goodput_mbps"], per="run")["total_goodput_mbps"]
    assert totals.null_count() == 0
    assert totals.min() > 1


def test_a_file_is_written_once(cli, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert cli("new", "policer").out.startswith("policer.toml")
    assert (tmp_path / "policer.toml").read_text() == text_of("policer")
    assert "policer.toml" in cli("new", "policer").err
    assert "did you mean policer" in cli("new", "polices").err
