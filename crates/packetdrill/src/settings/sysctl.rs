//! The kernel's settings, mapped to this TCP.

use super::Settings;

/// Settings of features that do not exist here.
const MEANINGLESS: &[&str] = &[
    "tcp_fack",
    "tcp_fastopen",
    "tcp_fastopen_key",
    "tcp_syncookies",
    "tcp_no_metrics_save",
    "tcp_notsent_lowat",
    "tcp_invalid_ratelimit",
    "tcp_syn_retries",
    "tcp_synack_retries",
];

/// Sets `net.ipv4.<name>`.
pub(super) fn apply(settings: &mut Settings, name: &str, value: &str) {
    let words: Vec<&str> = value.split_whitespace().collect();
    let number = words.first().and_then(|word| parse(word));
    let last = words.last().and_then(|word| parse(word));
    let sender = &mut settings.sender;
    let receiver = &mut settings.receiver;
    if words.iter().filter_map(|word| parse(word)).any(|number| !RANGE.contains(&number)) {
        return settings.note(format!("sysctl net.ipv4.{name}={value} is out of range"));
    }
    match (name, number) {
        ("tcp_congestion_control", None) => settings.algorithm = value.trim().to_owned(),
        ("tcp_sack", Some(on)) => {
            sender.sack = on != 0;
            receiver.sack = on != 0;
        }
        ("tcp_dsack", Some(on)) => receiver.duplicate_sack = on != 0,
        ("tcp_timestamps", Some(on)) => settings.timestamps = on != 0,
        ("tcp_window_scaling", Some(on)) => receiver.window_scaling = on != 0,
        ("tcp_ecn", Some(mode)) => settings.ecn = mode,
        ("tcp_rmem", Some(_)) if words.len() == 3 => {
            receiver.rmem_initial_bytes = parse(words[1]).unwrap_or(131_072) as u32;
            receiver.rmem_max_bytes = last.unwrap_or(6_291_456) as u32;
        }
        ("tcp_wmem", Some(_)) => {} // the script controls how far the application writes ahead
        ("tcp_moderate_rcvbuf", Some(on)) => receiver.autotune = on != 0,
        ("tcp_slow_start_after_idle", Some(on)) => sender.slow_start_after_idle = on != 0,
        ("tcp_frto", Some(on)) => sender.forward_rto = on != 0,
        ("tcp_early_retrans", Some(mode)) => sender.tail_loss_probe = mode >= 3,
        ("tcp_syn_linear_timeouts", Some(number)) => sender.linear_syn_timeouts = number.min(255) as u8,
        ("tcp_rto_min_us", Some(floor_us)) => sender.rto_min_us = floor_us as u32,
        ("tcp_recovery", Some(1)) => {}
        ("tcp_reordering", Some(packets)) => sender.initial_reordering_packets = packets as u32,
        ("tcp_max_reordering", Some(packets)) => sender.max_reordering_packets = packets as u32,
        ("tcp_tso_win_divisor", Some(divisor)) => sender.window_divisor = divisor as u64,
        ("tcp_min_tso_segs", Some(segments)) => sender.min_burst_segments = segments as u32,
        ("tcp_pacing_ss_ratio", Some(percent)) => sender.slow_start_pacing_percent = percent as u32,
        ("tcp_pacing_ca_ratio", Some(percent)) => sender.avoidance_pacing_percent = percent as u32,
        ("tcp_min_rtt_wlen", Some(seconds)) => sender.min_rtt_window_us = seconds as u64 * 1_000_000,
        ("tcp_comp_sack_nr", Some(packets)) => receiver.compressed_sack_packets = packets as u32,
        ("tcp_comp_sack_delay_ns", Some(ns)) => receiver.compressed_sack_delay_ns = ns as u64,
        ("tcp_comp_sack_slack_ns", Some(ns)) => receiver.compressed_sack_slack_ns = ns as u64,
        ("tcp_comp_sack_rtt_percent", Some(percent)) => receiver.compressed_sack_rtt_percent = percent as u32,
        ("tcp_rcvbuf_low_rtt", Some(us)) => receiver.rcvbuf_low_rtt_us = us as u32,
        ("tcp_mtu_probing", Some(mode)) if mode > 0 => settings.missing = Some("MTU probing"),
        ("tcp_mtu_probing", Some(_)) => {}
        ("tcp_pingpong_thresh", Some(replies)) => receiver.pingpong_threshold = replies as u8,
        _ if MEANINGLESS.contains(&name) => {
            settings.note(format!("sysctl net.ipv4.{name}={value} has no effect here: the feature does not exist"));
        }
        _ => settings.note(format!("sysctl net.ipv4.{name}={value} has no effect here")),
    }
}

/// Sets a parameter of the cubic module. HZ is 1000 here.
pub(super) fn apply_cubic(settings: &mut Settings, name: &str, value: &str) {
    let own_name = match name {
        "hystart_ack_delta" | "hystart_ack_delta_us" => "hystart_ack_delta_us",
        "bic_scale" => "cubic_scale",
        "tcp_friendliness" => "reno_friendly",
        "beta" | "hystart" | "hystart_detect" | "hystart_low_window" | "initial_ssthresh" | "fast_convergence" => name,
        _ => {
            settings.note(format!("parameter {name} of tcp_cubic has no effect here"));
            return;
        }
    };
    if let Some(number) = parse(value) {
        settings.parameters.insert(own_name.to_owned(), number);
    }
}

/// These settings are C's `int`, and none is negative.
const RANGE: std::ops::RangeInclusive<i64> = 0..=i32::MAX as i64;

/// Decimal or hexadecimal.
fn parse(word: &str) -> Option<i64> {
    match word.strip_prefix("0x") {
        Some(digits) => i64::from_str_radix(digits, 16).ok(),
        None => word.parse().ok(),
    }
}
