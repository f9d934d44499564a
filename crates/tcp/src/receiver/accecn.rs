//! AccECN feedback of the receiving half (RFC 9768): counted segments, and the feedback on ACKs.

use super::{sack_option_bytes, EcnMark, Receiver, SACK_PADDING_BYTES};
use crate::accecn::option::AccEcnOption;
use crate::accecn::{ace, DataReceiver};
use crate::segment::flags;
use crate::Segment;

impl Receiver {
    /// Both ends agreed on AccECN.
    pub(crate) fn use_accecn(&mut self, feedback: DataReceiver) {
        self.config.ecn = false;
        self.ecn.is_accurate = true;
        self.accecn = Some(Box::new(feedback));
    }

    /// No ECN at all.
    pub(crate) fn refuse_ecn(&mut self) {
        self.config.ecn = false;
    }

    pub(crate) fn accecn(&mut self) -> Option<&mut DataReceiver> {
        self.accecn.as_deref_mut()
    }

    /// ECN flags of an additional acknowledgement that the algorithm requested.
    pub(crate) fn echo_flags(&self, asks_for_echo: bool) -> u8 {
        match &self.accecn {
            Some(accecn) => ace::with_field(0, accecn.ace()),
            None if asks_for_echo => flags::ECE,
            None => 0,
        }
    }

    /// An acceptable segment arrives.
    #[inline(never)]
    pub(super) fn count_mark(&mut self, segment: &Segment, mark: EcnMark) {
        let unacknowledged = segment.len > 0 || self.next > self.window.last_ack_sent;
        if let Some(accecn) = &mut self.accecn {
            if accecn.on_segment(segment, mark, unacknowledged) {
                self.acks.now = true;
            }
        }
    }

    /// Writes the ACE field and, if one is due, the option. SACK blocks come first.
    #[inline(never)]
    pub(super) fn write_accecn(&mut self, segment: &mut Segment) {
        // In a SYN-ACK the flags have another meaning (RFC 9768 section 3.2.2).
        if segment.flags & flags::SYN != 0 {
            return;
        }
        let timestamp_bytes = if self.config.timestamps { 12 } else { 0 };
        let mut room_bytes = MAX_OPTION_BYTES - timestamp_bytes;
        if segment.len > 0 {
            room_bytes = room_bytes.min(self.sent_mss.saturating_sub(segment.len));
        }
        if segment.sack_count > 0 {
            room_bytes -= sack_option_bytes(segment.sack_count.into()) - SACK_PADDING_BYTES;
        }
        if let Some(accecn) = &mut self.accecn {
            accecn.write(segment, room_bytes);
        }
    }

    /// Length of the option in the next ACK, without padding.
    #[inline]
    pub(super) fn accecn_option_bytes(&self) -> u32 {
        if !self.ecn.is_accurate {
            return 0;
        }
        let len = self.accecn.as_ref().and_then(|accecn| accecn.option_len());
        len.map_or(0, AccEcnOption::bytes)
    }
}

/// Largest size of all options of a TCP header (RFC 9293 section 3.1).
const MAX_OPTION_BYTES: u32 = 40;
