//! Variables of assertions: the current fields of `struct tcp_info`, and the names of its values.

use super::endpoint::Endpoint;
use super::sockets::Role;
use super::Player;
use crate::python::Value;
use fairlane_congestion_control::sock::PACING_UNLIMITED;

/// Names of states, congestion control states and option bits, with the kernel's values.
const CONSTANTS: &[(&str, i128)] = &[
    ("TCP_ESTABLISHED", 1),
    ("TCP_SYN_SENT", 2),
    ("TCP_SYN_RECV", 3),
    ("TCP_FIN_WAIT1", 4),
    ("TCP_FIN_WAIT2", 5),
    ("TCP_TIME_WAIT", 6),
    ("TCP_CLOSE", 7),
    ("TCP_CLOSE_WAIT", 8),
    ("TCP_LAST_ACK", 9),
    ("TCP_LISTEN", 10),
    ("TCP_CLOSING", 11),
    ("TCP_CA_Open", 0),
    ("TCP_CA_Disorder", 1),
    ("TCP_CA_CWR", 2),
    ("TCP_CA_Recovery", 3),
    ("TCP_CA_Loss", 4),
    ("TCPI_OPT_TIMESTAMPS", 1),
    ("TCPI_OPT_SACK", 2),
    ("TCPI_OPT_WSCALE", 4),
    ("TCPI_OPT_ECN", 8),
    ("TCPI_OPT_ECN_SEEN", 16),
    ("TCPI_OPT_SYN_DATA", 32),
];

/// Fields of the kernel's structure that are not modelled.
const MISSING: &[&str] = &[
    "tcpi_last_ack_sent",
    "tcpi_last_data_recv",
    "tcpi_last_ack_recv",
    "tcpi_data_segs_in",
    "tcpi_rcv_ooopack",
    "tcpi_rehash",
    "tcpi_fastopen_client_fail",
    "tcpi_total_rto",
    "tcpi_total_rto_recoveries",
    "tcpi_total_rto_time",
    "tcpi_received_ce",
    "tcpi_delivered_e1_bytes",
    "tcpi_delivered_e0_bytes",
    "tcpi_delivered_ce_bytes",
    "tcpi_received_e1_bytes",
    "tcpi_received_e0_bytes",
    "tcpi_received_ce_bytes",
    "tcpi_ecn_mode",
    "tcpi_accecn_fail_mode",
    "tcpi_accecn_opt_seen",
    "TCPI_OPT_USEC_TS",
    "TCPI_OPT_TFO_CHILD",
];

/// Whether this is a name of the kernel that assertions here cannot use.
pub(super) fn lacks(name: &str) -> bool {
    MISSING.contains(&name)
}

/// Updates the variables.
pub(super) fn update(player: &mut Player) {
    for &(name, value) in CONSTANTS {
        player.variables.insert(name.to_owned(), Value::Integer(value));
    }
    let before;
    let (endpoint, state) = match (&player.endpoint, player.sockets.by_number.values().next()) {
        (Some(endpoint), _) => (endpoint, None),
        // A socket has a structure before it has a connection: the values of a new one, and its own state.
        (None, Some(socket)) => {
            let state = if socket.role == Role::Listening { TCP_LISTEN } else { TCP_CLOSE };
            let Ok(made) = player.make_endpoint(0, &socket.options, true) else { return };
            before = made.without_options();
            (&before, Some(state))
        }
        (None, None) => return,
    };
    for (name, value) in fields(endpoint, player.now_ns) {
        let value = state.filter(|_| name == "tcpi_state").unwrap_or(value);
        player.variables.insert(name.to_owned(), Value::Integer(value));
    }
}

const TCP_CLOSE: i128 = 7;
const TCP_LISTEN: i128 = 10;

fn fields(endpoint: &Endpoint, now_ns: u64) -> Vec<(&'static str, i128)> {
    let connection = &endpoint.connection;
    let sender = &connection.sender;
    let sock = &sender.sock;
    let receiver = &connection.receiver;
    let jiffy_us = sock.fairlane_jiffy_ns / 1000;
    let milliseconds_since = |jiffies: u32| {
        let now = fairlane_congestion_control::jiffies::jiffies(now_ns, sock.fairlane_jiffy_ns) as u32;
        u64::from(now.wrapping_sub(jiffies)) * jiffy_us / 1000
    };
    let options = i128::from(endpoint.uses_timestamps)
        | i128::from(endpoint.sack) << 1
        | i128::from(endpoint.window_scaling) << 2
        | i128::from(endpoint.ecn) << 3;
    let pacing_rate = |rate: u64| if rate == PACING_UNLIMITED { u64::MAX } else { rate };
    let delivery_rate = u64::from(sock.rate_delivered) * u64::from(sock.mss_cache) * 1_000_000;
    let delivery_rate = delivery_rate.checked_div(u64::from(sock.rate_interval_us)).unwrap_or(0);
    let unsent = sender.unacknowledged_bytes() - sender.flight_bytes();
    let limits = sender.limit_times();
    let min_rtt = if sock.rtt_min[0].v == u32::MAX { 0 } else { sock.rtt_min[0].v };
    vec![
        ("tcpi_state", i128::from(connection.state_number(endpoint.reset))),
        ("tcpi_ca_state", i128::from(sock.icsk_ca_state)),
        ("tcpi_retransmits", i128::from(sock.icsk_retransmits)),
        ("tcpi_probes", i128::from(sender.probes_out())),
        ("tcpi_backoff", i128::from(sock.icsk_backoff)),
        ("tcpi_options", options),
        ("tcpi_snd_wscale", i128::from(endpoint.peer_scale)),
        ("tcpi_rcv_wscale", i128::from(receiver.window_scale())),
        ("tcpi_delivery_rate_app_limited", i128::from(sock.rate_app_limited)),
        ("tcpi_rto", i128::from(u64::from(sock.icsk_rto) * jiffy_us)),
        ("tcpi_ato", i128::from(receiver.delayed_ack_timeout_us())),
        ("tcpi_snd_mss", i128::from(sock.mss_cache)),
        ("tcpi_rcv_mss", i128::from(receiver.receive_mss())),
        ("tcpi_unacked", i128::from(sock.packets_out)),
        ("tcpi_sacked", i128::from(sock.sacked_out)),
        ("tcpi_lost", i128::from(sock.lost_out)),
        ("tcpi_retrans", i128::from(sock.retrans_out)),
        ("tcpi_fackets", 0),
        ("tcpi_last_data_sent", i128::from(milliseconds_since(sock.lsndtime))),
        ("tcpi_pmtu", i128::from(endpoint.maximum_segment + 40)),
        ("tcpi_rcv_ssthresh", i128::from(receiver.window_threshold_bytes())),
        ("tcpi_rtt", i128::from(sock.srtt_us >> 3)),
        ("tcpi_rttvar", i128::from(sock.mdev_us >> 2)),
        ("tcpi_snd_ssthresh", i128::from(sock.snd_ssthresh)),
        ("tcpi_snd_cwnd", i128::from(sock.snd_cwnd)),
        ("tcpi_advmss", i128::from(endpoint.maximum_segment)),
        ("tcpi_reordering", i128::from(sock.reordering)),
        ("tcpi_total_retrans", i128::from(sock.total_retrans)),
        ("tcpi_pacing_rate", i128::from(pacing_rate(sock.sk_pacing_rate))),
        ("tcpi_max_pacing_rate", i128::from(pacing_rate(sock.sk_max_pacing_rate))),
        ("tcpi_rcv_rtt", i128::from(receiver.receiver_rtt_us())),
        ("tcpi_rcv_space", i128::from(receiver.expected_bytes_per_rtt())),
        ("tcpi_bytes_acked", i128::from(sock.bytes_acked)),
        ("tcpi_bytes_received", i128::from(receiver.delivered_bytes())),
        ("tcpi_segs_out", i128::from(sock.segs_out)),
        ("tcpi_segs_in", i128::from(sock.segs_in)),
        ("tcpi_notsent_bytes", i128::from(unsent)),
        ("tcpi_min_rtt", i128::from(min_rtt)),
        ("tcpi_data_segs_out", i128::from(sock.data_segs_out)),
        ("tcpi_delivery_rate", i128::from(delivery_rate)),
        ("tcpi_busy_time", i128::from(limits.busy_ns(now_ns) / 1000)),
        ("tcpi_rwnd_limited", i128::from(limits.rwnd_limited_ns(now_ns) / 1000)),
        ("tcpi_sndbuf_limited", i128::from(limits.sndbuf_limited_ns(now_ns) / 1000)),
        ("tcpi_delivered", i128::from(sock.delivered)),
        ("tcpi_delivered_ce", i128::from(sock.delivered_ce)),
        ("tcpi_bytes_sent", i128::from(sock.bytes_sent)),
        ("tcpi_bytes_retrans", i128::from(sock.bytes_retrans)),
        ("tcpi_dsack_dups", i128::from(sock.dsack_dups)),
        ("tcpi_reord_seen", i128::from(sock.reord_seen)),
        ("tcpi_snd_wnd", i128::from(sock.snd_wnd)),
        ("tcpi_rcv_wnd", i128::from(receiver.offered_window_bytes())),
    ]
}
