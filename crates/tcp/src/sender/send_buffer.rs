//! The send buffer of a connection whose application fills it, and then pauses: what it holds still flows.
//!
//! A bulk sender always has more than the buffer takes, so that its largest size is all that counts. After a pause begins,
//! its actual size decides for how long the connection goes on. It starts with room for twice the initial window, in
//! memory for single segments, and grows only while it, and not the window, limits what is in flight
//! (net/ipv4/tcp_input.c, `tcp_should_expand_sndbuf`).

use super::write_queue::PIECE_BYTES;
use super::Sender;

/// How many windows a buffer grows to, if the algorithm does not say (`sndbuf_expand`).
pub(super) const WINDOWS: u32 = 2;

impl Sender {
    /// What an application that fills the send buffer writes now. If it `waits` since it found the buffer full, that is
    /// nothing until a third of it is free (`sk_stream_is_writeable`).
    pub fn writable_bytes(&mut self, waits: bool) -> u64 {
        let (held_bytes, memory_bytes) = (self.held_memory_bytes(), self.grown_memory_bytes(waits));
        if waits && 3 * held_bytes > 2 * memory_bytes {
            return 0;
        }
        // The last piece is written whole.
        memory_bytes.saturating_sub(held_bytes).next_multiple_of(self.buffer_limit())
    }

    /// Size of the buffer, which the memory of the host limits if there is such a limit.
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

    /// Memory of what was written and is not acknowledged: bursts, once they are sent, and before that whole buffers.
    fn held_memory_bytes(&self) -> u64 {
        let unsent_bytes = self.unsent_bytes();
        let pieces = unsent_bytes.div_ceil(self.buffer_limit());
        self.memory_of(self.unacknowledged_bytes() - unsent_bytes) + unsent_bytes + pieces * PIECE_BYTES
    }
}
