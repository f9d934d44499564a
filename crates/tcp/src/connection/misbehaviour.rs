//! A receiver that breaks rules to get data faster (Savage et al. 1999; RFC 9743 section 7.6).
//!
//! It changes what an honest receiver does: marks before they are processed, and pure acknowledgements before they leave.

use super::{Connection, State};
use crate::receiver::EcnMark;
use crate::segment::{flags, Segment};
use fairlane_contract::ReceiverHost;

/// The rules that a receiver breaks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Misbehaviour {
    /// Divides the progress of each acknowledgement; 0 and 1 do not.
    pub ack_division: u32,
    /// Data that it acknowledges before its arrival.
    pub optimistic_ack_bytes: u32,
    /// Reports CE as ECT.
    pub conceals_ce: bool,
}

impl Misbehaviour {
    /// Of a host; none if it is honest.
    pub fn of(host: &ReceiverHost) -> Option<Self> {
        let made = Self {
            ack_division: host.ack_division.unwrap_or(0),
            optimistic_ack_bytes: host.optimistic_ack_bytes.unwrap_or(0),
            conceals_ce: host.conceal_ce,
        };
        (made != Self::default()).then_some(made)
    }
}

/// The state of a misbehaving receiver.
#[derive(Clone, Debug)]
pub(crate) struct Misbehaving {
    rules: Misbehaviour,
    /// The codepoint that the sender uses.
    ect: EcnMark,
    /// The last acknowledgement of data that had arrived.
    acknowledged: u64,
    /// Data that is acknowledged and was lost.
    pub skipped_bytes: u64,
}

impl Misbehaving {
    pub fn new(rules: Misbehaviour) -> Self {
        Self { rules, ect: EcnMark::Ect0, acknowledged: 0, skipped_bytes: 0 }
    }

    fn mark(&mut self, mark: EcnMark) -> EcnMark {
        match mark {
            EcnMark::Ce if self.rules.conceals_ce => return self.ect,
            EcnMark::Ect0 | EcnMark::Ect1 => self.ect = mark,
            _ => {}
        }
        mark
    }
}

impl Connection {
    /// As [`on_segment`](Self::on_segment), for a receiver that misbehaves.
    #[inline(never)]
    pub(super) fn on_segment_misbehaving(&mut self, now_ns: u64, segment: &Segment, mark: EcnMark) {
        let Some(mut state) = self.misbehaving.take() else { return };
        let mark = state.mark(mark);
        if self.state == State::Established && state.rules.optimistic_ack_bytes > 0 && segment.len > 0 {
            // The sender believes that data before this has arrived, and will not send it again.
            state.skipped_bytes += self.receiver.skip_to(segment.seq);
        }
        let first = self.sender.outgoing().len();
        self.on_honest_segment(now_ns, segment, mark);
        self.change_acks(now_ns, first, &mut state);
        self.misbehaving = Some(state);
    }

    /// Replaces the pure acknowledgements among the outgoing segments from `first` on.
    fn change_acks(&mut self, now_ns: u64, first: usize, state: &mut Misbehaving) {
        let honest = self.sender.outgoing().split_off(first);
        self.completed = first as u32;
        for out in honest {
            let segment = out.datagram;
            let is_pure = segment.len == 0 && segment.flags & (flags::SYN | flags::FIN | flags::RST) == 0;
            let progress = segment.ack.saturating_sub(state.acknowledged);
            if !is_pure || progress == 0 {
                self.sender.outgoing().push(out);
                self.completed += 1;
                continue;
            }
            let parts = u64::from(state.rules.ack_division.max(1)).min(progress);
            for part in 1..parts {
                self.put(acknowledging(state.acknowledged + progress * part / parts, segment), now_ns);
            }
            self.sender.outgoing().push(out);
            self.completed += 1;
            if state.rules.optimistic_ack_bytes > 0 {
                // The sender ignores it if it has not sent as much.
                let ahead_bytes = u64::from(state.rules.optimistic_ack_bytes);
                self.put(acknowledging(segment.ack + ahead_bytes, segment), now_ns);
            }
            state.acknowledged = segment.ack;
        }
    }
}

/// The same acknowledgement of other data, without SACK blocks.
fn acknowledging(ack: u64, mut honest: Segment) -> Segment {
    honest.ack = ack;
    honest.sack_count = 0;
    honest.accecn_layout = 0;
    honest
}
