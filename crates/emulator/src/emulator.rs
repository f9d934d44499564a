//! A scenario's network between ports, with time as an argument.

use crate::ip;
use crate::packets::Packets;
use fairlane_contract::{LinkResult, LinkSamples, Problem, Scenario};
use fairlane_engine::EventQueue;
use fairlane_network::{Network, Packet};
use fairlane_simulator::{network_alone, LinkMeter};

/// A scenario's network, and its packets. Times count from the start of the run and never run backwards.
pub struct Emulator {
    network: Network<u64>,
    events: EventQueue,
    /// By path; path numbers are those of the ports at which they begin.
    packets: Vec<Packets>,
    links: LinkMeter,
    interval_ns: u64,
    next_sample_ns: u64,
    samples: usize,
    warm_up_ns: Option<u64>,
    counts: Counts,
}

/// Packets outside the network's own counters.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counts {
    pub entered: u64,
    /// Not IP, or larger than the scenario's MTU.
    pub refused: u64,
    /// Slot reused before the packet left.
    pub missing: u64,
}

/// A packet that leaves the network.
#[derive(Debug, PartialEq, Eq)]
pub struct Arrival<'a> {
    pub port: usize,
    /// When it was due.
    pub due_ns: u64,
    pub packet: &'a [u8],
}

/// Initial number of packet slots for all paths together; more are added when needed.
const SLOTS: usize = 1 << 15;
const MIN_SLOTS: usize = 1 << 9;
/// Slots are aligned to cache lines.
const SLOT_ALIGNMENT_BYTES: usize = 64;

impl Emulator {
    /// # Errors
    /// Invalid links, media or paths.
    pub fn new(scenario: &Scenario) -> Result<Self, Problem> {
        let network = network_alone(scenario)?;
        let events = EventQueue::with_frequent(network.component_count());
        let paths = 2 * scenario.flows.len();
        let slots = (SLOTS / paths.max(1)).next_power_of_two().max(MIN_SLOTS);
        let packets = scenario.flows.iter().flat_map(|flow| [flow.mtu; 2]).map(|mtu_bytes| {
            // One byte more than the MTU, so that a truncated packet is recognised as too large.
            Packets::new(slots, (mtu_bytes as usize + 1).next_multiple_of(SLOT_ALIGNMENT_BYTES))
        });
        Ok(Self {
            network,
            events,
            packets: packets.collect(),
            links: LinkMeter::new(scenario.station_names()),
            interval_ns: scenario.series_interval_ns,
            next_sample_ns: scenario.series_interval_ns,
            samples: 0,
            warm_up_ns: (scenario.warm_up_ns > 0).then_some(scenario.warm_up_ns),
            counts: Counts::default(),
        })
    }

    /// Number of ports.
    pub fn ports(&self) -> usize {
        self.packets.len()
    }

    /// Buffer for the next packet of a port.
    pub fn vacant(&mut self, port: usize) -> &mut [u8] {
        self.packets[port].vacant()
    }

    /// Sends the packet of this size that was written into [`vacant`](Self::vacant). All arrivals before `now_ns` must
    /// have been taken with [`next_arrival`](Self::next_arrival).
    pub fn send(&mut self, now_ns: u64, port: usize, bytes: usize) {
        let slot = self.packets[port].vacant();
        let Some(header) = (bytes < slot.len()).then(|| ip::read(&slot[..bytes])).flatten() else {
            self.counts.refused += 1;
            return;
        };
        self.counts.entered += 1;
        let number = self.packets[port].keep(bytes);
        let packet = Packet {
            flow: header.flow,
            path: port as u32,
            hop: 0,
            ecn: header.ecn,
            ip_bytes: bytes as u32,
            payload: number,
        };
        self.network.send(now_ns, &packet, &mut self.events);
    }

    /// Time of the next event or sample.
    pub fn next_ns(&mut self) -> u64 {
        self.events.next_time_ns().unwrap_or(u64::MAX).min(self.next_sample_ns)
    }

    /// Runs the network until `now_ns`. Returns at the first packet that leaves; must then be called again.
    pub fn next_arrival(&mut self, now_ns: u64) -> Option<Arrival<'_>> {
        loop {
            let due_ns = self.events.next_time_ns().unwrap_or(u64::MAX);
            if due_ns > now_ns {
                self.measure_until(now_ns);
                return None;
            }
            self.measure_until(due_ns);
            let (due_ns, component) = self.events.pop()?;
            let Some(packet) = self.network.on_event(due_ns, component, &mut self.events) else { continue };
            let (path, number, ecn) = (packet.path as usize, packet.payload, packet.ecn);
            if self.packets[path].packet(number).is_none() {
                self.counts.missing += 1;
                continue;
            }
            let packet = self.packets[path].packet(number).expect("it was there just now");
            ip::set_ecn(packet, ecn);
            // The ends of a flow have neighbouring numbers; that of the forward path is even.
            return Some(Arrival { port: path ^ 1, due_ns, packet });
        }
    }

    /// Results and time series of the links, up to the present.
    pub(crate) fn finish(mut self, now_ns: u64) -> (Vec<LinkResult>, Vec<LinkSamples>, Counts) {
        let (links, series) = self.links.finish(&mut self.network, now_ns);
        (links, series, self.counts)
    }

    /// Takes samples and ends the warm-up, at their times; a link knows its state at any time until its next event.
    fn measure_until(&mut self, now_ns: u64) {
        loop {
            let warm_up_ns = self.warm_up_ns.unwrap_or(u64::MAX);
            let due_ns = warm_up_ns.min(self.next_sample_ns);
            if due_ns > now_ns {
                return;
            }
            if due_ns == self.next_sample_ns {
                self.links.sample(&mut self.network, due_ns);
                self.next_sample_ns += self.interval_ns;
                self.samples += 1;
            }
            if due_ns == warm_up_ns {
                self.links.begin(&mut self.network, due_ns);
                self.warm_up_ns = None;
            }
        }
    }

    /// Number of samples.
    pub(crate) fn samples(&self) -> usize {
        self.samples
    }

    /// The links' time series so far, by name.
    pub(crate) fn series(&self) -> impl Iterator<Item = (&str, &LinkSamples)> {
        self.links.series()
    }
}

#[cfg(test)]
mod tests;
