//! Queue disciplines: which packets wait in front of a transmitter, in which order they leave, and which are dropped.
//!
//! One discipline is one file in this folder and one implementation of [`QueueDiscipline`], with its configuration
//! in this folder; `config.rs` lists them all. A discipline is called by its link and never acts on its own; it gets
//! the time as an argument, in order, and keeps no clock: what Linux does by timer, a discipline catches up with at the
//! next call, as nothing else can have changed in between. The packets lie in a [`Buffer`], which keeps the books.
//!
//! The plain FIFO of most links does not come here: `link/fifo_ring.rs` is the same queue, fused with the wire, for
//! speed.

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
pub(crate) use fifo::Limits;
pub(crate) use registry::{discipline, problem};
pub(crate) use setup::QueueSetup;

/// One queue discipline. Times never run backwards from call to call.
pub trait QueueDiscipline {
    /// Takes a packet that arrives, or drops it; may drop others as well, or instead.
    fn enqueue(&mut self, now_ns: u64, packet: PacketId, buffer: &mut Buffer);

    /// Hands out the packet that goes next, after dropping and marking what it will. The transmitter may have to
    /// collect tokens for it: until it leaves it is out of the discipline's hands but still counts in
    /// [`Buffer::backlog`], as in Linux, where a token bucket's look at the next packet takes it out of its child.
    fn dequeue(&mut self, now_ns: u64, buffer: &mut Buffer) -> Option<PacketId>;

    /// When to ask again, after [`dequeue`](Self::dequeue) gave nothing although packets wait. Only for disciplines
    /// that hold packets back.
    fn next_event_ns(&self) -> Option<u64> {
        None
    }
}
