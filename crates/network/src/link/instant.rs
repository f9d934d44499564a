//! A link without rate, delay and impairments: it only counts packets.

use fairlane_engine::EventQueue;

use crate::medium::{Medium, StationId};
use crate::packet::Packet;
use crate::statistics::StationStats;
use fairlane_contract::LinkConfig;

pub(crate) struct InstantLink {
    packets: u64,
    bytes: u64,
    overhead_bytes: u32,
}

impl InstantLink {
    pub fn new(config: &LinkConfig) -> Self {
        Self { packets: 0, bytes: 0, overhead_bytes: config.frame_overhead_bytes() }
    }

    #[inline]
    pub fn count(&mut self, packets: u64, ip_bytes: u64) {
        self.packets += packets;
        self.bytes += ip_bytes + packets * u64::from(self.overhead_bytes);
    }
}

impl<P: Copy> Medium<P> for InstantLink {
    #[inline]
    fn send(&mut self, _: u64, _: StationId, packet: &Packet<P>, _: u16, _: &mut EventQueue) -> bool {
        self.count(1, packet.ip_bytes.into());
        false
    }

    fn on_event(&mut self, _: u64, _: &mut EventQueue) -> Option<&Packet<P>> {
        unreachable!("{NO_EVENTS}")
    }

    fn delivered(&self) -> &Packet<P> {
        unreachable!("{NO_EVENTS}")
    }

    fn upcoming_path(&self, _: u64) -> Option<u32> {
        None
    }

    fn station_stats(&mut self, _: StationId, _: u64) -> StationStats {
        let (packets, bytes) = (self.packets, self.bytes);
        StationStats {
            enqueued_packets: packets,
            enqueued_bytes: bytes,
            transmitted_packets: packets,
            transmitted_bytes: bytes,
            delivered_packets: packets,
            delivered_bytes: bytes,
            ..StationStats::default()
        }
    }

    fn lost_packets(&mut self, _: StationId, _: u32, _: u64) -> u64 {
        0
    }

    fn queue_delay_quantile_ns(&self, _: StationId, _: f64) -> Option<f64> {
        None
    }

    fn restart_maxima(&mut self, _: StationId) {}
}

const NO_EVENTS: &str = "an instant link has no events";
