//! Loss recovery without SACK: NewReno (RFC 6582), as Linux does it.
//!
//! Each duplicate ACK says that something arrived, but not what. So duplicate ACKs are counted as if they were
//! SACKs of unnamed segments, the third one condemns the oldest segment, and during recovery each partial ACK
//! condemns the next. RACK and tail loss probes need SACK and do not run.

use super::scoreboard::LOST;
use super::Sender;
use fairlane_congestion_control::sock::CaState;

impl Sender {
    /// A duplicate ACK (RFC 5681 section 2): one more segment has left the network.
    pub(super) fn count_duplicate_ack(&mut self, ece: bool) {
        let before = self.sock.sacked_out;
        self.sock.sacked_out += 1;
        self.limit_duplicate_acks(0);
        if self.sock.sacked_out > before {
            self.count_delivered(self.sock.sacked_out - before, ece);
        }
    }

    /// A cumulative acknowledgement of `acked` segments: one of them filled the hole, the others had been counted when
    /// their duplicate ACKs came.
    pub(super) fn settle_duplicate_acks(&mut self, acked: u32, ece: bool) {
        if acked > 0 {
            self.count_delivered(acked.saturating_sub(self.sock.sacked_out).max(1), ece);
            self.sock.sacked_out = self.sock.sacked_out.saturating_sub(acked - 1);
        }
        self.limit_duplicate_acks(acked);
    }

    /// What the counted duplicate ACKs stand for is acknowledged, or is not known any more.
    pub(super) fn forget_duplicate_acks(&mut self) {
        self.sock.sacked_out = 0;
    }

    /// More duplicate ACKs than segments that may have arrived: the network reorders.
    fn limit_duplicate_acks(&mut self, acked: u32) {
        let sock = &mut self.sock;
        let holes = sock.lost_out.max(1).min(sock.packets_out);
        if sock.sacked_out + holes > sock.packets_out {
            sock.sacked_out = sock.packets_out - holes;
            sock.reordering = (sock.packets_out + acked).min(self.config.max_reordering_packets);
            sock.reord_seen += 1;
        }
    }

    /// The third duplicate ACK, or a partial one during recovery (RFC 6582 section 3.2): the oldest segment is lost.
    pub(super) fn mark_head_lost(&mut self, advanced: bool) {
        let state = self.sock.ca_state();
        let condemned = (state < CaState::Recovery && self.sock.sacked_out >= self.sock.reordering)
            || (state == CaState::Recovery && advanced);
        let head = self.board.first();
        if condemned && !self.board.is_empty() && !self.board.has(head, LOST) {
            self.mark_lost(head);
        }
    }

    /// At the very end of an episode the state is kept until something newer is acknowledged: late duplicate ACKs would
    /// start a needless second one (RFC 6582 section 4).
    pub(super) fn holds_state_without_sack(&mut self) -> bool {
        if self.config.sack || self.snd_una != self.high_seq {
            return false;
        }
        if !self.any_retransmission_done() {
            self.sock.retrans_stamp = 0;
        }
        true
    }
}
