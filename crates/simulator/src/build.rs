//! From a scenario to flows, paths and sources.

use crate::algorithms::{Algorithm, Algorithms};
use crate::application::Application;
use crate::cross_traffic::CrossTraffic;
use crate::error::SimulationError;
use crate::flow::{Counts, Flow, FlowSetup, Phase};
use crate::host_queue::HostQueue;
use crate::scenario::{FlowConfig, Pacing, Scenario, Workload};
use fairlane_engine::{Streams, NS_PER_SEC};
use fairlane_measure::{FlowSeries, FlowTally};
use fairlane_network::{Ecn, LinkConfig};
use fairlane_tcp::receiver::{Gro, ReceiverConfig};
use fairlane_tcp::{ConnectionConfig, SenderConfig};
use std::collections::BTreeMap;
use std::rc::Rc;

/// IPv4 and TCP headers without options, and the timestamp option with its padding.
const HEADER_BYTES: u32 = 40;
const TIMESTAMP_BYTES: u32 = 12;
const MTU_RANGE: std::ops::RangeInclusive<u32> = 256..=65_535;

pub(crate) struct Parts {
    pub flows: Vec<Flow>,
    pub cross_traffic: Vec<CrossTraffic>,
    /// Two paths for each flow, forward first, then one for each source of cross traffic.
    pub paths: Vec<Vec<u32>>,
    pub links: Vec<LinkConfig>,
}

fn refuse<T>(text: String) -> Result<T, SimulationError> {
    Err(SimulationError::Scenario(text))
}

pub(crate) fn build(
    scenario: &Scenario,
    streams: &Streams,
    algorithms: &dyn Algorithms,
) -> Result<Parts, SimulationError> {
    check_run(scenario)?;
    let names = link_names(scenario)?;
    let mut programs = BTreeMap::new();
    let mut parts =
        Parts { flows: Vec::new(), cross_traffic: Vec::new(), paths: Vec::new(), links: scenario.links.clone() };
    for (group, config) in (0..).zip(&scenario.flows) {
        let place = format!("flows[{group}]");
        let forward = resolve(&config.forward, &names, &format!("{place}.forward"))?;
        let reverse = resolve(&config.reverse, &names, &format!("{place}.reverse"))?;
        check_flow(config, scenario, &place)?;
        for &link in forward.iter().chain(&reverse) {
            raise_mtu(&mut parts.links[link as usize], scenario, link, config.mtu);
        }
        let program = load(config, algorithms, &mut programs)?;
        for (start_ns, application) in applications(config, group, scenario, streams) {
            parts.flows.push(make_flow(config, group, scenario, program.clone(), start_ns, application));
            parts.paths.push(forward.clone());
            parts.paths.push(reverse.clone());
        }
    }
    for (flow, slot) in (0..).zip(&mut parts.flows) {
        slot.connection = flow as u32;
        slot.setup.algorithm_seeds = [0, 1].map(|side| streams.stream("algorithm", 2 * flow + side).next_u64());
    }
    for (source, config) in (0..).zip(&scenario.cross_traffic) {
        let place = format!("cross_traffic[{source}]");
        if config.rate_bps == 0 {
            return refuse(format!("{place}.rate_bps: is 0; give a rate above 0 or leave the source out"));
        }
        if !(28..=65_535).contains(&config.packet_bytes) {
            return refuse(format!(
                "{place}.packet_bytes: {} is no size of a UDP packet; use 28 to 65535",
                config.packet_bytes
            ));
        }
        let random = streams.stream("cross traffic", source);
        parts.cross_traffic.push(CrossTraffic::new(config, parts.paths.len() as u32, scenario.duration_ns, random));
        parts.paths.push(resolve(&config.path, &names, &format!("{place}.path"))?);
    }
    Ok(parts)
}

/// A link for which the scenario gives no MTU has the largest of the flows that use it.
fn raise_mtu(link: &mut LinkConfig, scenario: &Scenario, index: u32, mtu: u32) {
    if scenario.links[index as usize].mtu_bytes.is_none() {
        link.mtu_bytes = Some(link.mtu_bytes.map_or(mtu, |other| other.max(mtu)));
    }
}

fn check_run(scenario: &Scenario) -> Result<(), SimulationError> {
    if scenario.duration_ns == 0 {
        return refuse("duration_ns: is 0; give the run some time".into());
    }
    if !(24..=10_000).contains(&scenario.hz) {
        return refuse(format!("hz: {} timer interrupts per second; use 100, 250, 300 or 1000", scenario.hz));
    }
    if scenario.series_interval_ns == 0 {
        return refuse("series_interval_ns: is 0; give the time between two samples".into());
    }
    if scenario.warm_up_ns >= scenario.duration_ns {
        return refuse(format!(
            "warm_up_ns: {} ns leave nothing of a run of {} ns to measure; shorten the warm-up",
            scenario.warm_up_ns, scenario.duration_ns
        ));
    }
    if scenario.flows.is_empty() && scenario.cross_traffic.is_empty() {
        return refuse("flows: the list is empty; name at least one flow".into());
    }
    Ok(())
}

fn check_flow(config: &FlowConfig, scenario: &Scenario, place: &str) -> Result<(), SimulationError> {
    let stop_ns = config.stop_ns.unwrap_or(scenario.duration_ns);
    if config.start_ns >= stop_ns || config.start_ns >= scenario.duration_ns {
        return refuse(format!(
            "{place}.start_ns: the flow would start at {} ns, when it is over ({} ns); start it earlier",
            config.start_ns,
            stop_ns.min(scenario.duration_ns)
        ));
    }
    if !MTU_RANGE.contains(&config.mtu) {
        return refuse(format!("{place}.mtu: {} bytes; use {} to {}", config.mtu, MTU_RANGE.start(), MTU_RANGE.end()));
    }
    if config.sender.initial_cwnd_packets == 0 {
        return refuse(format!("{place}.sender.initial_cwnd_packets: is 0; use 1 or more (Linux: 10)"));
    }
    let zero = match config.workload {
        Workload::Bytes { bytes: 0 } => Some("bytes"),
        Workload::RequestResponse { request_bytes: 0, .. } => Some("request_bytes"),
        Workload::RequestResponse { response_bytes: 0, .. } => Some("response_bytes"),
        Workload::OnOff { on_ns: 0, .. } => Some("on_ns"),
        Workload::PoissonFlows { mean_bytes: 0, .. } => Some("mean_bytes"),
        Workload::PoissonFlows { rate_per_s, .. } if !(rate_per_s > 0.0 && rate_per_s <= 1e6) => Some("rate_per_s"),
        _ => None,
    };
    match zero {
        Some(key) => refuse(format!("{place}.workload.{key}: must be above 0")),
        None => Ok(()),
    }
}

fn link_names(scenario: &Scenario) -> Result<BTreeMap<&str, u32>, SimulationError> {
    let mut names = BTreeMap::new();
    for (index, link) in (0..).zip(&scenario.links) {
        if names.insert(link.name.as_str(), index).is_some() {
            return refuse(format!("links: the name \"{}\" is used twice; rename one of the links", link.name));
        }
    }
    Ok(names)
}

fn resolve(path: &[String], names: &BTreeMap<&str, u32>, place: &str) -> Result<Vec<u32>, SimulationError> {
    if path.is_empty() {
        return refuse(format!("{place}: the path is empty; name at least one link"));
    }
    let known = || names.keys().copied().collect::<Vec<_>>().join(", ");
    path.iter()
        .map(|name| {
            names
                .get(name.as_str())
                .copied()
                .map_or_else(|| refuse(format!("{place}: there is no link \"{name}\"; links are {}", known())), Ok)
        })
        .collect()
}

/// Flows with the same algorithm and parameters share one loaded program.
fn load(
    config: &FlowConfig,
    algorithms: &dyn Algorithms,
    programs: &mut BTreeMap<String, Rc<dyn Algorithm>>,
) -> Result<Rc<dyn Algorithm>, SimulationError> {
    let key = format!("{} {}", config.algorithm, serde_json::to_string(&config.parameters).unwrap_or_default());
    if let Some(program) = programs.get(&key) {
        return Ok(program.clone());
    }
    let program = algorithms.load(&config.algorithm, &config.parameters)?;
    programs.insert(key, program.clone());
    Ok(program)
}

/// The applications of one entry of the scenario, each with its start: one, or as many as Poisson sends.
fn applications(config: &FlowConfig, group: u32, scenario: &Scenario, streams: &Streams) -> Vec<(u64, Application)> {
    let application = match config.workload {
        Workload::Bulk => Application::Bulk,
        Workload::Iperf3 => Application::iperf3(),
        Workload::Bytes { bytes } => Application::Bytes { bytes },
        Workload::RequestResponse { request_bytes, response_bytes, think_ns } => {
            Application::RequestResponse { request_bytes, response_bytes, think_ns, answered: 0, completed: 0 }
        }
        Workload::OnOff { on_ns, off_ns, exponential } => {
            let random = exponential.then(|| streams.stream("on-off", u64::from(group)));
            Application::OnOff { on_ns, off_ns, random, on: false }
        }
        Workload::PoissonFlows { rate_per_s, mean_bytes } => {
            let mut random = streams.stream("poisson", u64::from(group));
            let mean_gap_ns = (NS_PER_SEC as f64 / rate_per_s) as u64;
            let end_ns = config.stop_ns.unwrap_or(scenario.duration_ns).min(scenario.duration_ns);
            let mut flows = Vec::new();
            let mut at_ns = config.start_ns + random.exponential_ns(mean_gap_ns);
            while at_ns < end_ns {
                flows.push((at_ns, Application::Bytes { bytes: random.exponential_ns(mean_bytes).max(1) }));
                at_ns += random.exponential_ns(mean_gap_ns).max(1);
            }
            return flows;
        }
    };
    vec![(config.start_ns, application)]
}

fn make_flow(
    config: &FlowConfig,
    group: u32,
    scenario: &Scenario,
    program: Rc<dyn Algorithm>,
    start_ns: u64,
    application: Application,
) -> Flow {
    let stop_ns = config.stop_ns.unwrap_or(scenario.duration_ns).min(scenario.duration_ns);
    let begin = FlowTally { at_ns: start_ns, ..FlowTally::default() };
    Flow {
        phase: Phase::Waiting,
        has_host_queue: config.sender.pacing == Pacing::Fq,
        ect: if config.sender.ect1 { Ecn::Ect1 } else { Ecn::Ect0 },
        connection: 0,
        follows_progress: false,
        ends: None,
        counts: [Counts::default(); 2],
        application,
        host_queues: [HostQueue::default(), HostQueue::default()],
        start_ns,
        stop_ns,
        completion_ns: None,
        begin,
        end: None,
        series: FlowSeries::new(begin),
        setup: Box::new(FlowSetup {
            group,
            algorithm: config.algorithm.clone(),
            program,
            ends: [end_config(config, scenario, true), end_config(config, scenario, false)],
            algorithm_seeds: [0; 2],
        }),
    }
}

fn end_config(config: &FlowConfig, scenario: &Scenario, sends_data: bool) -> ConnectionConfig {
    let (sender, receiver) = (&config.sender, &config.receiver);
    let ecn = sender.ecn && receiver.ecn;
    let jiffy_ns = NS_PER_SEC / u64::from(scenario.hz);
    let mss = config.mtu - HEADER_BYTES - if sender.timestamps { TIMESTAMP_BYTES } else { 0 };
    let offload = if sends_data { sender.offload } else { receiver.offload };
    let compressed = if receiver.sack_compression { ReceiverConfig::default().compressed_sack_packets } else { 0 };
    ConnectionConfig {
        timestamps: sender.timestamps,
        gro_interval_ns: offload.then_some(Gro::DEFAULT_INTERVAL_NS),
        sender: SenderConfig {
            mss_bytes: mss,
            jiffy_ns,
            initial_cwnd_packets: sender.initial_cwnd_packets,
            wmem_max_bytes: sender.wmem_max_bytes,
            fq_pacing: sender.pacing == Pacing::Fq,
            timer_pacing: sender.pacing != Pacing::None,
            segmentation_offload: sender.segmentation_offload,
            tail_loss_probe: sender.tail_loss_probe,
            forward_rto: sender.forward_rto,
            undo: sender.undo,
            slow_start_after_idle: sender.slow_start_after_idle,
            nagle: sender.nagle,
            ecn,
            late_algorithm: matches!(config.workload, Workload::Iperf3),
            ..SenderConfig::default()
        },
        receiver: ReceiverConfig {
            mss,
            timestamps: sender.timestamps,
            ecn,
            jiffy_ns,
            rmem_initial_bytes: receiver.rmem_initial_bytes,
            rmem_max_bytes: receiver.rmem_max_bytes,
            autotune: receiver.autotune,
            offload,
            compressed_sack_packets: compressed,
            ..ReceiverConfig::default()
        },
    }
}
