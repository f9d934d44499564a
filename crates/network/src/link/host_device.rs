//! The network interface of a sending host: a link that reports when each packet has left it.
//!
//! TCP Small Queues need these reports: Linux lets a connection add packets to the host's queue only after the
//! interface has transmitted (or the queue has dropped) earlier ones. This medium joins two links: a device with queue
//! and rate but no delay, which delivers a packet when its last bit is transmitted, and a wire with delay, jitter and
//! loss. Links without such a host do not pay for this.

use fairlane_contract::{ChangeConfig, LinkConfig, OutageConfig, WhenDown};
use fairlane_engine::{ComponentId, EventQueue, Streams};

use super::Link;
use crate::medium::{Medium, StationId};
use crate::packet::{Packet, ReadAcknowledgement};
use crate::packet_log::PacketLog;
use crate::queue::QueueDiscipline;
use crate::statistics::StationStats;
use crate::store::{DisciplineStore, FifoRing};

pub(crate) struct HostDevice<P> {
    component: ComponentId,
    links: Box<Links<P>>,
    /// Transmitted or dropped since the last `take_departed`.
    departed: Vec<Packet<P>>,
}

struct Links<P> {
    device: Link<P, DisciplineStore<P>>,
    wire: Link<P, FifoRing<P>>,
}

impl<P: Copy> HostDevice<P> {
    /// The link that `config` describes.
    pub fn new(
        config: &LinkConfig,
        station: StationId,
        component: ComponentId,
        streams: &Streams,
        discipline: Box<dyn QueueDiscipline>,
    ) -> Self {
        let (device, wire) = (device_of(config), wire_of(config));
        let links = Links {
            device: Link::new(&device, station, component, streams, DisciplineStore::keeping_dropped(discipline)),
            wire: Link::new(&wire, station, component, streams, FifoRing::new(&wire)),
        };
        Self { component, links: Box::new(links), departed: Vec::new() }
    }

    /// See [`DisciplineStore::read_acknowledgements`].
    pub fn read_acknowledgements(&mut self, read: ReadAcknowledgement<P>) {
        self.links.device.store_mut().read_acknowledgements(read);
    }

    /// Dropped packets depart at once; the event informs the host.
    fn note_dropped(&mut self, now_ns: u64, events: &mut EventQueue) {
        if self.links.device.store_mut().take_dropped_into(&mut self.departed) {
            events.schedule(now_ns, self.component);
        }
    }
}

fn device_of(config: &LinkConfig) -> LinkConfig {
    let rates = config.changes.iter().filter(|change| change.rate_bps.is_some());
    LinkConfig {
        delay_ns: 0,
        jitter: None,
        loss: None,
        duplicate_probability: 0.0,
        corrupt: None,
        reorder: None,
        slot: None,
        outages: outages(config, WhenDown::Hold),
        changes: rates.map(|change| ChangeConfig { delay_ns: None, loss: None, ..change.clone() }).collect(),
        ..config.clone()
    }
}

fn wire_of(config: &LinkConfig) -> LinkConfig {
    let of_wire = config.changes.iter().filter(|change| change.delay_ns.is_some() || change.loss.is_some());
    LinkConfig {
        delay_ns: config.delay_ns,
        overhead_bytes: Some(config.frame_overhead_bytes()),
        jitter: config.jitter.clone(),
        loss: config.loss.clone(),
        duplicate_probability: config.duplicate_probability,
        duplicate_correlation: config.duplicate_correlation,
        corrupt: config.corrupt.clone(),
        reorder: config.reorder.clone(),
        slot: config.slot.clone(),
        outages: outages(config, WhenDown::Drop),
        when_down: WhenDown::Drop,
        changes: of_wire.map(|change| ChangeConfig { rate_bps: None, ..change.clone() }).collect(),
        ..LinkConfig::new(&config.name)
    }
}

/// A device that holds packets is down itself; one that drops them sends to a wire that is down.
fn outages(config: &LinkConfig, when_down: WhenDown) -> Vec<OutageConfig> {
    config.outages.iter().filter(|_| config.when_down == when_down).cloned().collect()
}

impl<P: Copy> Medium<P> for HostDevice<P> {
    fn send(&mut self, now_ns: u64, station: StationId, packet: &Packet<P>, hop: u16, events: &mut EventQueue) -> bool {
        if self.links.device.refuses(packet) {
            self.departed.push(*packet);
            events.schedule(now_ns, self.component);
        }
        self.links.device.send(now_ns, station, packet, hop, events);
        self.note_dropped(now_ns, events);
        true
    }

    /// Device and wire schedule events for the same component. Each event serves one of them, and at any time there are
    /// at least as many events as actions that are due.
    fn on_event(&mut self, now_ns: u64, events: &mut EventQueue) -> Option<&Packet<P>> {
        if self.links.wire.is_due(now_ns) {
            return self.links.wire.on_event(now_ns, events);
        }
        if let Some(&packet) = self.links.device.on_event(now_ns, events) {
            self.departed.push(packet);
            self.links.wire.enqueue(now_ns, &packet, packet.hop, events);
        }
        self.note_dropped(now_ns, events);
        None
    }

    fn delivered(&self) -> &Packet<P> {
        self.links.wire.delivered()
    }

    fn upcoming_path(&self, ahead: u64) -> Option<u32> {
        self.links.wire.upcoming_path(ahead)
    }

    fn take_departed(&mut self, into: &mut Vec<Packet<P>>) {
        into.append(&mut self.departed);
    }

    fn station_stats(&mut self, station: StationId, now_ns: u64) -> StationStats {
        let wire = self.links.wire.station_stats(station, now_ns);
        let device = self.links.device.station_stats(station, now_ns);
        StationStats {
            delivered_packets: wire.delivered_packets,
            delivered_bytes: wire.delivered_bytes,
            lost_randomly_packets: wire.lost_randomly_packets,
            lost_randomly_bytes: wire.lost_randomly_bytes,
            duplicated_packets: wire.duplicated_packets,
            duplicated_bytes: wire.duplicated_bytes,
            in_flight_packets: device.in_flight_packets + wire.in_flight_packets,
            ..device
        }
    }

    fn lost_packets(&mut self, station: StationId, path: u32, now_ns: u64) -> u64 {
        let links = &mut self.links;
        links.device.lost_packets(station, path, now_ns) + links.wire.lost_packets(station, path, now_ns)
    }

    fn queue_delay_quantile_ns(&self, station: StationId, share: f64) -> Option<f64> {
        self.links.device.queue_delay_quantile_ns(station, share)
    }

    fn restart_maxima(&mut self, station: StationId) {
        self.links.device.restart_maxima(station);
    }

    fn record(&mut self, station: StationId, log: PacketLog<P>) {
        self.links.device.record(station, log);
    }
}
