//! The driver's queue: packets that have left the queue discipline and wait for access.

use std::collections::VecDeque;

use fairlane_contract::WifiDriver;

use crate::packet::Packet;

pub(super) struct Driver<P> {
    limits: WifiDriver,
    rate_bps: u64,
    staged: VecDeque<Staged<P>>,
    /// Bytes of frames from their arrival here to the Block Ack.
    held_bytes: u64,
}

#[derive(Clone, Copy)]
pub(super) struct Staged<P> {
    pub packet: Packet<P>,
    pub frame_bytes: u32,
    /// When it entered the queue discipline.
    pub since_ns: u64,
}

impl<P: Copy> Driver<P> {
    /// `rate_bps`: with which airtime is estimated.
    pub fn new(limits: WifiDriver, rate_bps: u64) -> Self {
        Self { limits, rate_bps, staged: VecDeque::new(), held_bytes: 0 }
    }

    /// Whether it takes another packet, while all queues of the node hold packets of `node_ns` airtime.
    pub fn has_room(&self, node_ns: u64) -> bool {
        match self.limits {
            WifiDriver::Fifo { limit_packets } => self.staged.len() < limit_packets as usize,
            WifiDriver::Aql { low_ns, high_ns, total_ns } => {
                let limit_ns = if node_ns > total_ns { low_ns } else { high_ns };
                self.staged.is_empty() || self.held_ns() < limit_ns
            }
        }
    }

    pub fn push(&mut self, packet: Packet<P>, frame_bytes: u32, since_ns: u64) {
        self.held_bytes += u64::from(frame_bytes);
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
        self.held_bytes -= u64::from(frame_bytes);
    }

    pub fn packets(&self) -> u64 {
        self.staged.len() as u64
    }

    /// Estimated airtime of what it holds.
    pub fn held_ns(&self) -> u64 {
        (u128::from(self.held_bytes) * 8_000_000_000 / u128::from(self.rate_bps)) as u64
    }
}
