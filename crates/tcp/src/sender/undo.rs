//! Undo of window reductions that D-SACK (RFC 3708) or timestamps (Eifel, RFC 3522) show to be spurious.

use super::scoreboard::{SentSegment, EVER_RETRANSMITTED};
use super::{rack, Sender};
use fairlane_congestion_control::sock::{CaState, TcpSock};

/// Evidence that a window reduction was spurious.
///
/// `TcpSock::undo_retrans`, which algorithms may read, counts the retransmissions that no D-SACK has reported yet.
#[derive(Debug, Default)]
#[repr(transparent)]
pub(super) struct Undo {
    /// `snd_una` when the reduction began; `TcpSock::undo_marker` mirrors it.
    marker: Option<u64>,
}

impl Undo {
    /// A reduction begins. `probe_is_out`: a tail loss probe was a retransmission.
    fn begin(&mut self, sock: &mut TcpSock, snd_una: u64, probe_is_out: bool) {
        self.marker = Some(snd_una);
        sock.undo_marker = snd_una as u32;
        // Retransmissions in flight, a probe among them, may still cause D-SACKs.
        let pending = sock.retrans_out as i32 + i32::from(probe_is_out);
        sock.undo_retrans = if pending == 0 { -1 } else { pending };
    }

    /// The reduction stands, or is undone.
    pub fn forget(&mut self, sock: &mut TcpSock) {
        self.marker = None;
        sock.undo_marker = 0;
    }

    /// A reduction can still be undone.
    pub fn is_possible(&self) -> bool {
        self.marker.is_some()
    }

    /// A D-SACK reports up to `packets` retransmissions as duplicates, up to `end_seq`.
    pub fn on_duplicates(&self, sock: &mut TcpSock, end_seq: u64, packets: u32) {
        if sock.undo_retrans > 0 && self.marker.is_some_and(|marker| end_seq > marker) {
            sock.undo_retrans = (sock.undo_retrans - packets as i32).max(0);
        }
    }

    /// Every retransmission since the reduction was a duplicate.
    fn all_were_duplicates(&self, sock: &TcpSock) -> bool {
        self.is_possible() && sock.undo_retrans == 0
    }
}

/// Counts a retransmission that a D-SACK may report later.
pub(super) fn on_retransmission(sock: &mut TcpSock) {
    sock.undo_retrans = sock.undo_retrans.max(0) + 1;
}

impl Sender {
    /// A reduction begins that may have to be undone.
    pub(super) fn init_undo(&mut self) {
        let probe_is_out = self.tlp_high_seq.is_some() && self.sock.tlp_retrans != 0;
        self.undo.begin(&mut self.sock, self.snd_una, probe_is_out);
    }

    fn original_was_delayed(&self) -> bool {
        if self.sock.retrans_stamp == 0 {
            // Nothing was retransmitted; but without SACK the time is also cleared where the state is kept.
            return self.config.sack || self.snd_una < self.high_seq;
        }
        self.echoes_before(self.sock.retrans_stamp)
    }

    /// The echoed timestamp is older than `time_ms`: it belongs to an earlier transmission (Eifel detection).
    fn echoes_before(&self, time_ms: u32) -> bool {
        self.echoed_tsval.is_some_and(|echoed| echoed != 0 && (echoed.wrapping_sub(time_ms) as i32) < 0)
    }

    /// The acknowledgement of a retransmitted segment is for its original.
    pub(super) fn is_spurious_retransmission(&self, segment: &SentSegment) -> bool {
        segment.has(EVER_RETRANSMITTED) && self.echoes_before((segment.sent_us / 1000) as u32)
    }

    fn may_undo(&self) -> bool {
        self.config.undo
            && self.undo.is_possible()
            && (self.undo.all_were_duplicates(&self.sock) || self.original_was_delayed())
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
        self.undo.forget(&mut self.sock);
        self.sock.rack_advanced = 1; // RACK checks the segments again
    }

    /// All data sent before recovery is acknowledged: leaves recovery, and undoes it if it was spurious. Returns
    /// whether the state must be kept.
    pub(super) fn try_undo_recovery(&mut self) -> bool {
        if self.may_undo() {
            self.undo_cwnd_reduction(false);
        } else {
            rack::shorten_window(&mut self.sock);
        }
        if self.keeps_state_without_sack() {
            return true;
        }
        self.set_ca_state(CaState::Open);
        self.sock.is_sack_reneg = 0;
        false
    }

    /// Every retransmission was a duplicate.
    pub(super) fn try_undo_by_dsack(&mut self) -> bool {
        if self.config.undo && self.undo.all_were_duplicates(&self.sock) {
            rack::prolong_window(&mut self.sock);
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
            if !self.keeps_state_without_sack() && (by_forward_rto || self.config.sack) {
                self.set_ca_state(CaState::Open);
                self.sock.is_sack_reneg = 0;
            }
            return true;
        }
        false
    }

    /// A partial ACK in recovery may be for an original that was only delayed. Returns whether recovery must wait for
    /// the retransmissions in flight.
    pub(super) fn try_undo_partial(&mut self, prior_snd_una: u64) -> bool {
        if !self.config.undo || !self.undo.is_possible() || !self.original_was_delayed() {
            return false;
        }
        self.note_reordering(prior_snd_una);
        if self.sock.retrans_out > 0 {
            return true;
        }
        if !self.any_retransmission_unacknowledged() {
            self.sock.retrans_stamp = 0;
        }
        self.undo_cwnd_reduction(true);
        self.try_keep_open();
        false
    }
}
