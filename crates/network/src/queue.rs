//! Queue disciplines: which packets wait in front of a transmitter, which go first and which are thrown away.
//!
//! One discipline is one file in this folder and one implementation of [`QueueDiscipline`]. A discipline is asked
//! by its link and never acts on its own; it gets the time as an argument, in order, and keeps no clock. The plain
//! FIFO of most links does not come here: `link/fifo_ring.rs` is the same queue, fused with the wire, for speed.

mod fifo;

pub use fifo::Fifo;
pub(crate) use fifo::Limits;

use crate::Packet;

/// A packet that waits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Queued<P> {
    pub enqueued_ns: u64,
    /// What the packet takes of limits and rates.
    pub frame_bytes: u32,
    pub packet: Packet<P>,
}

/// What became of a packet at the door.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    Queued,
    /// The newcomer itself was refused.
    Dropped,
}

/// A heap of packets: what waits now, or what has come so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Backlog {
    pub packets: u64,
    pub bytes: u64,
}

impl Backlog {
    pub fn add(&mut self, frame_bytes: u32) {
        self.packets += 1;
        self.bytes += u64::from(frame_bytes);
    }
}

/// What a discipline has done so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QueueStats {
    pub dropped_packets: u64,
    pub dropped_bytes: u64,
    pub marked_packets: u64,
    pub marked_bytes: u64,
}

/// One queue discipline. Times never run backwards from call to call.
pub trait QueueDiscipline<P: Copy> {
    /// Takes a packet or refuses it; may throw away others instead.
    fn enqueue(&mut self, now_ns: u64, item: Queued<P>) -> Verdict;

    /// Decides which packet is next and says its frame bytes; it keeps counting as waiting. The next
    /// [`dequeue`](Self::dequeue) hands out just this packet, whatever was enqueued in between, as a token bucket
    /// must know what it collects tokens for.
    fn peek_bytes(&mut self, now_ns: u64) -> Option<u32>;

    /// Hands out the packet that [`peek_bytes`](Self::peek_bytes) chose.
    fn dequeue(&mut self, now_ns: u64) -> Option<Queued<P>>;

    fn backlog(&self) -> Backlog;

    fn stats(&self) -> QueueStats;

    /// When to peek again, after peek gave nothing although packets wait. Only for disciplines that hold packets back.
    fn next_event_ns(&self) -> Option<u64> {
        None
    }
}
