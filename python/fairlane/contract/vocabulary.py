"""Names and units of the contract. Generated from crates/contract by `python -m fairlane.reference`; do not edit."""

from fairlane.contract.terms import Column, Parameter

ETHERNET_OVERHEAD_BYTES = 14
TUN_OVERHEAD_BYTES = 4

QUEUES: dict[str, dict[str, Parameter]] = {
    "fifo": {
        "limit_bytes": Parameter("integer", unit="bytes", limits="required"),
        "limit_packets": Parameter("integer", unit="packets"),
    },
    "unlimited": {
    },
    "red": {
        "limit_bytes": Parameter("integer", unit="bytes", limits="required", is_required=True),
        "min_bytes": Parameter("integer", unit="bytes"),
        "max_bytes": Parameter("integer", unit="bytes"),
        "avpkt_bytes": Parameter("integer", unit="bytes", default=1000),
        "burst_packets": Parameter("integer", unit="packets"),
        "probability": Parameter("number", default=0.02),
        "bandwidth_bps": Parameter("integer", unit="bit/s", default=10000000),
        "ecn": Parameter("boolean", default=False),
        "harddrop": Parameter("boolean", default=False),
        "nodrop": Parameter("boolean", default=False),
        "adaptive": Parameter("boolean", default=False),
    },
    "codel": {
        "limit_packets": Parameter("integer", unit="packets", default=1000, limits="default"),
        "target_ns": Parameter("integer", unit="ns", default=5000000),
        "interval_ns": Parameter("integer", unit="ns", default=100000000),
        "ecn": Parameter("boolean", default=False),
        "ce_threshold_ns": Parameter("integer", unit="ns"),
    },
    "fq_codel": {
        "limit_packets": Parameter("integer", unit="packets", default=10240, limits="default"),
        "flows": Parameter("integer", default=1024),
        "target_ns": Parameter("integer", unit="ns", default=5000000),
        "interval_ns": Parameter("integer", unit="ns", default=100000000),
        "quantum_bytes": Parameter("integer", unit="bytes"),
        "ecn": Parameter("boolean", default=True),
        "ce_threshold_ns": Parameter("integer", unit="ns"),
        "ce_threshold_ect1_only": Parameter("boolean", default=False),
        "memory_limit_bytes": Parameter("integer", unit="bytes", default=33554432),
        "drop_batch_packets": Parameter("integer", unit="packets", default=64),
    },
    "pie": {
        "limit_packets": Parameter("integer", unit="packets", default=1000, limits="default"),
        "target_ns": Parameter("integer", unit="ns", default=15000000),
        "tupdate_ns": Parameter("integer", unit="ns", default=15000000),
        "alpha": Parameter("integer", unit="1/16 Hz", default=2),
        "beta": Parameter("integer", unit="1/16 Hz", default=20),
        "ecn": Parameter("boolean", default=False),
        "bytemode": Parameter("boolean", default=False),
        "dq_rate_estimator": Parameter("boolean", default=False),
    },
    "fq_pie": {
        "limit_packets": Parameter("integer", unit="packets", default=10240, limits="default"),
        "flows": Parameter("integer", default=1024),
        "target_ns": Parameter("integer", unit="ns", default=15000000),
        "tupdate_ns": Parameter("integer", unit="ns", default=15000000),
        "alpha": Parameter("integer", unit="1/16 Hz", default=2),
        "beta": Parameter("integer", unit="1/16 Hz", default=20),
        "quantum_bytes": Parameter("integer", unit="bytes"),
        "ecn": Parameter("boolean", default=False),
        "ecn_prob": Parameter("integer", unit="%", default=10),
        "bytemode": Parameter("boolean", default=False),
        "dq_rate_estimator": Parameter("boolean", default=False),
    },
    "fq": {
        "limit_packets": Parameter("integer", unit="packets", default=10000, limits="default"),
        "flow_limit_packets": Parameter("integer", unit="packets", default=100),
        "quantum_bytes": Parameter("integer", unit="bytes"),
        "initial_quantum_bytes": Parameter("integer", unit="bytes"),
        "maxrate_bps": Parameter("integer", unit="bit/s"),
        "low_rate_threshold_bps": Parameter("integer", unit="bit/s", default=550000),
        "refill_delay_ns": Parameter("integer", unit="ns", default=40000000),
        "orphan_mask": Parameter("integer", default=1023),
        "ce_threshold_ns": Parameter("integer", unit="ns"),
    },
    "cake": {
        "bandwidth_bps": Parameter("integer", unit="bit/s"),
        "rtt_ns": Parameter("integer", unit="ns", default=100000000),
        "memlimit_bytes": Parameter("integer", unit="bytes", limits="default"),
    },
    "dualpi2": {
        "limit_packets": Parameter("integer", unit="packets", default=10000, limits="default"),
        "memlimit_bytes": Parameter("integer", unit="bytes"),
        "max_rtt_ns": Parameter("integer", unit="ns"),
        "typical_rtt_ns": Parameter("integer", unit="ns"),
        "target_ns": Parameter("integer", unit="ns", default=15000000),
        "tupdate_ns": Parameter("integer", unit="ns", default=16000000),
        "alpha_hz": Parameter("number", unit="Hz", default=0.16),
        "beta_hz": Parameter("number", unit="Hz", default=3.2),
        "coupling_factor": Parameter("integer", default=2),
        "step_thresh_ns": Parameter("integer", unit="ns"),
        "step_thresh_packets": Parameter("integer", unit="packets"),
        "min_qlen_step_packets": Parameter("integer", unit="packets", default=0),
        "classic_protection_percent": Parameter("integer", unit="%", default=10),
        "drop_on_overload": Parameter("boolean", default=True),
        "drop_enqueue": Parameter("boolean", default=False),
        "any_ect": Parameter("boolean", default=False),
    },
    "policer": {
        "rate_bps": Parameter("integer", unit="bit/s"),
        "burst_bytes": Parameter("integer", unit="bytes"),
        "peakrate_bps": Parameter("integer", unit="bit/s"),
        "mtu_bytes": Parameter("integer", unit="bytes"),
        "pkts_rate_pps": Parameter("integer", unit="packets/s"),
        "pkts_burst_packets": Parameter("integer", unit="packets"),
    },
}
"""Each discipline and its parameters."""

WORKLOADS: dict[str, dict[str, Parameter]] = {
    "bulk": {
    },
    "iperf3": {
    },
    "bytes": {
        "bytes": Parameter("integer", unit="bytes", is_required=True),
    },
    "request_response": {
        "request_bytes": Parameter("integer", unit="bytes", is_required=True),
        "response_bytes": Parameter("integer", unit="bytes", is_required=True),
        "think_ns": Parameter("integer", unit="ns", default=0),
    },
    "ping": {
        "interval_ns": Parameter("integer", unit="ns", default=200000000),
        "bytes": Parameter("integer", unit="bytes", default=64),
    },
    "on_off": {
        "on_ns": Parameter("integer", unit="ns", is_required=True),
        "off_ns": Parameter("integer", unit="ns", is_required=True),
        "exponential": Parameter("boolean", default=False),
    },
    "poisson_flows": {
        "rate_per_s": Parameter("number", unit="1/s", is_required=True),
        "mean_bytes": Parameter("integer", unit="bytes"),
        "sizes": Parameter("object"),
    },
    "arrivals": {
        "arrivals": Parameter("array", is_required=True),
    },
    "web": {
        "connections": Parameter("integer", default=6),
        "concurrent_requests": Parameter("integer", default=1),
        "request_bytes": Parameter("integer", unit="bytes", default=350),
        "document_bytes": Parameter("integer", unit="bytes", is_required=True),
        "objects": Parameter("integer", is_required=True),
        "object_sizes": Parameter("string", is_required=True),
        "parse_ns": Parameter("integer", unit="ns", default=0),
        "think_ns": Parameter("integer", unit="ns", default=0),
    },
    "video": {
        "ladder_bps": Parameter("array", unit="bit/s", is_required=True),
        "segment_ns": Parameter("integer", unit="ns", is_required=True),
        "buffer_ns": Parameter("integer", unit="ns", is_required=True),
        "adaptation": Parameter("string"),
        "request_bytes": Parameter("integer", unit="bytes", default=350),
    },
}
"""Each workload and its parameters."""

SENDER: dict[str, Parameter] = {
    "offload": Parameter("boolean", default=False),
    "segmentation_offload": Parameter("boolean", default=True),
    "pacing": Parameter("string"),
    "small_queue_limit_bytes": Parameter("integer", unit="bytes"),
    "small_queue_limits_paced": Parameter("boolean", default=True),
    "pacing_shift": Parameter("integer", default=10),
    "wmem_max_bytes": Parameter("integer", unit="bytes", default=67108864),
    "ecn": Parameter("boolean", default=False),
    "accecn": Parameter("boolean", default=False),
    "ect1": Parameter("boolean", default=False),
    "timestamps": Parameter("boolean", default=True),
    "initial_cwnd_packets": Parameter("integer", unit="packets", default=10),
    "tail_loss_probe": Parameter("boolean", default=True),
    "forward_rto": Parameter("boolean", default=True),
    "undo": Parameter("boolean", default=True),
    "slow_start_after_idle": Parameter("boolean", default=True),
    "nagle": Parameter("boolean", default=True),
}
"""The host that sends the data."""

RECEIVER: dict[str, Parameter] = {
    "offload": Parameter("boolean", default=False),
    "rmem_initial_bytes": Parameter("integer", unit="bytes", default=131072),
    "rmem_max_bytes": Parameter("integer", unit="bytes", default=67108864),
    "adv_win_scale": Parameter("integer"),
    "autotune": Parameter("boolean", default=True),
    "ecn": Parameter("boolean", default=False),
    "accecn": Parameter("boolean", default=False),
    "sack_compression": Parameter("boolean", default=True),
    "sack_compression_rtt_percent": Parameter("integer", unit="%", default=5),
}
"""The host that receives the data."""

QUIC: dict[str, Parameter] = {
    "profile": Parameter("string"),
    "packet_bytes": Parameter("integer", unit="bytes"),
    "initial_cwnd_packets": Parameter("integer", unit="packets"),
    "pacing": Parameter("boolean"),
    "slow_start_pacing_percent": Parameter("integer", unit="%"),
    "avoidance_pacing_percent": Parameter("integer", unit="%"),
    "burst_packets": Parameter("integer", unit="packets"),
    "proportional_rate_reduction": Parameter("boolean"),
    "ack_every_packets": Parameter("integer", unit="packets"),
    "max_ack_delay_ns": Parameter("integer", unit="ns"),
    "packet_threshold_packets": Parameter("integer", unit="packets"),
    "time_threshold_permille": Parameter("integer"),
    "initial_rtt_ns": Parameter("integer", unit="ns"),
    "stream_window_bytes": Parameter("integer", unit="bytes"),
    "connection_window_bytes": Parameter("integer", unit="bytes"),
    "streams": Parameter("integer"),
    "emulated_connections": Parameter("integer"),
}
"""Settings of both QUIC endpoints of a flow. Absent means that the profile says it."""

RUNS: dict[str, Column] = {
    "jain_index": Column("number", "", True),
    "data_packets_delivered": Column("integer", "", False),
    "events": Column("integer", "", False),
    "warm_up_s": Column("number", "s", False),
    "fairlane": Column("string", "", False),
    "simulator": Column("string", "", False),
    "command": Column("string", "", False),
    "host": Column("string", "", False),
    "system": Column("string", "", False),
    "processor": Column("string", "", False),
    "processors": Column("integer", "", False),
    "python": Column("string", "", False),
    "finished": Column("string", "", False),
    "scenario": Column("string", "", False),
    "algorithms": Column("string", "", False),
    "cpu_s": Column("number", "s", False),
    "wall_s": Column("number", "s", False),
    "peak_rss_mb": Column("number", "MB", False),
}
"""Columns of `runs`."""

FLOWS: dict[str, Column] = {
    "flow": Column("integer", "", False),
    "group": Column("integer", "", False),
    "algorithm": Column("string", "", False),
    "start_s": Column("number", "s", False),
    "duration_s": Column("number", "s", False),
    "mss_bytes": Column("integer", "bytes", False),
    "goodput_mbps": Column("number", "Mbit/s", False),
    "throughput_mbps": Column("number", "Mbit/s", False),
    "sending_rate_mbps": Column("number", "Mbit/s", False),
    "mean_rtt_ms": Column("number", "ms", True),
    "median_rtt_ms": Column("number", "ms", True),
    "p95_rtt_ms": Column("number", "ms", True),
    "p99_rtt_ms": Column("number", "ms", True),
    "max_rtt_ms": Column("number", "ms", True),
    "mean_cwnd_packets": Column("number", "packets", True),
    "mean_pacing_mbps": Column("number", "Mbit/s", True),
    "mean_inflight_packets": Column("number", "packets", True),
    "min_rtt_ms": Column("number", "ms", True),
    "packet_rtt_samples": Column("integer", "", False),
    "packet_rtt_mean_ms": Column("number", "ms", True),
    "packet_rtt_median_ms": Column("number", "ms", True),
    "packet_rtt_p95_ms": Column("number", "ms", True),
    "packet_rtt_p99_ms": Column("number", "ms", True),
    "packet_rtt_min_ms": Column("number", "ms", True),
    "packet_rtt_max_ms": Column("number", "ms", True),
    "retransmits": Column("integer", "", False),
    "retransmitted_bytes": Column("integer", "bytes", False),
    "timeouts": Column("integer", "", False),
    "data_packets_sent": Column("integer", "", False),
    "data_packets_received": Column("integer", "", False),
    "lost_packets": Column("integer", "packets", False),
    "packets_marked_lost": Column("integer", "", False),
    "spurious_losses": Column("integer", "", False),
    "marked_packets": Column("integer", "packets", False),
    "bytes_delivered": Column("integer", "", False),
    "transfer_bytes": Column("integer", "bytes", True),
    "completion_s": Column("number", "s", True),
    "ideal_completion_s": Column("number", "s", True),
    "requests_completed": Column("integer", "", True),
    "request_mean_ms": Column("number", "ms", True),
    "request_median_ms": Column("number", "ms", True),
    "request_p95_ms": Column("number", "ms", True),
    "request_p99_ms": Column("number", "ms", True),
    "request_max_ms": Column("number", "ms", True),
    "pages_completed": Column("integer", "", True),
    "page_load_mean_ms": Column("number", "ms", True),
    "page_load_median_ms": Column("number", "ms", True),
    "page_load_p95_ms": Column("number", "ms", True),
    "video_bitrate_mbps": Column("number", "Mbit/s", True),
    "bitrate_switches": Column("integer", "", True),
    "startup_s": Column("number", "s", True),
    "played_s": Column("number", "s", True),
    "rebuffering_s": Column("number", "s", True),
    "rebuffering_events": Column("integer", "", True),
    "wire_bytes_forward": Column("integer", "", False),
    "wire_bytes_reverse": Column("integer", "", False),
}
"""Columns of `flows`."""

LINKS: dict[str, Column] = {
    "name": Column("string", "", False),
    "utilisation": Column("number", "", False),
    "transmitted_bytes": Column("integer", "bytes", False),
    "delivered_packets": Column("integer", "packets", False),
    "dropped_packets": Column("integer", "packets", False),
    "marked_packets": Column("integer", "packets", False),
    "lost_packets": Column("integer", "packets", False),
    "mean_queue_bytes": Column("number", "bytes", False),
    "max_queue_bytes": Column("integer", "bytes", False),
    "mean_queue_delay_ms": Column("number", "ms", True),
    "median_queue_delay_ms": Column("number", "ms", True),
    "p95_queue_delay_ms": Column("number", "ms", True),
    "p99_queue_delay_ms": Column("number", "ms", True),
    "max_queue_delay_ms": Column("number", "ms", True),
    "airtime_share": Column("number", "", True),
    "ppdus": Column("integer", "", True),
    "mpdus_per_ppdu": Column("number", "", True),
    "collided_ppdus": Column("integer", "", True),
    "retransmitted_mpdus": Column("integer", "", True),
    "turns": Column("integer", "", True),
}
"""Columns of `links`."""

CROSS_TRAFFIC: dict[str, Column] = {
    "sent_packets": Column("integer", "packets", False),
    "delivered_packets": Column("integer", "packets", False),
}
"""Columns of `cross_traffic`."""

FLOW_SAMPLES: dict[str, Column] = {
    "t_s": Column("number", "s", False),
    "mbps": Column("number", "Mbit/s", False),
    "throughput_mbps": Column("number", "Mbit/s", False),
    "sending_rate_mbps": Column("number", "Mbit/s", False),
    "cwnd_packets": Column("integer", "packets", False),
    "rtt_ms": Column("number", "ms", False),
    "rttvar_us": Column("integer", "us", False),
    "packet_rtt_ms": Column("number", "ms", True),
    "retransmits": Column("integer", "", False),
    "lost_packets": Column("integer", "packets", False),
    "pacing_mbps": Column("number", "Mbit/s", False),
    "inflight_packets": Column("integer", "packets", False),
    "receive_window_bytes": Column("integer", "bytes", False),
    "marked_packets": Column("integer", "packets", False),
}
"""Columns of `flow_samples`."""

LINK_SAMPLES: dict[str, Column] = {
    "t_s": Column("number", "s", False),
    "queue_bytes": Column("integer", "bytes", False),
    "mean_queue_bytes": Column("number", "bytes", False),
    "queue_delay_ms": Column("number", "ms", True),
    "throughput_mbps": Column("number", "Mbit/s", False),
    "dropped_packets": Column("integer", "packets", False),
    "marked_packets": Column("integer", "packets", False),
}
"""Columns of `link_samples`."""
