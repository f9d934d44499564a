//! A transmitter with a fixed rate.

use super::exact_rate::ExactRate;
use super::Waiting;

#[derive(Clone, Debug)]
pub(crate) struct Serialiser {
    /// Keeps the fraction of a nanosecond at the end of the last frame.
    rate: ExactRate,
}

impl Serialiser {
    pub fn new(rate_bps: u64) -> Self {
        Self { rate: ExactRate::new(rate_bps) }
    }

    pub fn rate_bps(&self) -> u64 {
        self.rate.rate_bps()
    }

    /// Whole nanoseconds from the start of the frame until its last bit is sent.
    #[inline]
    pub fn duration_ns(&mut self, frame: Waiting) -> u64 {
        if frame.ready_ns >= frame.free_ns {
            // The transmitter was idle: this frame starts on a whole nanosecond.
            self.rate.restart();
        }
        self.rate.advance(frame.frame_bytes)
    }

    /// The rate, and how far the exact end of the last frame lies before the whole nanosecond, in bits × 10⁹. The next
    /// frame starts on a whole nanosecond.
    pub fn rest_at_end(&mut self) -> (u64, u64) {
        let early_bit_ns = self.rate.early_bit_ns();
        self.rate.restart();
        (self.rate.rate_bps(), early_bit_ns)
    }

    pub fn set_rate(&mut self, rate_bps: u64) {
        self.rate = ExactRate::new(rate_bps);
    }
}
