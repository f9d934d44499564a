//! The transmitter: when the frame at the head of the queue starts, and when its last bit is on the wire.
//!
//! Times are computed, not simulated: a transmitter knows how far it is booked (`free_ns`) and answers for the next
//! frame only. `ready_ns` is the time since when the frame could have been taken.

mod exact_rate;
mod serialiser;
mod token_bucket;
mod trace;

use serialiser::Serialiser;
use token_bucket::TokenBucket;
use trace::Trace;

use crate::LinkConfig;

#[derive(Clone, Debug)]
pub(crate) enum Transmitter {
    /// Infinitely fast.
    Instant,
    Serialiser(Serialiser),
    TokenBucket(TokenBucket),
    Trace(Box<Trace>),
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

    /// No frame starts before this time.
    #[inline]
    pub fn free_ns(&self) -> u64 {
        match self {
            Self::Instant => 0,
            Self::Serialiser(serialiser) => serialiser.free_ns(),
            Self::TokenBucket(bucket) => bucket.free_ns(),
            Self::Trace(trace) => trace.free_ns(),
        }
    }

    /// When a frame that is ready since `ready_ns` would start: the moment it stops to count as queued.
    #[inline]
    pub fn start_ns(&self, ready_ns: u64, frame_bytes: u32) -> u64 {
        match self {
            Self::Instant => ready_ns,
            Self::Serialiser(serialiser) => serialiser.start_ns(ready_ns),
            Self::TokenBucket(bucket) => bucket.start_ns(ready_ns, frame_bytes),
            Self::Trace(trace) => trace.start_ns(ready_ns),
        }
    }

    /// Books the frame and says when its last bit leaves; `start_ns` is what [`start_ns`](Self::start_ns) said.
    #[inline]
    pub fn transmit(&mut self, ready_ns: u64, start_ns: u64, frame_bytes: u32) -> u64 {
        match self {
            Self::Instant => start_ns,
            Self::Serialiser(serialiser) => serialiser.transmit(ready_ns, frame_bytes),
            Self::TokenBucket(bucket) => bucket.transmit(ready_ns, start_ns, frame_bytes),
            Self::Trace(trace) => trace.transmit(ready_ns, frame_bytes),
        }
    }

    /// The largest frame that can ever leave.
    pub fn largest_frame_bytes(&self) -> u32 {
        match self {
            Self::TokenBucket(bucket) => bucket.burst_bytes(),
            _ => u32::MAX,
        }
    }

    /// The rate, where there is a single one.
    pub fn rate_bps(&self) -> Option<u64> {
        match self {
            Self::Instant | Self::Trace(_) => None,
            Self::Serialiser(serialiser) => Some(serialiser.rate_bps()),
            Self::TokenBucket(bucket) => Some(bucket.rate_bps()),
        }
    }

    /// All that a trace offered up to and including `now_ns`, used or not.
    pub fn trace_capacity_bytes(&self, now_ns: u64) -> Option<u64> {
        match self {
            Self::Trace(trace) => Some(trace.capacity_bytes(now_ns)),
            _ => None,
        }
    }

    /// From now on at another rate; a frame in transmission keeps its own.
    pub fn set_rate(&mut self, now_ns: u64, rate_bps: u64, burst_bytes: Option<u32>) {
        match self {
            Self::Instant => *self = Self::with_rate(rate_bps, burst_bytes, now_ns),
            Self::Serialiser(serialiser) => serialiser.set_rate(rate_bps),
            Self::TokenBucket(bucket) => bucket.set_rate(now_ns, rate_bps),
            Self::Trace(_) => unreachable!("a trace has no rate to change; LinkConfig::validate refuses it"),
        }
    }
}
