//! The send buffer of a connection whose application fills it and then pauses.
//!
//! A bulk sender always has more data than the buffer holds, so only the maximum size matters. During a pause, the
//! current size determines how long the connection continues to send. It starts with twice the initial window, as
//! memory of single segments, and grows only while the buffer, and not the window, limits the data in flight
//! (net/ipv4/tcp_input.c, `tcp_should_expand_sndbuf`).

use super::write_queue::PIECE_BYTES;
use super::Sender;

/// Size of the send buffer in windows, unless the algorithm sets it (`sndbuf_expand`).
pub(super) const WINDOWS: u32 = 2;

impl Sender {
    /// Bytes that an application that fills the send buffer writes now. An application that `waits` for a full buffer
    /// writes nothing until a third of it is free (`sk_stream_is_writeable`).
    pub fn writable_bytes(&mut self, waits: bool) -> u64 {
        let (used_bytes, memory_bytes) = (self.used_memory_bytes(), self.grown_memory_bytes(waits));
        if waits && 3 * used_bytes > 2 * memory_bytes {
            return 0;
        }
        // The last buffer is filled completely.
        memory_bytes.saturating_sub(used_bytes).next_multiple_of(self.buffer_limit())
    }

    /// Size of the buffer, within the host's memory if that is limited.
    fn grown_memory_bytes(&mut self, waits: bool) -> u64 {
        if let Some(memory) = &self.memory {
            return memory.buffer_bytes;
        }
        let is_limiting = waits && self.sock.packets_in_flight() < self.sock.snd_cwnd;
        if self.filled_memory_bytes == 0 || is_limiting {
            let asks = self.callbacks.sndbuf_expand;
            let windows = if asks { self.algorithm.sndbuf_expand(&mut self.sock) } else { WINDOWS };
            self.filled_memory_bytes = self.filled_memory_bytes.max(self.memory_of_windows(windows));
        }
        self.filled_memory_bytes
    }

    /// Memory of unacknowledged data: in bursts after it was sent, in full buffers before.
    fn used_memory_bytes(&self) -> u64 {
        let unsent_bytes = self.unsent_bytes();
        let pieces = unsent_bytes.div_ceil(self.buffer_limit());
        self.memory_of(self.unacknowledged_bytes() - unsent_bytes) + unsent_bytes + pieces * PIECE_BYTES
    }
}
