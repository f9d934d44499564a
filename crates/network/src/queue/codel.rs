//! CoDel (RFC 8289): drops at the head of the queue, at an increasing rate, while packets wait too long.
//!
//! ```text
//! delay of the head < target once in an interval:   nothing happens
//! above it for a whole interval:                    drop, and again after interval / √1, / √2, / √3, ...
//! below it again:                                   stop; if it rises again soon, resume at the last frequency
//! ```
//!
//! Parameters and details are those of Linux's codel. The law is in `law.rs`, shared with `fq_codel`.

mod law;

use fairlane_contract::CodelConfig;

pub(super) use self::law::{Law, State};
use super::setup::QueueSetup;
use super::QueueDiscipline;
use crate::queue::buffer::{Buffer, List, PacketId};

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
