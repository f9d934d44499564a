//! Checks conditions on several settings of a scenario. Ranges of single values are checked by their declarations, links
//! and media by the network.

#[cfg(feature = "quic")]
use crate::transports::udp_payload_bytes;
use crate::transports::CUBIC;
use fairlane_contract::{FlowConfig, Limits, Path, Problem};
use fairlane_contract::{Scenario, SenderHost, TransportProtocol, Workload};

/// IPv4 and UDP headers.
const UDP_HEADER_BYTES: u32 = 28;

fn refuse(path: impl Into<Path>, what: impl Into<String>, remedy: impl Into<String>) -> Result<(), Problem> {
    Err(Problem::new(path, what, remedy))
}

/// # Errors
/// Every value that is out of its range, or else the first condition that does not hold.
pub(crate) fn run(scenario: &Scenario) -> Result<(), Vec<Problem>> {
    let problems = scenario.problems();
    if !problems.is_empty() {
        return Err(problems);
    }
    times(scenario).map_err(|problem| vec![problem])
}

fn times(scenario: &Scenario) -> Result<(), Problem> {
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
    transport(config)?;
    host_memory(&config.sender, scenario)?;
    workload(&config.workload).map_err(|problem| problem.under("workload"))
}

/// The path of a problem is relative to the workload. Distributions of sizes are checked where they are used.
fn workload(workload: &Workload) -> Result<(), Problem> {
    match workload {
        Workload::PoissonFlows { mean_bytes, sizes, .. } if mean_bytes.is_some() == sizes.is_some() => {
            refuse("sizes", "and mean_bytes are both given, or both missing", "give one of them")
        }
        Workload::Video { ladder_bps, .. } | Workload::Call { ladder_bps, .. }
            if ladder_bps.windows(2).any(|two| two[0] >= two[1]) =>
        {
            refuse("ladder_bps", "is not a list of increasing bitrates", "sort it")
        }
        Workload::Video { segment_ns, buffer_ns, .. } if buffer_ns < segment_ns => {
            refuse("buffer_ns", "holds no segment", "give at least segment_ns")
        }
        _ => Ok(()),
    }
}

/// Flows of one machine must agree on its memory.
fn host_memory(sender: &SenderHost, scenario: &Scenario) -> Result<(), Problem> {
    let Some(bytes) = sender.tcp_memory_bytes else { return Ok(()) };
    let neighbours = scenario.flows.iter().map(|flow| &flow.sender).filter(|other| other.machine == sender.machine);
    match neighbours.filter_map(|other| other.tcp_memory_bytes).find(|&other| other != bytes) {
        Some(other) => {
            let what = format!("is {bytes}, and {other} for another flow of the same machine");
            refuse("sender.tcp_memory_bytes", what, "give both the same, or each a sender.machine of its own")
        }
        None => Ok(()),
    }
}

/// Refuses settings of other transports.
fn transport(config: &FlowConfig) -> Result<(), Problem> {
    let (word, remedy) = match config.transport {
        TransportProtocol::Tcp => ("TCP", ""),
        TransportProtocol::Quic => ("QUIC", "remove it, or see `quic`"),
        TransportProtocol::Rtp => ("RTP", "remove it"),
    };
    if config.transport != TransportProtocol::Quic && config.quic.is_some() {
        let article = if word == "RTP" { "an" } else { "a" };
        let what = format!("is given for {article} {word} flow");
        return refuse("quic", what, "remove it, or set transport = \"quic\"");
    }
    if config.transport == TransportProtocol::Tcp {
        return Ok(());
    }
    for (host, key) in
        [("sender", config.sender.set_without_effect("quic")), ("receiver", config.receiver.set_without_effect("quic"))]
    {
        if let Some(key) = key {
            let path = Path::from(host).key(key);
            return refuse(path, format!("is a setting of TCP, but the flow uses {word}"), remedy);
        }
    }
    if config.transport == TransportProtocol::Rtp {
        return rtp(config);
    }
    let settings = config.quic.clone().unwrap_or_default();
    if settings.datagrams == Some(true) && !matches!(config.workload, Workload::Bulk | Workload::OnOff { .. }) {
        let what = "is set, but the workload waits for all of its data, and lost datagrams never arrive";
        return refuse("quic.datagrams", what, "use the workload bulk or on_off, or remove it");
    }
    let connections = settings.emulated_connections.unwrap_or(1);
    if connections > 1 && config.algorithm != CUBIC {
        let what = format!("is {connections}, but only the bundled cubic emulates connections");
        return refuse("quic.emulated_connections", what, "remove it");
    }
    let ip_bytes = udp_payload_bytes(&settings) + UDP_HEADER_BYTES;
    if ip_bytes > config.mtu {
        let what =
            format!("is {}, but the flow's QUIC packets have {ip_bytes} bytes with IP and UDP headers", config.mtu);
        return refuse("mtu", what, format!("raise it to {ip_bytes} or more"));
    }
    Ok(())
}

/// RTP has one algorithm and one workload.
fn rtp(config: &FlowConfig) -> Result<(), Problem> {
    if !matches!(config.workload, Workload::Call { .. }) {
        return refuse("workload", "is not `call`, the only one that RTP carries", "write call, or another transport");
    }
    if config.algorithm != SCREAM || !config.parameters.is_empty() {
        let what = format!("is {}, but RTP flows have {SCREAM}, without parameters", config.algorithm);
        return refuse("algorithm", what, format!("write {SCREAM}, or another transport"));
    }
    Ok(())
}

/// The congestion control of RTP flows.
const SCREAM: &str = "scream";

/// A build without QUIC refuses its flows later.
#[cfg(not(feature = "quic"))]
fn udp_payload_bytes(_: &fairlane_contract::QuicSettings) -> u32 {
    0
}
