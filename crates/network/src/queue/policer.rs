//! A policer: drops packets above a rate and delays none (Linux: tc's action police).
//!
//! A packet that is not too large and finds tokens in every [`Meter`] takes them and passes; any other is dropped and
//! takes none. Packets that pass wait for the link's transmitter as in a FIFO without a limit; usually a policer stands
//! on a link without a rate.

mod config;
mod meter;

use fairlane_contract::PolicerConfig;

pub(super) use self::config::fault;
use self::meter::Meter;
use super::QueueDiscipline;
use crate::queue::buffer::{Buffer, List, PacketId};

pub(crate) struct Policer {
    passed: List,
    mtu_bytes: u32,
    meters: Vec<Meter>,
}

impl Policer {
    pub fn new(config: &PolicerConfig) -> Self {
        let limit = |rate: Option<u64>, burst: Option<u32>| rate.zip(burst);
        let rate = limit(config.rate_bps, config.burst_bytes).map(Meter::of_bytes);
        let peak = limit(config.peakrate_bps, config.mtu_bytes).map(Meter::of_bytes);
        let packets = limit(config.pkts_rate_pps, config.pkts_burst_packets).map(Meter::of_packets);
        Self {
            passed: List::default(),
            mtu_bytes: config.mtu_bytes.unwrap_or(u32::MAX),
            meters: rate.into_iter().chain(peak).chain(packets).collect(),
        }
    }
}

impl QueueDiscipline for Policer {
    fn enqueue(&mut self, now_ns: u64, packet: PacketId, buffer: &mut Buffer) {
        let frame_bytes = buffer.frame_bytes(packet);
        let has_tokens = |meter: &Meter| meter.has_tokens(now_ns, frame_bytes);
        if frame_bytes <= self.mtu_bytes && self.meters.iter().all(has_tokens) {
            self.meters.iter_mut().for_each(|meter| meter.take(now_ns, frame_bytes));
            self.passed.push_back(packet, buffer);
        } else {
            buffer.drop(packet);
        }
    }

    fn dequeue(&mut self, _now_ns: u64, buffer: &mut Buffer) -> Option<PacketId> {
        self.passed.pop_front(buffer)
    }
}
