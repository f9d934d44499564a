//! The memory that the send buffers of a host share (`net.ipv4.tcp_mem`).
//!
//! Linux counts the memory of all TCP buffers. When it exceeds the first of the three values of `tcp_mem`, no send
//! buffer grows any more (net/ipv4/tcp_input.c, `tcp_should_expand_sndbuf`). So senders alone rarely reach the other
//! two, at which the host is under memory pressure. A fast host with a long path and deep buffers reaches the first,
//! which is 1.5 GiB on a machine with 32 GiB.

use std::sync::atomic::{AtomicU64, Ordering};

/// Memory of one host, in bytes. Its connections run on one thread.
#[derive(Debug)]
pub struct HostMemory {
    limit_bytes: u64,
    used_bytes: AtomicU64,
}

impl HostMemory {
    pub fn new(limit_bytes: u64) -> Self {
        Self { limit_bytes, used_bytes: AtomicU64::new(0) }
    }

    /// Memory that no connection uses.
    pub(crate) fn free_bytes(&self) -> u64 {
        self.limit_bytes.saturating_sub(self.used_bytes.load(Ordering::Relaxed))
    }

    /// A connection uses `after_bytes` instead of `before_bytes`.
    pub(crate) fn count(&self, before_bytes: u64, after_bytes: u64) {
        let used_bytes = self.used_bytes.load(Ordering::Relaxed);
        self.used_bytes.store(used_bytes - before_bytes + after_bytes, Ordering::Relaxed);
    }
}
