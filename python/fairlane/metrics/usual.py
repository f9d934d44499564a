"""What a table shows unless something else is asked for."""

USUAL = {
    "group": ["goodput_mbps", "mean_rtt_ms", "mean_cwnd_packets", "retransmits_per_packet_pct"],
    "flow": ["goodput_mbps", "share_pct", "mean_rtt_ms", "mean_cwnd_packets", "retransmits_per_packet_pct"],
    "run": ["total_goodput_mbps", "jain_index", "bottleneck_utilisation_pct", "mean_rtt_ms", "total_retransmits"],
    "link": ["utilisation_pct", "mean_queue_kb", "mean_queue_delay_ms", "drop_rate_pct"],
}
"""Metrics, by what has a row."""

OWN = {
    "group": ["group", "name", "algorithm"],
    "flow": ["flow", "group", "name", "algorithm"],
    "link": ["name"],
    "run": [],
}
"""Columns that say which group, flow or link of a run a row is about."""
