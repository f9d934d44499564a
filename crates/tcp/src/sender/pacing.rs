//! Pacing: spreading packets over the round trip, by TCP's own timer or by the host's fq queue.

use super::Sender;
use fairlane_congestion_control::sock::{PACING_UNLIMITED, SK_PACING_FQ, SK_PACING_NEEDED};

/// The first packets go out unpaced, so that short transfers are not slowed.
const UNPACED_PACKETS: u32 = 10;

impl Sender {
    /// Updates the pacing rate for algorithms that do not set it; TSO autosizing uses it too.
    pub(super) fn update_pacing_rate(&mut self) {
        let sock = &mut self.sock;
        let percent = if sock.snd_cwnd < sock.snd_ssthresh / 2 {
            self.config.slow_start_pacing_percent
        } else {
            self.config.avoidance_pacing_percent
        };
        // 8e6 / 100: srtt_us is times 8, percent is times 100, the rate is per second.
        let mut rate =
            u64::from(sock.mss_cache) * 80_000 * u64::from(percent) * u64::from(sock.snd_cwnd.max(sock.packets_out));
        if sock.srtt_us > 0 {
            rate /= u64::from(sock.srtt_us);
        }
        sock.sk_pacing_rate = rate.min(sock.sk_max_pacing_rate);
    }

    /// Whether TCP's own pacing delays the next packet; arms the timer if so.
    #[inline]
    pub(super) fn pacing_delays(&mut self) -> bool {
        if self.sock.sk_pacing_status != SK_PACING_NEEDED || self.sock.tcp_wstamp_ns <= self.sock.tcp_clock_cache {
            return false;
        }
        self.pacing_deadline_ns = self.sock.tcp_wstamp_ns;
        true
    }

    /// A full window needs no pacing timer, because the acknowledgement that opens it arms one. A timer opens it too,
    /// by marking packets lost, and does not send new data.
    pub(super) fn resume_pacing(&mut self) {
        if self.pacing_deadline_ns == u64::MAX && self.write_seq > self.snd_nxt {
            self.pacing_delays();
        }
    }

    /// Departure time of the packet that is sent now; later than now only where the fq queue paces.
    ///
    /// Timeouts and tail loss probes retransmit without waiting for TCP's own pacing. Linux stamps these packets with the
    /// time for which pacing would have scheduled them (net/ipv4/tcp_output.c, `__tcp_transmit_skb`), although only fq
    /// holds them until then, and measures RTTs that are too short. Here their time stamp is that of their departure.
    #[inline]
    pub(super) fn departure_ns(&mut self) -> u64 {
        let sock = &mut self.sock;
        sock.tcp_wstamp_ns = sock.tcp_wstamp_ns.max(sock.tcp_clock_cache);
        if sock.sk_pacing_status == SK_PACING_FQ {
            sock.tcp_wstamp_ns
        } else {
            sock.tcp_clock_cache
        }
    }

    /// After sending `payload_bytes`: computes the departure time of the next packet.
    #[inline]
    pub(super) fn pace_next(&mut self, prior_wstamp_ns: u64, payload_bytes: u64) {
        let sock = &mut self.sock;
        if !matches!(sock.sk_pacing_status, SK_PACING_NEEDED | SK_PACING_FQ) || sock.data_segs_out < UNPACED_PACKETS {
            return;
        }
        if sock.sk_pacing_status == SK_PACING_NEEDED && !self.config.timer_pacing {
            return;
        }
        let rate = sock.sk_pacing_rate;
        if rate == 0 || rate == PACING_UNLIMITED {
            return;
        }
        let gap_ns = payload_bytes * 1_000_000_000 / rate;
        // The delay of a late timer is compensated, up to half a gap.
        let credit_ns = sock.tcp_wstamp_ns - prior_wstamp_ns;
        sock.tcp_wstamp_ns += gap_ns - credit_ns.min(gap_ns / 2);
    }

    pub(super) fn on_pacing_timer(&mut self) {
        self.pacing_deadline_ns = u64::MAX;
        self.resume_sending();
    }
}
