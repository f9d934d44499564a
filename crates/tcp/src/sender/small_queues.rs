//! TCP Small Queues: how much of a connection may wait in the queues of its own host.
//!
//! Whatever lies there is in flight for the window, and yet has not left the machine. So Linux stops a connection that
//! has more in its host's queue than it needs to keep the interface busy, and goes on when the interface reports what
//! was transmitted. A connection that stops for this reason is not limited by its window, which therefore does not
//! grow ([`validate_cwnd`](Sender::validate_cwnd)).
//!
//! Without an interface that reports (`small_queue_limit_bytes`), only an fq queue of the host is counted; the interface
//! behind it is then as fast as it needs to be.

use super::write_queue::PIECE_BYTES;
use super::Sender;
use fairlane_congestion_control::sock::SK_PACING_NONE;

impl Sender {
    /// Whether the next burst, of up to `burst_segments`, has to wait for the host's queue. Retransmissions may fill it
    /// twice as far.
    #[inline]
    pub(super) fn host_queue_is_full(&mut self, burst_segments: u32, retransmits: bool) -> bool {
        let is_full = self.host_refuses
            || (self.counts_host_queue && self.has_too_much_in_host_queue(burst_segments, retransmits));
        self.is_throttled |= is_full;
        is_full
    }

    #[inline(never)]
    fn has_too_much_in_host_queue(&self, burst_segments: u32, retransmits: bool) -> bool {
        let sock = &self.sock;
        let millisecond = sock.sk_pacing_rate >> sock.sk_pacing_shift;
        let limit_bytes = u64::from(self.config.small_queue_limit_bytes);
        if limit_bytes == 0 {
            let allowance = millisecond.max(2 * u64::from(sock.mss_cache)) << u32::from(retransmits);
            return self.host_queue_bytes > allowance;
        }
        // The limit counts memory. A burst is one buffer, which is free when all of it was transmitted.
        let payload = u64::from(burst_segments) * u64::from(self.current_mss());
        let buffer = payload + PIECE_BYTES;
        let mut allowance = millisecond.max(2 * buffer);
        if self.config.small_queue_limits_paced || sock.sk_pacing_status == SK_PACING_NONE {
            allowance = allowance.min(limit_bytes);
        }
        allowance <<= u32::from(retransmits);
        // With one burst in flight or none, no acknowledgement may be on its way that would let the next one go.
        let has_one_burst =
            self.host_queue_bytes <= payload && u64::from(sock.packets_out) <= u64::from(burst_segments);
        self.host_queue_bytes.div_ceil(payload) * buffer >= allowance && !has_one_burst
    }

    /// Whether the host's interface drops whatever it is given from now on.
    pub fn set_host_refuses(&mut self, refuses: bool) {
        self.host_refuses = refuses;
    }

    /// Something of this connection is in the host's queue, as far as it knows.
    #[inline]
    pub fn waits_for_host_queue(&self) -> bool {
        self.host_queue_bytes > 0
    }

    /// The host's queue has sent `bytes` of this connection, or dropped them. A connection that waited for that goes on.
    /// What waits for a retransmission comes before new data, which would otherwise fill the queue again and hold it back
    /// until the timeout (`tcp_tsq_write`).
    #[inline]
    pub fn on_host_queue_sent(&mut self, now_ns: u64, bytes: u64) {
        self.host_queue_bytes = self.host_queue_bytes.saturating_sub(bytes);
        if std::mem::take(&mut self.is_throttled) {
            self.go_on_after_host_queue(now_ns);
        }
    }

    #[inline(never)]
    fn go_on_after_host_queue(&mut self, now_ns: u64) {
        self.refresh_clock(now_ns);
        if self.sock.lost_out > self.sock.retrans_out && self.sock.snd_cwnd > self.sock.packets_in_flight() {
            self.retransmit_lost();
        }
        self.push();
        self.check_invariants();
    }
}
