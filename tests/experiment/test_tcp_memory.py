"""Connections of a host share memory: send buffers stop growing when its memory for TCP runs short."""

import fairlane
import pytest
from fairlane.scenario.load import load

SECOND_NS = 1_000_000_000
MIB = 1 << 20


def run(flows=2, buffer_bytes=64 * MIB, **sender):
    """Reno connections over 1 Gbit/s and 50 ms with a deep buffer: 6.25 MB are in flight without a queue."""
    links = [
        {"name": "bottleneck", "rate_bps": 1_000_000_000, "delay_ns": 25_000_000,
         "queue": {"kind": "fifo", "limit_bytes": buffer_bytes}},
        {"name": "return", "delay_ns": 25_000_000},
    ]  # fmt: skip
    flow = {"algorithm": "reno", "forward": ["bottleneck"], "reverse": ["return"], "sender": sender}
    return fairlane.simulate({"seed": 1, "duration_ns": 8 * SECOND_NS, "links": links, "flows": [flow] * flows})


def in_flight_bytes(result):
    return sum(flow["mean_inflight_packets"] * flow["mss_bytes"] for flow in result["flows"])


@pytest.mark.parametrize("flows", [1, 2, 8])
def test_all_flows_together_have_no_more_in_flight_than_the_memory(flows):
    memory_bytes = 16 * MIB
    result = run(flows, tcp_memory_bytes=memory_bytes)
    assert 0.8 * memory_bytes < in_flight_bytes(result) < memory_bytes
    assert all(flow["retransmits"] == 0 for flow in result["flows"]), "the queue of 64 MiB never fills"


def test_the_window_stops_where_the_memory_does_and_the_link_is_full_all_the_same():
    ample, short, scarce = run(2), run(2, tcp_memory_bytes=16 * MIB), run(2, tcp_memory_bytes=4 * MIB)
    assert sum(flow["retransmits"] for flow in ample["flows"]) > 1000
    rates = [sum(flow["goodput_mbps"] for flow in result["flows"]) for result in (ample, short, scarce)]
    assert rates[1] == pytest.approx(rates[0], rel=0.01)
    assert rates[2] < 0.8 * rates[0], "4 MiB are less than the 6.25 MB that the path holds"


def test_memory_that_never_runs_short_changes_nothing():
    ample, large = run(2), run(2, tcp_memory_bytes=2048 * MIB)
    assert large["flows"] == ample["flows"]
    assert large["links"] == ample["links"]


def test_machines_with_names_share_nothing():
    one = run(1, tcp_memory_bytes=16 * MIB)
    links = [
        {"name": f"bottleneck{number}", "rate_bps": 1_000_000_000, "delay_ns": 25_000_000,
         "queue": {"kind": "fifo", "limit_bytes": 64 * MIB}} for number in range(2)
    ]  # fmt: skip
    flows = [
        {"algorithm": "reno", "forward": [link["name"]], "reverse": ["return"],
         "sender": {"tcp_memory_bytes": 16 * MIB, "machine": link["name"]}} for link in links
    ]  # fmt: skip
    links.append({"name": "return", "delay_ns": 25_000_000})
    two = fairlane.simulate({"seed": 1, "duration_ns": 8 * SECOND_NS, "links": links, "flows": flows})
    assert in_flight_bytes(two) == pytest.approx(2 * in_flight_bytes(one), rel=0.01)


def test_flows_of_a_machine_have_one_memory():
    links = [{"name": "bottleneck", "rate_bps": 10_000_000}, {"name": "return"}]
    flow = {"algorithm": "reno", "forward": ["bottleneck"], "reverse": ["return"]}
    flows = [{**flow, "sender": {"tcp_memory_bytes": size * MIB}} for size in (1, 2)]
    with pytest.raises(fairlane.ScenarioError, match="tcp_memory"):
        fairlane.simulate({"seed": 1, "duration_ns": SECOND_NS, "links": links, "flows": flows})


def test_in_a_file_each_entry_of_flows_is_a_machine():
    experiment = {
        "duration": "1s",
        "network": {"rate": "10mbit", "rtt": "20ms", "buffer": "1bdp"},
        "hosts": {"sender": {"tcp_memory": "2GiB"}},
        "flows": [
            {"algorithm": "reno", "count": 2},
            {"algorithm": "cubic"},
            {"algorithm": "cubic", "sender": {"machine": "a"}},
        ],
    }
    made = load(experiment).points[0].point.repeat(0)["flows"]
    assert [flow["sender"]["machine"] for flow in made] == ["flows[0]", "flows[0]", "flows[1]", "a"]
    assert {flow["sender"]["tcp_memory_bytes"] for flow in made} == {2048 * MIB}


@pytest.mark.parametrize(
    ("everywhere", "own", "key", "fact"),
    [
        ("1kB", {}, "hosts.sender.tcp_memory: is 1kB", "64KiB"),
        ("2GiB", {"machine": "a", "tcp_memory": "1GiB"}, "flows[1].sender.tcp_memory: is 1.07 GB", "2.15 GB"),
    ],
)
def test_messages_name_the_keys_of_the_file(everywhere, own, key, fact):
    experiment = {
        "duration": "1s",
        "network": {"rate": "10mbit", "rtt": "20ms", "buffer": "1bdp"},
        "hosts": {"sender": {"tcp_memory": everywhere}},
        "flows": [{"algorithm": "reno", "sender": {"machine": "a"}}, {"algorithm": "reno", "sender": own}],
    }
    with pytest.raises(fairlane.ExperimentError) as refused:
        load(experiment)
    assert key in str(refused.value)
    assert fact in str(refused.value)
