//! Builds flows, paths and sources from a scenario.

use crate::address::AddressPlan;
use crate::check;
use crate::cross_traffic::CrossTraffic;
use crate::error::SimulationError;
use crate::flow::{Counts, Flow, FlowSetup, Hosts, Phase};
use crate::host_queue::HostQueue;
use crate::ideal::IdealPath;
use crate::records::Records;
use crate::transports::{Endpoints, Transports};
use crate::workload::applications;
use fairlane_contract::{FlowConfig, LinkConfig, MediumConfig, Pacing, Path, Problem, Scenario, TransportProtocol};
use fairlane_engine::Streams;
use fairlane_measure::{Watch, Watchable};
use fairlane_network::{Ecn, StationId};
use fairlane_transport::Transport;
use std::collections::BTreeMap;
use std::rc::Rc;

/// IPv4 and UDP headers.
const UDP_HEADER_BYTES: u32 = 28;

pub(crate) struct Parts<T: Transport> {
    pub flows: Vec<Flow<T>>,
    pub cross_traffic: Vec<CrossTraffic>,
    /// Two paths for each flow, forward first, then one for each source of cross traffic.
    pub paths: Vec<Vec<StationId>>,
    pub links: Vec<LinkConfig>,
    pub media: Vec<MediumConfig>,
    /// First stations of the paths whose hosts wait for departures from them.
    pub host_devices: Vec<StationId>,
    /// Names in `watch` that no algorithm has.
    pub unknown_watched: Vec<Problem>,
}

pub(crate) fn build<T: Transport>(
    scenario: &Scenario,
    streams: &Streams,
    transports: &mut dyn Transports<T>,
) -> Result<Parts<T>, SimulationError> {
    check::run(scenario).map_err(SimulationError::Scenario)?;
    let names = station_names(scenario)?;
    let (paths, largest_mtus) = resolve_paths(scenario)?;
    let mut parts = Parts {
        flows: Vec::new(),
        cross_traffic: Vec::new(),
        paths: Vec::new(),
        links: scenario.links.clone(),
        media: scenario.media.clone(),
        host_devices: Vec::new(),
        unknown_watched: Vec::new(),
    };
    let mut watchable = Watchable::default();
    let mut found = vec![false; scenario.watch.len()];
    for ((group, config), [forward, reverse]) in (0..).zip(&scenario.flows).zip(paths) {
        let under_flow = |problem: Problem| problem.under(Path::from("flows").index(group as usize));
        check::flow(config, scenario).map_err(under_flow)?;
        if config.sender.small_queue_limit_bytes.is_some() {
            let device = host_device(&forward, config, scenario).map_err(under_flow)?;
            if !parts.host_devices.contains(&device) {
                parts.host_devices.push(device);
            }
        }
        let endpoints = transports.endpoints(config)?;
        let watch = scenario.watch.iter().map(|name| Watch::find(name, endpoints.state_members()));
        let watch: Rc<[Watch]> = watch.collect();
        found.iter_mut().zip(watch.iter()).for_each(|(found, member)| *found |= !member.is_absent());
        watchable.add(endpoints.state_members());
        let setup = FlowSetup {
            algorithm: config.algorithm.clone(),
            watch,
            streams: *streams,
            ideal: IdealPath::new(&forward, &reverse, &scenario.links),
            header_bytes: header_bytes(config, &*endpoints),
            endpoints,
        };
        let setup = match parts.flows.last() {
            Some(last) if last.setup.is_same(&setup) => last.setup.clone(),
            _ => Rc::new(setup),
        };
        let first_flow = parts.flows.len() as u32;
        for (start_ns, application) in applications(config, group, first_flow, scenario, streams).map_err(under_flow)? {
            let is_first = parts.flows.len() == first_flow as usize;
            let records = Records::Waiting { arp_ns: if is_first { config.sender.arp_ns } else { 0 } };
            let hosts = hosts(config, &*setup.endpoints);
            let stop_ns = config.stop_ns.unwrap_or(scenario.duration_ns).min(scenario.duration_ns);
            parts.flows.push(Flow { hosts, application, start_ns, stop_ns, records, setup: setup.clone(), group });
            parts.paths.push(forward.clone());
            parts.paths.push(reverse.clone());
        }
    }
    parts.unknown_watched = unknown_watched(scenario, &found, &watchable);
    set_mtus(&mut parts.links, &mut parts.media, &largest_mtus);
    let addresses = AddressPlan::new(parts.flows.len() as u32);
    for (source, config) in (0..).zip(&scenario.cross_traffic) {
        let under_source = |problem: Problem| problem.under(Path::from("cross_traffic").index(source as usize));
        let random = streams.stream("cross traffic", source);
        let path = addresses.cross_traffic_path(source as u32);
        parts.cross_traffic.push(CrossTraffic::new(config, path, scenario.duration_ns, random));
        parts.paths.push(resolve(&config.path, &names, "path").map_err(under_source)?);
    }
    Ok(parts)
}

/// A problem for each name that no algorithm of the run has.
fn unknown_watched(scenario: &Scenario, found: &[bool], watchable: &Watchable) -> Vec<Problem> {
    let unknown = scenario.watch.iter().enumerate().zip(found).filter(|(_, &found)| !found);
    unknown
        .map(|((at, name), _)| {
            let what = format!("no algorithm has {name}");
            Problem::new(Path::from("watch").index(at), what, watchable.remedy(name))
        })
        .collect()
}

/// Forward and reverse path of each entry of `flows`, and the largest MTU of those that cross a station.
pub(crate) fn resolve_paths(scenario: &Scenario) -> Result<(Vec<ForwardAndReverse>, LargestMtus), Problem> {
    let names = station_names(scenario)?;
    let mut largest_mtus = BTreeMap::new();
    let paths = scenario.flows.iter().enumerate().map(|(index, config)| {
        let under_flow = |problem: Problem| problem.under(Path::from("flows").index(index));
        let forward = resolve(&config.forward, &names, "forward").map_err(under_flow)?;
        let reverse = resolve(&config.reverse, &names, "reverse").map_err(under_flow)?;
        for &station in forward.iter().chain(&reverse) {
            let largest = largest_mtus.entry(station).or_insert(config.mtu);
            *largest = config.mtu.max(*largest);
        }
        Ok([forward, reverse])
    });
    let paths = paths.collect::<Result<_, Problem>>()?;
    Ok((paths, largest_mtus))
}

type ForwardAndReverse = [Vec<StationId>; 2];
type LargestMtus = BTreeMap<StationId, u32>;

/// A station for which the scenario gives no MTU has the largest of the flows that cross it.
pub(crate) fn set_mtus(links: &mut [LinkConfig], media: &mut [MediumConfig], largest: &LargestMtus) {
    let links = links.iter_mut().map(|link| &mut link.mtu_bytes);
    let shared = media.iter_mut().flat_map(MediumConfig::mtus_mut);
    for (station, mtu_bytes) in (0..).zip(links.chain(shared)) {
        *mtu_bytes = mtu_bytes.or(largest.get(&StationId(station)).copied());
    }
}

fn station_names(scenario: &Scenario) -> Result<BTreeMap<&str, StationId>, Problem> {
    let mut names = BTreeMap::new();
    for (index, name) in (0..).zip(scenario.station_names()) {
        if names.insert(name, StationId(index)).is_some() {
            let what = format!("the name \"{name}\" is used twice");
            return Err(Problem::new("links", what, "rename one of the links or stations"));
        }
    }
    Ok(names)
}

fn resolve(path: &[String], names: &BTreeMap<&str, StationId>, key: &str) -> Result<Vec<StationId>, Problem> {
    if path.is_empty() {
        return Err(Problem::new(key, "is empty", "name at least one link or station"));
    }
    let unknown = |index: usize, name: &str| {
        let known = names.keys().copied().collect::<Vec<_>>().join(", ");
        let what = format!("there is no link or station \"{name}\"");
        Problem::new(Path::from(key).index(index), what, format!("there are {known}"))
    };
    path.iter()
        .enumerate()
        .map(|(index, name)| names.get(name.as_str()).copied().ok_or_else(|| unknown(index, name)))
        .collect()
}

/// The interface of the sending host: the first station that data crosses.
fn host_device(forward: &[StationId], config: &FlowConfig, scenario: &Scenario) -> Result<StationId, Problem> {
    let first = config.forward[0].as_str();
    let is_its_channel = |medium: &MediumConfig| {
        matches!(medium, MediumConfig::HalfDuplex(_)) && medium.station_names().contains(&first)
    };
    if scenario.media.iter().any(is_its_channel) {
        let what = format!("starts at \"{first}\", a half-duplex channel, which does not report what has left it");
        let remedy = "let it start at a link or in a Wi-Fi cell, or remove sender.small_queue_limit_bytes";
        return Err(Problem::new("forward", what, remedy));
    }
    Ok(forward[0])
}

/// Headers of the flow's full packets.
fn header_bytes<T: Transport>(config: &FlowConfig, endpoints: &dyn Endpoints<T>) -> u32 {
    match config.transport {
        TransportProtocol::Tcp => config.mtu.saturating_sub(endpoints.mss_bytes()),
        TransportProtocol::Quic | TransportProtocol::Rtp => UDP_HEADER_BYTES,
    }
}

fn hosts<T: Transport>(config: &FlowConfig, endpoints: &dyn Endpoints<T>) -> Hosts<T> {
    Hosts {
        phase: Phase::Waiting,
        has_host_queue: config.sender.pacing == Pacing::Fq,
        waits_for_device: [config.sender.small_queue_limit_bytes.is_some(), false],
        ect: if config.sender.ect1 || endpoints.sends_ect1() { Ecn::Ect1 } else { Ecn::Ect0 },
        generation: 0,
        follows_progress: false,
        ends: None,
        counts: [Counts::default(); 2],
        host_queues: [HostQueue::EMPTY; 2],
        shard: 0,
    }
}
