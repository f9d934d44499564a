//! The size of the send buffer, where it matters: a bulk sender always has more data than the buffer holds, and with
//! enough memory the buffer grows before it limits the connection, so usually only its maximum size counts.
//!
//! Two cases need the current size (`sk_sndbuf` in Linux). It starts with twice the initial window, as memory of single
//! segments.
//!
//! - An application fills the buffer and then pauses: the size determines how long the connection continues to send. It
//!   grows only while the buffer, and not the window, limits the data in flight (net/ipv4/tcp_input.c,
//!   `tcp_should_expand_sndbuf`), and from a write that found it full until a third of it is free (`SOCK_NOSPACE`), even
//!   if the application pauses meanwhile.
//! - The connections of a host share limited memory. The buffer grows to twice the window until the host has no memory
//!   left; then the window stops growing, too. It never shrinks, so connections that start late get little memory. Linux
//!   lets a buffer grow when it limits the window; here it grows shortly before that, so that a host with enough memory
//!   behaves as one without a limit.

use super::write_queue::PIECE_BYTES;
use super::Sender;
use crate::host_memory::HostMemory;
use std::sync::Arc;

/// Size of the send buffer in windows, unless the algorithm sets it (`sndbuf_expand`).
const WINDOWS: u32 = 2;

/// A connection's share of the host's memory.
#[derive(Debug)]
pub(super) struct SendMemory {
    host: Arc<HostMemory>,
    /// Size of the send buffer.
    pub buffer_bytes: u64,
    /// Memory of the data in it.
    used_bytes: u64,
}

impl Drop for SendMemory {
    fn drop(&mut self) {
        self.host.count(self.used_bytes, 0);
    }
}

impl Sender {
    /// From now on the connection allocates from the host's memory. The initial window is always granted.
    pub fn share_memory(&mut self, host: Arc<HostMemory>) {
        let buffer_bytes = self.target_buffer_bytes();
        self.memory = Some(Box::new(SendMemory { host, buffer_bytes, used_bytes: 0 }));
        self.size_send_buffer(self.write_queue.burst_segments);
    }

    /// Memory for twice the window: a lost window is retransmitted while the next one is in flight
    /// (net/ipv4/tcp_input.c, `tcp_sndbuf_expand`).
    fn target_buffer_bytes(&self) -> u64 {
        self.memory_of_windows(WINDOWS)
    }

    /// Memory for a number of windows, each of single segments.
    fn memory_of_windows(&self, windows: u32) -> u64 {
        let sock = &self.sock;
        let packets = sock.snd_cwnd.max(self.config.initial_cwnd_packets).max(sock.reordering + 1);
        let data_bytes = u64::from(sock.mss_cache) + u64::from(self.config.header_room_bytes) + SHARED_INFO_BYTES;
        let segment_bytes = data_bytes.next_power_of_two() + SK_BUFF_BYTES;
        (u64::from(windows) * u64::from(packets) * segment_bytes).min(self.config.wmem_max_bytes)
    }

    /// Data was acknowledged or written, and more is about to be sent: lets the buffer grow if it will soon limit the
    /// connection, and updates its memory.
    #[inline(never)]
    pub(super) fn settle_memory(&mut self) {
        let target_bytes = self.target_buffer_bytes();
        let room_packets = self.sock.snd_cwnd.saturating_sub(self.sock.packets_in_flight());
        let sendable_bytes = self.flight_bytes() + u64::from(room_packets) * u64::from(self.current_mss());
        let may_limit = 2 * sendable_bytes > self.send_buffer_bytes;
        let written_bytes = self.memory_of(self.unacknowledged_bytes());
        let Some(memory) = &mut self.memory else { return };
        let before_bytes = memory.buffer_bytes;
        if may_limit {
            let obtainable_bytes = memory.used_bytes + memory.host.free_bytes();
            memory.buffer_bytes = memory.buffer_bytes.max(target_bytes.min(obtainable_bytes));
        }
        // The application fills the buffer.
        let holds_bytes = written_bytes.min(memory.buffer_bytes);
        memory.host.count(memory.used_bytes, holds_bytes);
        memory.used_bytes = holds_bytes;
        if memory.buffer_bytes != before_bytes {
            self.size_send_buffer(self.write_queue.burst_segments);
        }
    }

    /// Memory of `payload_bytes` in bursts of the current size.
    fn memory_of(&self, payload_bytes: u64) -> u64 {
        let burst_bytes = u64::from(self.write_queue.burst_segments) * u64::from(self.current_mss());
        payload_bytes + payload_bytes.div_ceil(burst_bytes) * PIECE_BYTES
    }

    /// Bytes that an application that fills the send buffer writes now. An application that `waits` for a full buffer
    /// writes nothing until a third of it is free (`sk_stream_is_writeable`).
    pub fn writable_bytes(&mut self, waits: bool) -> u64 {
        let (used_bytes, memory_bytes) = (self.used_memory_bytes(), self.grown_memory_bytes(waits));
        if waits && 3 * used_bytes > 2 * memory_bytes {
            return 0;
        }
        (self.awaited_memory_bytes, self.awaits_space) = (memory_bytes, false);
        let free_bytes = memory_bytes.saturating_sub(used_bytes);
        if free_bytes == 0 {
            return 0;
        }
        // The last buffer is filled completely. What the window lets through at once leaves room in it.
        let room_packets = self.sock.snd_cwnd.saturating_sub(self.sock.packets_in_flight());
        let room_bytes = u64::from(room_packets) * u64::from(self.current_mss());
        let passing_bytes = if self.unsent_bytes() == 0 { room_bytes } else { 0 };
        let rest_bytes = free_bytes.saturating_sub(passing_bytes).max(1).next_multiple_of(self.buffer_limit());
        self.offered_bytes = passing_bytes + rest_bytes;
        self.offered_bytes
    }

    /// Size of the buffer, within the host's memory if that is limited.
    fn grown_memory_bytes(&mut self, waits: bool) -> u64 {
        if let Some(memory) = &self.memory {
            return memory.buffer_bytes;
        }
        let is_limiting = waits && self.awaits_space && self.sock.packets_in_flight() < self.sock.snd_cwnd;
        if self.filled_memory_bytes == 0 || is_limiting {
            let asks = self.callbacks.sndbuf_expand;
            let windows = if asks { self.algorithm.sndbuf_expand(&mut self.sock) } else { WINDOWS };
            self.filled_memory_bytes = self.filled_memory_bytes.max(self.memory_of_windows(windows));
        }
        self.filled_memory_bytes
    }

    /// Memory of unacknowledged data: in bursts after it was sent, in full buffers before.
    pub(super) fn used_memory_bytes(&self) -> u64 {
        let unsent_bytes = self.unsent_bytes();
        let pieces = unsent_bytes.div_ceil(self.buffer_limit());
        self.memory_of(self.unacknowledged_bytes() - unsent_bytes) + unsent_bytes + pieces * PIECE_BYTES
    }
}

/// `struct skb_shared_info`, aligned.
const SHARED_INFO_BYTES: u64 = 320;
/// `struct sk_buff`, aligned.
const SK_BUFF_BYTES: u64 = 256;
