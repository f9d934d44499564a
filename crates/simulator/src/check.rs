//! Refuses scenarios that have the right form but make no sense. Links are checked by the network.

use crate::sizes::LARGEST_BYTES;
use fairlane_contract::{CrossTrafficConfig, FlowConfig, Path, Problem, QuicProfile, QuicSettings};
use fairlane_contract::{ReceiverHost, Scenario, SenderHost, TransportProtocol, Workload};

const MTU_RANGE: std::ops::RangeInclusive<u32> = 256..=65_535;
const MS: u64 = 1_000_000;
/// A few segments.
const LEAST_TCP_MEMORY_BYTES: u64 = 64 << 10;
/// IPv4 and UDP headers.
const UDP_HEADER_BYTES: u32 = 28;
/// RFC 9000 section 14.1, and the largest UDP payload.
const QUIC_PACKET_RANGE: std::ops::RangeInclusive<u32> = 1200..=65_507;
/// The algorithm that knows what emulated connections are.
pub(crate) const CUBIC: &str = "cubic";
const UDP_RANGE: std::ops::RangeInclusive<u32> = 28..=65_535;

fn refuse(path: impl Into<Path>, what: impl Into<String>, remedy: &str) -> Result<(), Problem> {
    Err(Problem::new(path, what, remedy))
}

pub(crate) fn run(scenario: &Scenario) -> Result<(), Problem> {
    if scenario.duration_ns == 0 {
        return refuse("duration_ns", "is 0", "give the run some time");
    }
    if !(24..=10_000).contains(&scenario.hz) {
        return refuse("hz", format!("is {}", scenario.hz), "use 100, 250, 300 or 1000");
    }
    if scenario.series_interval_ns == 0 {
        return refuse("series_interval_ns", "is 0", "give the time between two samples");
    }
    if scenario.warm_up_ns >= scenario.duration_ns {
        let what = format!("of {} ns leaves nothing of {} ns to measure", scenario.warm_up_ns, scenario.duration_ns);
        return refuse("warm_up_ns", what, "shorten the warm-up");
    }
    if scenario.flows.is_empty() && scenario.cross_traffic.is_empty() {
        return refuse("flows", "is an empty list", "give at least one flow");
    }
    Ok(())
}

/// The path of a problem is relative to the flow.
pub(crate) fn flow(config: &FlowConfig, scenario: &Scenario) -> Result<(), Problem> {
    let end_ns = config.stop_ns.unwrap_or(scenario.duration_ns).min(scenario.duration_ns);
    if config.start_ns >= end_ns {
        let what = format!("is {} ns, not before the end at {end_ns} ns", config.start_ns);
        return refuse("start_ns", what, "start earlier");
    }
    if !MTU_RANGE.contains(&config.mtu) {
        return refuse("mtu", format!("is {}", config.mtu), "give 256 to 65535 bytes");
    }
    if config.sender.route_ssthresh_packets.is_some_and(|packets| packets < 2) {
        return refuse("sender.route_ssthresh_packets", "is below 2", "give at least 2 packets, or remove it");
    }
    if config.sender.initial_cwnd_packets == 0 {
        return refuse("sender.initial_cwnd_packets", "is 0", "give 1 or more (Linux: 10)");
    }
    if config.sender.pacing_shift > 20 {
        let what = format!("is {}", config.sender.pacing_shift);
        return refuse("sender.pacing_shift", what, "give 0 to 20 (Linux: 10; Wi-Fi drivers: 7 or 8)");
    }
    transport(config)?;
    host_memory(&config.sender, scenario)?;
    workload(&config.workload).map_err(|problem| problem.under("workload"))
}

/// The path of a problem is relative to the workload. Distributions of sizes are checked where they are used.
fn workload(workload: &Workload) -> Result<(), Problem> {
    let is_too_large = |bytes: u64| bytes > LARGEST_BYTES;
    let zero = match workload {
        Workload::Bytes { bytes: 0 } | Workload::Ping { bytes: 0, .. } => "bytes",
        Workload::Ping { interval_ns: 0, .. } => "interval_ns",
        Workload::RequestResponse { request_bytes: 0, .. }
        | Workload::Web { request_bytes: 0, .. }
        | Workload::Video { request_bytes: 0, .. } => "request_bytes",
        Workload::RequestResponse { response_bytes: 0, .. } => "response_bytes",
        Workload::OnOff { on_ns: 0, .. } => "on_ns",
        Workload::PoissonFlows { mean_bytes: Some(0), .. } => "mean_bytes",
        Workload::Web { document_bytes: 0, .. } => "document_bytes",
        Workload::Web { connections: 0, .. } => "connections",
        Workload::Web { concurrent_requests: 0, .. } => "concurrent_requests",
        Workload::Video { segment_ns: 0, .. } => "segment_ns",
        Workload::PoissonFlows { rate_per_s, .. } if !(*rate_per_s > 0.0 && *rate_per_s <= 1e6) => {
            return refuse("rate_per_s", format!("is {rate_per_s}"), "give more than 0 and at most 1000000");
        }
        Workload::PoissonFlows { mean_bytes, sizes, .. } if mean_bytes.is_some() == sizes.is_some() => {
            return refuse("sizes", "and mean_bytes are both given, or both missing", "give one of them");
        }
        Workload::Web { connections, .. } if *connections > 256 => {
            return refuse("connections", format!("are {connections}"), "give 1 to 256");
        }
        Workload::Web { objects, .. } if *objects > 100_000 => {
            return refuse("objects", format!("are {objects}"), "give at most 100000");
        }
        Workload::Video { ladder_bps, .. } if !is_ladder(ladder_bps) => {
            return refuse("ladder_bps", "is not a list of increasing bitrates above 0", "sort it");
        }
        Workload::Video { segment_ns, buffer_ns, .. } if buffer_ns < segment_ns => {
            return refuse("buffer_ns", "holds no segment", "give at least segment_ns");
        }
        Workload::Arrivals { arrivals } if arrivals.iter().any(|one| one.bytes == 0 || is_too_large(one.bytes)) => {
            return refuse("arrivals", "have a size of 0, or more than 2^50 bytes", "give 1 to 2^50 bytes");
        }
        Workload::Bytes { bytes } | Workload::Ping { bytes, .. } if is_too_large(*bytes) => {
            return refuse("bytes", format!("is {bytes}"), "give at most 2^50 bytes");
        }
        Workload::RequestResponse { request_bytes, response_bytes, .. }
            if is_too_large(*request_bytes.max(response_bytes)) =>
        {
            return refuse("response_bytes", "or request_bytes is too large", "give at most 2^50 bytes");
        }
        Workload::PoissonFlows { mean_bytes: Some(bytes), .. } if is_too_large(*bytes) => {
            return refuse("mean_bytes", format!("is {bytes}"), "give at most 2^50 bytes");
        }
        Workload::Web { document_bytes, request_bytes, .. } if is_too_large(*document_bytes.max(request_bytes)) => {
            return refuse("document_bytes", "or request_bytes is too large", "give at most 2^50 bytes");
        }
        _ => return Ok(()),
    };
    refuse(zero, "is 0", "give more than 0")
}

fn is_ladder(ladder_bps: &[u64]) -> bool {
    ladder_bps.first().is_some_and(|&bps| bps > 0)
        && ladder_bps.windows(2).all(|two| two[0] < two[1])
        && ladder_bps.iter().all(|&bps| bps <= 1_000_000_000_000)
}

/// A host has one memory.
fn host_memory(sender: &SenderHost, scenario: &Scenario) -> Result<(), Problem> {
    let Some(bytes) = sender.tcp_memory_bytes else { return Ok(()) };
    if bytes < LEAST_TCP_MEMORY_BYTES {
        return refuse("sender.tcp_memory_bytes", format!("is {bytes}"), "give at least 64 KiB, or remove it");
    }
    let neighbours = scenario.flows.iter().map(|flow| &flow.sender).filter(|other| other.machine == sender.machine);
    match neighbours.filter_map(|other| other.tcp_memory_bytes).find(|&other| other != bytes) {
        Some(other) => {
            let what = format!("is {bytes}, and {other} for another flow of the same machine");
            refuse("sender.tcp_memory_bytes", what, "give both the same, or each a sender.machine of its own")
        }
        None => Ok(()),
    }
}

/// Each transport has settings that are nothing to the other.
fn transport(config: &FlowConfig) -> Result<(), Problem> {
    match (config.transport, &config.quic) {
        (TransportProtocol::Tcp, None) => Ok(()),
        (TransportProtocol::Tcp, Some(_)) => {
            refuse("quic", "is given for a TCP flow", "remove it, or set transport = \"quic\"")
        }
        (TransportProtocol::Quic, settings) => {
            refuse_tcp_settings(config)?;
            let is_unreliable = settings.as_ref().is_some_and(|settings| settings.datagrams == Some(true));
            if is_unreliable && !matches!(config.workload, Workload::Bulk | Workload::OnOff { .. }) {
                let what = "is set, but the workload waits for all of its data, and lost datagrams never arrive";
                return refuse("quic.datagrams", what, "use the workload bulk or on_off, or remove it");
            }
            let connections = settings.as_ref().and_then(|settings| settings.emulated_connections).unwrap_or(1);
            if connections > 1 && config.algorithm != CUBIC {
                let what = format!("is {connections}, but only the bundled cubic emulates connections");
                return refuse("quic.emulated_connections", what, "remove it");
            }
            quic(settings.as_ref().unwrap_or(&QuicSettings::default()), config.mtu)
        }
    }
}

fn refuse_tcp_settings(config: &FlowConfig) -> Result<(), Problem> {
    let (sender, linux) = (&config.sender, SenderHost::default());
    let (receiver, linux_receiver) = (&config.receiver, ReceiverHost::default());
    let tcp_only = [
        ("sender.offload", sender.offload != linux.offload),
        ("sender.segmentation_offload", sender.segmentation_offload != linux.segmentation_offload),
        ("sender.pacing", sender.pacing != linux.pacing),
        ("sender.small_queue_limit_bytes", sender.small_queue_limit_bytes != linux.small_queue_limit_bytes),
        ("sender.small_queue_limits_paced", sender.small_queue_limits_paced != linux.small_queue_limits_paced),
        ("sender.pacing_shift", sender.pacing_shift != linux.pacing_shift),
        ("sender.wmem_max_bytes", sender.wmem_max_bytes != linux.wmem_max_bytes),
        ("sender.header_room_bytes", sender.header_room_bytes != linux.header_room_bytes),
        ("sender.tcp_memory_bytes", sender.tcp_memory_bytes != linux.tcp_memory_bytes),
        ("sender.machine", sender.machine != linux.machine),
        ("sender.accecn", sender.accecn != linux.accecn),
        ("sender.timestamps", sender.timestamps != linux.timestamps),
        ("sender.initial_cwnd_packets", sender.initial_cwnd_packets != linux.initial_cwnd_packets),
        ("sender.route_memory", sender.route_memory != linux.route_memory),
        ("sender.route_ssthresh_packets", sender.route_ssthresh_packets != linux.route_ssthresh_packets),
        ("sender.tail_loss_probe", sender.tail_loss_probe != linux.tail_loss_probe),
        ("sender.forward_rto", sender.forward_rto != linux.forward_rto),
        ("sender.undo", sender.undo != linux.undo),
        ("sender.slow_start_after_idle", sender.slow_start_after_idle != linux.slow_start_after_idle),
        ("sender.nagle", sender.nagle != linux.nagle),
        ("receiver.offload", receiver.offload != linux_receiver.offload),
        ("receiver.offload_interval_ns", receiver.offload_interval_ns != linux_receiver.offload_interval_ns),
        ("receiver.rmem_initial_bytes", receiver.rmem_initial_bytes != linux_receiver.rmem_initial_bytes),
        ("receiver.rmem_max_bytes", receiver.rmem_max_bytes != linux_receiver.rmem_max_bytes),
        ("receiver.adv_win_scale", receiver.adv_win_scale != linux_receiver.adv_win_scale),
        ("receiver.autotune", receiver.autotune != linux_receiver.autotune),
        ("receiver.accecn", receiver.accecn != linux_receiver.accecn),
        ("receiver.sack_compression", receiver.sack_compression != linux_receiver.sack_compression),
        (
            "receiver.sack_compression_rtt_percent",
            receiver.sack_compression_rtt_percent != linux_receiver.sack_compression_rtt_percent,
        ),
    ];
    match tcp_only.iter().find(|(_, is_set)| *is_set) {
        Some((path, _)) => refuse(*path, "is a setting of TCP, but the flow uses QUIC", "remove it, or see `quic`"),
        None => Ok(()),
    }
}

#[cfg(feature = "quic")]
fn profile_packet_bytes(profile: QuicProfile) -> u32 {
    crate::transports::quic_profile(profile).udp_payload_bytes.into()
}

/// Where QUIC is left out, its flows are refused all the same, by what would run them.
#[cfg(not(feature = "quic"))]
fn profile_packet_bytes(_: QuicProfile) -> u32 {
    *QUIC_PACKET_RANGE.start()
}

fn quic(settings: &QuicSettings, mtu: u32) -> Result<(), Problem> {
    let packet_bytes = settings.packet_bytes.unwrap_or_else(|| profile_packet_bytes(settings.profile));
    if !QUIC_PACKET_RANGE.contains(&packet_bytes) {
        return refuse("quic.packet_bytes", format!("is {packet_bytes}"), "give 1200 to 65507 bytes (RFC 9000)");
    }
    if packet_bytes + UDP_HEADER_BYTES > mtu {
        let ip_bytes = packet_bytes + UDP_HEADER_BYTES;
        let what = format!("is {mtu}, but the flow's QUIC packets have {ip_bytes} bytes with IP and UDP headers");
        return refuse("mtu", what, &format!("raise it to {ip_bytes} or more"));
    }
    let zero = [
        ("initial_cwnd_packets", settings.initial_cwnd_packets == Some(0)),
        ("slow_start_pacing_percent", settings.slow_start_pacing_percent == Some(0)),
        ("avoidance_pacing_percent", settings.avoidance_pacing_percent == Some(0)),
        ("ack_every_packets", settings.ack_every_packets == Some(0)),
        ("packet_threshold_packets", settings.packet_threshold_packets == Some(0)),
        ("persistent_congestion_threshold", settings.persistent_congestion_threshold == Some(0)),
        ("initial_rtt_ns", settings.initial_rtt_ns == Some(0)),
        ("stream_window_bytes", settings.stream_window_bytes == Some(0)),
        ("connection_window_bytes", settings.connection_window_bytes == Some(0)),
        ("streams", settings.streams == Some(0)),
        ("emulated_connections", settings.emulated_connections == Some(0)),
    ];
    if let Some((key, _)) = zero.iter().find(|(_, is_zero)| *is_zero) {
        return refuse(Path::from("quic").key(key), "is 0", "give 1 or more");
    }
    if settings.time_threshold_permille.is_some_and(|permille| permille < 1000) {
        return refuse("quic.time_threshold_permille", "is less than an RTT", "give 1000 or more (RFC 9002: 1125)");
    }
    if settings.max_ack_delay_ns.is_some_and(|delay_ns| !(MS..=25 * MS).contains(&delay_ns)) {
        return refuse("quic.max_ack_delay_ns", "is out of range", "give 1 to 25 ms (RFC 9000 section 18.2)");
    }
    if settings.streams.is_some_and(|streams| streams > 10_000) {
        return refuse("quic.streams", "is more than 10000", "give 1 to 10000");
    }
    Ok(())
}

/// The path of a problem is relative to the source.
pub(crate) fn cross_traffic(config: &CrossTrafficConfig) -> Result<(), Problem> {
    if config.rate_bps == 0 {
        return refuse("rate_bps", "is 0", "give a rate above 0, or remove the source");
    }
    if !UDP_RANGE.contains(&config.packet_bytes) {
        return refuse(
            "packet_bytes",
            format!("is {}", config.packet_bytes),
            "give 28 to 65535, a size of UDP packets",
        );
    }
    Ok(())
}
