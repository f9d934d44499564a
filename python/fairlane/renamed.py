"""Public names that have changed: old name -> new name.

Every message about an unknown name looks here, and names the new one.
"""

RESULTS = {
    "data_packets_arrived": "data_packets_received",
    "held_lost_packets": "packets_marked_lost",
    "rtt_deviation_us": "rttvar_us",
}
"""Columns and time series of results."""

METRICS = {
    "convergence_30s_s": "convergence_time_30s_s",
    "convergence_3s_s": "convergence_time_3s_s",
    "cwnd_deviation_kb": "cwnd_stddev_kb",
    "fair_share_3s_s": "time_to_fairness_3s_s",
    "least_fair_share_pct": "min_fair_share_pct",
    "marks": "ecn_marked_packets",
    "random_losses": "random_loss_packets",
    "rtt_deviation_ms": "rtt_stddev_ms",
}

STUDY_KEYS = {
    "further": "optional",
    "picture": "plot",
    "place": "source",
    "timeline": "time_series",
    "times": "scale",
    "waiting": "unsupported",
}
"""Keys of `study.toml`."""

OPTIONS = {"--most-repeats": "--max-repeats"}
"""Options of the command line."""

CLAIMS = {"Figure": "Measurement"}
"""Names of `fairlane.claims`."""

NEW_NAMES = RESULTS | METRICS | STUDY_KEYS | OPTIONS | CLAIMS
