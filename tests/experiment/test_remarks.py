"""Warnings about experiment files: unbounded queues, buckets smaller than a frame, default socket memory."""

import pytest
from fairlane.scenario.cautions import remarks
from fairlane.scenario.load import load

REMEDIES = ('buffer = "1bdp"', 'queue = "unlimited"')
DUMBBELL = {"rate": "5mbit", "rtt": "20ms"}


def assert_unbounded(lines, keys):
    [line] = lines
    assert line.startswith(f"{keys}: ")
    assert all(remedy in line for remedy in REMEDIES)


def file(network, **more):
    return {"duration": "1s", "network": network, "flows": [{"algorithm": "cubic", **more.pop("flow", {})}], **more}


def links(**link):
    return {"links": [{"name": "a", "rate": "5mbit", **link}, {"name": "back", "delay": "5ms"}]}


PATH = {"forward": ["a"], "reverse": ["back"]}


@pytest.mark.parametrize("network", [links(), links(queue="fifo")])
def test_an_unbounded_queue_is_named(network):
    assert_unbounded(remarks(load(file(network, flow=PATH))), "network.links.a")


@pytest.mark.parametrize(
    "network",
    [
        DUMBBELL,
        DUMBBELL | {"buffer": "1bdp", "reverse": {"rate": "1mbit"}},
        {"rate": "5mbit", "topology": "parking_lot", "hops": 2, "hop_delay": "1ms"},
        DUMBBELL | {"queue": "unlimited"},
        DUMBBELL | {"queue": "fq_codel"},
        DUMBBELL | {"queue": {"kind": "fifo", "limit": "20p"}},
        DUMBBELL | {"queue": {"kind": "policer", "rate": "5mbit", "burst": "20kB"}},
    ],
)
def test_bounded_and_explicitly_unlimited_queues_are_not_named(network):
    assert remarks(load(file(network))) == []


def test_several_links_are_named_in_one_line():
    links = [{"name": name, "rate": "5mbit"} for name in "ab"] + [{"name": "back", "delay": "5ms"}]
    network = {"links": links}
    lines = remarks(load(file(network, flow={"forward": ["a", "b"], "reverse": ["back"]})))
    assert_unbounded(lines, "network.links.a, network.links.b")


def test_a_sweep_counts_with_all_its_points():
    swept = file(links(), flow=PATH, sweep={"network.links.a.queue": ["codel", "fifo"]})
    assert_unbounded(remarks(load(swept)), "network.links.a")
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
    assert len(lines) == (key is not None)
    assert all(f"'bottleneck': {key} is 1513 bytes" in line and "1514" in line for line in lines)


LONG_FAT = {"rate": "1gbit", "rtt": "100ms", "buffer": "1bdp"}


def test_a_flow_that_the_default_memory_of_linux_would_limit_is_named():
    (line,) = remarks(load(file(LONG_FAT)))
    assert line.startswith("flow cubic: ")
    assert "336 Mbps" in line
    assert 'hosts.memory = "linux"' in line


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


BOTH = DUMBBELL | {"buffer": "1bdp", "reverse": {"rate": "1mbit", "buffer": "1bdp"}}


def test_a_swept_queue_that_leaves_the_reverse_link_a_fifo_is_named():
    [line] = remarks(load(file(BOTH, sweep={"network.queue": ["fifo", "fq_codel", "cake"]})))
    assert line.startswith("network.reverse: ")
    assert "fq_codel, cake" in line
    assert '"network.*.queue"' in line
    [fixed] = remarks(load(file(BOTH | {"queue": "pie"})))
    assert fixed.startswith("network.reverse: ")


def test_a_link_that_flows_come_back_over_is_named_if_the_queue_of_their_way_there_is_swept():
    down, up = ({"name": name, "rate": "9mbit", "delay": "5ms", "buffer": "1bdp"} for name in ("down", "up"))
    flows = [{"algorithm": "reno", "forward": ["down"], "reverse": ["up"]}]
    given = {"duration": "1s", "flows": flows, "sweep": {"network.links.down.queue": ["fifo", "cake"]}}
    [line] = remarks(load(given | {"network": {"links": [down, up]}}))
    assert line.startswith("network.links.up: has a rate and stays a FIFO, while the queue of down is swept: ")
    assert remarks(load(given | {"network": {"links": [down, up | {"queue": "fifo"}]}})) == []


def test_a_policer_and_not_its_link_decides_what_memory_a_flow_needs():
    queue = {"kind": "policer", "rate": "20mbit", "burst": "100kB"}
    links = [{"name": "there", "rate": "1gbit", "delay": "20ms", "queue": queue}, {"name": "back", "delay": "20ms"}]
    flows = [{"algorithm": "cubic", "forward": ["there"], "reverse": ["back"]}]
    assert remarks(load({"duration": "1s", "network": {"links": links}, "flows": flows})) == []


@pytest.mark.parametrize(
    ("network", "sweep"),
    [
        (BOTH, {"network.*.queue": ["fifo", "cake"]}),
        (BOTH, {"network.queue": ["fifo", "unlimited"]}),
        (BOTH | {"reverse": {"rate": "1mbit", "queue": "fifo", "buffer": "1bdp"}}, {"network.queue": ["cake"]}),
        (DUMBBELL | {"buffer": "1bdp"}, {"network.queue": ["fifo", "cake"]}),
    ],
)
def test_a_reverse_link_with_a_queue_of_its_own_or_no_rate_is_not(network, sweep):
    assert remarks(load(file(network, sweep=sweep))) == []
