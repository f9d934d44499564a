//! TCP Small Queues: a limit on a connection's data in the queues of its own host.
//!
//! Data in the host's queue counts as in flight, but has not left the host. Linux therefore throttles a connection that
//! has more in the queue than the interface needs to stay busy, and resumes it when the interface reports a
//! transmission. A throttled connection is not limited by its window, which therefore does not grow
//! ([`validate_cwnd`](Sender::validate_cwnd)).
//!
//! Without reports of the interface (`small_queue_limit_bytes`), only an fq queue of the host is counted, and the
//! interface behind it has unlimited capacity.

use super::write_queue::PIECE_BYTES;
use super::Sender;
use fairlane_congestion_control::sock::SK_PACING_NONE;

impl Sender {
    /// Whether the next burst, of up to `burst_segments`, must wait for the host's queue. The limit is doubled for
    /// retransmissions.
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
        let millisecond = self.config.paced_bytes(sock.sk_pacing_rate);
        let limit_bytes = u64::from(self.config.small_queue_limit_bytes);
        if limit_bytes == 0 {
            let allowance = millisecond.max(2 * u64::from(sock.mss_cache)) << u32::from(retransmits);
            return self.host_queue_bytes > allowance;
        }
        // The limit counts memory. A burst is one buffer, which is freed when all of it was transmitted.
        let payload = u64::from(burst_segments) * u64::from(self.current_mss());
        let buffer = payload + PIECE_BYTES;
        let mut allowance = millisecond.max(2 * buffer);
        if self.config.small_queue_limits_paced || sock.sk_pacing_status == SK_PACING_NONE {
            allowance = allowance.min(limit_bytes);
        }
        allowance <<= u32::from(retransmits);
        // With at most one burst in flight, no acknowledgement may be coming that would release the next one.
        let has_one_burst =
            self.host_queue_bytes <= payload && u64::from(sock.packets_out) <= u64::from(burst_segments);
        self.host_queue_bytes.div_ceil(payload) * buffer >= allowance && !has_one_burst
    }

    /// Whether the host's interface drops every packet from now on.
    pub fn set_host_refuses(&mut self, refuses: bool) {
        self.host_refuses = refuses;
    }

    /// Data of this connection is in the host's queue, as far as TCP knows.
    #[inline]
    pub fn waits_for_host_queue(&self) -> bool {
        self.host_queue_bytes > 0
    }

    /// The host's queue transmitted or dropped `bytes` of this connection, which resumes it if it was throttled.
    #[inline]
    pub fn on_host_queue_sent(&mut self, now_ns: u64, bytes: u64) {
        self.host_queue_bytes = self.host_queue_bytes.saturating_sub(bytes);
        if std::mem::take(&mut self.is_throttled) {
            self.resume_after_host_queue(now_ns);
        }
    }

    #[inline(never)]
    fn resume_after_host_queue(&mut self, now_ns: u64) {
        self.refresh_clock(now_ns);
        self.resume_sending();
    }
}
