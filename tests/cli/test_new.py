"""`fairlane new`: every template runs, and its file is not overwritten."""

import tomllib

import fairlane
import pytest
from fairlane.scenario.cautions import remarks
from fairlane.scenario.document import TEMPLATES
from fairlane.scenario.load import load


def test_there_are_templates_for_common_networks():
    assert set(TEMPLATES) >= {"home-router", "mobile", "datacenter", "policer", "rrul", "parking-lot"}
    assert all(len(path.read_text().split("\n")[0]) < 120 for path in TEMPLATES.values())


@pytest.mark.parametrize("name", TEMPLATES)
def test_a_template_runs(name, tmp_path):
    experiment = tomllib.loads(TEMPLATES[name].read_text())
    experiment |= {"name": "short", "repeats": 1}
    for key, flows in (("duration", [*experiment["flows"]]),):
        if name not in ("datacenter", "leaf-spine"):  # these last milliseconds
            experiment[key] = "6s"
            for flow in flows:
                flow["start"] = "0s"
            experiment["metrics"] = {"warm_up": "1s"}
            experiment["network"].pop("changes", None)
    results = fairlane.run(experiment, tmp_path / "results", progress=False)
    totals = results.table(["total_goodput_mbps"], per="run")["total_goodput_mbps"]
    assert totals.null_count() == 0
    assert totals.min() > 1


@pytest.mark.parametrize("name", ["rrul", "home-router"])
def test_queues_of_both_directions_are_swept(name):
    loaded = load(TEMPLATES[name])
    assert [one.name for one in loaded.axes] == ["queue"]
    for planned in loaded.points:
        there, back = planned.point.scenario["links"][:2]
        assert there["queue"]["kind"] == back["queue"]["kind"]
    assert remarks(loaded) == []


def test_an_aqm_in_both_directions_keeps_the_ping_of_rrul_short(tmp_path):
    experiment = tomllib.loads(TEMPLATES["rrul"].read_text()) | {"name": "short", "repeats": 1, "duration": "10s"}
    frame = fairlane.run(experiment, tmp_path / "results", progress=False).table(
        ["request_median_ms"], per="flow", name="ping"
    )
    rtt_ms = dict(zip(frame["queue"], frame["request_median_ms"], strict=True))
    assert rtt_ms["fifo"] > 55
    assert rtt_ms["fq_codel"] < 32
    assert rtt_ms["cake"] < 32


def test_a_file_is_written_once(cli, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert cli("new", "policer").out.startswith("policer.toml")
    assert (tmp_path / "policer.toml").read_text() == TEMPLATES["policer"].read_text()
    assert "policer.toml" in cli("new", "policer").err
    assert "did you mean policer" in cli("new", "polices").err
