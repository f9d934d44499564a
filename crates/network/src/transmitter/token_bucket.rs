//! A token bucket like tc's tbf: tokens arrive at a fixed rate, the bucket holds at most `burst_bytes`, and a frame is
//! sent as a whole as soon as there are enough tokens.
//!
//! The state is a single time: when the bucket would be full if no more frames were sent. A frame delays that time by
//! its transmission time, and may be sent once the bucket lacks at most `burst_bytes` minus the frame's size.

use fairlane_engine::NS_PER_SEC;

use super::exact_rate::ExactRate;
use super::Waiting;

#[derive(Clone, Debug)]
pub(crate) struct TokenBucket {
    rate: ExactRate,
    burst_bytes: u32,
    /// When the bucket will be full, rounded up; `rate` keeps the fraction.
    full_ns: u64,
}

impl TokenBucket {
    /// A bucket that is full at `now_ns`.
    pub fn new(rate_bps: u64, burst_bytes: u32, now_ns: u64) -> Self {
        Self { rate: ExactRate::new(rate_bps), burst_bytes, full_ns: now_ns }
    }

    /// The burst. A larger frame would wait forever, so the link drops it on arrival.
    pub fn burst_bytes(&self) -> u32 {
        self.burst_bytes
    }

    pub fn rate_bps(&self) -> u64 {
        self.rate.rate_bps()
    }

    /// Tokens in the bucket, rounded up.
    pub fn tokens_bytes(&self, now_ns: u64) -> u64 {
        let missing_ns = u128::from(self.full_ns.saturating_sub(now_ns));
        let missing_bytes = missing_ns * u128::from(self.rate.rate_bps()) / u128::from(8 * NS_PER_SEC);
        u64::from(self.burst_bytes).saturating_sub(missing_bytes as u64)
    }

    /// When a frame may be sent: at the earliest as soon as there are enough tokens.
    #[inline]
    pub fn start_ns(&self, frame: Waiting) -> u64 {
        let left_in_bucket = self.burst_bytes - frame.frame_bytes;
        let tokens_ns = self.full_ns.saturating_sub(self.rate.step_back_ns(left_in_bucket));
        tokens_ns.max(frame.earliest_ns())
    }

    /// Takes the tokens of a frame that is sent. If it had to wait for them, its exact start lies within the nanosecond
    /// before the rounded one: no tokens are lost to rounding, even if the frame fills the bucket.
    #[inline]
    pub fn take(&mut self, frame: Waiting) {
        if self.full_ns <= frame.ready_ns {
            self.full_ns = frame.ready_ns;
            self.rate.restart();
        }
        self.full_ns += self.rate.advance(frame.frame_bytes);
    }

    /// Sends nothing before `until_ns`. Tokens arrive meanwhile, up to the burst.
    pub fn pause(&mut self, until_ns: u64) {
        if self.full_ns < until_ns {
            self.full_ns = until_ns;
            self.rate.restart();
        }
    }

    /// Keeps the tokens; missing ones arrive at the new rate.
    pub fn set_rate(&mut self, now_ns: u64, rate_bps: u64) {
        let missing_ns = u128::from(self.full_ns.saturating_sub(now_ns));
        let missing_bit_ns = missing_ns * u128::from(self.rate.rate_bps());
        self.full_ns = now_ns + missing_bit_ns.div_ceil(u128::from(rate_bps)) as u64;
        self.rate = ExactRate::new(rate_bps);
    }
}
