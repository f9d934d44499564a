"""QUIC compared with aioquic, another implementation with its own CUBIC, whose results are recorded in calibration/."""

import csv
import json
from pathlib import Path
from typing import Any

import fairlane.engine
import pytest
from fairlane.scenario.requests import dumbbell, scenario

RECORDED = Path(__file__).parents[2] / "calibration" / "aioquic-1.7.2"
SCENARIOS = {one["name"]: one for one in json.loads((RECORDED / "scenarios.json").read_text())}
SAME_RULES = [
    "20mbit-100ms-1bdp",
    "20mbit-100ms-half-bdp",
    "50mbit-60ms-1bdp",
    "20mbit-150ms-1bdp",
    "10mbit-40ms-1bdp-rfc-9438",
]
"""Scenarios in which both grow the window by the same function; README.md says why the two others differ."""


def simulated(setting: dict[str, Any], duration_s: int) -> dict[str, Any]:
    """One flow with aioquic's ACK policy: 1 ms after the first packet that waits, regardless of later arrivals."""
    quic = {"max_ack_delay": "1ms", "ack_every": 100, "ack_reordering_threshold": 0}
    flow = {"algorithm": "cubic:hystart=0", "rtt": f"{setting['rtt_ms']}ms", "transport": "quic", "quic": quic}
    network = {"rate": f"{setting['rate_mbit']}mbit", "buffer": f"{setting['queue_bytes']}b"}
    return fairlane.engine.run(scenario(dumbbell([flow], duration=f"{duration_s}s", **network)))["flows"][0]


@pytest.mark.parametrize("name", SAME_RULES)
def test_goodput_within_2_percent_and_losses_within_a_factor_of_1_3(name):
    setting = SCENARIOS[name]
    rows = csv.DictReader((RECORDED / "aioquic.csv").read_text().splitlines())
    theirs = next(row for row in rows if row["name"] == name)
    warm_up, whole = (simulated(setting, setting[end]) for end in ("warmup_s", "duration_s"))
    time_s = setting["duration_s"] - setting["warmup_s"]
    goodput_mbps = (whole["bytes_delivered"] - warm_up["bytes_delivered"]) * 8e-6 / time_s
    assert goodput_mbps == pytest.approx(float(theirs["goodput_mbps"]), rel=0.02)
    lost = whole["packets_marked_lost"] - warm_up["packets_marked_lost"]
    assert 1 / 1.3 <= lost / int(theirs["packets_lost"]) <= 1.3
