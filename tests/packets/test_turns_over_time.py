"""Figure 10 of Lin et al. 2019 from captures: blocks of ACKs, and gaps between segments, second by second."""

import math

import fairlane
import pytest
from fairlane.results.captures.headers import Segment

from tools.turns_over_time import captured, draw, seconds

LAPTOP, SERVER = (b"laptop", 1), (b"server", 2)


def packet(ms, source, payload=0):
    destination = SERVER if source is LAPTOP else LAPTOP
    return Segment(int(ms * 1e6), source, destination, 0, 0, 16, 0, payload, None, (), False)


def test_blocks_and_gaps_of_a_trace_by_hand():
    trace = [
        packet(0, LAPTOP),
        packet(1, SERVER),  # the SYN-ACK is a block, too
        packet(10, LAPTOP, 1448),
        packet(12, LAPTOP, 1448),  # a gap of 2 ms
        packet(20, SERVER),
        packet(21, SERVER),  # two packets in one block
        packet(22, LAPTOP, 1448),  # no gap: ACKs have come in between
        packet(26, LAPTOP, 1448),  # a gap of 4 ms
        packet(30, SERVER),
        packet(2500, LAPTOP, 1448),
    ]
    first, second, third = seconds(trace)
    assert first.values == (3, 4 / 3, 3.0)
    assert second.values[0] == third.values[0] == 0
    assert all(math.isnan(one) for one in third.values[1:])


def test_a_capture_gives_the_same_blocks_as_the_run(tmp_path):
    fairlane.run(
        {
            "title": "one flow over Wi-Fi",
            "duration": "2s",
            "network": {"kind": "wifi", "standard": "n", "mcs": 13, "mpdu_loss": "10%", "buffer": "1000p"},
            "hosts": {"offload": True, "sender": {"small_queue_limit": "256KiB"}},
            "flows": [{"name": "flow", "algorithm": "cubic"}],
            "sweep": {"flows.flow.algorithm": {"name": "algorithm", "values": ["cubic", "bbr"]}},
        },
        tmp_path,
        jobs=1,
        progress=False,
    )
    results = fairlane.open(tmp_path)
    for row in results.flows.to_dicts():
        found = captured(results, row["algorithm"])
        assert len(found) == 2
        assert sum(one.blocks for one in found) == row["ack_blocks"]
        assert sum(one.acks for one in found) == row["ack_block_packets"]
        gap_ms = sum(one.gap_ns for one in found) / 1e6 / sum(one.gaps for one in found)
        assert gap_ms == pytest.approx(row["segment_gap_ms"], rel=1e-3)
    draw(tmp_path / "turns.png", [("cubic", found)])
    assert (tmp_path / "turns.png").stat().st_size > 10_000
