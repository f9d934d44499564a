//! Counters of stream and message bytes: sent, acknowledged, arrived.

use crate::frames::StreamRange;
use std::collections::BTreeMap;

/// The bytes that one endpoint sends.
#[derive(Debug, Default)]
pub(crate) struct SentStreams {
    streams: Vec<SentStream>,
    sent_bytes: u64,
    acknowledged_bytes: u64,
    /// Bytes in DATAGRAM frames that were declared lost, which are not retransmitted.
    given_up_bytes: u64,
}

#[derive(Debug)]
struct SentStream {
    id: u64,
    /// Everything below was sent.
    sent_end: u64,
    acknowledged: ByteSet,
}

/// Bytes of a stream: everything below `end`, and these ranges (start, end) above it.
#[derive(Debug, Default)]
pub(crate) struct ByteSet {
    end: u64,
    above: BTreeMap<u64, u64>,
}

impl SentStreams {
    /// Counts a chunk that is sent; returns how many of its bytes had been sent before.
    pub fn on_sent(&mut self, range: StreamRange) -> u64 {
        let stream = self.stream(range.stream);
        let repeated_bytes = stream.sent_end.clamp(range.start, range.end) - range.start;
        let new_bytes = range.end - range.start - repeated_bytes;
        stream.sent_end = stream.sent_end.max(range.end);
        self.sent_bytes += new_bytes;
        repeated_bytes
    }

    /// Counts a chunk that was acknowledged; returns how many of its bytes are newly acknowledged.
    pub fn on_acknowledged(&mut self, range: StreamRange) -> u64 {
        let new_bytes = self.stream(range.stream).acknowledged.insert(range.start, range.end);
        self.acknowledged_bytes += new_bytes;
        new_bytes
    }

    pub fn on_datagram_sent(&mut self, bytes: u64) {
        self.sent_bytes += bytes;
    }

    /// Returns how many bytes are new: all, because only one packet carries them.
    pub fn on_datagram_acknowledged(&mut self, bytes: u64) -> u64 {
        self.acknowledged_bytes += bytes;
        bytes
    }

    pub fn on_datagram_lost(&mut self, bytes: u64) {
        self.given_up_bytes += bytes;
    }

    /// Bytes sent, and neither acknowledged nor lost for good.
    pub fn in_flight_bytes(&self) -> u64 {
        self.sent_bytes - self.acknowledged_bytes - self.given_up_bytes
    }

    pub fn sent_bytes(&self) -> u64 {
        self.sent_bytes
    }

    pub fn acknowledged_bytes(&self) -> u64 {
        self.acknowledged_bytes
    }

    fn stream(&mut self, id: u64) -> &mut SentStream {
        let place = self.streams.iter().position(|stream| stream.id == id).unwrap_or_else(|| {
            self.streams.push(SentStream { id, sent_end: 0, acknowledged: ByteSet::default() });
            self.streams.len() - 1
        });
        &mut self.streams[place]
    }
}

impl ByteSet {
    /// Number of bytes before the first gap.
    pub fn end(&self) -> u64 {
        self.end
    }

    /// Returns how many of the bytes are new.
    pub fn insert(&mut self, start: u64, end: u64) -> u64 {
        if start <= self.end && self.above.is_empty() {
            let new_bytes = end.saturating_sub(self.end);
            self.end += new_bytes;
            return new_bytes;
        }
        let (mut start, mut end) = (start.max(self.end), end);
        if start >= end {
            return 0;
        }
        let mut new_bytes = end - start;
        // Joins the ranges that overlap or touch.
        while let Some((&other_start, &other_end)) = self.above.range(..=end).next_back() {
            if other_end < start {
                break;
            }
            self.above.remove(&other_start);
            new_bytes -= other_end.min(end).saturating_sub(other_start.max(start));
            // Merged ranges must not be subtracted again.
            (start, end) = (start.min(other_start), end.max(other_end));
        }
        if start <= self.end {
            self.end = end;
        } else {
            self.above.insert(start, end);
        }
        new_bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    #[test]
    fn bytes_sent_before_count_as_retransmitted() {
        let mut streams = SentStreams::default();
        let range = |start, end| StreamRange { stream: 2, start, end };
        assert_eq!(streams.on_sent(range(0, 100)), 0);
        assert_eq!(streams.on_sent(range(50, 120)), 50);
        assert_eq!(streams.on_sent(range(0, 10)), 10);
        assert_eq!(streams.sent_bytes(), 120);
    }

    proptest! {
        /// Every byte counts once, for any order and overlap of acknowledgements.
        #[test]
        fn acknowledged_bytes_form_a_set(ranges in prop::collection::vec((0_u64..40, 0_u64..12), 0..40)) {
            let mut streams = SentStreams::default();
            let mut bytes = BTreeSet::new();
            for (start, length) in ranges {
                let before = bytes.len();
                bytes.extend(start..start + length);
                let new_bytes = streams.on_acknowledged(StreamRange { stream: 6, start, end: start + length });
                prop_assert_eq!(new_bytes, (bytes.len() - before) as u64);
            }
            prop_assert_eq!(streams.acknowledged_bytes(), bytes.len() as u64);
        }
    }
}
