//! The memory that the send buffers of a host share (`net.ipv4.tcp_mem`).
//!
//! Linux counts the memory of all TCP buffers. When it exceeds the first of the three values of `tcp_mem`, no send
//! buffer grows any more (net/ipv4/tcp_input.c, `tcp_should_expand_sndbuf`). So senders alone rarely reach the other
//! two, at which the host is under memory pressure. A fast host with a long path and deep buffers reaches the first,
//! which is 1.5 GiB on a machine with 32 GiB.

use std::cell::Cell;

/// Memory of one host, in bytes.
#[derive(Debug)]
pub struct HostMemory {
    limit_bytes: u64,
    used_bytes: Cell<u64>,
}

impl HostMemory {
    pub fn new(limit_bytes: u64) -> Self {
        Self { limit_bytes, used_bytes: Cell::new(0) }
    }

    /// Memory that no connection uses.
    pub(crate) fn free_bytes(&self) -> u64 {
        self.limit_bytes.saturating_sub(self.used_bytes.get())
    }

    /// A connection uses `after_bytes` instead of `before_bytes`.
    pub(crate) fn count(&self, before_bytes: u64, after_bytes: u64) {
        self.used_bytes.set(self.used_bytes.get() - before_bytes + after_bytes);
    }
}
