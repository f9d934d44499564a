//! The timestamp option at the receiver: the echoed value, and PAWS (RFC 7323 §4.3, §5).

use crate::segment::Segment;

#[derive(Clone, Debug, Default)]
pub(super) struct Timestamps {
    /// The timestamp that the next ACK echoes; `None` before the first segment.
    recent: Option<u32>,
}

impl Timestamps {
    /// The value for the echo field.
    #[inline]
    pub fn echo(&self) -> u32 {
        self.recent.unwrap_or(0)
    }

    /// PAWS (RFC 7323 §5.3 R1). The kernel accepts one tick of disorder.
    #[inline]
    pub fn is_too_old(&self, segment: &Segment) -> bool {
        self.recent.is_some_and(|recent| (recent.wrapping_sub(segment.tsval) as i32) > ALLOWED_DISORDER_MS)
    }

    /// RFC 7323 §4.3 (2): a segment that spans the last ACK sent has the timestamp to echo, so that delayed ACKs
    /// measure the earlier of two segments, and ACKs with holes the segment before the hole.
    #[inline]
    pub fn on_segment(&mut self, segment: &Segment, last_ack_sent: u64) {
        if segment.seq <= last_ack_sent
            && self.recent.is_none_or(|recent| segment.tsval.wrapping_sub(recent) as i32 >= 0)
        {
            self.recent = Some(segment.tsval);
        }
    }
}

const ALLOWED_DISORDER_MS: i32 = 1;
