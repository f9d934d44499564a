//! The driver's queue, between the queue discipline and the channel.

use std::collections::VecDeque;

use fairlane_contract::WifiDriver;

use crate::packet::Packet;

pub(super) struct Driver<P> {
    limits: WifiDriver,
    rate_bps: u64,
    staged: VecDeque<Staged<P>>,
    /// Bytes of frames in the queue, on the air, or waiting for their Block Ack.
    queued_bytes: u64,
}

#[derive(Clone, Copy)]
pub(super) struct Staged<P> {
    pub packet: Packet<P>,
    pub frame_bytes: u32,
    /// Enqueue time in the queue discipline.
    pub since_ns: u64,
}

impl<P: Copy> Driver<P> {
    /// `rate_bps`: rate for estimates of airtime.
    pub fn new(limits: WifiDriver, rate_bps: u64) -> Self {
        Self { limits, rate_bps, staged: VecDeque::new(), queued_bytes: 0 }
    }

    /// Whether there is room for another packet, while all queues of the node hold `node_ns` of airtime.
    pub fn has_room(&self, node_ns: u64) -> bool {
        match self.limits {
            WifiDriver::Fifo { limit_packets } => self.staged.len() < limit_packets as usize,
            WifiDriver::Aql { low_ns, high_ns, total_ns } => {
                let limit_ns = if node_ns > total_ns { low_ns } else { high_ns };
                self.staged.is_empty() || self.queued_ns() < limit_ns
            }
        }
    }

    pub fn push(&mut self, packet: Packet<P>, frame_bytes: u32, since_ns: u64) {
        self.queued_bytes += u64::from(frame_bytes);
        self.staged.push_back(Staged { packet, frame_bytes, since_ns });
    }

    pub fn head(&self) -> Option<&Staged<P>> {
        self.staged.front()
    }

    pub fn pop(&mut self) -> Option<Staged<P>> {
        self.staged.pop_front()
    }

    /// A frame was acknowledged or dropped.
    pub fn complete(&mut self, frame_bytes: u32) {
        self.queued_bytes -= u64::from(frame_bytes);
    }

    pub fn packets(&self) -> u64 {
        self.staged.len() as u64
    }

    /// Estimated airtime of the frames in the queue.
    pub fn queued_ns(&self) -> u64 {
        (u128::from(self.queued_bytes) * 8_000_000_000 / u128::from(self.rate_bps)) as u64
    }
}
