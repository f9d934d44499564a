//! CoDel (RFC 8289): drops at the head of the queue, at growing frequency, while packets wait too long.
//!
//! ```text
//! delay of the head < target once in an interval:   nothing happens
//! above it for a whole interval:                    drop, and again after interval / √1, / √2, / √3, ...
//! below it again:                                   stop; a relapse soon after goes on from the last frequency
//! ```
//!
//! Parameters and details are those of Linux's codel; the law itself is in `law.rs`, for `fq_codel` has it as well.

mod law;

use serde::Deserialize;

pub(super) use self::law::{Law, State};
use super::config::{time, zero, Fault, QueueSetup};
use super::QueueDiscipline;
use crate::buffer::{Buffer, List, PacketId};

/// As `tc qdisc add ... codel`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct CodelConfig {
    pub limit_packets: u64,
    /// Waiting time that is acceptable for good.
    pub target_ns: u64,
    /// About the longest round trip of the traffic.
    pub interval_ns: u64,
    /// Mark instead of drop where the sender understands it.
    pub ecn: bool,
    /// Mark every packet that waited longer than this, whatever the law says.
    pub ce_threshold_ns: Option<u64>,
}

impl Default for CodelConfig {
    fn default() -> Self {
        Self { limit_packets: 1_000, target_ns: 5_000_000, interval_ns: 100_000_000, ecn: false, ce_threshold_ns: None }
    }
}

impl CodelConfig {
    pub(super) fn fault(&self) -> Option<Fault> {
        zero("limit_packets", self.limit_packets)
            .or(time("target_ns", self.target_ns))
            .or(time("interval_ns", self.interval_ns))
    }
}

pub(crate) struct Codel {
    queue: List,
    limit_packets: u64,
    law: Law,
    state: State,
}

impl Codel {
    pub fn new(config: &CodelConfig, setup: &QueueSetup) -> Self {
        let law = Law {
            target_ns: config.target_ns,
            interval_ns: config.interval_ns,
            ecn: config.ecn,
            mtu_frame_bytes: setup.mtu_frame_bytes,
            ce_threshold_ns: config.ce_threshold_ns,
            ce_threshold_applies: |_| true,
        };
        Self { queue: List::default(), limit_packets: config.limit_packets, law, state: State::default() }
    }
}

impl QueueDiscipline for Codel {
    fn enqueue(&mut self, _now_ns: u64, packet: PacketId, buffer: &mut Buffer) {
        if buffer.backlog().packets < self.limit_packets {
            self.queue.push_back(packet, buffer);
        } else {
            buffer.drop(packet);
        }
    }

    fn dequeue(&mut self, now_ns: u64, buffer: &mut Buffer) -> Option<PacketId> {
        self.law.dequeue(&mut self.state, now_ns, &mut self.queue, buffer)
    }
}
