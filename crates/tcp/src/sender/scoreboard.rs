//! What was sent and not yet acknowledged: one record per segment (RFC 6675's scoreboard).
//!
//! Records live in a ring, oldest first, and are named by a number that never repeats, so that hints and
//! lists elsewhere stay valid while the ring turns. The counts that follow from the records' flags
//! (`sacked_out`, `lost_out`, `retrans_out`) live in [`TcpSock`](crate::sock::TcpSock), where algorithms read them.

/// Number of a segment, counted from the start of the connection.
pub(crate) type SegmentNumber = u64;

/// The receiver has it, though not all before it.
pub(crate) const SACKED: u8 = 1;
/// Held to be lost. Stays set while a retransmission is on its way.
pub(crate) const LOST: u8 = 2;
/// A retransmission is on its way.
pub(crate) const RETRANSMISSION_OUT: u8 = 4;
/// Was retransmitted at least once.
pub(crate) const EVER_RETRANSMITTED: u8 = 8;
/// Was sent while the application did not fill the window.
pub(crate) const APP_LIMITED: u8 = 16;
/// Ends an application write.
pub(crate) const PUSH: u8 = 32;
/// Carries FIN (or is the SYN): one sequence number without payload.
pub(crate) const CONTROL: u8 = 64;

/// A segment in flight. Times are in microseconds.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SentSegment {
    pub seq: u64,
    /// Last transmission.
    pub sent_us: u64,
    /// `first_tx_mstamp`, `delivered_mstamp` and `delivered` of the connection when it was last sent; a
    /// `delivered_mstamp` of 0 says that the segment gave its rate sample already.
    pub first_tx_mstamp: u64,
    pub delivered_mstamp: u64,
    pub delivered: u32,
    pub delivered_ce: u32,
    /// Sequence numbers it takes.
    pub len: u32,
    pub flags: u8,
}

impl SentSegment {
    #[inline]
    pub fn end_seq(&self) -> u64 {
        self.seq + u64::from(self.len)
    }

    #[inline]
    pub fn has(&self, flag: u8) -> bool {
        self.flags & flag != 0
    }
}

/// Ring of [`SentSegment`]s.
#[derive(Debug)]
pub(crate) struct Scoreboard {
    ring: Vec<SentSegment>,
    mask: u64,
    first: SegmentNumber,
    next: SegmentNumber,
}

impl Scoreboard {
    pub fn new() -> Self {
        let capacity = 64;
        Self { ring: vec![SentSegment::default(); capacity], mask: capacity as u64 - 1, first: 0, next: 0 }
    }

    /// The oldest segment in flight, if there is one.
    #[inline]
    pub fn head(&self) -> Option<&SentSegment> {
        if self.first == self.next {
            None
        } else {
            Some(self.get(self.first))
        }
    }

    #[inline]
    pub fn first(&self) -> SegmentNumber {
        self.first
    }

    /// One past the newest segment.
    #[inline]
    pub fn end(&self) -> SegmentNumber {
        self.next
    }

    #[inline]
    pub fn is_empty(&self) -> bool {
        self.first == self.next
    }

    #[inline]
    pub fn contains(&self, number: SegmentNumber) -> bool {
        number >= self.first && number < self.next
    }

    #[inline]
    pub fn get(&self, number: SegmentNumber) -> &SentSegment {
        debug_assert!(self.contains(number), "segment {number} is not in {}..{}", self.first, self.next);
        &self.ring[(number & self.mask) as usize]
    }

    #[inline]
    pub fn get_mut(&mut self, number: SegmentNumber) -> &mut SentSegment {
        debug_assert!(self.contains(number), "segment {number} is not in {}..{}", self.first, self.next);
        &mut self.ring[(number & self.mask) as usize]
    }

    #[inline]
    pub fn push(&mut self, segment: SentSegment) {
        if self.next - self.first > self.mask {
            self.grow();
        }
        self.ring[(self.next & self.mask) as usize] = segment;
        self.next += 1;
    }

    #[inline]
    pub fn pop_head(&mut self) {
        debug_assert!(!self.is_empty());
        self.first += 1;
    }

    /// The first segment that ends after `seq`, or `end()`.
    ///
    /// Nearly all segments have the same length, so a guess by division is right or off by a few.
    pub fn find(&self, seq: u64, mss: u32) -> SegmentNumber {
        let Some(head) = self.head() else { return self.next };
        if seq < head.end_seq() {
            return self.first;
        }
        let guess = self.first + (seq - head.seq) / u64::from(mss.max(1));
        let mut at = guess.min(self.next - 1);
        while at > self.first && self.get(at - 1).end_seq() > seq {
            at -= 1;
        }
        while at < self.next && self.get(at).end_seq() <= seq {
            at += 1;
        }
        at
    }

    fn grow(&mut self) {
        let capacity = self.ring.len() * 2;
        let mut ring = vec![SentSegment::default(); capacity];
        let mask = capacity as u64 - 1;
        for number in self.first..self.next {
            ring[(number & mask) as usize] = *self.get(number);
        }
        self.ring = ring;
        self.mask = mask;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_segments_of_mixed_lengths_and_survives_growth() {
        let mut board = Scoreboard::new();
        let mut seq = 1;
        for i in 0..1000_u64 {
            let len = if i % 7 == 0 { 300 } else { 1448 };
            board.push(SentSegment { seq, len, ..Default::default() });
            seq += u64::from(len);
        }
        for _ in 0..500 {
            board.pop_head();
        }
        for number in 500..1000 {
            let segment = *board.get(number);
            assert_eq!(board.find(segment.seq, 1448), number);
            assert_eq!(board.find(segment.end_seq() - 1, 1448), number);
        }
        assert_eq!(board.find(seq, 1448), board.end());
        assert_eq!(board.find(0, 1448), 500);
    }
}
