//! A test bed that sends packets at given times and records arrivals.

use fairlane_contract::LinkConfig;
use fairlane_engine::{EventQueue, Streams};
use fairlane_network::{Ecn, Fifo, Network, Packet, QueueDiscipline, StationId, StationStats};

pub const MS: u64 = 1_000_000;
pub const SEC: u64 = 1_000_000_000;
/// An IP packet whose Ethernet frame is 1514 bytes.
pub const FULL: u32 = 1500;

/// A packet's payload is its number in sending order, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrival {
    pub at_ns: u64,
    pub number: u64,
    pub ip_bytes: u32,
    pub flow: u32,
    pub ecn: Ecn,
}

/// How packets sent at one instant on one path are passed to the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bursts {
    /// Each at its time, after the events of the network at that instant.
    None,
    /// One right after the other.
    OneByOne,
    /// In one call.
    Together,
}

#[derive(Clone, Copy, Debug)]
pub struct Send {
    pub at_ns: u64,
    pub path: u32,
    pub ip_bytes: u32,
}

pub struct Lab {
    pub network: Network<u64>,
    events: EventQueue,
    sends: Vec<Send>,
    sent: usize,
    is_send_scheduled: bool,
    ecn: Ecn,
    bursts: Bursts,
    /// Packets that have left their hosts, with the time.
    pub departures: Vec<(u64, u64)>,
}

impl Lab {
    pub fn new(links: &[LinkConfig], paths: &[&[u32]]) -> Self {
        Self::seeded(links, paths, 1)
    }

    pub fn one_link(link: LinkConfig) -> Self {
        Self::new(&[link], &[&[0]])
    }

    pub fn seeded(links: &[LinkConfig], paths: &[&[u32]], seed: u64) -> Self {
        let paths = paths.iter().map(|path| path.iter().copied().map(StationId).collect()).collect();
        let network = Network::new(links, paths, &Streams::new(seed)).expect("a valid network");
        Self::with(network)
    }

    pub fn with(network: Network<u64>) -> Self {
        Self {
            network,
            events: EventQueue::new(),
            sends: Vec::new(),
            sent: 0,
            is_send_scheduled: false,
            ecn: Ecn::NotEct,
            bursts: Bursts::None,
            departures: Vec::new(),
        }
    }

    /// Like `one_link`, but with the general kind of link and a FIFO discipline.
    pub fn one_general_link(link: LinkConfig) -> Self {
        let fifo = |config: &LinkConfig| Some(Box::new(Fifo::new(&config.queue)) as Box<dyn QueueDiscipline>);
        let network = Network::with_disciplines(&[link], vec![vec![StationId(0)]], &Streams::new(1), fifo);
        Self::with(network.expect("a valid network"))
    }

    /// All packets are sent with this codepoint.
    pub fn ecn(mut self, ecn: Ecn) -> Self {
        self.ecn = ecn;
        self
    }

    pub fn bursts(mut self, bursts: Bursts) -> Self {
        self.bursts = bursts;
        self
    }

    pub fn send(mut self, at_ns: u64, ip_bytes: u32) -> Self {
        self.sends.push(Send { at_ns, path: 0, ip_bytes });
        self
    }

    pub fn send_many(mut self, count: u32, at_ns: u64, ip_bytes: u32) -> Self {
        self.sends.extend((0..count).map(|_| Send { at_ns, path: 0, ip_bytes }));
        self
    }

    pub fn send_all(mut self, sends: &[Send]) -> Self {
        self.sends.extend_from_slice(sends);
        self
    }

    /// Runs until no event is left. Sends must be in order of time; at one instant links act first.
    pub fn run(&mut self) -> Vec<Arrival> {
        self.run_until(u64::MAX)
    }

    /// Runs up to and including `end_ns`; may be called again to continue.
    pub fn run_until(&mut self, end_ns: u64) -> Vec<Arrival> {
        let mut arrivals = Vec::new();
        let sender = self.network.component_count();
        self.schedule_next_send(sender);
        while self.events.next_time_ns().is_some_and(|next_ns| next_ns <= end_ns) {
            let (now_ns, component) = self.events.pop().expect("it was just seen");
            if component != sender {
                if let Some(packet) = self.network.on_event(now_ns, component, &mut self.events) {
                    let Packet { flow, ip_bytes, ecn, payload: number, .. } = *packet;
                    arrivals.push(Arrival { at_ns: now_ns, number, ip_bytes, flow, ecn });
                } else {
                    let mut departed = Vec::new();
                    self.network.take_departed(component, &mut departed);
                    self.departures.extend(departed.iter().map(|packet| (now_ns, packet.payload)));
                }
                continue;
            }
            let Send { at_ns, path, .. } = self.sends[self.sent];
            let is_alike = |send: &&Send| (send.at_ns, send.path) == (at_ns, path);
            let most = if self.bursts == Bursts::None { 1 } else { usize::MAX };
            let count = self.sends[self.sent..].iter().take(most).take_while(is_alike).count();
            let burst: Vec<usize> = (self.sent..self.sent + count).collect();
            let (sends, ecn) = (&self.sends, self.ecn);
            let packet_of = |&number: &usize| {
                let ip_bytes = sends[number].ip_bytes;
                Packet { flow: path, path, ip_bytes, hop: 0, ecn, payload: number as u64 }
            };
            if self.bursts == Bursts::Together {
                self.network.send_all(now_ns, path, &burst, packet_of, &mut self.events);
            } else {
                burst.iter().for_each(|number| self.network.send(now_ns, &packet_of(number), &mut self.events));
            }
            self.sent += burst.len();
            self.is_send_scheduled = false;
            self.schedule_next_send(sender);
        }
        arrivals
    }

    fn schedule_next_send(&mut self, sender: u32) {
        if let Some(next) = self.sends.get(self.sent).filter(|_| !self.is_send_scheduled) {
            self.events.schedule(next.at_ns, sender);
            self.is_send_scheduled = true;
        }
    }

    pub fn stats(&mut self, now_ns: u64) -> StationStats {
        self.network.station_stats(StationId(0), now_ns)
    }
}

pub fn times(arrivals: &[Arrival]) -> Vec<u64> {
    arrivals.iter().map(|arrival| arrival.at_ns).collect()
}

pub fn numbers(arrivals: &[Arrival]) -> Vec<u64> {
    arrivals.iter().map(|arrival| arrival.number).collect()
}

/// A link with a rate and a delay.
pub fn link(rate_bps: u64, delay_ns: u64) -> LinkConfig {
    LinkConfig { rate_bps: Some(rate_bps), delay_ns, ..LinkConfig::new("link") }
}
