//! First in, first out; an arriving packet that does not fit is dropped (Linux: bfifo and pfifo).

use super::setup::Fault;
use super::QueueDiscipline;
use crate::queue::buffer::{Backlog, Buffer, List, PacketId};
use fairlane_contract::QueueConfig;

pub(super) fn fault(limit_bytes: Option<u64>, limit_packets: Option<u64>) -> Option<Fault> {
    if limit_bytes.is_some() == limit_packets.is_some() {
        return Some((
            "kind",
            "is fifo, which needs exactly one of `limit_bytes` and `limit_packets`",
            "give one of them, or use the kind unlimited",
        ));
    }
    None
}

#[derive(Debug)]
pub struct Fifo {
    queue: List,
    limits: Limits,
}

/// The limits; the largest number means no limit.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    pub bytes: u64,
    pub packets: u64,
}

impl Limits {
    pub fn new(config: &QueueConfig) -> Self {
        match *config {
            QueueConfig::Fifo { limit_bytes, limit_packets } => {
                Self { bytes: limit_bytes.unwrap_or(u64::MAX), packets: limit_packets.unwrap_or(u64::MAX) }
            }
            _ => Self { bytes: u64::MAX, packets: u64::MAX },
        }
    }

    /// A frame that fits exactly is admitted, as bfifo and pfifo do.
    #[inline]
    pub fn admit(&self, backlog: Backlog, frame_bytes: u32) -> bool {
        backlog.packets < self.packets && backlog.bytes + u64::from(frame_bytes) <= self.bytes
    }
}

impl Fifo {
    pub fn new(config: &QueueConfig) -> Self {
        Self::with_limits(Limits::new(config))
    }

    pub(crate) fn with_limits(limits: Limits) -> Self {
        Self { queue: List::default(), limits }
    }
}

impl QueueDiscipline for Fifo {
    fn set_limits(&mut self, limits: Limits) -> bool {
        self.limits = limits;
        true
    }

    fn enqueue(&mut self, _now_ns: u64, packet: PacketId, buffer: &mut Buffer) {
        if self.limits.admit(buffer.backlog(), buffer.frame_bytes(packet)) {
            self.queue.push_back(packet, buffer);
        } else {
            buffer.drop(packet);
        }
    }

    fn dequeue(&mut self, _now_ns: u64, buffer: &mut Buffer) -> Option<PacketId> {
        self.queue.pop_front(buffer)
    }
}
