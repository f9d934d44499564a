"""Every metric has a value on a real run, and plausible ones."""

import fairlane
import pytest
from fairlane.results.metrics import MetricError, Run, catalogue, find, metric
from fairlane.results.metrics.metric import REGISTRY

SCENARIO = {
    "seed": 1,
    "duration_ns": 40_000_000_000,
    "links": [
        {
            "name": "bottleneck",
            "rate_bps": 10_000_000,
            "delay_ns": 10_000_000,
            "queue": {"kind": "fifo", "limit_bytes": 25_000},
        },
        {"name": "return", "delay_ns": 10_000_000},
    ],
    "flows": [
        {"algorithm": name, "forward": ["bottleneck"], "reverse": ["return"]} for name in ("cubic", "reno", "reno")
    ],
}
WIFI = {
    "airtime_pct",
    "mpdus_per_ppdu",
    "p5_mpdus_per_ppdu",
    "median_mpdus_per_ppdu",
    "p95_mpdus_per_ppdu",
    "collided_ppdus_pct",
    "retransmitted_mpdus_pct",
    "turns_per_s",
    "packets_per_turn",
    "airtime_jain_index",
    "ack_blocks_per_s",
    "packets_per_ack_block",
    "segment_gap_ms",
    "ack_block_gap_correlation",
    "ack_block_variation",
    "segment_gap_variation",
}
APPLICATIONS = {
    "completion_median_s",
    "completion_p99_s",
    "completion_median_slowdown",
    "completion_p99_slowdown",
    "completion_median_slowdown_small",
    "completion_p99_slowdown_small",
    "completion_median_slowdown_medium",
    "completion_p99_slowdown_medium",
    "completion_median_slowdown_large",
    "completion_p99_slowdown_large",
    "completion_slowdown",
    "completion_slowdown_small",
    "completion_slowdown_medium",
    "completion_slowdown_large",
    "request_median_ms",
    "request_p95_ms",
    "request_p99_ms",
    "page_load_median_ms",
    "video_bitrate_mbps",
    "rebuffering_pct",
    "call_delay_median_ms",
    "call_delay_p95_ms",
    "call_delay_p99_ms",
    "call_bitrate_mbps",
    "call_late_pct",
    "call_lost_pct",
    "call_frozen_pct",
}
ABSENT = {"completion_s", "backoff_factor", "goodput_before_last_start_mbps"} | WIFI | APPLICATIONS


@pytest.fixture(scope="module")
def run():
    return Run.of(fairlane.simulate(SCENARIO))


def test_every_metric_has_a_value(run):
    subjects = {"flow": run.flows[0], "flows": run.flows, "link": run.links[0], "run": run}
    for one in catalogue():
        value = one(subjects[one.of])
        assert (value is None) == (one.name in ABSENT), one.name


def test_figures_fit_together(run):
    for flow in run.flows:
        value = {one.name: one(flow) for one in catalogue("flow")}
        assert value["goodput_mbps"] < value["throughput_mbps"] < value["sending_rate_mbps"]
        assert 20 <= value["min_rtt_ms"] <= value["packet_rtt_min_ms"] <= value["packet_rtt_median_ms"]
        assert value["packet_rtt_median_ms"] <= value["packet_rtt_p95_ms"] <= value["packet_rtt_p99_ms"]
        assert value["packet_rtt_p99_ms"] <= value["packet_rtt_max_ms"]
        # The sender smooths the RTT of the first packet of each ACK, which may have waited for the second.
        assert value["packet_rtt_mean_ms"] <= value["mean_rtt_ms"] <= 1.2 * value["packet_rtt_mean_ms"]
        # Reno and CUBIC retransmit hardly more than the lost packets.
        assert 0.9 <= value["retransmits_per_loss"] <= 1.3
        assert 1 <= value["retransmits_per_segment"] <= 1.1
        assert 3 <= value["convergence_time_3s_s"] < 40
        assert 30 <= value["convergence_time_30s_s"] <= 40
    assert sum(find("share_pct")(flow) for flow in run.flows) == pytest.approx(100)
    assert find("total_goodput_mbps")(run.flows) <= 10 * 1448 / 1514
    assert find("jain_index")(run.flows) == pytest.approx(run["jain_index"])
    assert find("bottleneck_utilisation_pct")(run) > 95


def test_a_metric_of_ones_own(run):
    @metric(of="flow", unit="ms")
    def standing_delay_ms(flow):
        """How far the mean RTT lies above the smallest.

        More words.
        """
        return flow["mean_rtt_ms"] - flow["min_rtt_ms"]

    try:
        assert find("standing_delay_ms") is standing_delay_ms
        assert 0 < standing_delay_ms(run.flows[0]) < 25
        assert standing_delay_ms.axis_label == "standing delay, ms"
        assert standing_delay_ms.summary == "How far the mean RTT lies above the smallest."
    finally:
        del REGISTRY["standing_delay_ms"]


def test_mistakes_are_told(run):
    with pytest.raises(MetricError, match=r"did you mean jain_index"):
        find("jain_indx")
    with pytest.raises(MetricError, match=r"'goodput'.*goodput_mbps"):
        run.flows[0]["goodput"]
    with pytest.raises(MetricError, match="series"):
        run.links[0].series("cwnd_packets")
    with pytest.raises(MetricError, match="jain_index"):

        @metric(of="flow")
        def jain_index(flow):
            """Another one."""
            return 1.0
