//! Memory that is asked for before it is needed.
//!
//! Where many flows take turns packet by packet, what a packet touches has left the processor's near caches since the
//! last packet of its flow. Links know who comes next, so that the memory can be on its way while others are served.

use prefetch_index::prefetch_index;

/// Asks for the cache line in which `value` begins. A hint: it changes no result.
#[inline(always)]
pub fn fetch<T>(value: &T) {
    prefetch_index(std::slice::from_ref(value), 0);
}
