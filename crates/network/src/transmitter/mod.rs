//! The transmitter: computes when the head of the queue starts, and when its last bit is on the wire.
//!
//! The link knows when its transmitter becomes free, and the transmitter computes the times of the next frame in queue
//! order; nothing is simulated bit by bit.

mod exact_rate;
mod serialiser;
mod token_bucket;
mod trace;

pub(crate) use exact_rate::ExactRate;
use serialiser::Serialiser;
pub(crate) use token_bucket::TokenBucket;
use trace::Trace;

use fairlane_contract::LinkConfig;

#[derive(Clone, Debug)]
pub(crate) enum Transmitter {
    /// Infinitely fast.
    Instant,
    Serialiser(Serialiser),
    TokenBucket(TokenBucket),
    Trace(Box<Trace>),
}

/// The frame at the head of the queue.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Waiting {
    /// Since when it could have been sent, if the transmitter had been free.
    pub ready_ns: u64,
    /// End of the previous transmission.
    pub free_ns: u64,
    pub frame_bytes: u32,
}

impl Waiting {
    #[inline]
    fn earliest_ns(self) -> u64 {
        self.ready_ns.max(self.free_ns)
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Transmission {
    pub start_ns: u64,
    /// When the last bit leaves; the next frame starts no earlier.
    pub end_ns: u64,
}

impl Transmitter {
    pub fn new(config: &LinkConfig) -> Self {
        match (&config.trace_ms, config.rate_bps) {
            (Some(trace_ms), _) => Self::Trace(Box::new(Trace::new(trace_ms, config.frame_overhead_bytes()))),
            (None, Some(rate_bps)) => Self::with_rate(rate_bps, config.burst_bytes, 0),
            (None, None) => Self::Instant,
        }
    }

    fn with_rate(rate_bps: u64, burst_bytes: Option<u32>, now_ns: u64) -> Self {
        match burst_bytes {
            Some(burst_bytes) => Self::TokenBucket(TokenBucket::new(rate_bps, burst_bytes, now_ns)),
            None => Self::Serialiser(Serialiser::new(rate_bps)),
        }
    }

    /// When a frame would start, and no longer count as queued.
    #[inline]
    pub fn start_ns(&self, frame: Waiting) -> u64 {
        match self {
            Self::Instant | Self::Serialiser(_) => frame.earliest_ns(),
            Self::TokenBucket(bucket) => bucket.start_ns(frame),
            Self::Trace(trace) => trace.start_ns(frame),
        }
    }

    /// Whether a frame starts as soon as it is queued and the previous transmission has ended.
    #[inline]
    pub fn is_ready_when_free(&self) -> bool {
        matches!(self, Self::Instant | Self::Serialiser(_))
    }

    /// Transmission time of a frame that starts immediately, if `is_ready_when_free`.
    #[inline]
    pub fn duration_ns(&mut self, frame: Waiting) -> u64 {
        match self {
            Self::Serialiser(serialiser) => serialiser.duration_ns(frame),
            _ => 0,
        }
    }

    /// Transmits the frame if it starts by `now_ns`; else returns the start time.
    #[inline(always)] // one caller, and on the way of every packet
    pub fn transmit(&mut self, frame: Waiting, now_ns: u64) -> Result<Transmission, u64> {
        let start_ns = self.start_ns(frame);
        if start_ns > now_ns {
            return Err(start_ns);
        }
        let end_ns = match self {
            Self::Instant => start_ns,
            Self::Serialiser(serialiser) => start_ns + serialiser.duration_ns(frame),
            Self::TokenBucket(bucket) => {
                bucket.take(frame);
                start_ns
            }
            Self::Trace(trace) => trace.transmit(frame),
        };
        Ok(Transmission { start_ns, end_ns })
    }

    /// The depth of the token bucket, if there is one.
    pub fn burst_bytes(&self) -> Option<u32> {
        match self {
            Self::TokenBucket(bucket) => Some(bucket.burst_bytes()),
            _ => None,
        }
    }

    /// The largest frame that can be sent.
    pub fn largest_frame_bytes(&self) -> u32 {
        self.burst_bytes().unwrap_or(u32::MAX)
    }

    /// Tokens in the bucket; 0 without one.
    pub fn tokens_bytes(&self, now_ns: u64) -> u64 {
        match self {
            Self::TokenBucket(bucket) => bucket.tokens_bytes(now_ns),
            _ => 0,
        }
    }

    /// The rate; none if it is infinite or follows a trace.
    pub fn rate_bps(&self) -> Option<u64> {
        match self {
            Self::Instant | Self::Trace(_) => None,
            Self::Serialiser(serialiser) => Some(serialiser.rate_bps()),
            Self::TokenBucket(bucket) => Some(bucket.rate_bps()),
        }
    }

    /// All opportunities of a trace up to and including `now_ns`, used or not.
    pub fn trace_capacity_bytes(&self, now_ns: u64) -> Option<u64> {
        match self {
            Self::Trace(trace) => Some(trace.capacity_bytes(now_ns)),
            _ => None,
        }
    }

    /// The rate of a frame that was just transmitted, and how far its exact end lies before the whole nanosecond, in
    /// bits × 10⁹. None if frames are not sent bit by bit.
    #[cold]
    pub fn rest_at_end(&mut self) -> Option<(u64, u64)> {
        match self {
            Self::Serialiser(serialiser) => Some(serialiser.rest_at_end()),
            _ => None,
        }
    }

    /// Sends nothing before `until_ns`.
    #[cold]
    pub fn pause(&mut self, until_ns: u64) {
        match self {
            Self::Instant | Self::Serialiser(_) => {} // the link is not free before
            Self::TokenBucket(bucket) => bucket.pause(until_ns),
            Self::Trace(trace) => trace.pause(until_ns),
        }
    }

    /// Whether the rate can change: a trace has none, and a link without a rate has no transmitter that could get one.
    pub fn has_rate(&self) -> bool {
        matches!(self, Self::Serialiser(_) | Self::TokenBucket(_))
    }

    /// Changes the rate for the frames that follow.
    pub fn set_rate(&mut self, now_ns: u64, rate_bps: u64, burst_bytes: Option<u32>) {
        match self {
            Self::Instant => *self = Self::with_rate(rate_bps, burst_bytes, now_ns),
            Self::Serialiser(serialiser) => serialiser.set_rate(rate_bps),
            Self::TokenBucket(bucket) => bucket.set_rate(now_ns, rate_bps),
            Self::Trace(_) => unreachable!("a trace has no rate to change; LinkConfig::validate refuses it"),
        }
    }
}
