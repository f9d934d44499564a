//! The core of the simulator: virtual time, the event queue, and all random numbers.
//!
//! This crate has the event queue, the seeded random streams, and the histogram for all measurements. It knows nothing
//! about packets, links or TCP. Times are `u64` nanoseconds since the start of a run and carry the suffix `_ns`;
//! neither this crate nor any crate that builds on it reads a clock.
//!
//! An event is a pair (time, component). A component is a number chosen by its owner (a link's transmitter, a flow's
//! timer), which tells the owner what to do. Events at the same instant happen in the order of their component numbers,
//! so the order is total and does not depend on who scheduled first.

mod event_queue;
mod histogram;
mod random;

pub use event_queue::{ComponentId, EventQueue};
pub use histogram::{Buckets, Histogram};
pub use random::{RandomStream, Streams};

use std::collections::VecDeque;

/// Nanoseconds in a second, as the integer type of every time in Fairlane.
pub const NS_PER_SEC: u64 = 1_000_000_000;
/// Nanoseconds in a millisecond.
pub const NS_PER_MS: u64 = 1_000_000;
/// Nanoseconds in a microsecond.
pub const NS_PER_US: u64 = 1_000;

/// Frees most of a queue's memory if it holds few items. Room for twice as many is left.
pub fn trim<T>(queue: &mut VecDeque<T>) {
    if queue.capacity() >= (5 * queue.len()).max(8) {
        queue.shrink_to(2 * queue.len());
    }
}

/// Prefetches the cache line in which `value` begins. A hint: it changes no result.
///
/// With many flows, a flow's memory is evicted from the near caches between two of its packets. Links know which packet
/// arrives next, so its cache lines can be loaded while other packets are processed.
#[inline(always)]
pub fn prefetch<T>(value: &T) {
    prefetch_index::prefetch_index(std::slice::from_ref(value), 0);
}
