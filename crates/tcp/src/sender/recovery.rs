//! The congestion control state machine: Open, Disorder, CWR, Recovery, Loss.
//!
//! It combines RFC 5681, RFC 6582 and RFC 6675 as Linux does: RACK detects losses, or duplicate ACKs do if the peer has
//! no SACK, and an episode ends when all data sent before its start is acknowledged.

use super::ack_info::{meaning::*, AckInfo, Retransmit};
use super::scoreboard::EVER_RETRANSMITTED;
use super::Sender;
use fairlane_congestion_control::sock::CaState;

impl Sender {
    /// Runs the state machine for an ACK that may change its state.
    pub(super) fn run_recovery(&mut self, info: &mut AckInfo) {
        if info.bits & ECE != 0 {
            self.sock.prior_ssthresh = 0; // congestion is certain: no undo
        }
        if self.sock.packets_out == 0 {
            self.forget_duplicate_acks();
        }
        if info.bits & RENEGED != 0 && info.bits & ADVANCED != 0 {
            // Give the receiver some time to recover, then time out early (as Linux does).
            let delay_ns = (u64::from(self.sock.srtt_us >> 4) * 1000).max(10_000_000);
            self.set_timer(super::timers::TimerKind::Retransmission, delay_ns);
            info.bits &= !SET_TIMER;
            return;
        }
        if self.sock.ca_state() == CaState::Open {
            self.sock.retrans_stamp = 0;
        } else if self.snd_una >= self.high_seq {
            match self.sock.ca_state() {
                CaState::Cwr if self.snd_una != self.high_seq => {
                    self.end_cwnd_reduction();
                    self.set_ca_state(CaState::Open);
                }
                CaState::Recovery => {
                    if !self.config.sack {
                        self.forget_duplicate_acks();
                    }
                    if self.try_undo_recovery() {
                        return;
                    }
                    self.end_cwnd_reduction();
                }
                _ => {}
            }
        }
        match self.sock.ca_state() {
            CaState::Recovery => {
                if info.bits & ADVANCED == 0 {
                    if !self.config.sack && info.duplicate {
                        self.count_duplicate_ack(info.bits & ECE != 0);
                    }
                } else if self.try_undo_partial(info.prior_snd_una) {
                    return;
                }
                if self.try_undo_by_dsack() {
                    self.try_to_open(info.bits);
                }
                self.identify_loss(info);
                if self.sock.ca_state() != CaState::Recovery {
                    if !self.time_to_recover() {
                        return;
                    }
                    self.enter_recovery(info.bits & ECE != 0);
                }
            }
            CaState::Loss => {
                self.process_loss(info);
                self.identify_loss(info);
                if !(self.sock.ca_state() == CaState::Open || info.bits & LOST_RETRANSMISSION != 0) {
                    return;
                }
                if !self.try_enter_recovery(info) {
                    return;
                }
            }
            _ => {
                if !self.try_enter_recovery(info) {
                    return;
                }
            }
        }
        info.retransmit = Retransmit::Lost;
    }

    /// In Open, Disorder or CWR: enters recovery if a segment is lost. Returns whether it did.
    fn try_enter_recovery(&mut self, info: &mut AckInfo) -> bool {
        if !self.config.sack {
            if info.bits & ADVANCED != 0 {
                self.forget_duplicate_acks();
            }
            if info.duplicate {
                self.count_duplicate_ack(info.bits & ECE != 0);
            }
        }
        if self.sock.ca_state() <= CaState::Disorder {
            self.try_undo_by_dsack();
        }
        self.identify_loss(info);
        if !self.time_to_recover() {
            self.try_to_open(info.bits);
            return false;
        }
        self.enter_recovery(info.bits & ECE != 0);
        true
    }

    fn identify_loss(&mut self, info: &mut AckInfo) {
        if !self.config.sack {
            self.mark_head_lost(info.bits & ADVANCED != 0);
            return;
        }
        let retransmissions_out = self.sock.retrans_out;
        if self.rack_mark_lost() {
            info.bits &= !SET_TIMER;
        }
        if retransmissions_out > self.sock.retrans_out {
            info.bits |= LOST_RETRANSMISSION;
        }
    }

    fn time_to_recover(&self) -> bool {
        self.sock.lost_out > 0
    }

    /// Starts fast recovery.
    pub(super) fn enter_recovery(&mut self, ece: bool) {
        self.init_undo();
        self.sock.prior_ssthresh = 0;
        if !self.sock.in_cwnd_reduction() {
            if !ece {
                self.sock.prior_ssthresh = self.current_ssthresh();
            }
            self.init_cwnd_reduction();
        }
        self.set_ca_state(CaState::Recovery);
    }

    /// The ssthresh that an undo restores, at least three quarters of the window (`tcp_current_ssthresh`).
    pub(super) fn current_ssthresh(&self) -> u32 {
        if self.sock.in_cwnd_reduction() {
            self.sock.snd_ssthresh
        } else {
            self.sock.snd_ssthresh.max((self.sock.snd_cwnd >> 1) + (self.sock.snd_cwnd >> 2))
        }
    }

    /// The episode ends when all that was sent so far is acknowledged.
    pub(super) fn set_recovery_point(&mut self) {
        self.high_seq = self.snd_nxt;
        self.sock.high_seq = self.snd_nxt as u32;
    }

    fn try_to_open(&mut self, bits: u32) {
        if !self.any_retransmission_unacknowledged() {
            self.sock.retrans_stamp = 0;
        }
        if bits & ECE != 0 {
            self.enter_cwr();
        }
        if self.sock.ca_state() != CaState::Cwr {
            self.try_keep_open();
        }
    }

    /// Enters Open without SACKs, losses and retransmissions, else Disorder.
    pub(super) fn try_keep_open(&mut self) {
        let amiss = self.sock.sacked_out + self.sock.lost_out > 0 || self.any_retransmission_unacknowledged();
        let state = if amiss { CaState::Disorder } else { CaState::Open };
        if self.sock.ca_state() != state {
            self.set_ca_state(state);
            self.set_recovery_point();
        }
    }

    /// A retransmission of the current flight is not acknowledged yet.
    pub(super) fn any_retransmission_unacknowledged(&self) -> bool {
        self.sock.retrans_out > 0 || self.board.head().is_some_and(|head| head.has(EVER_RETRANSMITTED))
    }
}
