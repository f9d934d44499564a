//! Congestion window validation: a window that the application does not fill does not grow, and decays when idle (RFC
//! 2861 and RFC 7661, as in Linux).

use super::Sender;
use fairlane_congestion_control::CaEvent;

impl Sender {
    /// After an attempt to send: records whether the congestion window was the limit.
    pub(super) fn validate_cwnd(&mut self, cwnd_limited: bool) {
        let sock = &mut self.sock;
        // Once per window of data, or if the new value shows a fuller window.
        if self.snd_una >= self.cwnd_usage_seq
            || cwnd_limited
            || (sock.is_cwnd_limited == 0 && sock.packets_out > sock.max_packets_out)
        {
            sock.is_cwnd_limited = u8::from(cwnd_limited);
            sock.max_packets_out = sock.packets_out;
            self.cwnd_usage_seq = self.snd_nxt;
            sock.cwnd_usage_seq = self.snd_nxt as u32;
        }
        let full = sock.is_cwnd_limited != 0 || (sock.in_slow_start() && sock.snd_cwnd < 2 * sock.max_packets_out);
        if full {
            sock.snd_cwnd_used = 0;
            sock.snd_cwnd_stamp = self.jiffies;
            return;
        }
        sock.snd_cwnd_used = sock.snd_cwnd_used.max(sock.packets_out);
        let idle = self.jiffies.wrapping_sub(sock.snd_cwnd_stamp) as i32;
        if self.config.slow_start_after_idle && idle >= sock.icsk_rto as i32 && !self.callbacks.cong_control {
            self.shrink_unused_window();
        }
    }

    /// The application did not fill the window for an RTO: reduces it half way to the used size (RFC 2861 section 3.1).
    fn shrink_unused_window(&mut self) {
        if self.sock.ca_state() == fairlane_congestion_control::sock::CaState::Open {
            let used = self.sock.snd_cwnd_used.max(self.config.initial_cwnd_packets);
            if used < self.sock.snd_cwnd {
                self.sock.snd_ssthresh = self.current_ssthresh();
                self.sock.snd_cwnd = (self.sock.snd_cwnd + used) >> 1;
            }
            self.sock.snd_cwnd_used = 0;
        }
        self.sock.snd_cwnd_stamp = self.jiffies;
    }

    /// New data after an idle period: halves the window for each idle RTO (RFC 2861 section 3.1).
    pub(super) fn restart_after_idle(&mut self) {
        if !self.config.slow_start_after_idle || self.sock.packets_out > 0 || self.callbacks.cong_control {
            return;
        }
        let mut idle = self.jiffies.wrapping_sub(self.sock.lsndtime) as i32;
        let rto = (self.sock.icsk_rto as i32).max(1);
        if idle <= rto {
            return;
        }
        self.cwnd_event(CaEvent::CwndRestart);
        self.sock.snd_ssthresh = self.current_ssthresh();
        let restart = self.config.initial_cwnd_packets.min(self.sock.snd_cwnd);
        let mut cwnd = self.sock.snd_cwnd;
        loop {
            idle -= rto;
            if idle <= 0 || cwnd <= restart {
                break;
            }
            cwnd >>= 1;
        }
        self.sock.snd_cwnd = cwnd.max(restart).max(1);
        self.sock.snd_cwnd_stamp = self.jiffies;
        self.sock.snd_cwnd_used = 0;
    }

    /// The application is about to write. If all earlier data was sent and the window has room, the application is the
    /// limit.
    pub(super) fn note_application_limit(&mut self) {
        let sock = &mut self.sock;
        let in_flight = sock.packets_in_flight();
        if self.write_seq - self.snd_nxt < u64::from(sock.mss_cache)
            && in_flight < sock.snd_cwnd
            && sock.lost_out <= sock.retrans_out
            && self.host_queue_bytes == 0
        {
            sock.app_limited = sock.delivered.wrapping_add(in_flight).max(1);
        }
    }
}
