"""A netem delay holds at most its limit of packets."""

import pytest
from fairlane import simulate
from fairlane.scenario.diagnostics import ExperimentError
from fairlane.scenario.load import load


def scenario(flow=(), **network):
    flows = [{"algorithm": "vegas"}, {"algorithm": "vegas", "rtt": "201ms", **dict(flow)}]
    network = {"rate": "100mbit", "rtt": "1ms", "buffer": "5000p", **network}
    (point,) = load({"duration": "10s", "network": network, "flows": flows}).points
    return point.point.repeat(0)


def test_netem_queues_the_delay_added_after_the_bottleneck():
    made = scenario({"netem_limit": 1000})
    assert made["flows"][1]["forward"] == ["bottleneck", "netem-2"]
    assert made["flows"][1]["reverse"] == ["return"]
    queue = made["links"][2]["queue"]
    assert (queue["merge_interval_ns"], queue["merge_packets"], queue["limit_packets"]) == (200_000_000, 1, 1000)
    assert "queue" not in scenario()["links"][2]


def test_the_added_delay_counts_from_the_rtt_of_the_network():
    flows = [{"algorithm": "vegas", "rtt": rtt, "netem_limit": 1000} for rtt in ("101ms", "201ms")]
    network = {"rate": "100mbit", "rtt": "1ms", "buffer": "5000p"}
    (point,) = load({"duration": "10s", "network": network, "flows": flows}).points
    links = point.point.repeat(0)["links"]
    assert [link["queue"]["merge_interval_ns"] for link in links[2:]] == [100_000_000, 200_000_000]
    assert links[0]["delay_ns"] + links[1]["delay_ns"] == 1_000_000


def test_the_limit_ends_slow_start_with_losses():
    def lost(made):
        made["flows"] = made["flows"][1:]
        return simulate(made)["flows"][0]["retransmits"]

    assert lost(scenario({"netem_limit": 1000})) > 100
    assert lost(scenario()) == 0


def test_the_delay_is_that_of_a_path():
    made = scenario({"netem_limit": 100_000})
    made["flows"] = made["flows"][1:]
    assert simulate(made)["flows"][0]["packet_rtt_min_ms"] == pytest.approx(201.2, abs=0.1)


def test_other_networks_have_no_netem():
    network = {"topology": "parking_lot", "hops": 2, "hop_delay": "5ms", "rate": "10mbit", "buffer": "1bdp"}
    with pytest.raises(ExperimentError, match="netem_limit: "):
        load({"duration": "5s", "network": network, "flows": [{"algorithm": "vegas", "netem_limit": 1000}]})
