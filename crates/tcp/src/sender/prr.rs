//! Proportional Rate Reduction: lowers the window to ssthresh while data keeps flowing (RFC 6937 and its update,
//! draft-ietf-tcpm-prr-rfc6937bis).

use super::ack_info::meaning::ADVANCED;
use super::Sender;
use fairlane_congestion_control::sock::{CaState, INFINITE_SSTHRESH};
use fairlane_congestion_control::{proportional_rate_reduction, CaEvent};

impl Sender {
    /// A reduction begins: resets PRR and asks the algorithm for ssthresh.
    pub(super) fn init_cwnd_reduction(&mut self) {
        self.set_recovery_point();
        self.tlp_high_seq = None;
        proportional_rate_reduction::begin(&mut self.sock);
        self.sock.snd_ssthresh = self.algorithm.ssthresh(&mut self.sock);
        self.queue_cwr();
    }

    /// One acknowledgement's worth of reduction.
    pub(super) fn reduce_cwnd(&mut self, newly_delivered: u32, newly_lost: u32, bits: u32) {
        let made_progress = bits & ADVANCED != 0;
        proportional_rate_reduction::on_ack(&mut self.sock, newly_delivered, newly_lost, made_progress);
    }

    /// The reduction is over.
    pub(super) fn end_cwnd_reduction(&mut self) {
        if self.callbacks.cong_control {
            return;
        }
        if self.sock.snd_ssthresh < INFINITE_SSTHRESH
            && (self.sock.ca_state() == CaState::Cwr || self.undo.is_possible())
        {
            self.sock.snd_cwnd = self.sock.snd_ssthresh.max(1);
            self.sock.snd_cwnd_stamp = self.jiffies;
        }
        self.cwnd_event(CaEvent::CompleteCwr);
    }
}
