//! An 802.11 cell: an access point and its stations contend for one channel and send A-MPDUs over it.
//!
//! The channel is *idle* or *busy*. While it is idle, the end of each node's backoff is known (`contender.rs`), and one
//! event is pending for the earliest of them. At that event the due nodes transmit: each forms an A-MPDU from one of
//! its queues (`transmit_queue.rs`); several nodes at the same nanosecond collide. At the second event, the end of the
//! frame, the receiver decodes it and releases packets in order (`session.rs`), and the answer follows after SIFS: from
//! then on the channel is idle again (`exchange.rs`). Packets that were released together arrive at one instant, with
//! an event each.
//!
//! There is no propagation delay. The nodes are the access point (0), the stations (from 1 on) and, if enabled, one
//! more for the access point's beacons, which have their own backoff.

mod access_log;
mod check;
mod contender;
mod driver;
mod exchange;
mod hardware;
mod hidden;
mod hosts;
mod phy;
mod rate_control;
mod session;
mod transmit_queue;

use fairlane_contract::{OutageConfig, Problem, WifiConfig};
use fairlane_engine::{ComponentId, EventQueue, Streams};

use self::access_log::AccessLog;
pub(crate) use self::check::check;
use self::contender::Contender;
use self::exchange::{Rules, Transmission, Txop};
use self::hardware::Hardware;
use self::hidden::HiddenNodes;
use self::hosts::Hosts;
use self::phy::Timing;
use self::transmit_queue::{QueueSetup, TransmitQueue};
use crate::medium::{Medium, StationId};
use crate::outages::Outages;
use crate::packet::Packet;
use crate::packet_log::{PacketLog, StationLog};
use crate::statistics::{AccessRecord, AccessStats, MediumTimes, StationStats};
use crate::store::Ring;

pub(crate) struct Wifi<P> {
    component: ComponentId,
    first_station: StationId,
    timing: Timing,
    rules: Rules,
    nodes: Vec<Contender>,
    /// Uplink and downlink of the first station, then of the second, and so on.
    queues: Vec<TransmitQueue<P>>,
    /// The downlink that the access point served last.
    last_downlink: usize,
    /// The queue whose PPDU was answered last.
    last_answered: Option<usize>,
    beacon: Option<Beacon>,
    outages: Option<Box<Outages>>,
    /// Frames on the air: none while the channel is idle, several in a collision.
    on_air: Vec<Transmission>,
    /// End of the last of them.
    busy_ns: u64,
    /// The winner of the last access may continue without contending.
    txop: Option<Txop>,
    /// Packets that receivers have released and hosts have not received yet.
    released: Ring<Released<P>>,
    /// Present if drivers have a latency or hosts wait for departures.
    hosts: Option<Box<Hosts<P>>>,
    /// Present if A-MPDUs are formed ahead of accesses.
    hardware: Option<Box<Hardware>>,
    hidden_nodes: HiddenNodes,
    access_log: Option<Box<AccessLog>>,
    times: MediumTimes,
    /// Time of the pending event. An event at another time is stale.
    pending_ns: u64,
}

/// Beacons contend for access as packets do.
struct Beacon {
    interval_ns: u64,
    due_ns: u64,
    /// It came due while the channel was busy, and a backoff was drawn.
    is_late: bool,
}

#[derive(Clone, Copy, Debug)]
struct Released<P> {
    queue: usize,
    packet: Packet<P>,
}

const NEVER: u64 = u64::MAX;
/// The node that is the access point.
const ACCESS_POINT: usize = 0;
/// AIFSN and CWmin of best effort, and the parameters with which beacons are sent (AC_VO; 802.11-2020 Table 9-155).
const BEST_EFFORT_AIFSN: u64 = 3;
const BEST_EFFORT_CW_MIN: u32 = 15;
const BEACON_AIFSN: u64 = 2;
const BEACON_CW: (u32, u32) = (3, 7);

impl<P: Copy> Wifi<P> {
    /// The queues are numbered from `first_station` on. Random streams are derived from `number`, the medium's index
    /// among the shared ones. `reporting` queues report departures to their hosts (TCP Small Queues).
    pub fn new(
        config: &WifiConfig,
        number: u32,
        (first_station, component): (StationId, ComponentId),
        streams: &Streams,
        ticks_per_s: u32,
        reporting: &[StationId],
    ) -> Result<Self, Problem> {
        let latencies_ns: Vec<u64> = std::iter::once(config.access_point_latency_ns)
            .chain(config.stations.iter().map(|station| station.latency_ns))
            .collect();
        let mut hosts = None;
        if !reporting.is_empty() || latencies_ns.iter().any(|&latency_ns| latency_ns > 0) {
            hosts = Some(Box::new(Hosts::new(latencies_ns, 2 * config.stations.len())));
        }
        let is_reporting = |index: usize| reporting.contains(&StationId(first_station.0 + index as u32));
        for queue in (0..2 * config.stations.len()).filter(|&queue| is_reporting(queue)) {
            hosts.as_mut().expect("a queue reports").report(queue);
        }
        // Not the station's id: another link in the scenario must not change these random numbers.
        let stream_index = |index: usize| ((u64::from(number) + 1) << 32) | index as u64;
        let timing = Timing::new(config.band, config.max_ampdu_mpdus);
        let queues = config.queues().enumerate().map(|(index, queue)| {
            let setup = QueueSetup { stream_index: stream_index(index), streams, ticks_per_s };
            TransmitQueue::new(config, queue, &setup, is_reporting(index))
        });
        let beacon = config.beacon_interval_ns.map(|interval_ns| Beacon { interval_ns, due_ns: 0, is_late: false });
        let contenders = 1 + config.stations.len() + usize::from(beacon.is_some());
        let nodes = (0..contenders).map(|node| {
            let random = streams.stream("wifi backoff", stream_index(node));
            let (aifsn, cw) = match node {
                ACCESS_POINT => (BEST_EFFORT_AIFSN, (BEST_EFFORT_CW_MIN, config.access_point_cw_max)),
                node if node > config.stations.len() => (BEACON_AIFSN, BEACON_CW),
                _ => (BEST_EFFORT_AIFSN, (BEST_EFFORT_CW_MIN, config.station_cw_max)),
            };
            Contender::new(timing.aifs_ns(aifsn), cw, random)
        });
        Ok(Self {
            component,
            first_station,
            timing,
            rules: Rules::new(config),
            nodes: nodes.collect(),
            queues: queues.collect::<Result<_, Problem>>()?,
            last_downlink: 1,
            last_answered: None,
            beacon,
            outages: config.outages.as_ref().map(|outages: &OutageConfig| {
                Box::new(Outages::new(outages, streams.stream("wifi outages", stream_index(0))))
            }),
            on_air: Vec::new(),
            busy_ns: 0,
            txop: None,
            released: Ring::new(),
            hosts,
            hardware: (config.hardware_aggregates > 0)
                .then(|| Box::new(Hardware::new(config.hardware_aggregates, contenders))),
            hidden_nodes: HiddenNodes::new(config, contenders),
            access_log: config.access_log.map(|config| Box::new(AccessLog::new(config))),
            times: MediumTimes::default(),
            pending_ns: NEVER,
        })
    }

    fn index(&self, station: StationId) -> usize {
        (station.0 - self.first_station.0) as usize
    }

    /// The node that sends from a queue.
    fn sender_of(queue: usize) -> usize {
        if queue % 2 == 0 {
            queue / 2 + 1
        } else {
            ACCESS_POINT
        }
    }

    fn receiver_of(queue: usize) -> usize {
        if queue % 2 == 0 {
            ACCESS_POINT
        } else {
            queue / 2 + 1
        }
    }

    /// The queues of a node; none for the one that sends beacons.
    fn queues_of(&self, node: usize) -> impl Iterator<Item = usize> {
        let count = self.queues.len();
        let (first, step) = if node == ACCESS_POINT { (1, 2) } else { (2 * (node - 1), count.max(1)) };
        (first..count).step_by(step)
    }

    /// Airtime in the drivers' queues of a node.
    fn queued_ns(&self, node: usize) -> u64 {
        if !self.rules.has_drivers {
            return 0;
        }
        self.queues_of(node).map(|queue| self.queues[queue].queued_ns()).sum()
    }

    /// Fills the drivers' queues of a node.
    fn fill_drivers(&mut self, node: usize, now_ns: u64) {
        if !self.rules.has_drivers {
            return;
        }
        let queues: Vec<usize> = self.queues_of(node).collect();
        for queue in queues {
            let node_ns = self.queued_ns(node);
            self.queues[queue].fill_driver(now_ns, node_ns);
            self.note_dropped(queue);
        }
    }

    fn sends_beacons(&self, node: usize) -> bool {
        2 * node > self.queues.len()
    }

    /// Since when, or from when on, a node has a frame to send.
    fn ready_ns(&self, node: usize) -> Option<u64> {
        if self.sends_beacons(node) {
            return self.beacon.as_ref().map(|beacon| beacon.due_ns);
        }
        let mut first_ns = None;
        for queue in self.queues_of(node) {
            let ready_ns = self.queues[queue].ready_ns();
            // No access can start before the end of the last one.
            if ready_ns.is_some_and(|ready_ns| ready_ns <= self.times.until_ns) {
                return ready_ns;
            }
            first_ns = first_ns.into_iter().chain(ready_ns).min();
        }
        first_ns
    }

    /// Time of the next access to the idle channel, unless a packet arrives before.
    fn next_access_ns(&self) -> u64 {
        if let Some(txop) = &self.txop {
            return txop.at_ns;
        }
        let access_ns = |(node, contender): (usize, &Contender)| {
            Some(contender.access_ns(self.ready_ns(node)?, self.timing.slot_ns))
        };
        self.nodes.iter().enumerate().filter_map(access_ns).min().unwrap_or(NEVER)
    }

    /// Schedules an event for the next action, unless one is pending early enough.
    fn arm(&mut self, now_ns: u64, events: &mut EventQueue) {
        let mut next_ns = if self.released.head() < self.released.tail() {
            now_ns
        } else if self.on_air.is_empty() {
            self.next_access_ns().max(now_ns)
        } else {
            self.next_on_air_ns().max(now_ns)
        };
        if let Some(hosts) = &self.hosts {
            next_ns = next_ns.min(hosts.next_ns().unwrap_or(NEVER));
        }
        if next_ns < self.pending_ns {
            self.pending_ns = next_ns;
            events.schedule(next_ns, self.component);
        }
    }

    /// Hosts learn of departures at an event that delivers no packet.
    fn arm_for_departures(&mut self, now_ns: u64, events: &mut EventQueue) {
        if self.pending_ns != now_ns && self.hosts.as_ref().is_some_and(|hosts| hosts.has_departed()) {
            self.pending_ns = now_ns;
            events.schedule(now_ns, self.component);
        }
    }

    /// Hands due reports to the hosts.
    fn inform_hosts(&mut self, now_ns: u64) {
        let Some(hosts) = &mut self.hosts else { return };
        let released = &mut self.released;
        hosts.learn(now_ns, |one| *released.extend(|| one) = one);
    }

    /// Packets that the queue discipline dropped have left their host.
    fn note_dropped(&mut self, queue: usize) {
        if let Some(hosts) = self.hosts.as_mut().filter(|hosts| hosts.is_reporting(queue)) {
            self.queues[queue].take_dropped_into(hosts.dropped());
        }
    }

    fn deliver(&mut self, now_ns: u64) -> bool {
        if self.released.head() == self.released.tail() {
            return false;
        }
        self.released.pop_front();
        let Released { queue, packet } = self.released.last_popped();
        self.queues[*queue].arrive(now_ns, packet);
        true
    }
}

impl<P: Copy> Medium<P> for Wifi<P> {
    fn send(&mut self, now_ns: u64, station: StationId, packet: &Packet<P>, hop: u16, events: &mut EventQueue) -> bool {
        let queue = self.index(station);
        let node = Self::sender_of(queue);
        let had_something = self.queues[queue].ready_ns().is_some() || self.ready_ns(node).is_some();
        let node_ns = self.queued_ns(node);
        if self.is_downlink_full(queue) {
            self.queues[queue].refuse(now_ns, packet);
        } else if self.queues[queue].push(now_ns, packet, hop, node_ns) {
            if !had_something {
                let is_busy = self.hears_on_air(node);
                self.nodes[node].on_packet(now_ns, is_busy);
            }
            self.feed_hardware(node, now_ns);
            if !had_something {
                self.arm(now_ns, events);
            }
        }
        if self.hosts.is_some() {
            self.note_dropped(queue);
            self.arm_for_departures(now_ns, events);
        }
        true
    }

    fn on_event(&mut self, now_ns: u64, events: &mut EventQueue) -> Option<&Packet<P>> {
        if now_ns != self.pending_ns {
            return None;
        }
        self.pending_ns = NEVER;
        if self.released.head() == self.released.tail() {
            self.inform_hosts(now_ns);
        }
        if self.released.head() == self.released.tail() {
            if self.on_air.is_empty() {
                self.begin_access(now_ns);
            } else if self.hidden_nodes.is_some() {
                if self.next_on_air_ns() <= now_ns {
                    self.on_overlap(now_ns);
                }
            } else if self.busy_ns == now_ns {
                self.end_access(now_ns);
            }
        }
        let has_arrived = self.deliver(now_ns);
        self.arm(now_ns, events);
        if has_arrived {
            self.arm_for_departures(now_ns, events);
        }
        has_arrived.then(|| self.delivered())
    }

    fn delivered(&self) -> &Packet<P> {
        &self.released.last_popped().packet
    }

    fn upcoming_path(&self, ahead: u64) -> Option<u32> {
        let number = self.released.head() + ahead;
        (number < self.released.tail()).then(|| self.released.get(number).packet.path)
    }

    fn station_stats(&mut self, station: StationId, now_ns: u64) -> StationStats {
        let index = self.index(station);
        let released = (self.released.head()..self.released.tail()).map(|number| self.released.get(number));
        let released = released.filter(|entry| entry.queue == index).count() as u64
            + self.hosts.as_ref().map_or(0, |hosts| hosts.arriving(index));
        let queue = &self.queues[index];
        let access = AccessStats { times: self.times, ..queue.stats.clone() };
        StationStats { access: Some(Box::new(access)), ..queue.station_stats(now_ns, released) }
    }

    fn lost_packets(&mut self, station: StationId, path: u32, _: u64) -> u64 {
        self.queues[self.index(station)].lost_of_path(path)
    }

    fn accesses(&self, station: StationId) -> Vec<AccessRecord> {
        self.access_log.as_ref().map_or_else(Vec::new, |log| log.of_queue(self.index(station)))
    }

    fn take_departed(&mut self, into: &mut Vec<Packet<P>>) {
        if let Some(hosts) = &mut self.hosts {
            hosts.take_departed(into);
        }
    }

    fn queue_delay_quantile_ns(&self, station: StationId, share: f64) -> Option<f64> {
        self.queues[self.index(station)].queue_delay_quantile_ns(share)
    }

    fn record(&mut self, station: StationId, log: PacketLog<P>) {
        let index = self.index(station);
        self.queues[index].record(StationLog::new(station, log));
    }

    fn restart_maxima(&mut self, station: StationId) {
        let index = self.index(station);
        self.queues[index].restart_maxima();
    }
}
