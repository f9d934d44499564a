//! A transmitter that sends bit after bit at a fixed rate.

use super::exact_rate::ExactRate;

#[derive(Clone, Debug)]
pub(crate) struct Serialiser {
    rate: ExactRate,
    /// When the last bit of the last frame leaves, rounded up; `rate` knows the fraction.
    free_ns: u64,
}

impl Serialiser {
    pub fn new(rate_bps: u64) -> Self {
        Self { rate: ExactRate::new(rate_bps), free_ns: 0 }
    }

    #[inline]
    pub fn free_ns(&self) -> u64 {
        self.free_ns
    }

    pub fn rate_bps(&self) -> u64 {
        self.rate.rate_bps()
    }

    #[inline]
    pub fn start_ns(&self, ready_ns: u64) -> u64 {
        self.free_ns.max(ready_ns)
    }

    #[inline]
    pub fn transmit(&mut self, ready_ns: u64, frame_bytes: u32) -> u64 {
        if ready_ns >= self.free_ns {
            // The transmitter was idle: this frame starts on a whole nanosecond.
            self.free_ns = ready_ns;
            self.rate.restart();
        }
        self.free_ns += self.rate.advance(frame_bytes);
        self.free_ns
    }

    pub fn set_rate(&mut self, rate_bps: u64) {
        self.rate = ExactRate::new(rate_bps);
    }
}
