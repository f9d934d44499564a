//! Which limit stopped the last attempt to send, and for how long: `tcp_chrono` of Linux, and the limits that it does not
//! tell apart (net/ipv4/tcp_output.c, `tcp_write_xmit`, `tcp_chrono_start`).

use super::Sender;
use fairlane_congestion_control::kernel::tcp_is_cwnd_limited;
use fairlane_congestion_control::sock::SK_PACING_FQ;
use fairlane_transport::{LimitTimes, SendLimit};

impl Sender {
    pub fn limit_times(&self) -> &LimitTimes {
        &self.limit_times
    }

    #[inline]
    pub(super) fn set_limit(&mut self, limit: SendLimit) {
        if limit != self.limit {
            self.limit = limit;
            self.limit_times.set(limit, self.sock.tcp_clock_cache);
        }
    }

    /// The limit when everything in the send buffer was sent.
    ///
    /// As in Linux, a full send buffer is the limit only if the congestion window is not
    /// (`tcp_cwnd_validate`).
    #[inline(never)]
    pub(super) fn limit_at_end_of_data(&self) -> SendLimit {
        if self.snd_una == self.write_seq {
            SendLimit::Idle
        } else if self.sock.lost_out > self.sock.retrans_out {
            self.limit_of_retransmissions()
        } else if self.snd_nxt == self.write_seq && !self.has_waiting_writer() {
            SendLimit::Application
        } else if tcp_is_cwnd_limited(&self.sock) {
            SendLimit::CongestionWindow
        } else {
            SendLimit::SendBuffer
        }
    }

    /// The same if there was nothing to send. As in Linux, a full send buffer becomes the limit only when data was sent.
    pub(super) fn limit_without_sending(&self) -> SendLimit {
        match self.limit_at_end_of_data() {
            SendLimit::SendBuffer if self.limit != SendLimit::SendBuffer => SendLimit::Application,
            limit => limit,
        }
    }

    /// The limit for which lost segments wait.
    fn limit_of_retransmissions(&self) -> SendLimit {
        if self.sock.packets_in_flight() >= self.sock.snd_cwnd {
            SendLimit::CongestionWindow
        } else if self.is_throttled {
            self.host_limit()
        } else if self.pacing_deadline_ns != u64::MAX {
            SendLimit::Pacing
        } else {
            SendLimit::CongestionWindow // the state machine of recovery decides what is retransmitted
        }
    }

    /// The limit when the host's queue holds enough data: pacing, if that queue holds it for its departure time.
    pub(super) fn host_limit(&self) -> SendLimit {
        let sock = &self.sock;
        let is_paced = sock.sk_pacing_status == SK_PACING_FQ && sock.tcp_wstamp_ns > sock.tcp_clock_cache;
        if is_paced {
            SendLimit::Pacing
        } else {
            SendLimit::SmallQueue
        }
    }

    /// The application filled the send buffer, and less than a third of it is free since: it waits
    /// (`sk_stream_is_writeable`).
    fn has_waiting_writer(&self) -> bool {
        if self.awaited_memory_bytes == 0 {
            return false;
        }
        let used_bytes = if self.config.exact_writes { self.memory_bytes() } else { self.used_memory_bytes() };
        3 * used_bytes > 2 * self.awaited_memory_bytes
    }
}
