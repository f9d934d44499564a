//! Taking back a window reduction that proves needless: by D-SACK (RFC 3708), by timestamps (Eifel, RFC 3522).

use super::Sender;
use fairlane_congestion_control::sock::CaState;

impl Sender {
    /// Remembers the state before a reduction.
    pub(super) fn init_undo(&mut self) {
        self.undo_marker = Some(self.snd_una);
        self.sock.undo_marker = self.snd_una as u32;
        // Retransmissions that are still out, a probe among them, may yet cause D-SACKs.
        let mut pending = self.sock.retrans_out as i32;
        if self.tlp_high_seq.is_some() && self.sock.tlp_retrans != 0 {
            pending += 1;
        }
        self.sock.undo_retrans = if pending == 0 { -1 } else { pending };
    }

    /// The echoed timestamp is older than the first retransmission: the original arrived (Eifel detection).
    fn original_was_delayed(&self) -> bool {
        if self.sock.retrans_stamp == 0 {
            // Nothing was resent at all; but without SACK the stamp is also forgotten where the state is held.
            return self.config.sack || self.snd_una < self.high_seq;
        }
        self.echoed_tsval.is_some_and(|echoed| echoed != 0 && (echoed.wrapping_sub(self.sock.retrans_stamp) as i32) < 0)
    }

    fn may_undo(&self) -> bool {
        self.config.undo && self.undo_marker.is_some() && (self.sock.undo_retrans == 0 || self.original_was_delayed())
    }

    fn undo_cwnd_reduction(&mut self, unmark_lost: bool) {
        if unmark_lost {
            self.unmark_lost();
        }
        if self.sock.prior_ssthresh != 0 {
            self.sock.snd_cwnd = self.algorithm.undo_cwnd(&mut self.sock).max(1);
            if self.sock.prior_ssthresh > self.sock.snd_ssthresh {
                self.sock.snd_ssthresh = self.sock.prior_ssthresh;
                self.withdraw_cwr();
            }
        }
        self.sock.snd_cwnd_stamp = self.jiffies;
        self.clear_undo();
        self.sock.rack_advanced = 1; // have RACK check again what was marked lost
    }

    fn clear_undo(&mut self) {
        self.undo_marker = None;
        self.sock.undo_marker = 0;
    }

    /// All that was out when recovery began is acknowledged: leaves recovery, undoing it if it was needless. Returns
    /// whether the state must be held yet.
    pub(super) fn try_undo_recovery(&mut self) -> bool {
        if self.may_undo() {
            self.undo_cwnd_reduction(false);
        } else if self.sock.rack_reo_wnd_persist > 0 {
            self.sock.rack_reo_wnd_persist -= 1;
        }
        if self.holds_state_without_sack() {
            return true;
        }
        self.set_ca_state(CaState::Open);
        self.sock.is_sack_reneg = 0;
        false
    }

    /// Every retransmission was a duplicate.
    pub(super) fn try_undo_by_dsack(&mut self) -> bool {
        if self.config.undo && self.undo_marker.is_some() && self.sock.undo_retrans == 0 {
            self.prolong_reordering_window();
            self.undo_cwnd_reduction(false);
            return true;
        }
        false
    }

    /// A timeout may have been spurious.
    pub(super) fn try_undo_loss(&mut self, by_forward_rto: bool) -> bool {
        if by_forward_rto || self.may_undo() {
            self.undo_cwnd_reduction(true);
            self.sock.icsk_retransmits = 0;
            if !self.holds_state_without_sack() && (by_forward_rto || self.config.sack) {
                self.set_ca_state(CaState::Open);
                self.sock.is_sack_reneg = 0;
            }
            return true;
        }
        false
    }

    /// A partial ACK in recovery whose original was only late. Returns whether recovery must wait for the
    /// retransmissions that are still out.
    pub(super) fn try_undo_partial(&mut self, prior_snd_una: u64) -> bool {
        if !self.config.undo || self.undo_marker.is_none() || !self.original_was_delayed() {
            return false;
        }
        self.note_reordering(prior_snd_una);
        if self.sock.retrans_out > 0 {
            return true;
        }
        if !self.any_retransmission_done() {
            self.sock.retrans_stamp = 0;
        }
        self.undo_cwnd_reduction(true);
        self.try_keep_open();
        false
    }
}
