"""Queues of an experiment file become queues of the scenario: options with units, and `buffer` as the limit."""

import pytest
from fairlane.engine.declarations import queues
from fairlane.scenario.diagnostics import ExperimentError
from fairlane.scenario.load import load
from fairlane.scenario.queue import limit_key


def queue(kind, buffer="1bdp"):
    network = {"rate": "10mbit", "rtt": "20ms", "buffer": buffer, "queue": kind}
    (point,) = load({"duration": "2s", "network": network, "flows": [{"algorithm": "cubic"}]}).points
    return point.point.repeat(0)["links"][0]["queue"]


@pytest.mark.parametrize("kind", [kind for kind in queues() if limit_key(kind)])
def test_a_limit_of_one_bdp(kind):
    key = limit_key(kind)
    assert queue(kind)[key] == (25_000 if key.endswith("_bytes") else 25_000 // 1514)


def test_a_fifo_counts_packets_where_the_buffer_does():
    assert queue("fifo", "17p") == {"kind": "fifo", "limit_packets": 17}


def test_a_limit_of_its_own_counts():
    assert queue({"kind": "cake", "memlimit": "64kB"}) == {"kind": "cake", "memlimit_bytes": 64_000}


@pytest.mark.parametrize(
    ("options", "parameters"),
    [
        (
            {"rate": "10mbit", "burst": "20kB", "peakrate": "50mbit", "mtu": "1514B"},
            {"rate_bps": 10_000_000, "burst_bytes": 20_000, "peakrate_bps": 50_000_000, "mtu_bytes": 1514},
        ),
        (
            {"pkts_rate": "1.5kpps", "pkts_burst": "20p"},
            {"pkts_rate_pps": 1500, "pkts_burst_packets": 20},
        ),
    ],
)
def test_the_options_of_a_policer(options, parameters):
    assert queue({"kind": "policer", **options}) == {"kind": "policer", **parameters}


def test_the_bytes_that_cake_counts():
    options = {"bandwidth": "50mbit", "overhead": -4, "mpu": 64, "ptm": True, "ack_filter": True}
    made = queue({"kind": "cake", **options})
    assert (made["overhead"], made["mpu"], made["ptm"], made["ack_filter"]) == (-4, 64, True, True)


@pytest.mark.parametrize(
    ("options", "line"),
    [
        ({"overhead": 300}, "network.queue.overhead: is 300; give -64 to 256"),
        ({"atm": True, "ptm": True}, "network.queue.ptm: and `atm` exclude each other; remove one of them"),
        ({"mpu": "64B"}, "network.queue.mpu: must be an integer"),
        (
            {"ack-filter": True},
            "network.queue.ack-filter: unknown option of cake 'ack-filter'; did you mean ack_filter?",
        ),
    ],
)
def test_a_fault_of_cakes_options(options, line):
    with pytest.raises(ExperimentError) as found:
        queue({"kind": "cake", "bandwidth": "50mbit", **options})
    assert line in str(found.value)


def test_a_packet_rate_is_swept_across_units():
    swept = {"network.queue.pkts_rate": {"from": "500pps", "to": "1.5kpps", "step": "500pps"}}
    policer = {"kind": "policer", "pkts_rate": "1kpps", "pkts_burst": "20p"}
    network = {"rate": "10mbit", "rtt": "20ms", "queue": policer}
    points = load({"duration": "2s", "network": network, "flows": [{"algorithm": "cubic"}], "sweep": swept}).points
    assert [one.point.repeat(0)["links"][0]["queue"]["pkts_rate_pps"] for one in points] == [500, 1000, 1500]


def test_a_limit_may_be_a_time_at_the_rate_of_the_link():
    network = {"rate": "30mbit", "rtt": "20ms", "queue": {"kind": "fifo", "limit": "250ms"}}
    flows = [{"algorithm": "cubic"}]
    made = load({"duration": "1s", "network": network, "flows": flows}).points[0].point.scenario
    assert made["links"][0]["queue"] == {"kind": "fifo", "limit_bytes": 937_500}
    pie = {**network, "queue": {"kind": "pie", "target": "5ms"}}
    made = load({"duration": "1s", "network": pie, "flows": flows}).points[0].point.scenario
    assert made["links"][0]["queue"]["target_ns"] == 5_000_000
