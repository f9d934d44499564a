//! Properties of the link that a discipline depends on.

use fairlane_engine::{RandomStream, Streams};

/// An invalid parameter, the fault, and the remedy. Other parameters are named in backticks.
pub(super) type Fault = (&'static str, &'static str, &'static str);

/// Properties of the link that a discipline depends on.
pub(crate) struct QueueSetup<'a> {
    /// The largest frame that the hosts send over this link.
    pub mtu_frame_bytes: u32,
    /// Bytes of a frame beyond the IP packet.
    pub overhead_bytes: u32,
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
        QueueSetup {
            mtu_frame_bytes: 1_514,
            overhead_bytes: 14,
            ticks_per_s: 1_000,
            is_token_bucket: false,
            streams,
            stream_index: 0,
        }
    }
}
