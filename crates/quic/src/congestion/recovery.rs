//! The states of loss recovery (RFC 9002 section 7), mapped to Linux's states.
//!
//! A loss starts a recovery period, a mark a reduction without loss (CWR). Both end when a packet is acknowledged that
//! was sent after their start, and packets sent before cause no other (section 7.3.2). Persistent congestion (section
//! 7.6) corresponds to TCP's retransmission timeout: the window falls to its minimum.
//!
//! An algorithm that sets the window itself (`cong_control`) sees one recovery as long as each round trip loses something,
//! as over TCP, where recovery lasts until everything is repaired: BBR conserves packets in the first round of a recovery
//! alone, and with a new recovery in each round trip it would do nothing else. BBR in Chromium likewise extends a recovery
//! by each loss.

use super::Congestion;
use crate::in_flight::SentPacket;
use fairlane_congestion_control::sock::{CaState, INFINITE_SSTHRESH};
use fairlane_congestion_control::{proportional_rate_reduction, CaEvent};

impl Congestion {
    /// Ends recovery if a packet that was sent since its start, or since it was extended, is acknowledged.
    pub(super) fn leave_recovery(&mut self, latest: &SentPacket, is_loss: bool) {
        let is_extended = is_loss && self.callbacks.cong_control && self.sock.ca_state() == CaState::Recovery;
        if self.sock.ca_state() == CaState::Open || latest.seq() < self.recovery_seq || is_extended {
            return;
        }
        if self.sock.in_cwnd_reduction() && !self.callbacks.cong_control {
            if self.sock.snd_ssthresh < INFINITE_SSTHRESH {
                self.sock.snd_cwnd = self.sock.snd_ssthresh.max(1);
                self.sock.snd_cwnd_stamp = self.jiffies;
            }
            self.cwnd_event(CaEvent::CompleteCwr);
        }
        self.set_ca_state(CaState::Open);
    }

    /// Reacts to losses and marks, once per recovery period.
    pub(super) fn react(
        &mut self,
        largest_lost_seq: Option<u64>,
        is_persistent_congestion: bool,
        is_marked: bool,
        latest: Option<&SentPacket>,
    ) {
        let is_new = |seq: u64| seq >= self.recovery_seq;
        let extends = self.callbacks.cong_control && self.sock.ca_state() == CaState::Recovery;
        if largest_lost_seq.is_some() && extends {
            self.extend_recovery();
        } else if largest_lost_seq.is_some_and(is_new) {
            self.begin_reduction();
            self.set_ca_state(CaState::Recovery);
        } else if is_marked && latest.is_some_and(|latest| is_new(latest.seq())) {
            self.begin_reduction();
            self.set_ca_state(CaState::Cwr);
        }
        if is_persistent_congestion && largest_lost_seq.is_some() {
            self.collapse_window();
        }
    }

    fn extend_recovery(&mut self) {
        self.recovery_seq = self.snd_nxt;
        self.sock.high_seq = self.snd_nxt as u32;
    }

    /// RFC 9002 section 7.3.2: asks the algorithm for the new threshold.
    fn begin_reduction(&mut self) {
        self.extend_recovery();
        proportional_rate_reduction::begin(&mut self.sock);
        self.sock.snd_ssthresh = self.algorithm.ssthresh(&mut self.sock);
        if !self.callbacks.cong_control && !self.config.proportional_rate_reduction {
            self.sock.snd_cwnd = self.sock.snd_ssthresh.max(self.config.minimum_cwnd_packets);
            self.sock.snd_cwnd_stamp = self.jiffies;
        }
    }

    /// RFC 9002 section 7.6.2. The packets were lost and the threshold is set already.
    fn collapse_window(&mut self) {
        self.cwnd_event(CaEvent::Loss);
        self.sock.snd_cwnd = self.config.minimum_cwnd_packets;
        self.sock.snd_cwnd_cnt = 0;
        self.sock.snd_cwnd_stamp = self.jiffies;
        self.set_ca_state(CaState::Loss);
        // Appendix B.8: the recovery period ends; the next acknowledgement starts slow start.
        self.recovery_seq = 0;
    }
}
