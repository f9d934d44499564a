//! The send buffer of a connection of a host with limited memory, which all of its connections share.
//!
//! With memory enough the send buffer grows before it limits anything, and needs no thought: its largest size is all
//! that counts. Here it has a size of its own (`sk_sndbuf` in Linux). It starts small and grows with the window, to what
//! twice the window takes in single segments, until the host has no memory left; then the window stops, too. What it has
//! grown to it keeps, whether the window needs it or not, so connections that start late find little.
//!
//! Linux lets a buffer grow when it keeps the window from being filled, here it grows when it soon would, so that memory
//! which never runs short changes nothing.

use super::send_buffer::WINDOWS;
use super::write_queue::PIECE_BYTES;
use super::Sender;
use crate::host_memory::HostMemory;
use std::rc::Rc;

/// A connection's part of it.
#[derive(Debug)]
pub(super) struct SendMemory {
    host: Rc<HostMemory>,
    /// Size of the send buffer.
    pub buffer_bytes: u64,
    /// What it holds.
    held_bytes: u64,
}

impl Drop for SendMemory {
    fn drop(&mut self) {
        self.host.count(self.held_bytes, 0);
    }
}

impl Sender {
    /// The connection takes its memory from the host's, from now on. Memory for the initial window it has in any case.
    pub fn share_memory(&mut self, host: Rc<HostMemory>) {
        let buffer_bytes = self.wanted_buffer_bytes();
        self.memory = Some(Box::new(SendMemory { host, buffer_bytes, held_bytes: 0 }));
        self.size_send_buffer(self.write_queue.burst_segments);
    }

    /// Memory for twice the window: a lost window is retransmitted while the next one is on its way
    /// (net/ipv4/tcp_input.c, `tcp_sndbuf_expand`).
    fn wanted_buffer_bytes(&self) -> u64 {
        self.memory_of_windows(WINDOWS)
    }

    /// Memory for a number of windows, each of single segments.
    pub(super) fn memory_of_windows(&self, windows: u32) -> u64 {
        let sock = &self.sock;
        let packets = sock.snd_cwnd.max(self.config.initial_cwnd_packets).max(sock.reordering + 1);
        let data_bytes = u64::from(sock.mss_cache) + u64::from(self.config.header_room_bytes) + SHARED_INFO_BYTES;
        let segment_bytes = data_bytes.next_power_of_two() + SK_BUFF_BYTES;
        (u64::from(windows) * u64::from(packets) * segment_bytes).min(self.config.wmem_max_bytes)
    }

    /// Data was acknowledged or written, and more is about to be sent: lets the buffer grow if it soon limits the
    /// connection, and counts what it holds.
    #[inline(never)]
    pub(super) fn settle_memory(&mut self) {
        let wanted_bytes = self.wanted_buffer_bytes();
        let room_packets = self.sock.snd_cwnd.saturating_sub(self.sock.packets_in_flight());
        let sendable_bytes = self.flight_bytes() + u64::from(room_packets) * u64::from(self.current_mss());
        let may_limit = 2 * sendable_bytes > self.send_buffer_bytes;
        let written_bytes = self.memory_of(self.unacknowledged_bytes());
        let Some(memory) = &mut self.memory else { return };
        let before_bytes = memory.buffer_bytes;
        if may_limit {
            let obtainable_bytes = memory.held_bytes + memory.host.free_bytes();
            memory.buffer_bytes = memory.buffer_bytes.max(wanted_bytes.min(obtainable_bytes));
        }
        // The application writes whatever the buffer takes.
        let holds_bytes = written_bytes.min(memory.buffer_bytes);
        memory.host.count(memory.held_bytes, holds_bytes);
        memory.held_bytes = holds_bytes;
        if memory.buffer_bytes != before_bytes {
            self.size_send_buffer(self.write_queue.burst_segments);
        }
    }

    /// Memory of `payload_bytes` in bursts of the size that is usual now.
    pub(super) fn memory_of(&self, payload_bytes: u64) -> u64 {
        let burst_bytes = u64::from(self.write_queue.burst_segments) * u64::from(self.current_mss());
        payload_bytes + payload_bytes.div_ceil(burst_bytes) * PIECE_BYTES
    }
}

/// `struct skb_shared_info`, aligned.
const SHARED_INFO_BYTES: u64 = 320;
/// `struct sk_buff`, aligned.
const SK_BUFF_BYTES: u64 = 256;
