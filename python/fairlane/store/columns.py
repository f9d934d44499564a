"""The names of what is measured. They belong to the measurement: an axis of a sweep that would take one yields.

`rtt_ms` in a table of samples is a sampled RTT, whatever was swept. Where a table has such a column, an axis that would
have it too is called `swept_rtt_ms`: everywhere if the name is one of a figure of runs, flows or links, and among
the samples only if it is one of theirs.
"""

_FIGURES = """
    algorithms bytes_delivered command completion_s cpu_s data_packets_arrived data_packets_delivered
    data_packets_sent delivered_packets dropped_packets duration_s events fairlane finished goodput_mbps
    held_lost_packets host jain_index lost_packets marked_packets max_queue_bytes max_queue_delay_ms
    max_rtt_ms mean_cwnd_packets mean_inflight_packets mean_pacing_mbps mean_queue_bytes mean_queue_delay_ms
    mean_rtt_ms median_queue_delay_ms median_rtt_ms min_rtt_ms mss_bytes p95_queue_delay_ms p95_rtt_ms
    p99_queue_delay_ms p99_rtt_ms packet_rtt_max_ms packet_rtt_mean_ms packet_rtt_median_ms packet_rtt_min_ms
    packet_rtt_p95_ms packet_rtt_p99_ms packet_rtt_samples peak_rss_mb processor processors python
    requests_completed retransmits retransmitted_bytes scenario sending_rate_mbps simulator start_s system
    throughput_mbps timeouts transmitted_bytes utilisation wall_s warm_up_s wire_bytes_forward
    wire_bytes_reverse
"""
FIGURES = frozenset(_FIGURES.split())
"""Columns of `runs`, `flows` and `links`."""

_SAMPLES = """
    cwnd_packets dropped_packets inflight_packets lost_packets marked_packets mbps mean_queue_bytes
    pacing_mbps packet_rtt_ms queue_bytes queue_delay_ms receive_window_bytes retransmits rtt_deviation_us
    rtt_ms sending_rate_mbps throughput_mbps
"""
SAMPLES = frozenset(_SAMPLES.split())
"""Columns of their series."""


def yielding(column: str, taken: frozenset[str]) -> str:
    """What an axis is called that would be `column`.

    >>> yielding("rtt_ms", SAMPLES), yielding("rtt_ms", FIGURES)
    ('swept_rtt_ms', 'rtt_ms')
    """
    return f"swept_{column}" if column in taken else column
