//! One limit of a policer: a token bucket, and the tokens that a packet takes.

use crate::transmitter::{TokenBucket, Waiting};

pub(super) struct Meter {
    bucket: TokenBucket,
    counts: Counts,
}

enum Counts {
    Bytes,
    /// The bucket counts each packet as a frame of one byte.
    Packets,
}

const BITS: u64 = 8;

/// Buckets are full at time 0. In Linux the bucket for packets starts empty, and fills before there is traffic.
impl Meter {
    /// A meter with a rate in bit/s and a burst in bytes.
    pub fn of_bytes((rate_bps, burst_bytes): (u64, u32)) -> Self {
        Self { bucket: TokenBucket::new(rate_bps, burst_bytes, 0), counts: Counts::Bytes }
    }

    /// A meter with a rate in packets per second and a burst in packets.
    pub fn of_packets((rate_pps, burst_packets): (u64, u32)) -> Self {
        Self { bucket: TokenBucket::new(BITS * rate_pps, burst_packets, 0), counts: Counts::Packets }
    }

    pub fn has_tokens(&self, now_ns: u64, frame_bytes: u32) -> bool {
        let frame = self.frame(now_ns, frame_bytes);
        frame.frame_bytes <= self.bucket.burst_bytes() && self.bucket.start_ns(frame) <= now_ns
    }

    /// Takes the tokens of a packet for which [`has_tokens`](Self::has_tokens) is true at the same time.
    pub fn take(&mut self, now_ns: u64, frame_bytes: u32) {
        self.bucket.take(self.frame(now_ns, frame_bytes));
    }

    fn frame(&self, now_ns: u64, frame_bytes: u32) -> Waiting {
        let frame_bytes = match self.counts {
            Counts::Bytes => frame_bytes,
            Counts::Packets => 1,
        };
        Waiting { ready_ns: now_ns, free_ns: 0, frame_bytes }
    }
}
