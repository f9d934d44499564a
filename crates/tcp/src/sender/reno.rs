//! Loss recovery without SACK: NewReno (RFC 6582), as in Linux.
//!
//! A duplicate ACK reports an arrival without naming the segment. Duplicate ACKs are counted in `sacked_out`; the third
//! one marks the oldest segment lost, and during recovery each partial ACK marks the next. RACK and tail loss probes
//! need SACK and do not run.

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

    /// A cumulative acknowledgement of `acked` segments: one filled the hole; duplicate ACKs had counted the others.
    pub(super) fn settle_duplicate_acks(&mut self, acked: u32, ece: bool) {
        if acked > 0 {
            self.count_delivered(acked.saturating_sub(self.sock.sacked_out).max(1), ece);
            self.sock.sacked_out = self.sock.sacked_out.saturating_sub(acked - 1);
        }
        self.limit_duplicate_acks(acked);
    }

    /// The segments behind the counted duplicate ACKs are acknowledged, or unknown after a timeout.
    pub(super) fn forget_duplicate_acks(&mut self) {
        self.sock.sacked_out = 0;
    }

    /// More duplicate ACKs than segments that can have arrived indicate reordering.
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
        let is_lost = (state < CaState::Recovery && self.sock.sacked_out >= self.sock.reordering)
            || (state == CaState::Recovery && advanced);
        let head = self.board.first();
        if is_lost && !self.board.is_empty() && !self.board.has(head, LOST) {
            self.mark_lost(head);
        }
    }

    /// At the end of an episode the state is kept until newer data is acknowledged, because late duplicate ACKs would
    /// start a false second one (RFC 6582 section 4).
    pub(super) fn keeps_state_without_sack(&mut self) -> bool {
        if self.config.sack || self.snd_una != self.high_seq {
            return false;
        }
        if !self.any_retransmission_unacknowledged() {
            self.sock.retrans_stamp = 0;
        }
        true
    }
}
