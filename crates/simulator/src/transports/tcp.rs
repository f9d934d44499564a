//! TCP, as the scenario's settings describe it.

use super::{Endpoints, Place, Programs, Transports};
use crate::error::SimulationError;
use fairlane_congestion_control::{Algorithm, Algorithms, StateMember};
use fairlane_contract::{FlowConfig, Scenario, Workload};
use fairlane_engine::NS_PER_SEC;
use fairlane_tcp::receiver::{Gro, Receiver, ReceiverConfig};
use fairlane_tcp::{
    Connection, ConnectionConfig, HostMemory, Misbehaviour, RouteMemory, Segment, SenderConfig, SynOffer, TcpWireFormat,
};
use fairlane_transport::{Side, WireFormat};
use std::cell::Cell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

/// IPv4 and TCP headers without options, and the timestamp option with its padding.
const HEADER_BYTES: u32 = 40;
const TIMESTAMP_BYTES: u32 = 12;

pub type Tcp = Connection;

/// The stations that a flow's data crosses, and its acknowledgements.
type PathNames = (Vec<String>, Vec<String>);

/// Every flow uses TCP.
pub(crate) struct TcpTransports<'a> {
    hz: u32,
    programs: Programs<'a>,
    /// Cached metrics of each path, by its stations: the two hosts of a flow have no other name.
    routes: BTreeMap<PathNames, Rc<Cell<RouteMemory>>>,
    /// The memory of each sending host that has a limit.
    machines: BTreeMap<Option<String>, Arc<HostMemory>>,
    /// Entries of a scenario that differ in times, sizes and paths share their endpoints: thousands of entries may be alike.
    latest: Option<Rc<TcpEndpoints>>,
}

impl<'a> TcpTransports<'a> {
    pub fn new(scenario: &Scenario, algorithms: &'a dyn Algorithms) -> Self {
        Self {
            hz: scenario.hz,
            programs: Programs::new(algorithms),
            routes: BTreeMap::new(),
            machines: BTreeMap::new(),
            latest: None,
        }
    }

    fn route(&mut self, config: &FlowConfig) -> Route {
        let sender = &config.sender;
        let mut route = Route { learns: sender.route_memory, memory: Rc::default() };
        if sender.route_memory {
            let path = (config.forward.clone(), config.reverse.clone());
            route.memory = self.routes.entry(path).or_default().clone();
        }
        if let Some(ssthresh_packets) = sender.route_ssthresh_packets {
            route.memory.set(RouteMemory { ssthresh_packets, ..route.memory.get() });
        }
        route
    }

    fn host_memory(&mut self, config: &FlowConfig) -> Option<Arc<HostMemory>> {
        let bytes = config.sender.tcp_memory_bytes?;
        let machine = self.machines.entry(config.sender.machine.clone());
        Some(machine.or_insert_with(|| Arc::new(HostMemory::new(bytes))).clone())
    }
}

impl Transports<Tcp> for TcpTransports<'_> {
    fn endpoints(&mut self, config: &FlowConfig) -> Result<Rc<dyn Endpoints<Tcp>>, SimulationError> {
        let program = self.programs.load(&config.algorithm, &config.parameters)?;
        let peer_program = match &config.receiver.algorithm {
            Some(name) => self.programs.load(name, &BTreeMap::new())?,
            None => program.clone(),
        };
        let ends = Side::BOTH.map(|side| connection_config(config, self.hz, side));
        let sends_ect1 = sends_ect1(&*program, &ends);
        let route = self.route(config);
        let host_memory = self.host_memory(config);
        let endpoints = TcpEndpoints { program, peer_program, ends, sends_ect1, route, host_memory };
        let latest = self.latest.take().filter(|latest| latest.is_same(&endpoints));
        let endpoints = latest.unwrap_or_else(|| Rc::new(endpoints));
        self.latest = Some(endpoints.clone());
        Ok(endpoints)
    }

    fn share_memory(&self) -> bool {
        !self.machines.is_empty() || self.programs.share_memory()
    }

    fn have_copies(&self) -> bool {
        self.programs.have_copies()
    }
}

struct TcpEndpoints {
    program: Rc<dyn Algorithm>,
    /// Of the receiving host.
    peer_program: Rc<dyn Algorithm>,
    ends: [ConnectionConfig; 2],
    sends_ect1: bool,
    route: Route,
    host_memory: Option<Arc<HostMemory>>,
}

impl TcpEndpoints {
    fn is_same(&self, other: &Self) -> bool {
        let has_state = |endpoints: &Self| endpoints.route.learns || endpoints.host_memory.is_some();
        Rc::ptr_eq(&self.program, &other.program)
            && Rc::ptr_eq(&self.peer_program, &other.peer_program)
            && self.ends == other.ends
            && self.sends_ect1 == other.sends_ect1
            && self.route.memory.get() == other.route.memory.get()
            && !has_state(self)
            && !has_state(other)
    }
}

/// The sending host's cache of the path's metrics.
struct Route {
    learns: bool,
    memory: Rc<Cell<RouteMemory>>,
}

/// RFC 9331 section 4.2: a scalable sender needs accurate feedback.
fn sends_ect1(program: &dyn Algorithm, ends: &[ConnectionConfig; 2]) -> bool {
    let callbacks = program.callbacks();
    let is_negotiated = ends.iter().all(|end| end.accecn && end.sender.ecn);
    let is_forced = callbacks.needs_accecn() && !ends[Side::Sender as usize].sender.late_algorithm;
    callbacks.uses_ect1() && (is_negotiated || is_forced)
}

impl Endpoints<Tcp> for TcpEndpoints {
    fn endpoint(&self, place: Place, now_ns: u64) -> Tcp {
        let config = self.ends[place.side as usize].clone();
        let program = if place.side == Side::Sender { &self.program } else { &self.peer_program };
        let mut connection = Connection::new(config, program.instantiate_in(place.shard), now_ns);
        connection.sender.sock.fairlane_flow = place.flow;
        connection.sender.sock.fairlane_random = place.algorithm_seed;
        if place.side == Side::Sender {
            self.route.memory.get().apply(&mut connection.sender.sock);
            if let Some(memory) = &self.host_memory {
                connection.sender.share_memory(memory.clone());
            }
        }
        connection
    }

    fn remember(&self, sender: &Tcp) {
        if self.route.learns {
            let mut memory = self.route.memory.get();
            memory.learn(&sender.sender.sock, SenderConfig::default().initial_reordering_packets);
            self.route.memory.set(memory);
        }
    }

    fn sends_ect1(&self) -> bool {
        self.sends_ect1
    }

    fn mss_bytes(&self) -> u32 {
        self.ends[Side::Sender as usize].sender.mss_bytes
    }

    fn state_members(&self) -> &[StateMember] {
        self.program.state_members()
    }

    fn change_parameters(&self, parameters: &BTreeMap<String, i64>) -> Result<(), String> {
        self.program.change(parameters)
    }

    fn wire_format(&self) -> Box<dyn WireFormat<Segment>> {
        let offers = Side::BOTH.map(|side| {
            let receiver = Receiver::new(self.ends[side as usize].receiver, 0);
            let mss = receiver.advertised_mss().min(u16::MAX.into()) as u16;
            SynOffer { mss, window_scale: receiver.window_scale() }
        });
        Box::new(TcpWireFormat { offers })
    }
}

fn connection_config(config: &FlowConfig, hz: u32, side: Side) -> ConnectionConfig {
    let (sender, receiver) = (&config.sender, &config.receiver);
    let ecn = sender.ecn && receiver.ecn != Some(false);
    let (sack, timestamps) = (sender.sack && receiver.sack, sender.timestamps && receiver.timestamps);
    let jiffy_ns = NS_PER_SEC / u64::from(hz);
    let mss = config.mtu - HEADER_BYTES - if timestamps { TIMESTAMP_BYTES } else { 0 };
    let (accecn, offload, gro_interval_ns) = match side {
        Side::Sender => (sender.accecn, sender.offload, Gro::DEFAULT_INTERVAL_NS),
        Side::Receiver => (receiver.accecn, receiver.offload, receiver.offload_interval_ns),
    };
    let mut half = SenderConfig::from(sender);
    if side == Side::Receiver {
        half.small_queue_limit_bytes = 0; // the reverse path has no station of the host's own
    }
    ConnectionConfig {
        timestamps,
        accecn,
        gro_interval_ns: offload.then_some(gro_interval_ns),
        misbehaviour: Misbehaviour::of(receiver).filter(|_| side == Side::Receiver),
        sender: SenderConfig {
            mss_bytes: mss,
            jiffy_ns,
            ecn,
            sack,
            late_algorithm: matches!(config.workload, Workload::Iperf3),
            ..half
        },
        receiver: ReceiverConfig { mss, jiffy_ns, ecn, sack, timestamps, offload, ..ReceiverConfig::from(receiver) },
    }
}
