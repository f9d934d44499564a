"""Results whose metrics can be computed by hand."""

from typing import Any

import pytest
from fairlane.results.metrics import Flow, Link, Run

FIGURES: dict[str, Any] = {
    "flow": 0,
    "group": 0,
    "algorithm": "cubic",
    "start_s": 0.0,
    "duration_s": 10.0,
    "mss_bytes": 1000,
    "goodput_mbps": 8.0,
    "throughput_mbps": 9.0,
    "sending_rate_mbps": 10.0,
    "mean_rtt_ms": 30.0,
    "median_rtt_ms": 29.0,
    "p95_rtt_ms": 40.0,
    "p99_rtt_ms": 45.0,
    "max_rtt_ms": 50.0,
    "min_rtt_ms": 20.0,
    "packet_rtt_mean_ms": 31.0,
    "packet_rtt_median_ms": 28.0,
    "packet_rtt_p95_ms": 41.0,
    "packet_rtt_p99_ms": 46.0,
    "packet_rtt_min_ms": 20.5,
    "packet_rtt_max_ms": 55.0,
    "mean_cwnd_packets": 25.0,
    "mean_pacing_mbps": 9.5,
    "mean_inflight_packets": 20.0,
    "retransmits": 30,
    "segments_retransmitted": 25,
    "timeouts": 2,
    "data_packets_sent": 1000,
    "lost_packets": 20,
    "spurious_losses": 4,
    "marked_packets": 5,
    "busy_share": 0.9,
    "rwnd_limited_share": 0.4,
    "sndbuf_limited_share": 0.05,
    "small_queue_limited_share": 0.02,
    "app_limited_share": 0.1,
    "cwnd_limited_share": 0.3,
    "pacing_limited_share": 0.12,
    "completion_s": None,
    "request_median_ms": 21.0,
    "request_p95_ms": 35.0,
    "request_p99_ms": 48.0,
    "page_load_median_ms": 900.0,
    "video_bitrate_mbps": 4.3,
    "played_s": 9.0,
    "rebuffering_s": 1.0,
    "call_frames": 200,
    "call_late_frames": 30,
    "call_lost_frames": 10,
    "call_delay_median_ms": 40.0,
    "call_delay_p95_ms": 120.0,
    "call_delay_p99_ms": 180.0,
    "call_bitrate_mbps": 1.2,
    "call_frozen_s": 0.5,
    "wire_bytes_forward": 12_500_000,
    "wire_bytes_reverse": 500_000,
    "ack_blocks": 400,
    "ack_block_packets": 1200,
    "segment_gap_ms": 0.02,
    "ack_block_gap_correlation": -0.5,
    "ack_block_variation": 0.1,
    "segment_gap_variation": 0.2,
}
LINK: dict[str, Any] = {
    "name": "bottleneck",
    "utilisation": 0.9,
    "delivered_packets": 960,
    "dropped_packets": 30,
    "marked_packets": 7,
    "lost_packets": 10,
    "mean_queue_bytes": 5000.0,
    "max_queue_bytes": 20_000,
    "mean_queue_delay_ms": 4.0,
    "median_queue_delay_ms": 3.0,
    "p95_queue_delay_ms": 12.0,
    "p99_queue_delay_ms": 15.0,
    "max_queue_delay_ms": 16.0,
    "airtime_share": 0.4,
    "ppdus": 50,
    "mpdus_per_ppdu": 20.0,
    "p5_mpdus_per_ppdu": 4,
    "median_mpdus_per_ppdu": 22,
    "p95_mpdus_per_ppdu": 42,
    "collided_ppdus": 5,
    "retransmitted_mpdus": 40,
    "turns": 40,
}


def flow(series: dict[str, Any] | None = None, **changes: Any) -> Flow:
    return Flow({**FIGURES, **changes}, series or {})


def link(series: dict[str, Any] | None = None, **changes: Any) -> Link:
    return Link({**LINK, **changes}, series or {})


def steady(mbps: list[float], *, start_s: float = 0.0, **changes: Any) -> Flow:
    """A flow with one sample a second."""
    return flow({"t_s": [start_s + 1 + i for i in range(len(mbps))], "mbps": mbps}, start_s=start_s, **changes)


@pytest.fixture
def run() -> Run:
    flows = [flow(), flow(flow=1, group=1, algorithm="bbr", goodput_mbps=2.0, throughput_mbps=3.0, retransmits=10)]
    return Run({"jain_index": 0.735}, flows, [link(), link(name="return", utilisation=0.0)])
