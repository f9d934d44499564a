//! The AccECN option: 24 bits of each byte counter (section 3.2.3).

use crate::Segment;

/// Option kinds: order 0 begins with the counter of ECT(0), order 1 with that of ECT(1).
pub const KIND_ORDER_0: u8 = 172;
pub const KIND_ORDER_1: u8 = 174;
/// Kind and length, and each counter.
const BASE_BYTES: u32 = 2;
const COUNTER_BYTES: u32 = 3;
const COUNTER_MASK: u32 = 0xFF_FFFF;

/// First values of the byte counters (section 3.2.1).
pub const INITIAL_BYTES: ByteCounters = ByteCounters { ect0: 1, ce: 0, ect1: 1 };

/// Payload bytes that arrived with each mark, or the 24 bits of them that an option carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ByteCounters {
    /// r.e0b, EE0B.
    pub ect0: u32,
    /// r.ceb, ECEB.
    pub ce: u32,
    /// r.e1b, EE1B.
    pub ect1: u32,
}

/// An option: the first `len` counters in its order (Table 5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AccEcnOption {
    pub is_order_1: bool,
    pub len: u8,
    pub counters: [u32; 3],
}

impl AccEcnOption {
    /// `len` of these counters, in the order that begins with ECT(0) or with ECT(1).
    pub fn new(bytes: ByteCounters, is_order_1: bool, len: u8) -> Self {
        let ByteCounters { ect0, ce, ect1 } = bytes;
        let counters = if is_order_1 { [ect1, ce, ect0] } else { [ect0, ce, ect1] };
        Self { is_order_1, len, counters: counters.map(|counter| counter & COUNTER_MASK) }
    }

    /// The counters by name; `None` for those left out.
    pub fn ect0(&self) -> Option<u32> {
        self.counter(if self.is_order_1 { 2 } else { 0 })
    }

    pub fn ce(&self) -> Option<u32> {
        self.counter(1)
    }

    pub fn ect1(&self) -> Option<u32> {
        self.counter(if self.is_order_1 { 0 } else { 2 })
    }

    /// Length in the header, without padding.
    #[inline]
    pub fn bytes(len: u8) -> u32 {
        BASE_BYTES + COUNTER_BYTES * u32::from(len)
    }

    /// As in the header.
    pub fn write(&self, packet: &mut Vec<u8>) {
        packet.extend([if self.is_order_1 { KIND_ORDER_1 } else { KIND_ORDER_0 }, Self::bytes(self.len) as u8]);
        for counter in &self.counters[..usize::from(self.len)] {
            packet.extend(&counter.to_be_bytes()[1..]);
        }
    }

    fn counter(&self, index: usize) -> Option<u32> {
        (index < usize::from(self.len)).then(|| self.counters[index])
    }
}

/// Increase of a counter, from the 24 bits that the peer sent (section 3.2.3.1).
#[inline]
pub fn increase(counter: u32, field: u32) -> u32 {
    field.wrapping_sub(counter) & COUNTER_MASK
}

/// In a [`Segment`] the option shares memory with the third SACK block, as they do not fit into a header together.
impl Segment {
    /// SACK blocks that leave room for two counters, even with timestamps.
    pub const SACK_BLOCKS_WITH_ACCECN: usize = 2;

    #[inline]
    pub fn has_accecn_option(&self) -> bool {
        self.accecn_layout != 0
    }

    pub fn accecn_option(&self) -> Option<AccEcnOption> {
        let [low, middle, high] = self.accecn_first;
        let counters = [u32::from_le_bytes([low, middle, high, 0]), self.sack[2].start as u32, self.sack[2].len];
        let (is_order_1, len) = (self.accecn_layout & ORDER_1 != 0, self.accecn_layout & LEN);
        self.has_accecn_option().then_some(AccEcnOption { is_order_1, len, counters })
    }

    pub fn set_accecn_option(&mut self, option: &AccEcnOption) {
        debug_assert!(usize::from(self.sack_count) <= Self::SACK_BLOCKS_WITH_ACCECN, "they share memory");
        let [low, middle, high, _] = option.counters[0].to_le_bytes();
        self.accecn_first = [low, middle, high];
        self.sack[2].start = option.counters[1] as i32;
        self.sack[2].len = option.counters[2];
        self.accecn_layout = PRESENT | option.len | if option.is_order_1 { ORDER_1 } else { 0 };
    }

    /// Length of the option in the header, without padding.
    #[inline]
    pub(crate) fn accecn_option_bytes(&self) -> u32 {
        if self.has_accecn_option() {
            AccEcnOption::bytes(self.accecn_layout & LEN)
        } else {
            0
        }
    }
}

/// Bits of `Segment::accecn_layout`.
const PRESENT: u8 = 0x80;
const ORDER_1: u8 = 0x40;
const LEN: u8 = 0x03;

#[cfg(test)]
mod tests {
    use super::*;

    const BYTES: ByteCounters = ByteCounters { ect0: 0x01_02_03, ce: 0x7_04_05_06, ect1: 0x0A_0B_0C };

    /// Section 3.2.3, Figure 4 and Table 5: kind, length and counters of each order and length.
    #[test]
    fn figure_4_and_table_5() {
        let (e0b, ceb, e1b) = ([1, 2, 3], [4, 5, 6], [10, 11, 12]);
        for (order_1, len, kind, length, counters) in [
            (false, 3, 172, 11, &[e0b, ceb, e1b][..]),
            (false, 2, 172, 8, &[e0b, ceb]),
            (false, 1, 172, 5, &[e0b]),
            (false, 0, 172, 2, &[]),
            (true, 3, 174, 11, &[e1b, ceb, e0b]),
            (true, 2, 174, 8, &[e1b, ceb]),
            (true, 1, 174, 5, &[e1b]),
            (true, 0, 174, 2, &[]),
        ] {
            let mut segment = Segment::default();
            segment.set_accecn_option(&AccEcnOption::new(BYTES, order_1, len));
            let option = segment.accecn_option().expect("was set");
            let mut written = Vec::new();
            option.write(&mut written);
            assert_eq!(written[..2], [kind, length]);
            assert_eq!(written[2..], counters.concat());
            let has = |counter: [u8; 3]| counters.contains(&counter);
            assert_eq!(option.ect0().is_some(), has(e0b));
            assert_eq!(option.ce(), has(ceb).then_some(0x04_05_06));
            assert_eq!(option.ect1().is_some(), has(e1b));
        }
    }

    /// Section 3.2.3.1: the counters wrap after 2^24 bytes.
    #[test]
    fn counters_wrap() {
        for (counter, field, expected) in
            [(1, 1, 0), (1, 1_449, 1_448), (0xFF_FFFF, 3, 4), (0x100_0002, 2, 0), (0x1FF_FFFF, 0, 1)]
        {
            assert_eq!(increase(counter, field), expected, "{counter:#x} to {field:#x}");
        }
    }

    #[test]
    fn two_sack_blocks_leave_it_alone() {
        let mut segment = Segment { ack: 1_000, has_timestamps: true, ..Segment::default() };
        segment.push_sack(2_000, 3_000);
        segment.push_sack(5_000, 6_000);
        segment.set_accecn_option(&AccEcnOption::new(BYTES, false, 2));
        assert_eq!(segment.sack_blocks().collect::<Vec<_>>(), [(2_000, 3_000), (5_000, 6_000)]);
        // 20 + 20, timestamps 12, and 2 + 16 + 8 padded to 28: all 40 bytes of options.
        assert_eq!(segment.ip_bytes(), 80);
    }
}
