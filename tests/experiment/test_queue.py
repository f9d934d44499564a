"""`buffer` limits every queue discipline by the limit that it has."""

import pytest
from fairlane.experiment.load import load
from fairlane.queues import LIMIT_KEYS


def queue(kind, buffer="1bdp"):
    network = {"rate": "10mbit", "rtt": "20ms", "buffer": buffer, "queue": kind}
    (point,) = load({"duration": "2s", "network": network, "flows": [{"algorithm": "cubic"}]}).points
    return point.point.repeat(0)["links"][0]["queue"]


@pytest.mark.parametrize("kind", LIMIT_KEYS)
def test_a_limit_of_one_bdp(kind):
    key = LIMIT_KEYS[kind]
    assert queue(kind)[key] == (25_000 if key.endswith("_bytes") else 25_000 // 1514)


def test_a_fifo_counts_packets_where_the_buffer_does():
    assert queue("fifo", "17p") == {"kind": "fifo", "limit_packets": 17}


def test_a_limit_of_its_own_counts():
    assert queue({"kind": "cake", "memlimit": "64kB"}) == {"kind": "cake", "memlimit_bytes": 64_000}
