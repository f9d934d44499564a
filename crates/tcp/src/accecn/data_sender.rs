//! The data sender: decodes the peer's feedback about its packets (sections 3.2.2.2, 3.2.2.5.2 and 3.2.3.1).

use super::ace;
use super::option::{increase, ByteCounters, INITIAL_BYTES};
use crate::Segment;

/// Counters of one half connection.
#[derive(Clone, Debug)]
pub struct DataSender {
    /// s.cep: packets that the peer received with CE. `None`: its feedback is ignored (Table 4).
    packets_ce: Option<u32>,
    bytes: ByteCounters,
    /// The path passes the peer's options: one arrived at the end of the handshake, or later.
    option_passes: bool,
    /// Its first one had a counter of zero: options are ignored (section 3.2.3.2.4).
    option_is_zeroed: bool,
    /// Timestamp of the newest segment whose feedback was taken.
    newest_tsval: u32,
    /// The next segment is the ACK of the SYN-ACK, whose field is not a counter.
    skips_next: bool,
}

/// Packets that an ACK newly acknowledged or SACKed.
#[derive(Clone, Copy, Debug, Default)]
pub struct Acknowledged {
    pub packets: u32,
    pub mss: u32,
}

impl DataSender {
    /// A server whose handshake ends with a pure ACK with this field (Table 4). That ACK is not decoded again.
    pub fn of_handshake(field: u8) -> Self {
        Self { skips_next: true, ..Self::new(ace::server_cep(field)) }
    }

    /// Starts with this count of marks; `None` ignores marks.
    pub fn new(packets_ce: Option<u32>) -> Self {
        Self {
            packets_ce,
            bytes: INITIAL_BYTES,
            option_passes: false,
            option_is_zeroed: false,
            newest_tsval: 0,
            skips_next: false,
        }
    }

    /// Whether marks are used, and ECT may be sent.
    pub fn is_enabled(&self) -> bool {
        self.packets_ce.is_some()
    }

    /// Checks the first segment of the peer that may carry an option: its presence and its counters (sections 3.2.3.2.3
    /// and 3.2.3.2.4).
    pub fn test_option(&mut self, segment: &Segment) {
        if let Some(option) = segment.accecn_option() {
            self.option_passes = true;
            self.option_is_zeroed = option.ect0() == Some(0) || option.ect1() == Some(0);
        }
    }

    /// Bytes that arrived with each mark, as reported by options.
    pub fn bytes(&self) -> ByteCounters {
        self.bytes
    }

    /// Returns the number of newly marked packets that an ACK reports. ACKs superseded by newer ones are ignored
    /// (appendix A.1): the caller does not pass one that acknowledges less than an earlier one.
    pub fn on_ack(&mut self, segment: &Segment, acknowledged: Acknowledged) -> u32 {
        let Some(packets_ce) = self.packets_ce else { return 0 };
        if std::mem::take(&mut self.skips_next) {
            return 0;
        }
        if segment.has_timestamps {
            let is_older = (segment.tsval.wrapping_sub(self.newest_tsval) as i32) < 0;
            if is_older && acknowledged.packets == 0 {
                return 0;
            }
            self.newest_tsval = segment.tsval;
        }
        let newly_ce_bytes = self.read_option(segment);
        let least = ace::least_increase(packets_ce, ace::field(segment.flags));
        let increase = least.max(likely_increase(least, acknowledged, newly_ce_bytes));
        self.packets_ce = Some(packets_ce.wrapping_add(increase));
        increase
    }

    /// Adopts the counters of an option; returns the bytes newly arrived with CE, if it reports them.
    fn read_option(&mut self, segment: &Segment) -> Option<u32> {
        let option = segment.accecn_option()?;
        self.option_passes = true;
        if self.option_is_zeroed {
            return None;
        }
        let take = |counter: &mut u32, field: Option<u32>| {
            let more = field.map(|field| increase(*counter, field));
            *counter = counter.wrapping_add(more.unwrap_or(0));
            more
        };
        take(&mut self.bytes.ect0, option.ect0());
        take(&mut self.bytes.ect1, option.ect1());
        // An omitted counter has not changed (section 3.2.3.3).
        Some(take(&mut self.bytes.ce, option.ce()).unwrap_or(0))
    }
}

/// Number of marked packets if the field may have wrapped: the safest number, unless the option reports too few bytes
/// for it (appendices A.2.1 and A.2.2).
fn likely_increase(least: u32, acknowledged: Acknowledged, newly_ce_bytes: Option<u32>) -> u32 {
    if acknowledged.packets < ace::MODULUS {
        return least;
    }
    let safest = ace::safest_increase(least, acknowledged.packets);
    match newly_ce_bytes {
        Some(bytes) if bytes <= acknowledged.mss * least && bytes < safest * (acknowledged.mss / 2) => least,
        _ => safest,
    }
}

#[cfg(test)]
mod tests {
    use super::super::option::AccEcnOption;
    use super::*;
    use crate::segment::flags;

    const MSS: u32 = 1_448;

    fn ack(field: u8) -> Segment {
        Segment { flags: ace::with_field(flags::ACK, field), ..Segment::default() }
    }

    fn with_option(field: u8, ce_bytes: u32) -> Segment {
        let mut segment = ack(field);
        let bytes = ByteCounters { ect0: 1, ce: ce_bytes, ect1: 1 };
        segment.set_accecn_option(&AccEcnOption::new(bytes, false, 2));
        segment
    }

    fn packets(packets: u32) -> Acknowledged {
        Acknowledged { packets, mss: MSS }
    }

    /// Section 3.2.2.2: the counter follows the field around its wrap.
    #[test]
    fn every_mark_is_counted_once_while_the_field_wraps() {
        let mut sender = DataSender::new(Some(5));
        let marks: u32 = (0..40_u32).map(|n| sender.on_ack(&ack(((5 + n.div_ceil(2)) % 8) as u8), packets(2))).sum();
        assert_eq!(marks, 20);
    }

    /// Section 3.2.2.1: the field of the ACK of the SYN-ACK is not a counter.
    #[test]
    fn the_handshake_encoding_is_read_once() {
        let mut sender = DataSender::of_handshake(0b110);
        assert_eq!(sender.on_ack(&ack(0b110), packets(0)), 0);
        assert_eq!(sender.on_ack(&ack(7), packets(1)), 1, "after 6, which counts the SYN-ACK");
    }

    /// Section 3.2.2.5.2: without an option the sender assumes the worst that the field allows.
    #[test]
    fn a_jump_of_acknowledgements_counts_as_the_safest_case() {
        assert_eq!(DataSender::new(Some(5)).on_ack(&ack(5), packets(7)), 0);
        assert_eq!(DataSender::new(Some(5)).on_ack(&ack(5), packets(8)), 8);
        assert_eq!(DataSender::new(Some(5)).on_ack(&ack(6), packets(20)), 17);
    }

    /// Appendix A.2.2: bytes tell how often the field wrapped.
    #[test]
    fn an_option_resolves_wraps_of_the_field() {
        assert_eq!(DataSender::new(Some(5)).on_ack(&with_option(5, 0), packets(8)), 0);
        assert_eq!(DataSender::new(Some(5)).on_ack(&with_option(6, MSS), packets(20)), 1);
        assert_eq!(DataSender::new(Some(5)).on_ack(&with_option(6, 17 * MSS), packets(20)), 17);
    }

    /// Appendix A.1: an older ACK that arrives late is ignored.
    #[test]
    fn a_superseded_ack_is_ignored() {
        let stamped = |field, tsval| Segment { has_timestamps: true, tsval, ..ack(field) };
        let mut sender = DataSender::new(Some(5));
        assert_eq!(sender.on_ack(&stamped(7, 20), packets(2)), 2);
        assert_eq!(sender.on_ack(&stamped(6, 10), packets(0)), 0);
        assert_eq!(sender.on_ack(&stamped(7, 21), packets(2)), 0);
    }

    /// Section 3.2.3.2.4: an option whose initial counters were zeroed on the path is ignored.
    #[test]
    fn a_zeroed_option_is_ignored() {
        let mut zeroed = ack(0b010);
        zeroed.set_accecn_option(&AccEcnOption::new(ByteCounters { ect0: 0, ce: 0, ect1: 0 }, false, 3));
        let mut sender = DataSender::new(Some(5));
        sender.test_option(&zeroed);
        assert_eq!(sender.on_ack(&with_option(5, 0), packets(8)), 8, "as without an option");
    }

    /// Table 4, note 1: the field was zero in the handshake.
    #[test]
    fn a_disabled_sender_counts_nothing() {
        let mut sender = DataSender::of_handshake(0);
        assert!(!sender.is_enabled());
        assert_eq!(sender.on_ack(&ack(7), packets(2)), 0);
    }
}
