//! Shared by all disciplines when they are created: properties of the link, and checks of parameters.

use fairlane_engine::{RandomStream, Streams};

/// An invalid parameter, the fault, and the remedy. Other parameters are named in backticks.
pub(super) type Fault = (&'static str, &'static str, &'static str);

/// Properties of the link that a discipline depends on.
pub(crate) struct QueueSetup<'a> {
    /// The largest frame that the hosts send over this link.
    pub mtu_frame_bytes: u32,
    /// Ticks of the kernel's timers.
    pub ticks_per_s: u32,
    /// The transmitter peeks at the next packet before it takes it, and never polls an empty queue.
    pub is_token_bucket: bool,
    pub streams: &'a Streams,
    /// Of the station among those that draw from the same streams.
    pub stream_index: u64,
}

impl QueueSetup<'_> {
    pub fn random(&self, kind: &str) -> RandomStream {
        self.streams.stream(kind, self.stream_index)
    }
}

#[cfg(test)]
impl QueueSetup<'_> {
    /// An Ethernet link.
    pub fn example(streams: &Streams) -> QueueSetup<'_> {
        QueueSetup { mtu_frame_bytes: 1_514, ticks_per_s: 1_000, is_token_bucket: false, streams, stream_index: 0 }
    }
}

/// A limit of zero.
pub(super) fn zero(key: &'static str, limit: impl Into<Option<u64>>) -> Option<Fault> {
    (limit.into() == Some(0)).then_some((key, "is 0, which no packet passes", "give room for at least one packet"))
}

/// A time that is zero, or whose sums overflow 64 bits.
pub(super) fn time(key: &'static str, time_ns: impl Into<Option<u64>>) -> Option<Fault> {
    match time_ns.into() {
        Some(0) => Some((key, "is 0", "give a longer time")),
        Some(time_ns) if time_ns > MAX_TIME_NS => Some((key, "is above an hour", "give a shorter time")),
        _ => None,
    }
}

/// Sums and products of times with the probabilities of PIE and the roots of CoDel fit their integers.
const MAX_TIME_NS: u64 = 3_600_000_000_000;
