//! The scheduler of a dual queue: the L4S queue is served first, except for a share reserved for the classic queue.
//!
//! A weighted round robin by bytes (RFC 9332 §4.2.2 requires more than strict priority): each frame of one queue earns
//! credit for the other.

use crate::queue::buffer::{Buffer, List, PacketId};

pub(super) struct Scheduler {
    scalable: List,
    classic: List,
    /// Above zero the classic queue is served.
    credit: i64,
    initial_credit: i64,
    classic_percent: i64,
}

/// A packet that may be sent now.
pub(super) struct Candidate {
    pub packet: PacketId,
    pub is_scalable: bool,
    /// Change of the credit if it is sent.
    credit: i64,
}

impl Scheduler {
    pub fn new(classic_percent: u32, mtu_frame_bytes: u32) -> Self {
        let classic_percent = i64::from(classic_percent);
        let initial_credit = i64::from(mtu_frame_bytes) * (classic_percent - (100 - classic_percent));
        Self {
            scalable: List::default(),
            classic: List::default(),
            credit: initial_credit,
            initial_credit,
            classic_percent,
        }
    }

    pub fn push(&mut self, packet: PacketId, is_scalable: bool, buffer: &mut Buffer) {
        let queue = if is_scalable { &mut self.scalable } else { &mut self.classic };
        queue.push_back(packet, buffer);
    }

    pub fn pop(&mut self, buffer: &Buffer) -> Option<Candidate> {
        if self.scalable.is_empty() && self.classic.is_empty() {
            self.credit = self.initial_credit;
            return None;
        }
        let is_scalable = self.classic.is_empty() || (!self.scalable.is_empty() && self.credit <= 0);
        let (packet, percent) = if is_scalable {
            (self.scalable.pop_front(buffer)?, self.classic_percent)
        } else {
            // No L4S packet is queued: classic ones cost no credit.
            let percent = if self.scalable.is_empty() { 0 } else { self.classic_percent - 100 };
            (self.classic.pop_front(buffer)?, percent)
        };
        Some(Candidate { packet, is_scalable, credit: percent * i64::from(buffer.frame_bytes(packet)) })
    }

    pub fn charge(&mut self, candidate: &Candidate) {
        self.credit += candidate.credit;
    }

    /// The delay at the head of the slower queue.
    pub fn delay_ns(&self, now_ns: u64, buffer: &Buffer) -> u64 {
        let wait_ns = |queue: &List| queue.front().map_or(0, |packet| now_ns - buffer.enqueued_ns(packet));
        wait_ns(&self.scalable).max(wait_ns(&self.classic))
    }

    pub fn scalable_packets(&self) -> u64 {
        self.scalable.len() as u64
    }
}
