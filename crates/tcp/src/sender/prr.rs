//! Proportional Rate Reduction: bringing the window down to ssthresh while data keeps flowing (RFC 6937 and
//! its update, draft-ietf-tcpm-prr-rfc6937bis).

use super::ack::meaning::ADVANCED;
use super::Sender;
use fairlane_congestion_control::sock::{CaState, INFINITE_SSTHRESH};
use fairlane_congestion_control::CaEvent;

impl Sender {
    /// A reduction begins: asks the algorithm for ssthresh and resets PRR's accounts.
    pub(super) fn init_cwnd_reduction(&mut self) {
        self.high_seq = self.snd_nxt;
        self.sock.high_seq = self.snd_nxt as u32;
        self.tlp_high_seq = None;
        self.sock.snd_cwnd_cnt = 0;
        self.sock.prior_cwnd = self.sock.snd_cwnd;
        self.sock.prr_delivered = 0;
        self.sock.prr_out = 0;
        self.sock.snd_ssthresh = self.algorithm.ssthresh(&mut self.sock);
        self.queue_cwr();
    }

    /// One acknowledgement's worth of reduction.
    pub(super) fn reduce_cwnd(&mut self, newly_delivered: u32, newly_lost: u32, bits: u32) {
        let sock = &mut self.sock;
        if newly_delivered == 0 || sock.prior_cwnd == 0 {
            return;
        }
        let in_flight = i64::from(sock.packets_in_flight());
        let room = i64::from(sock.snd_ssthresh) - in_flight;
        sock.prr_delivered += newly_delivered;
        let sent = i64::from(sock.prr_out);
        let mut send = if room < 0 {
            // Above ssthresh: send in proportion to what arrives.
            let numerator =
                u64::from(sock.snd_ssthresh) * u64::from(sock.prr_delivered) + u64::from(sock.prior_cwnd) - 1;
            (numerator / u64::from(sock.prior_cwnd)) as i64 - sent
        } else {
            // Below: catch up with what was delivered, and by one more while recovery makes progress (slow start
            // reduction bound; without progress the conservative bound holds).
            let mut limit = (i64::from(sock.prr_delivered) - sent).max(i64::from(newly_delivered));
            if bits & ADVANCED != 0 && newly_lost == 0 {
                limit += 1;
            }
            limit.min(room)
        };
        // The first retransmission of an episode always goes out.
        send = send.max(i64::from(sock.prr_out == 0));
        sock.snd_cwnd = (in_flight + send).max(1) as u32;
    }

    /// The reduction is over.
    pub(super) fn end_cwnd_reduction(&mut self) {
        if self.callbacks.cong_control {
            return;
        }
        if self.sock.snd_ssthresh < INFINITE_SSTHRESH
            && (self.sock.ca_state() == CaState::Cwr || self.undo_marker.is_some())
        {
            self.sock.snd_cwnd = self.sock.snd_ssthresh.max(1);
            self.sock.snd_cwnd_stamp = self.jiffies;
        }
        self.cwnd_event(CaEvent::CompleteCwr);
    }
}
