//! A policer: drops what exceeds a rate, keeps nothing back (Linux: tc's action police).
//!
//! Tokens for bytes come at the rate, up to the burst; a packet that finds enough takes them and passes, another is
//! dropped. What passes waits for the link's transmitter as in a FIFO without a limit; most often the policer stands on a
//! link without a rate.

use serde::Deserialize;

use super::config::Fault;
use super::QueueDiscipline;
use crate::buffer::{Buffer, List, PacketId};
use crate::transmitter::{TokenBucket, Waiting};

/// As `tc ... action police rate R burst B conform-exceed drop`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PolicerConfig {
    pub rate_bps: u64,
    /// Largest burst that passes at once; a larger frame never does.
    pub burst_bytes: u32,
}

impl PolicerConfig {
    pub(super) fn fault(&self) -> Option<Fault> {
        if !(1..=1_000_000_000_000_000).contains(&self.rate_bps) {
            return Some(("rate_bps", "must be 1 to 10^15, the rate above which packets are dropped"));
        }
        let is_wrong = !(1..=1_000_000_000).contains(&self.burst_bytes);
        is_wrong.then_some(("burst_bytes", "must be 1 to 10^9, and at least one frame, or nothing passes"))
    }
}

pub(crate) struct Policer {
    passed: List,
    bucket: TokenBucket,
}

impl Policer {
    pub fn new(config: &PolicerConfig) -> Self {
        Self { passed: List::default(), bucket: TokenBucket::new(config.rate_bps, config.burst_bytes, 0) }
    }
}

impl QueueDiscipline for Policer {
    fn enqueue(&mut self, now_ns: u64, packet: PacketId, buffer: &mut Buffer) {
        let frame = Waiting { ready_ns: now_ns, free_ns: 0, frame_bytes: buffer.frame_bytes(packet) };
        if frame.frame_bytes <= self.bucket.burst_bytes() && self.bucket.start_ns(frame) <= now_ns {
            self.bucket.take(frame);
            self.passed.push_back(packet, buffer);
        } else {
            buffer.drop(packet);
        }
    }

    fn dequeue(&mut self, _now_ns: u64, buffer: &mut Buffer) -> Option<PacketId> {
        self.passed.pop_front(buffer)
    }
}
