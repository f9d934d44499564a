"""Route metrics: a second connection, or a warm start, does not overshoot the queue."""

import fairlane
import pytest
from fairlane.scenario import kernels

SECOND_NS = 1_000_000_000


def retransmits(**sender):
    """Of two Reno connections over one path, one after the other."""
    links = [
        {"name": "bottleneck", "rate_bps": 20_000_000, "delay_ns": 10_000_000,
         "queue": {"kind": "fifo", "limit_packets": 200}},
        {"name": "return", "delay_ns": 10_000_000},
    ]  # fmt: skip
    flow = {"algorithm": "reno", "forward": ["bottleneck"], "reverse": ["return"], "sender": sender}
    flows = [{**flow, "stop_ns": 8 * SECOND_NS}, {**flow, "start_ns": 9 * SECOND_NS}]
    result = fairlane.simulate({"seed": 1, "duration_ns": 12 * SECOND_NS, "links": links, "flows": flows})
    return [one["retransmits"] for one in result["flows"]]


def test_without_memory_each_connection_overshoots():
    first, second = retransmits()
    assert first > 100
    assert second > 100


def test_a_connection_starts_with_the_threshold_of_the_one_before():
    first, second = retransmits(route_memory=True)
    assert first > 100
    assert second < 10


def test_a_warm_start_begins_with_the_threshold_that_is_given():
    assert max(retransmits(route_ssthresh_packets=50)) < 10


@pytest.mark.parametrize(("kernel", "remembers"), [("4.4", True), ("5.4", True), ("5.10", False), ("7.2", False)])
def test_linux_has_forgotten_thresholds_since_5_6(kernel, remembers):
    assert kernels.sender(kernel, "ample")["route_memory"] is remembers


def test_a_router_forwards_packets_per_second_and_merged_ones_count_as_one():
    """A processor that needs 163 us passes 71 of 100 Mbit/s; with GRO before it, bursts need one turn of it."""

    def goodput(queue):
        links = [
            {"name": "router", "rate_bps": 100_000_000, "delay_ns": 500_000, "queue": {"kind": "router", **queue}},
            {"name": "return", "delay_ns": 500_000},
        ]
        flow = {"algorithm": "reno", "forward": ["router"], "reverse": ["return"], "receiver": {"offload": True}}
        scenario = {"seed": 1, "duration_ns": 2 * SECOND_NS, "links": links, "flows": [flow]}
        return fairlane.simulate(scenario)["flows"][0]["goodput_mbps"]

    assert goodput({"forwarding_ns": 163_000}) == pytest.approx(1448 * 8 / 163, rel=0.02)
    assert goodput({"forwarding_ns": 163_000, "merge_interval_ns": 50_000}) > 90
    assert goodput({}) > 93
