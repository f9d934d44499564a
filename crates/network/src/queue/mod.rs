//! Queue disciplines: they decide which packets are queued, in which order they leave, and which are dropped.
//!
//! Each discipline is one file in this folder, with its configuration, and implements [`QueueDiscipline`];
//! `registry.rs` lists them all. A discipline is called by its link and never acts on its own; it gets the time as an
//! argument and keeps no clock. Work that Linux does by timer is done at the next call, since nothing can change in
//! between. A [`Buffer`] keeps the packets and the counters.
//!
//! The plain FIFO of most links is elsewhere: `store/fifo_ring.rs` joins the queue and the wire, for speed.

mod buffer;
mod cake;
mod codel;
mod delays;
mod dualpi2;
mod fifo;
mod flows;
mod fq;
mod fq_codel;
mod fq_pie;
mod pie;
mod policer;
mod red;
mod registry;
mod router;
mod setup;
mod ticks;

pub use buffer::{Backlog, Buffer, List, PacketId, QueueStats};
pub use delays::Delays;
pub use fifo::Fifo;
pub use fifo::Limits;
pub(crate) use registry::{discipline, problem};
pub(crate) use setup::QueueSetup;

/// A queue discipline. Times never run backwards from call to call.
pub trait QueueDiscipline: Send + Sync {
    /// Enqueues a packet or drops it; may drop other packets too, or instead.
    fn enqueue(&mut self, now_ns: u64, packet: PacketId, buffer: &mut Buffer);

    /// Dequeues the next packet; may drop or mark packets first. The transmitter may have to collect tokens for the
    /// packet: until its transmission starts it still counts in [`Buffer::backlog`], as in Linux, where a token bucket
    /// dequeues from its child to look at the next packet.
    fn dequeue(&mut self, now_ns: u64, buffer: &mut Buffer) -> Option<PacketId>;

    /// Takes other limits; false for disciplines other than the plain FIFO.
    fn set_limits(&mut self, limits: Limits) -> bool {
        let _ = limits;
        false
    }

    /// Whether it reads acknowledgements ([`Buffer::acknowledgement`]).
    fn reads_acknowledgements(&self) -> bool {
        false
    }

    /// When to call [`dequeue`](Self::dequeue) again after it returned none although packets are queued. Only for
    /// disciplines that delay packets.
    fn next_event_ns(&self) -> Option<u64> {
        None
    }
}
