"""A queue that never ends is remarked on where nobody asked for it."""

import pytest
from fairlane.experiment.load import load
from fairlane.experiment.remarks import remarks

REMEDY = (
    'no buffer is given, so the queue is unbounded; give one such as buffer = "1bdp", or write queue = "unlimited" '
    "if that is meant"
)
DUMBBELL = {"rate": "5mbit", "rtt": "20ms"}


def file(network, **more):
    return {"duration": "1s", "network": network, "flows": [{"algorithm": "cubic", **more.pop("flow", {})}], **more}


@pytest.mark.parametrize(
    ("network", "keys"),
    [
        (DUMBBELL, "network"),
        (DUMBBELL | {"queue": "fifo"}, "network"),
        (DUMBBELL | {"buffer": "1bdp", "reverse": {"rate": "1mbit"}}, "network.reverse"),
        ({"rate": "5mbit", "topology": "parking_lot", "hops": 2, "hop_delay": "1ms"}, "network"),
    ],
)
def test_a_queue_without_end_is_named(network, keys):
    assert remarks(load(file(network))) == [f"{keys}: {REMEDY}"]


@pytest.mark.parametrize(
    "network",
    [
        DUMBBELL | {"buffer": "1bdp"},
        DUMBBELL | {"queue": "unlimited"},
        DUMBBELL | {"queue": "fq_codel"},
        DUMBBELL | {"queue": {"kind": "fifo", "limit": "20p"}},
        DUMBBELL | {"queue": {"kind": "policer", "rate": "5mbit", "burst": "20kB"}},
    ],
)
def test_what_ends_or_is_asked_for_is_not(network):
    assert remarks(load(file(network))) == []


def test_several_links_are_named_in_one_line():
    links = [{"name": name, "rate": "5mbit"} for name in "ab"] + [{"name": "back", "delay": "5ms"}]
    network = {"links": links}
    (line,) = remarks(load(file(network, flow={"forward": ["a", "b"], "reverse": ["back"]})))
    assert line == f"network.links.a, network.links.b: {REMEDY}"


def test_a_sweep_counts_with_all_its_points():
    swept = file(DUMBBELL, sweep={"network.queue": ["codel", "fifo"]})
    assert remarks(load(swept)) == [f"network: {REMEDY}"]
    assert remarks(load(file(DUMBBELL, sweep={"network.buffer": ["1bdp", "2bdp"]}))) == []


@pytest.mark.parametrize(
    ("network", "key"),
    [
        ({"queue": {"kind": "policer", "rate": "5mbit", "burst": "1513B"}}, "queue.burst"),
        ({"queue": {"kind": "policer", "rate": "5mbit", "burst": "1514B"}}, None),
        ({"queue": {"kind": "policer", "rate": "5mbit", "burst": "20kB", "mtu": "1513B"}}, "queue.mtu"),
        ({"buffer": "1bdp", "burst": "1513B"}, "burst"),
        ({"buffer": "1bdp", "burst": "1514B"}, None),
        ({"buffer": "1bdp", "burst": "1513B", "overhead_bytes": 0}, None),
    ],
)
def test_a_bucket_too_small_for_a_frame_is_named(network, key):
    lines = remarks(load(file(DUMBBELL | network)))
    expected = f"link 'bottleneck': {key} is 1513 bytes, so that no full frame of 1514 ever passes; give at least that"
    assert lines == ([expected] if key else [])


LONG_FAT = {"rate": "1gbit", "rtt": "100ms", "buffer": "1bdp"}


def test_a_flow_that_the_default_memory_of_linux_would_limit_is_named():
    (line,) = remarks(load(file(LONG_FAT)))
    assert line.startswith("flow cubic: its share of the bottleneck, 1 Gbps, needs 12.5 MB in flight; ")
    assert "(tcp_wmem) it would have at most 336 Mbps" in line
    assert line.endswith('hosts.memory = "linux" sets Linux\'s')


@pytest.mark.parametrize(
    "more",
    [
        {"hosts": {"memory": "linux"}},  # it is limited, as asked for
        {"hosts": {"sender": {"wmem_max": "1MB"}}},
        {"flow": {"count": 4}},  # a share of 3.1 MB
        {"flow": {"workload": "ping"}},
    ],
)
def test_memory_that_was_asked_for_or_suffices_is_not(more):
    assert remarks(load(file(LONG_FAT, **more))) == []
