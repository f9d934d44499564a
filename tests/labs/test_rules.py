"""The program behind the rules editor: Reno by default, and each rule does what it says."""

import re
from pathlib import Path

from fairlane.algorithm import describe
from fairlane.files import data_folder
from fairlane.search.labs import figures

ROOT = Path(__file__).parents[2]
LINK = "rate=10mbit&rtt=40ms&buffer=1bdp&time=40s"


def test_by_default_the_rules_are_renos():
    rules, reno = (figures(f"flows={name}&{LINK}", ROOT) for name in ("rules", "reno"))
    for name in ("utilisation_pct", "rtt_0", "peak_cwnd_0"):
        assert abs(rules[name] / reno[name] - 1) < 0.03, name


def test_what_stays_after_a_loss_and_a_delay_target_shape_the_window():
    kept = figures(f"flows=rules:keep=922&{LINK}", ROOT)
    assert kept["low_cwnd_0"] / kept["peak_cwnd_0"] > 0.8
    short = figures(f"flows=rules:delay_target_us=5000&{LINK}", ROOT)
    assert short["p95_queue_ms"] < 10
    assert short["utilisation_pct"] > 95
    assert short["lost_packets"] == 0


def test_the_editor_has_the_parameters_of_the_program():
    found = describe(str(data_folder("labs") / "rules.c"), {})["parameters"]
    text = (ROOT / "web/src/rules/rules.ts").read_text()
    names = re.findall(r'name: "(\w+)"', text) + [f"gain_{number}" for number in range(1, 9)]
    assert sorted(names) == sorted(one["name"] for one in found)
    initial = dict(zip(names, re.findall(r"initial: (\d+)", text), strict=False))
    assert {one["name"]: str(one["default"]) for one in found if one["name"] in initial} == initial
