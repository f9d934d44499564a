//! A-MPDUs formed ahead of their accesses. They are in the hardware of their node, where they cannot grow.
//!
//! Such a driver (ath9k) hands over the next A-MPDU while one is on the air, so that the hardware need not wait for it.
//! Packets queued later join the one after it.

use std::collections::VecDeque;

use super::exchange::Frame;
use super::rate_control::Choice;
use super::transmit_queue::{Aggregate, TransmitQueue};
use super::Wifi;

pub(super) struct Hardware {
    /// Limit on the A-MPDUs of a node, including the one on the air.
    most: usize,
    /// By node.
    formed: Vec<VecDeque<Formed>>,
}

#[derive(Clone, Copy)]
pub(super) struct Formed {
    pub queue: usize,
    pub aggregate: Aggregate,
    pub choice: Option<Choice>,
}

impl Hardware {
    pub fn new(most: u32, nodes: usize) -> Self {
        Self { most: most as usize, formed: (0..nodes).map(|_| VecDeque::new()).collect() }
    }
}

impl<P: Copy> Wifi<P> {
    /// The driver of a node forms A-MPDUs while its hardware has room.
    pub(super) fn feed_hardware(&mut self, node: usize, now_ns: u64) {
        if self.hardware.is_none() || self.sends_beacons(node) {
            return;
        }
        while self.hardware.as_ref().is_some_and(|hardware| {
            let on_air = self.on_air.iter().filter(|one| one.is_data_of(node)).count();
            hardware.formed[node].len() + on_air < hardware.most
        }) {
            let Some(Frame::Data { queue, aggregate, choice }) = self.form(node, now_ns, None) else { return };
            if let Some(hardware) = &mut self.hardware {
                hardware.formed[node].push_back(Formed { queue, aggregate, choice });
            }
        }
    }

    /// The first A-MPDU of a node's hardware, if it ends in time.
    pub(super) fn take_formed(&mut self, node: usize, now_ns: u64, txop_end_ns: Option<u64>) -> Option<Frame> {
        self.feed_hardware(node, now_ns);
        let Some(&formed) = self.hardware.as_ref()?.formed[node].front() else {
            return self.form(node, now_ns, txop_end_ns); // a BlockAckReq, if anything
        };
        if self.queues[formed.queue].needs_request {
            return Some(Frame::BlockAckRequest { queue: formed.queue });
        }
        let queue: &mut TransmitQueue<P> = &mut self.queues[formed.queue];
        queue.use_rate(formed.choice);
        if txop_end_ns.is_some() {
            let limits = self.limits(formed.queue, now_ns, txop_end_ns);
            if formed.aggregate.psdu_bytes > limits.psdu_bytes {
                return None;
            }
        }
        self.hardware.as_mut()?.formed[node].pop_front();
        Some(Frame::Data { queue: formed.queue, aggregate: formed.aggregate, choice: formed.choice })
    }

    /// Takes back an A-MPDU that was not transmitted: into the hardware, or its MPDUs are pending again.
    pub(super) fn take_back(&mut self, node: usize, formed: Formed) {
        match &mut self.hardware {
            Some(hardware) => hardware.formed[node].push_front(formed),
            None => self.queues[formed.queue].withdraw(formed.aggregate),
        }
    }
}
