//! Settings of `defaults.sh` in the public script collections: a host in a data centre instead of Linux's defaults.

use super::{sysctl, Settings};

/// As of 2024, in both public collections (google/packetdrill and the kernel's selftests). Settings without effect here
/// (cookies, Fast Open, ...) are omitted.
const DEFAULTS: &[(&str, &str)] = &[
    ("tcp_rmem", "4096 540000 15728640"),
    ("tcp_wmem", "4096 262144 4194304"),
    ("tcp_timestamps", "1"),
    ("tcp_frto", "2"),
    ("tcp_sack", "1"),
    ("tcp_dsack", "1"),
    ("tcp_reordering", "3"),
    ("tcp_congestion_control", "cubic"),
    ("tcp_slow_start_after_idle", "0"),
    ("tcp_early_retrans", "4"),
    ("tcp_recovery", "1"),
    ("tcp_tso_win_divisor", "3"),
    ("tcp_ecn", "0"),
    ("tcp_pacing_ss_ratio", "200"),
    ("tcp_pacing_ca_ratio", "120"),
];

pub(super) fn apply(settings: &mut Settings) {
    for (name, value) in DEFAULTS {
        sysctl::apply(settings, name, value);
    }
}
