//! First in, first out; a newcomer that does not fit is dropped (Linux: bfifo and pfifo).

use std::collections::VecDeque;

use super::{Backlog, QueueDiscipline, QueueStats, Queued, Verdict};
use crate::QueueConfig;

#[derive(Debug)]
pub struct Fifo<P> {
    items: VecDeque<Queued<P>>,
    bytes: u64,
    limits: Limits,
    stats: QueueStats,
}

/// The most that may wait; what is not limited stands at the largest number.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    pub bytes: u64,
    pub packets: u64,
}

impl Limits {
    pub fn new(config: &QueueConfig) -> Self {
        match *config {
            QueueConfig::Fifo { limit_bytes, limit_packets } => {
                Self { bytes: limit_bytes.unwrap_or(u64::MAX), packets: limit_packets.unwrap_or(u64::MAX) }
            }
            QueueConfig::Unlimited {} => Self { bytes: u64::MAX, packets: u64::MAX },
        }
    }

    /// A frame that fits exactly is admitted, as bfifo and pfifo do.
    #[inline]
    pub fn admit(&self, backlog: Backlog, frame_bytes: u32) -> bool {
        backlog.packets < self.packets && backlog.bytes + u64::from(frame_bytes) <= self.bytes
    }
}

impl<P> Fifo<P> {
    pub fn new(config: &QueueConfig) -> Self {
        Self { items: VecDeque::new(), bytes: 0, limits: Limits::new(config), stats: QueueStats::default() }
    }
}

impl<P: Copy> QueueDiscipline<P> for Fifo<P> {
    fn enqueue(&mut self, _now_ns: u64, item: Queued<P>) -> Verdict {
        if !self.limits.admit(self.backlog(), item.frame_bytes) {
            self.stats.dropped_packets += 1;
            self.stats.dropped_bytes += u64::from(item.frame_bytes);
            return Verdict::Dropped;
        }
        self.bytes += u64::from(item.frame_bytes);
        self.items.push_back(item);
        Verdict::Queued
    }

    fn peek_bytes(&mut self, _now_ns: u64) -> Option<u32> {
        self.items.front().map(|item| item.frame_bytes)
    }

    fn dequeue(&mut self, _now_ns: u64) -> Option<Queued<P>> {
        let item = self.items.pop_front()?;
        self.bytes -= u64::from(item.frame_bytes);
        Some(item)
    }

    fn backlog(&self) -> Backlog {
        Backlog { packets: self.items.len() as u64, bytes: self.bytes }
    }

    fn stats(&self) -> QueueStats {
        self.stats
    }
}
