//! The memory that the send buffers of a host share (`net.ipv4.tcp_mem`).
//!
//! Linux counts what the buffers of every TCP socket take, and as soon as that exceeds the first of the three numbers of
//! `tcp_mem`, no send buffer grows any more (net/ipv4/tcp_input.c, `tcp_should_expand_sndbuf`). So senders alone hardly
//! come to the other two, at which the host is under pressure and denies memory. A fast host with a long path and deep
//! buffers comes to the first: a machine with 32 GiB lets its send buffers have 1.5 GiB.

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

    /// What no connection holds.
    pub(crate) fn free_bytes(&self) -> u64 {
        self.limit_bytes.saturating_sub(self.used_bytes.get())
    }

    /// A connection holds `after_bytes` where it held `before_bytes`.
    pub(crate) fn count(&self, before_bytes: u64, after_bytes: u64) {
        self.used_bytes.set(self.used_bytes.get() - before_bytes + after_bytes);
    }
}
