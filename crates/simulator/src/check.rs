//! Refuses scenarios that have the right form but make no sense. Links are checked by the network.

use fairlane_contract::{CrossTrafficConfig, FlowConfig, Path, Problem, Scenario, Workload};

const MTU_RANGE: std::ops::RangeInclusive<u32> = 256..=65_535;
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
    if config.sender.initial_cwnd_packets == 0 {
        return refuse("sender.initial_cwnd_packets", "is 0", "give 1 or more (Linux: 10)");
    }
    let zero = match config.workload {
        Workload::Bytes { bytes: 0 } => "bytes",
        Workload::RequestResponse { request_bytes: 0, .. } => "request_bytes",
        Workload::RequestResponse { response_bytes: 0, .. } => "response_bytes",
        Workload::OnOff { on_ns: 0, .. } => "on_ns",
        Workload::PoissonFlows { mean_bytes: 0, .. } => "mean_bytes",
        Workload::PoissonFlows { rate_per_s, .. } if !(rate_per_s > 0.0 && rate_per_s <= 1e6) => {
            return refuse("workload.rate_per_s", format!("is {rate_per_s}"), "give more than 0 and at most 1000000");
        }
        _ => return Ok(()),
    };
    refuse(Path::from("workload").key(zero), "is 0", "give more than 0")
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
