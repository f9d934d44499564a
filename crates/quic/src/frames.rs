//! Parses the frames of a packet (RFC 9000 section 19) that an observer at the endpoint needs.

/// A frame with data or acknowledgements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Frame {
    Ack(Ack),
    Stream {
        range: StreamRange,
        /// The stream ends with it.
        is_last: bool,
    },
    /// An unreliable message with this much data (RFC 9221).
    Datagram {
        bytes: u64,
    },
    MaxData(u64),
    /// Handshake data.
    Crypto {
        offset: u64,
        bytes: u64,
    },
    /// Any other ack-eliciting frame, with its type and its first integers. Those of NEW_CONNECTION_ID are sequence
    /// number, Retire Prior To, and the first eight bytes of the id.
    Other(u64, [u64; 3]),
}

/// Bytes `start..end` of a stream.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct StreamRange {
    pub stream: u64,
    pub start: u64,
    pub end: u64,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Ack {
    pub largest: u64,
    /// In units of 2^ack_delay_exponent microseconds.
    pub delay: u64,
    pub ranges: AckRanges,
    /// Packets that arrived with a CE mark so far, if the peer reports them.
    pub ce: Option<u64>,
}

/// First and last packet number of each range, from the largest down. Most acknowledgements have one, which needs no
/// allocation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct AckRanges {
    first: (u64, u64),
    more: Vec<(u64, u64)>,
}

impl AckRanges {
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (u64, u64)> + '_ {
        std::iter::once(self.first).chain(self.more.iter().copied())
    }
}

#[cfg(test)]
impl<const N: usize> From<[(u64, u64); N]> for AckRanges {
    fn from(ranges: [(u64, u64); N]) -> Self {
        Self { first: ranges[0], more: ranges[1..].to_vec() }
    }
}

/// Iterates over the frames of a packet's payload. Ends at the first unknown frame: the protocol decides whether that
/// is an error.
pub(crate) struct Frames<'a>(pub &'a [u8]);

impl Iterator for Frames<'_> {
    type Item = Frame;

    fn next(&mut self) -> Option<Frame> {
        loop {
            let kind = self.varint()?;
            match kind {
                0x00 => {
                    let padding = self.0.iter().position(|&byte| byte != 0).unwrap_or(self.0.len());
                    self.0 = &self.0[padding..];
                }
                0x02 | 0x03 => return self.ack(kind == 0x03).map(Frame::Ack),
                0x08..=0x0f => {
                    return self.stream(kind).map(|range| Frame::Stream { range, is_last: kind & 1 != 0 });
                }
                0x06 => {
                    let (offset, bytes) = (self.varint()?, self.varint()?);
                    return self.skip(bytes).map(|()| Frame::Crypto { offset, bytes });
                }
                0x10 => return self.varint().map(Frame::MaxData),
                0x30 => return Some(Frame::Datagram { bytes: std::mem::take(&mut self.0).len() as u64 }),
                0x31 => {
                    let bytes = self.varint()?;
                    return self.skip(bytes).map(|()| Frame::Datagram { bytes });
                }
                _ => return self.other(kind).map(|integers| Frame::Other(kind, integers)),
            }
        }
    }
}

impl Frames<'_> {
    fn ack(&mut self, has_ecn: bool) -> Option<Ack> {
        let (largest, delay, more, first) = (self.varint()?, self.varint()?, self.varint()?, self.varint()?);
        let mut low = largest.checked_sub(first)?;
        let mut ranges = AckRanges { first: (low, largest), more: Vec::new() };
        for _ in 0..more {
            let (gap, length) = (self.varint()?, self.varint()?);
            let high = low.checked_sub(gap + 2)?;
            low = high.checked_sub(length)?;
            ranges.more.push((low, high));
        }
        let ce = if has_ecn {
            let (_ect0, _ect1) = (self.varint()?, self.varint()?);
            Some(self.varint()?)
        } else {
            None
        };
        Some(Ack { largest, delay, ranges, ce })
    }

    fn stream(&mut self, kind: u64) -> Option<StreamRange> {
        let stream = self.varint()?;
        let start = if kind & 4 != 0 { self.varint()? } else { 0 };
        let bytes = if kind & 2 != 0 { self.varint()? } else { self.0.len() as u64 };
        self.skip(bytes)?;
        Some(StreamRange { stream, start, end: start + bytes })
    }

    /// The first integers of a frame of any other type; the rest is skipped.
    fn other(&mut self, kind: u64) -> Option<[u64; 3]> {
        match kind {
            // PING, HANDSHAKE_DONE, IMMEDIATE_ACK
            0x01 | 0x1e | 0x1f => Some([0; 3]),
            // RESET_STREAM, ACK_FREQUENCY
            0x04 => self.integers(3),
            0xaf => {
                let first = self.integers(3)?;
                self.varint().map(|_| first)
            }
            // STOP_SENDING, MAX_STREAM_DATA, STREAM_DATA_BLOCKED
            0x05 | 0x11 | 0x15 => self.integers(2),
            // MAX_STREAMS, DATA_BLOCKED, STREAMS_BLOCKED, RETIRE_CONNECTION_ID
            0x12..=0x14 | 0x16 | 0x17 | 0x19 => self.integers(1),
            // NEW_TOKEN
            0x07 => {
                let bytes = self.varint()?;
                self.skip(bytes).map(|()| [bytes, 0, 0])
            }
            // NEW_CONNECTION_ID
            0x18 => {
                let [sequence, retire_prior_to, _] = self.integers(2)?;
                let id_bytes = usize::from(*self.0.first()?);
                let id = self.0.get(1..=id_bytes)?.iter().take(8).fold(0, |id, &byte| id << 8 | u64::from(byte));
                self.skip(1 + id_bytes as u64 + 16).map(|()| [sequence, retire_prior_to, id])
            }
            // PATH_CHALLENGE, PATH_RESPONSE
            0x1a | 0x1b => self.skip(8).map(|()| [0; 3]),
            _ => {
                self.0 = &[];
                Some([0; 3])
            }
        }
    }

    /// A variable-length integer (RFC 9000 section 16).
    fn varint(&mut self) -> Option<u64> {
        let first = *self.0.first()?;
        if first < 0x40 {
            self.0 = &self.0[1..];
            return Some(first.into());
        }
        let bytes = 1 << (first >> 6);
        let rest = self.0.get(1..bytes)?;
        let value = rest.iter().fold(u64::from(first & 0x3f), |value, &byte| value << 8 | u64::from(byte));
        self.0 = &self.0[bytes..];
        Some(value)
    }

    fn integers(&mut self, count: usize) -> Option<[u64; 3]> {
        let mut integers = [0; 3];
        for integer in &mut integers[..count] {
            *integer = self.varint()?;
        }
        Some(integers)
    }

    fn skip(&mut self, bytes: u64) -> Option<()> {
        self.0 = self.0.get(usize::try_from(bytes).ok()?..)?;
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frames(bytes: &[u8]) -> Vec<Frame> {
        Frames(bytes).collect()
    }

    #[test]
    fn the_integers_of_rfc_9000_appendix_a1() {
        let cases: [(&[u8], u64); 5] = [
            (&[0xc2, 0x19, 0x7c, 0x5e, 0xff, 0x14, 0xe8, 0x8c], 151_288_809_941_952_652),
            (&[0x9d, 0x7f, 0x3e, 0x7d], 494_878_333),
            (&[0x7b, 0xbd], 15_293),
            (&[0x25], 37),
            (&[0x40, 0x25], 37),
        ];
        cases.iter().for_each(|&(bytes, value)| assert_eq!(Frames(bytes).varint(), Some(value)));
    }

    #[test]
    fn a_stream_frame_without_length_fills_the_packet() {
        let range = |start, end| Frame::Stream { range: StreamRange { stream: 2, start, end }, is_last: false };
        assert_eq!(frames(&[0x08, 2, 0, 0, 0]), [range(0, 3)]);
        assert_eq!(frames(&[0x0e, 2, 9, 2, 0, 0, 0x08, 2, 0]), [range(9, 11), range(0, 1)]);
        assert_eq!(frames(&[0x01, 0, 0, 0x10, 7]), [Frame::Other(1, [0; 3]), Frame::MaxData(7)]);
    }

    #[test]
    fn ack_ranges_go_down_from_the_largest() {
        // 20, then a gap of 2 packets (19, 18), then 17 to 15.
        let ack = Ack { largest: 20, delay: 5, ranges: [(20, 20), (15, 17)].into(), ce: Some(3) };
        assert_eq!(frames(&[0x03, 20, 5, 1, 0, 1, 2, 8, 0, 3]), [Frame::Ack(ack)]);
    }

    #[test]
    fn other_frames_have_their_integers() {
        let new_id = [&[0x18, 3, 1, 8, 0, 0, 0, 0, 0, 0, 1, 2][..], &[9; 16], &[0x19, 2, 0x11, 4, 7]].concat();
        let expected =
            [Frame::Other(0x18, [3, 1, 0x102]), Frame::Other(0x19, [2, 0, 0]), Frame::Other(0x11, [4, 7, 0])];
        assert_eq!(frames(&new_id), expected);
        assert_eq!(frames(&[0x40, 0xaf, 0, 9, 25, 1]), [Frame::Other(0xaf, [0, 9, 25])]);
    }

    #[test]
    fn an_unknown_frame_ends_the_packet() {
        for bytes in [&[0x02, 1, 0, 0, 9][..], &[0x0e, 2, 9, 50, 0], &[0x3f, 1, 2, 3], &[0x18, 1, 1, 200], &[0xc0]] {
            assert!(!frames(bytes).iter().any(|frame| !matches!(frame, Frame::Other(..))), "{bytes:?}");
        }
    }
}
