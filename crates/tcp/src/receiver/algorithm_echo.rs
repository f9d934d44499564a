//! Receiver state for algorithms that echo congestion themselves (DCTCP, RFC 8257 section 3.2): the pending
//! acknowledgement that they see and may change.

use super::ack_schedule::pending;
use super::Receiver;
use crate::segment::{flags, Segment};
use fairlane_congestion_control::sock::{TcpSock, ECN_DEMAND_CWR};

impl Receiver {
    /// From now on the algorithm decides which ACKs carry ECE.
    pub(crate) fn enable_algorithm_echo(&mut self) {
        self.config.ecn = true;
        self.ecn.by_algorithm = true;
    }

    /// The cumulative acknowledgement after `segment`, which the algorithm sees together with the mark; `None` if the
    /// segment has no new data, so that its mark is not reported.
    pub(crate) fn next_with(&self, segment: &Segment) -> Option<u64> {
        let end = segment.end_seq();
        let right_edge = self.next + u64::from(self.window.remaining(self.next));
        if segment.len == 0 || end <= self.next || segment.seq >= right_edge {
            return None;
        }
        if segment.has_timestamps && self.timestamps.is_too_old(segment) {
            return None;
        }
        Some(if segment.seq <= self.next { end } else { self.next })
    }

    /// Shows the algorithm the state of the acknowledgement, before the mark of `segment` is reported.
    pub(crate) fn show_ack_state(&mut self, segment: &Segment, next: u64, sock: &mut TcpSock) {
        if segment.flags & flags::CWR != 0 && !self.ecn.is_accurate {
            self.ecn.demand_cwr = false;
            self.acks.now = true;
        }
        sock.rcv_nxt = next as u32;
        sock.icsk_ack_pending = self.acks.pending_bits();
        sock.icsk_ack_quick = self.acks.quick.min(u32::from(u8::MAX)) as u8;
        sock.ecn_flags &= !ECN_DEMAND_CWR;
        sock.ecn_flags |= if self.ecn.demand_cwr { ECN_DEMAND_CWR } else { 0 };
    }

    /// Adopts the algorithm's changes.
    pub(crate) fn take_ack_state(&mut self, sock: &TcpSock) {
        self.ecn.demand_cwr = sock.ecn_flags & ECN_DEMAND_CWR != 0;
        self.acks.now |= sock.icsk_ack_pending & pending::NOW != 0;
    }

    /// Writes an acknowledgement of `ack`, as it was before the latest segment. It does not count as the pending ACK.
    pub(crate) fn fill_earlier_ack(&mut self, segment: &mut Segment, ack: u64) {
        segment.ack = ack;
        if self.config.timestamps {
            segment.has_timestamps = true;
            segment.tsecr = self.timestamps.echo();
        }
        if !self.sack.is_empty() {
            self.write_sack_blocks(segment);
        }
        segment.window = (self.right_edge() - ack).min(u64::from(u32::MAX)) as u32;
        self.compressed.on_ack_sent();
        self.counters.acks_sent += 1;
    }
}
