//! The scoreboard of RFC 6675: one record per segment in flight.
//!
//! Records are in a ring, oldest first, and have numbers that never repeat, so hints and lists elsewhere stay valid
//! when the ring wraps. The counters of the records' flags (`sacked_out`, `lost_out`, `retrans_out`) are in
//! [`TcpSock`], where algorithms read them.

use fairlane_congestion_control::TcpSock;
use fairlane_engine::prefetch;

/// Number of a segment, counted from the start of the connection.
pub(crate) type SegmentNumber = u64;

/// The receiver has it, though not all before it.
pub(crate) const SACKED: u8 = 1;
/// Marked lost. Stays set while a retransmission is in flight.
pub(crate) const LOST: u8 = 2;
/// A retransmission is in flight.
pub(crate) const RETRANSMISSION_OUT: u8 = 4;
/// Was retransmitted at least once.
pub(crate) const EVER_RETRANSMITTED: u8 = 8;
/// Was sent while the application did not fill the window.
pub(crate) const APP_LIMITED: u8 = 16;
/// Ends an application write.
pub(crate) const PUSH: u8 = 32;
/// Carries FIN (or is the SYN): one sequence number without payload.
pub(crate) const CONTROL: u8 = 64;

/// First segment of the burst in which it was sent. Retransmissions do not join bursts.
pub(crate) const BURST_START: u8 = 128;

/// Any flag of a segment that does more than wait for its first acknowledgement.
const NOT_CLEAN: u8 = SACKED | LOST | RETRANSMISSION_OUT | EVER_RETRANSMITTED;

/// A segment in flight. Times are in microseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct SentSegment {
    pub seq: u64,
    /// Last transmission.
    pub sent_us: u64,
    /// `first_tx_mstamp`, `delivered_mstamp` and `delivered` of the connection when it was last sent; a
    /// `delivered_mstamp` of 0 marks a segment whose rate sample was taken.
    pub first_tx_mstamp: u64,
    pub delivered_mstamp: u64,
    pub delivered: u32,
    pub delivered_ce: u32,
    /// Length in sequence space.
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

/// A [`SentSegment`] as stored: two fit into a cache line. With thousands of packets in flight, the acknowledgement
/// finds the record outside the processor's caches, so its size costs time.
#[derive(Clone, Copy, Debug, Default)]
struct Record {
    seq: u64,
    /// Low half of the time of transmission; the high half follows from `Scoreboard::latest_us`.
    sent_low_us: u32,
    /// Times before the transmission.
    first_tx_age_us: u32,
    delivered_age_us: u32,
    delivered: u32,
    delivered_ce: u32,
    len: u16,
    flags: u8,
    gave_sample: bool,
}

impl Record {
    #[inline]
    fn of(segment: &SentSegment) -> Self {
        Self {
            seq: segment.seq,
            sent_low_us: segment.sent_us as u32,
            first_tx_age_us: (segment.sent_us - segment.first_tx_mstamp) as u32,
            delivered_age_us: (segment.sent_us - segment.delivered_mstamp) as u32,
            delivered: segment.delivered,
            delivered_ce: segment.delivered_ce,
            len: segment.len as u16,
            flags: segment.flags,
            gave_sample: segment.delivered_mstamp == 0,
        }
    }
}

/// Ring of segments.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct Scoreboard {
    ring: Vec<Record>,
    mask: u64,
    first: SegmentNumber,
    next: SegmentNumber,
    /// The latest transmission; all others lie less than 71 minutes before.
    latest_us: u64,
}

impl Scoreboard {
    pub fn new() -> Self {
        Self { ring: Vec::new(), mask: 0, first: 0, next: 0, latest_us: 0 }
    }

    /// The oldest segment in flight, if there is one.
    #[inline]
    pub fn head(&self) -> Option<SentSegment> {
        (self.first != self.next).then(|| self.get(self.first))
    }

    /// Time of the last transmission of the oldest segment in flight, if there is one.
    #[inline]
    pub fn head_sent_us(&self) -> Option<u64> {
        (self.first != self.next).then(|| self.sent_us(self.record(self.first)))
    }

    /// Time stamp of new data that leaves at `departure_us`, in us: not before anything that was sent earlier.
    ///
    /// RACK and delivery-rate samples take what has one stamp as sent in the order of sequence numbers (RFC 8985 section
    /// 6.2 step 2). Here many ACKs may be processed at one instant, for which hosts need a microsecond each: so what
    /// leaves after something of a higher sequence number has a later stamp.
    #[inline]
    pub fn stamp_us(&self, departure_us: u64) -> u64 {
        self.latest_us.max(departure_us)
    }

    #[inline]
    fn sent_us(&self, record: &Record) -> u64 {
        self.latest_us - u64::from((self.latest_us as u32).wrapping_sub(record.sent_low_us))
    }

    /// Prefetches the records of segments, which need not be on the scoreboard.
    #[inline]
    pub fn prefetch<const N: usize>(&self, numbers: [SegmentNumber; N]) {
        for number in numbers {
            if let Some(record) = self.ring.get((number & self.mask) as usize) {
                prefetch(record);
            }
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
    pub fn get(&self, number: SegmentNumber) -> SentSegment {
        let record = self.record(number);
        let sent_us = self.sent_us(record);
        SentSegment {
            seq: record.seq,
            sent_us,
            first_tx_mstamp: sent_us - u64::from(record.first_tx_age_us),
            delivered_mstamp: if record.gave_sample { 0 } else { sent_us - u64::from(record.delivered_age_us) },
            delivered: record.delivered,
            delivered_ce: record.delivered_ce,
            len: u32::from(record.len),
            flags: record.flags,
        }
    }

    /// Replaces a segment's record.
    #[inline]
    pub fn set(&mut self, number: SegmentNumber, segment: &SentSegment) {
        debug_assert!(self.contains(number), "segment {number} is not in {}..{}", self.first, self.next);
        self.latest_us = self.latest_us.max(segment.sent_us);
        self.ring[(number & self.mask) as usize] = Record::of(segment);
    }

    #[inline]
    pub fn has(&self, number: SegmentNumber, flag: u8) -> bool {
        self.record(number).flags & flag != 0
    }

    #[inline]
    pub fn raise(&mut self, number: SegmentNumber, flag: u8) {
        self.record_mut(number).flags |= flag;
    }

    #[inline]
    pub fn clear(&mut self, number: SegmentNumber, flag: u8) {
        self.record_mut(number).flags &= !flag;
    }

    #[inline]
    pub fn end_seq(&self, number: SegmentNumber) -> u64 {
        let record = self.record(number);
        record.seq + u64::from(record.len)
    }

    /// Marks a segment lost, unless it is SACKed, and counts it; a lost retransmission counts again (RFC 8985 treats
    /// both alike). No segment below `retransmit_hint` waits for retransmission.
    #[inline]
    pub fn mark_lost(&mut self, number: SegmentNumber, sock: &mut TcpSock, retransmit_hint: &mut SegmentNumber) {
        if self.has(number, SACKED) {
            return;
        }
        if self.has(number, LOST) {
            if self.has(number, RETRANSMISSION_OUT) {
                self.clear(number, RETRANSMISSION_OUT);
                sock.retrans_out -= 1;
                sock.lost += 1;
            }
        } else {
            self.raise(number, LOST);
            sock.lost_out += 1;
            sock.lost += 1;
        }
        *retransmit_hint = (*retransmit_hint).min(number);
    }

    /// Appends a segment.
    #[cfg(test)]
    pub fn push(&mut self, segment: &SentSegment) {
        self.push_run(segment, 1, 0, 0);
    }

    /// Appends `count` consecutive segments that differ only in their sequence numbers and in additional flags of the
    /// first and the last one. Setting those flags afterwards would stall on the records that were just written.
    #[inline]
    pub fn push_run(&mut self, first: &SentSegment, count: u32, first_flags: u8, last_flags: u8) {
        while self.next + u64::from(count) - self.first > self.ring.len() as u64 {
            self.grow();
        }
        self.latest_us = self.latest_us.max(first.sent_us);
        let mut record = Record::of(first);
        let flags = record.flags;
        record.flags |= first_flags;
        let last = self.next + u64::from(count) - 1;
        for number in self.next..last {
            self.ring[(number & self.mask) as usize] = record;
            record.seq += u64::from(record.len);
            record.flags = flags;
        }
        record.flags |= last_flags;
        self.ring[(last & self.mask) as usize] = record;
        self.next = last + 1;
    }

    /// Removes the oldest segments.
    #[inline]
    pub fn pop_heads(&mut self, segments: u32) {
        self.first += u64::from(segments);
        debug_assert!(self.first <= self.next);
    }

    /// Number of segments at the head that end at or below `seq`, were sent once and are neither SACKed nor marked
    /// lost.
    #[inline]
    pub fn clean_run(&self, seq: u64) -> u32 {
        let mut run = 0;
        for number in self.first..self.next {
            let record = &self.ring[(number & self.mask) as usize];
            if record.flags & NOT_CLEAN != 0 || record.seq + u64::from(record.len) > seq {
                break;
            }
            run += 1;
        }
        run
    }

    /// The first segment that ends after `seq`, or `end()`.
    ///
    /// Nearly all segments have the same length, so a guess by division is right or off by a few.
    pub fn find(&self, seq: u64, mss: u32) -> SegmentNumber {
        if self.is_empty() {
            return self.next;
        }
        if seq < self.end_seq(self.first) {
            return self.first;
        }
        let guess = self.first + (seq - self.record(self.first).seq) / u64::from(mss.max(1));
        let mut at = guess.min(self.next - 1);
        while at > self.first && self.end_seq(at - 1) > seq {
            at -= 1;
        }
        while at < self.next && self.end_seq(at) <= seq {
            at += 1;
        }
        at
    }

    #[inline]
    fn record(&self, number: SegmentNumber) -> &Record {
        debug_assert!(self.contains(number), "segment {number} is not in {}..{}", self.first, self.next);
        &self.ring[(number & self.mask) as usize]
    }

    #[inline]
    fn record_mut(&mut self, number: SegmentNumber) -> &mut Record {
        debug_assert!(self.contains(number), "segment {number} is not in {}..{}", self.first, self.next);
        &mut self.ring[(number & self.mask) as usize]
    }

    /// Frees most of a ring that holds few segments. Twice as many fit then, so that it need not grow at once.
    pub fn trim(&mut self) {
        let segments = (self.next - self.first) as usize;
        if self.ring.len() >= (SPARSE * segments).max(2 * FIRST_RECORDS) {
            self.resize((2 * segments).next_power_of_two().max(FIRST_RECORDS));
        }
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self) {
        self.resize((2 * self.ring.len()).max(FIRST_RECORDS));
    }

    fn resize(&mut self, capacity: usize) {
        let mut ring = vec![Record::default(); capacity];
        let mask = capacity as u64 - 1;
        for number in self.first..self.next {
            ring[(number & mask) as usize] = *self.record(number);
        }
        self.ring = ring;
        self.mask = mask;
    }
}

/// Small, because the ring is used in full: thousands of flows with a few packets each would touch far more memory than
/// they need.
const FIRST_RECORDS: usize = 8;
/// A ring this many times as long as its segments need is trimmed.
const SPARSE: usize = 5;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_lossless_and_half_a_cache_line() {
        assert_eq!(std::mem::size_of::<Record>(), 32);
        let mut board = Scoreboard::new();
        let late_us = 3 << 32; // the low half has wrapped three times
        let first = SentSegment {
            seq: 1 << 40,
            sent_us: late_us - 5,
            first_tx_mstamp: late_us - 70_000,
            delivered_mstamp: late_us - 90_000,
            delivered: 7,
            delivered_ce: 3,
            len: 65_535,
            flags: LOST | PUSH,
        };
        let second = SentSegment { sent_us: late_us + 1_000_000, delivered_mstamp: 0, ..first };
        board.push(&first);
        board.push(&second);
        assert_eq!((board.get(0), board.get(1)), (first, second));
    }

    #[test]
    fn a_run_is_recorded_as_its_segments_one_by_one() {
        let (mut in_runs, mut one_by_one) = (Scoreboard::new(), Scoreboard::new());
        let mut first = SentSegment { seq: 1, len: 1448, flags: APP_LIMITED, ..SentSegment::default() };
        for count in [1, 20, 3, 100] {
            first = SentSegment { sent_us: first.sent_us + 50, delivered: count, ..first };
            in_runs.push_run(&first, count, BURST_START, PUSH);
            for index in 0..count {
                let start = if index == 0 { BURST_START } else { 0 };
                let end = if index + 1 == count { PUSH } else { 0 };
                one_by_one.push(&SentSegment { flags: first.flags | start | end, ..first });
                first.seq = first.end_seq();
            }
            // The ring wraps, and grows when a run does not fit.
            in_runs.pop_heads(count / 2);
            one_by_one.pop_heads(count / 2);
        }
        assert_eq!(in_runs.end(), 124);
        let segments = |board: &Scoreboard| (board.first()..board.end()).map(|n| board.get(n)).collect::<Vec<_>>();
        assert_eq!(segments(&in_runs), segments(&one_by_one));
    }

    #[test]
    fn finds_segments_of_mixed_lengths_and_survives_growth() {
        let mut board = Scoreboard::new();
        let mut seq = 1;
        for i in 0..1000_u64 {
            let len = if i % 7 == 0 { 300 } else { 1448 };
            board.push(&SentSegment { seq, len, ..Default::default() });
            seq += u64::from(len);
        }
        for _ in 0..500 {
            board.pop_heads(1);
        }
        let segments = |board: &Scoreboard| (500..1000).map(|number| board.get(number)).collect::<Vec<_>>();
        let before = segments(&board);
        board.trim();
        assert_eq!(board.ring.len(), 1024, "half of it is in use");
        board.resize(4096);
        board.trim();
        assert_eq!((board.ring.len(), segments(&board)), (1024, before));
        for number in 500..1000 {
            let segment = board.get(number);
            assert_eq!(board.find(segment.seq, 1448), number);
            assert_eq!(board.find(segment.end_seq() - 1, 1448), number);
        }
        assert_eq!(board.find(seq, 1448), board.end());
        assert_eq!(board.find(0, 1448), 500);
    }
}
