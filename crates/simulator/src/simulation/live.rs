//! A run that its caller advances step by step, and looks into.

use super::{Simulation, NEVER};
use crate::address::AddressPlan;
use crate::error::SimulationError;
use fairlane_contract::{FlowSamples, LinkSamples, RunResult};
use fairlane_network::{LiveChange, PacketEvent, PacketLog, PacketStep, StationId};
use fairlane_transport::{Datagram, Side, Transport};
use std::collections::BTreeMap;

/// A run in progress, for any transport. Pausing changes no result.
pub trait Live {
    /// Simulated time that was reached.
    fn time_ns(&self) -> u64;

    fn is_over(&self) -> bool;

    /// Runs all events until `until_ns`, included, or to the end of the scenario.
    ///
    /// # Errors
    /// An algorithm fails.
    fn advance(&mut self, until_ns: u64) -> Result<(), SimulationError>;

    fn flows(&self) -> Vec<LiveFlow>;

    /// The names of the stations, and their samples so far.
    fn stations(&self) -> Vec<(&str, &LinkSamples)>;

    /// The number of a flow's samples; a flow that begins again starts at 0.
    fn sample_count(&self, flow: usize) -> usize;

    /// The samples of a flow from number `from` on.
    fn flow_samples(&self, flow: usize, from: usize) -> FlowSamples;

    /// The values of the watched members in these samples, one row after the other.
    fn watched(&self, flow: usize, from: usize) -> &[Option<i64>];

    /// Records the steps of packets. Must come before the run begins. Results are the same.
    fn record(&mut self);

    /// The recorded steps since the last call, in order of time.
    fn take_steps(&mut self) -> Vec<Step>;

    /// Runs until a recorded step fulfils the condition, at most until `until_ns`.
    ///
    /// # Errors
    /// An algorithm fails.
    fn advance_to(&mut self, until_ns: u64, condition: &dyn Fn(&Step) -> bool) -> Result<(), SimulationError>;

    /// Changes the link or station of this name.
    ///
    /// # Errors
    /// Why that is impossible.
    fn change_link(&mut self, name: &str, change: &LiveChange) -> Result<(), String>;

    /// Gives the flows of an entry of the scenario other parameters from now on; all flows that began with the same
    /// algorithm and the same parameters follow.
    ///
    /// # Errors
    /// Why that is impossible.
    fn change_parameters(&mut self, group: u32, parameters: &BTreeMap<String, i64>) -> Result<(), String>;

    /// Runs to the end.
    ///
    /// # Errors
    /// An algorithm fails.
    fn into_result(self: Box<Self>) -> Result<RunResult, SimulationError>;
}

/// A flow of a run.
#[derive(Clone, Debug, serde::Serialize)]
pub struct LiveFlow {
    /// The entry of the scenario that it comes from.
    pub group: u32,
    pub algorithm: String,
    pub mss_bytes: u32,
}

/// A step of a packet.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    pub time_ns: u64,
    /// Of a transmission: when the packet arrives at the far end; none if that is not known yet.
    pub until_ns: Option<u64>,
    pub step: PacketStep,
    /// The number of its station; none at hosts.
    pub station: Option<u32>,
    /// Its flow, and the end that sent it; none for cross traffic.
    pub sender: Option<(u32, Side)>,
    pub ip_bytes: u32,
    pub payload_bytes: u32,
    pub number: u64,
}

impl Step {
    fn of<D: Datagram>(event: &PacketEvent<D>, flows: usize) -> Self {
        let (flow, side) = AddressPlan::end_of(event.packet.path);
        Self {
            time_ns: event.time_ns,
            until_ns: event.until_ns,
            step: event.step,
            station: event.station.map(|station| station.0),
            sender: ((flow as usize) < flows).then_some((flow, side.peer())),
            ip_bytes: event.packet.ip_bytes,
            payload_bytes: event.packet.payload.payload_bytes(),
            number: event.packet.payload.number(),
        }
    }
}

impl<T: Transport> Live for Simulation<T> {
    fn time_ns(&self) -> u64 {
        self.pause_ns.min(self.end_ns)
    }

    fn is_over(&self) -> bool {
        self.pause_ns == NEVER
    }

    fn advance(&mut self, until_ns: u64) -> Result<(), SimulationError> {
        if self.is_over() || until_ns < self.pause_ns {
            return Ok(());
        }
        if until_ns < self.end_ns {
            self.pause_ns = until_ns;
            self.events.schedule(until_ns, self.components.pause());
        }
        self.run_to_pause()?;
        // A run ends with an error when an algorithm fails; the present sample may be long ago.
        self.check_algorithms(self.time_ns())
    }

    fn flows(&self) -> Vec<LiveFlow> {
        let describe = |flow: &crate::flow::Flow<T>| LiveFlow {
            group: flow.group,
            algorithm: flow.setup.algorithm.clone(),
            mss_bytes: flow.setup.endpoints.mss_bytes(),
        };
        self.flows.iter().map(describe).collect()
    }

    fn stations(&self) -> Vec<(&str, &LinkSamples)> {
        self.links.series().collect()
    }

    fn sample_count(&self, flow: usize) -> usize {
        self.flows[flow].records.series().sample_count()
    }

    fn flow_samples(&self, flow: usize, from: usize) -> FlowSamples {
        self.flows[flow].records.series().columns_from(from)
    }

    fn watched(&self, flow: usize, from: usize) -> &[Option<i64>] {
        self.flows[flow].records.series().watched_from(from, self.watched_names.len())
    }

    fn record(&mut self) {
        let log = PacketLog::default();
        self.network.record(&log);
        self.ahead = None;
        self.taps.get_or_insert_default().log = Some(log);
    }

    fn take_steps(&mut self) -> Vec<Step> {
        let Some(log) = self.taps.as_ref().and_then(|taps| taps.log.clone()) else { return Vec::new() };
        // Links record what they have done when they catch up.
        let now_ns = self.time_ns();
        for station in 0..self.links.begins().len() as u32 {
            self.network.station_stats(StationId(station), now_ns);
        }
        let flows = self.flows.len();
        log.take().iter().map(|event| Step::of(event, flows)).collect()
    }

    fn advance_to(&mut self, until_ns: u64, condition: &dyn Fn(&Step) -> bool) -> Result<(), SimulationError> {
        let Some(log) = self.taps.as_ref().and_then(|taps| taps.log.clone()) else { return self.advance(until_ns) };
        let flows = self.flows.len();
        let before = log.len();
        while let Some(next_ns) = self.events.next_time_ns().filter(|&next_ns| next_ns < until_ns.min(self.end_ns)) {
            self.advance(next_ns)?;
            if log.any_from(before, |event| condition(&Step::of(event, flows))) {
                return Ok(());
            }
        }
        self.advance(until_ns)
    }

    fn change_link(&mut self, name: &str, change: &LiveChange) -> Result<(), String> {
        let names: Vec<&str> = self.links.series().map(|(name, _)| name).collect();
        let Some(number) = names.iter().position(|&other| other == name) else {
            return Err(format!("there is no link \"{name}\"; there are {}", names.join(", ")));
        };
        let (now_ns, station) = (self.time_ns(), StationId(number as u32));
        let changed = self.network.change_link(now_ns, station, change, &mut self.events);
        changed.map_err(|why| format!("link \"{name}\" {why}"))
    }

    fn change_parameters(&mut self, group: u32, parameters: &BTreeMap<String, i64>) -> Result<(), String> {
        let mut flows = self.flows.iter().filter(|flow| flow.group == group);
        let flow = flows.next().ok_or_else(|| format!("there is no flow of group {group}"))?;
        flow.setup.endpoints.change_parameters(parameters)
    }

    fn into_result(mut self: Box<Self>) -> Result<RunResult, SimulationError> {
        self.advance(u64::MAX)?;
        self.finish()
    }
}
