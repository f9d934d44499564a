//! Algorithms that need ECN (`TCP_CONG_NEEDS_ECN`): they receive the mark of every arriving data segment, decide which
//! acknowledgements echo it, and may send a delayed one before the echo changes (DCTCP, RFC 8257 section 3.2).

use super::Connection;
use crate::receiver::EcnMark;
use crate::segment::{flags, Segment};
use fairlane_congestion_control::CaEvent;

impl Connection {
    /// Reports the mark of `segment` to the algorithm, before the receiver processes it.
    #[cold]
    pub(crate) fn report_mark(&mut self, now_ns: u64, segment: &Segment, mark: EcnMark) {
        let Some(next) = self.receiver.next_with(segment) else { return };
        let event = if mark == EcnMark::Ce { CaEvent::EcnIsCe } else { CaEvent::EcnNoCe };
        self.receiver.show_ack_state(segment, next, &mut self.sender.sock);
        self.sender.on_mark(now_ns, event);
        if std::mem::take(&mut self.sender.sock.fairlane_ack_asked) != 0 {
            self.send_earlier_ack(now_ns, next);
        }
        self.receiver.take_ack_state(&self.sender.sock);
    }

    /// Sends the acknowledgement that the algorithm requested, at most of `next`.
    fn send_earlier_ack(&mut self, now_ns: u64, next: u64) {
        let sock = &self.sender.sock;
        let behind = (next as u32).wrapping_sub(sock.fairlane_ack_seq);
        let echo = self.receiver.echo_flags(sock.fairlane_ack_ece != 0);
        let mut earlier = self.segment_without_data(now_ns, flags::ACK | echo);
        // A program cannot acknowledge data that was never received.
        let ack = next.saturating_sub(u64::from(behind)).min(self.receiver.rcv_nxt());
        self.receiver.fill_earlier_ack(&mut earlier, ack);
        self.put(earlier, now_ns);
    }
}
