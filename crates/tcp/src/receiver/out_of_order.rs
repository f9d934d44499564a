//! The out-of-order queue: data behind a hole.

use fairlane_engine::trim;
use std::collections::VecDeque;

/// Bytes `start..end` of the stream; never empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Range {
    pub start: u64,
    pub end: u64,
}

/// The out-of-order queue as sorted ranges that neither overlap nor touch.
///
/// Its memory is one total: bytes that leave the queue take a proportional share.
#[derive(Clone, Debug)]
#[repr(C)]
pub(super) struct OutOfOrderQueue {
    ranges: VecDeque<Range>,
    bytes: u64,
    memory_bytes: u32,
}

impl OutOfOrderQueue {
    pub fn new() -> Self {
        Self { ranges: VecDeque::new(), bytes: 0, memory_bytes: 0 }
    }

    /// Frees memory that a severe loss episode needed.
    pub fn trim(&mut self) {
        trim(&mut self.ranges);
    }

    #[inline]
    pub fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// How far the queued data reaches beyond `next`, the begin of the hole; 0 if nothing is queued.
    pub fn reach(&self, next: u64) -> u64 {
        self.ranges.back().map_or(0, |last| last.end - next)
    }

    #[inline]
    pub fn memory_bytes(&self) -> u32 {
        self.memory_bytes
    }

    #[cfg(test)]
    pub fn ranges(&self) -> impl Iterator<Item = Range> + '_ {
        self.ranges.iter().copied()
    }

    /// Adds a range of `memory_bytes`. Returns its lowest contiguous part that was queued before, which a D-SACK can
    /// report. Without new bytes the memory is not counted.
    pub fn insert(&mut self, new: Range, memory_bytes: u32) -> Option<Range> {
        debug_assert!(new.start < new.end, "an empty range cannot be queued");
        // Nearly always the data continues the last range or starts a range behind it.
        match self.ranges.back_mut() {
            Some(last) if new.start == last.end => {
                last.end = new.end;
                self.account(new.end - new.start, memory_bytes);
                return None;
            }
            Some(last) if new.start < last.end => {}
            _ => {
                self.ranges.push_back(new);
                self.account(new.end - new.start, memory_bytes);
                return None;
            }
        }
        self.insert_between(new, memory_bytes)
    }

    fn insert_between(&mut self, new: Range, memory_bytes: u32) -> Option<Range> {
        let first = self.ranges.partition_point(|range| range.end < new.start);
        let mut merged = new;
        let mut overlap = None;
        let mut known_bytes = 0;
        let mut last = first;
        while let Some(range) = self.ranges.get(last).filter(|range| range.start <= new.end) {
            let common = Range { start: range.start.max(new.start), end: range.end.min(new.end) };
            if common.start < common.end {
                known_bytes += common.end - common.start;
                overlap.get_or_insert(common);
            }
            merged.start = merged.start.min(range.start);
            merged.end = merged.end.max(range.end);
            last += 1;
        }
        let new_bytes = new.end - new.start - known_bytes;
        if new_bytes > 0 {
            self.account(new_bytes, memory_bytes);
            if first == last {
                self.ranges.insert(first, merged);
            } else {
                self.ranges[first] = merged;
                self.ranges.drain(first + 1..last);
            }
        }
        overlap
    }

    /// Removes all data that is contiguous with data up to `next`. Returns the new end of the contiguous data, the
    /// removed memory, and the range below `next` (received twice).
    pub fn advance(&mut self, next: u64) -> (u64, u32, Option<Range>) {
        let mut end = next;
        let mut taken_bytes = 0;
        let mut overlap = None;
        while let Some(&range) = self.ranges.front().filter(|range| range.start <= end) {
            if range.start < next {
                overlap.get_or_insert(Range { start: range.start, end: range.end.min(next) });
            }
            end = end.max(range.end);
            taken_bytes += range.end - range.start;
            self.ranges.pop_front();
        }
        let memory_bytes = self.release(taken_bytes);
        (end, memory_bytes, overlap)
    }

    /// Drops the highest data, not below `floor`, to free about `memory_bytes`. Drops multiples of `packet_bytes`, so
    /// that retransmissions are not mostly duplicates. Returns whether data was dropped.
    pub fn drop_highest(&mut self, floor: u64, memory_bytes: u32, packet_bytes: u32) -> bool {
        let share = self.bytes * u64::from(memory_bytes) / u64::from(self.memory_bytes.max(1));
        let mut remaining = share.next_multiple_of(u64::from(packet_bytes));
        let before = self.bytes;
        while remaining > 0 {
            let Some(range) = self.ranges.back_mut().filter(|range| range.end > floor) else {
                break;
            };
            let keep = range.end.saturating_sub(remaining).max(range.start).max(floor);
            let dropped = range.end - keep;
            range.end = keep;
            if range.start == range.end {
                self.ranges.pop_back();
            }
            self.release(dropped);
            remaining -= dropped;
        }
        self.bytes < before
    }

    /// Reduces the memory to that of a copy into dense pages, if that is less.
    pub fn collapse(&mut self, dense_memory_bytes: u32) {
        self.memory_bytes = self.memory_bytes.min(dense_memory_bytes);
    }

    #[inline]
    fn account(&mut self, bytes: u64, memory_bytes: u32) {
        self.bytes += bytes;
        self.memory_bytes += memory_bytes;
    }

    fn release(&mut self, bytes: u64) -> u32 {
        if bytes == 0 {
            return 0;
        }
        let memory_bytes = (u64::from(self.memory_bytes) * bytes / self.bytes) as u32;
        self.bytes -= bytes;
        self.memory_bytes -= memory_bytes;
        memory_bytes
    }
}
