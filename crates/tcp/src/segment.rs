//! A TCP segment as it travels through the simulated network.

/// Flag bits of a segment, as in the TCP header except AE, which replaces URG: URG is not modelled, and in the header
/// AE is in the byte before.
pub mod flags {
    pub const FIN: u8 = 0x01;
    pub const SYN: u8 = 0x02;
    pub const RST: u8 = 0x04;
    pub const PSH: u8 = 0x08;
    pub const ACK: u8 = 0x10;
    pub const AE: u8 = 0x20;
    pub const ECE: u8 = 0x40;
    pub const CWR: u8 = 0x80;
}

/// SACK blocks that fit into a segment without the timestamp option (RFC 2018 section 3); with it, 3 fit.
pub const MAX_SACK_BLOCKS: usize = 4;
const BLOCKS_BESIDE_TIMESTAMPS: usize = 3;

/// One SACK block, relative to the segment's `ack`; `start` is signed because a D-SACK may be below it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SackBlock {
    pub start: i32,
    pub len: u32,
}

/// A segment. Sequence numbers are 64-bit offsets from the initial sequence number, so they never wrap: the SYN has
/// offset 0, the first payload byte offset 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Segment {
    pub seq: u64,
    pub ack: u64,
    /// Payload bytes.
    pub len: u32,
    /// Receive window in bytes, already scaled.
    pub window: u32,
    /// Timestamp option, if `has_timestamps`.
    pub tsval: u32,
    pub tsecr: u32,
    pub flags: u8,
    pub has_timestamps: bool,
    pub sack_count: u8,
    /// Wire packets that GRO merged into this one; 0 and 1 both mean a single packet.
    pub merged: u8,
    /// The AccECN option: read and written through `accecn_option` and `set_accecn_option`.
    #[doc(hidden)]
    pub accecn_layout: u8,
    #[doc(hidden)]
    pub accecn_first: [u8; 3],
    /// Read and written through `sack_blocks` and `push_sack`; public for struct update syntax only.
    #[doc(hidden)]
    pub sack: [SackBlock; BLOCKS_BESIDE_TIMESTAMPS],
}

impl Segment {
    /// A segment with these fields and defaults for the others.
    pub fn new(flags: u8, seq: u64, len: u32) -> Self {
        Self { flags, seq, len, ..Self::default() }
    }

    /// The offset after the last byte; SYN and FIN count as one each.
    #[inline]
    pub fn end_seq(&self) -> u64 {
        let control = (self.flags >> 1 & 1) + (self.flags & 1);
        const { assert!(flags::SYN == 2 && flags::FIN == 1) };
        self.seq + u64::from(self.len) + u64::from(control)
    }

    /// Absolute bounds `(start, end)` of the SACK blocks, first block first.
    pub fn sack_blocks(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        (0..usize::from(self.sack_count)).map(|index| {
            let block = self.sack_block(index);
            let start = self.ack.wrapping_add_signed(i64::from(block.start));
            (start, start + u64::from(block.len))
        })
    }

    /// Adds a SACK block given by absolute bounds, if it fits.
    pub fn push_sack(&mut self, start: u64, end: u64) {
        let index = usize::from(self.sack_count);
        let block = SackBlock { start: start.wrapping_sub(self.ack) as i32, len: (end - start) as u32 };
        if index < BLOCKS_BESIDE_TIMESTAMPS {
            self.sack[index] = block;
        } else if index < MAX_SACK_BLOCKS && !self.has_timestamps {
            // As in the TCP header, the fourth block uses the room of the timestamps, which keeps a segment within one
            // cache line.
            self.tsval = block.start as u32;
            self.tsecr = block.len;
        } else {
            return;
        }
        self.sack_count += 1;
    }

    /// SACK blocks and the AccECN option, padded together.
    #[inline(never)]
    fn feedback_option_bytes(&self) -> u32 {
        let sack = if self.sack_count > 0 { 2 + 8 * u32::from(self.sack_count) } else { 0 };
        (sack + self.accecn_option_bytes()).next_multiple_of(4)
    }

    fn sack_block(&self, index: usize) -> SackBlock {
        match self.sack.get(index) {
            Some(&block) => block,
            None => SackBlock { start: self.tsval as i32, len: self.tsecr },
        }
    }

    /// Bytes of the IP packet: IPv4 and TCP headers, options padded to 4 bytes, payload.
    #[inline]
    pub fn ip_bytes(&self) -> u32 {
        let mut options = 0;
        if self.flags & flags::SYN != 0 {
            options += 8; // MSS and window scale, padded; SACK-permitted shares the padding of timestamps
            options += if self.has_timestamps { 12 } else { 4 };
            if self.has_accecn_option() {
                options += self.accecn_option_bytes().next_multiple_of(4);
            }
        } else {
            if self.has_timestamps {
                options += 12;
            }
            if self.sack_count | self.accecn_layout != 0 {
                options += self.feedback_option_bytes();
            }
        }
        20 + 20 + options + self.len
    }
}

/// Value of the timestamp clock, which ticks in milliseconds as Linux's.
#[inline]
pub fn timestamp_ms(now_ns: u64) -> u32 {
    (now_ns / 1_000_000) as u32
}

/// The options and flags of a peer's SYN or SYN-ACK.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PeerOffer {
    /// `None` stands for [`DEFAULT_MSS`].
    pub mss: Option<u16>,
    pub sack: bool,
    pub timestamps: bool,
    pub window_scaling: bool,
    pub ecn: bool,
}

/// MSS of a peer that sends no MSS option (RFC 9293 section 3.7.1).
pub const DEFAULT_MSS: u32 = 536;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_segment_takes_one_cache_line() {
        assert_eq!(std::mem::size_of::<Segment>(), 64);
    }

    #[test]
    fn four_blocks_fit_without_timestamps_and_three_with() {
        for (has_timestamps, fits) in [(false, 4), (true, 3)] {
            let mut segment = Segment { ack: 10_000, has_timestamps, tsval: 77, ..Segment::default() };
            let blocks: Vec<_> = (0..5).map(|n| (9_000 + n * 1_000, 9_500 + n * 1_000)).collect(); // the first a D-SACK
            for &(start, end) in &blocks {
                segment.push_sack(start, end);
            }
            assert_eq!(segment.sack_blocks().collect::<Vec<_>>(), blocks[..fits]);
            assert!(!has_timestamps || segment.tsval == 77);
        }
    }
}
