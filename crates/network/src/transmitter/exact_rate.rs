//! Converts bytes to nanoseconds at a given rate, without drift: the rounding error carries over to the next frame.

use fairlane_engine::NS_PER_SEC;

/// A rate and the fraction of a nanosecond carried over.
///
/// A time is kept in whole nanoseconds, rounded up, by the caller, and as `remainder` here: the exact time is
/// `(rate_bps - 1 - remainder) / rate_bps` ns before the rounded one. Sums of frames are therefore exact rationals at
/// any rate.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ExactRate {
    rate_bps: u64,
    /// ⌊(2⁶⁴ − 1) / rate⌋: division by the rate becomes one multiplication and one correction.
    reciprocal: u64,
    remainder: u64,
}

impl ExactRate {
    pub fn new(rate_bps: u64) -> Self {
        assert!(rate_bps > 0, "a rate of zero never sends; LinkConfig::validate refuses it");
        Self { rate_bps, reciprocal: u64::MAX / rate_bps, remainder: rate_bps - 1 }
    }

    #[inline]
    pub fn rate_bps(&self) -> u64 {
        self.rate_bps
    }

    /// The exact time is a whole nanosecond now.
    #[inline]
    pub fn restart(&mut self) {
        self.remainder = self.rate_bps - 1;
    }

    /// How far the exact time lies before the rounded one, in bits × 10⁹ at the rate.
    pub fn early_bit_ns(&self) -> u64 {
        self.rate_bps - 1 - self.remainder
    }

    /// Advances the time by the duration of `bytes`; returns the step in whole nanoseconds.
    #[inline]
    pub fn advance(&mut self, bytes: u32) -> u64 {
        let (step_ns, remainder) = self.divide(bit_ns(bytes) + self.remainder);
        self.remainder = remainder;
        step_ns
    }

    /// Whole nanoseconds by which the time would be earlier with `bytes` fewer bytes.
    #[inline]
    pub fn step_back_ns(&self, bytes: u32) -> u64 {
        self.divide(bit_ns(bytes) + (self.rate_bps - 1 - self.remainder)).0
    }

    /// Quotient and remainder of `dividend / rate`. The estimate is short by at most one: it errs by
    /// dividend × (2⁶⁴ − reciprocal × rate) / (rate × 2⁶⁴) < 1.
    #[inline]
    fn divide(&self, dividend: u64) -> (u64, u64) {
        let estimate = ((u128::from(dividend) * u128::from(self.reciprocal)) >> 64) as u64;
        let remainder = dividend - estimate * self.rate_bps;
        if remainder >= self.rate_bps {
            (estimate + 1, remainder - self.rate_bps)
        } else {
            (estimate, remainder)
        }
    }
}

/// Bits times nanoseconds per second: divided by bits per second, the time that `bytes` take.
#[inline]
fn bit_ns(bytes: u32) -> u64 {
    debug_assert!(bytes <= MAX_BYTES, "{bytes} bytes are too many for 64-bit arithmetic");
    u64::from(bytes) * (8 * NS_PER_SEC)
}

/// 2⁶⁴ / (8 × 10⁹), less room for a remainder of up to 10¹⁵.
const MAX_BYTES: u32 = 2_300_000_000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn division_agrees_with_the_processor_at_awkward_rates() {
        for rate_bps in [1, 2, 3, 7, 999_999_937, 25_000_000_000, 1 << 40, (1 << 49) + 1, 1_000_000_000_000_000] {
            let rate = ExactRate::new(rate_bps);
            for dividend in [0, 1, rate_bps - 1, rate_bps, rate_bps + 1, 12_112_000_000_000, u64::MAX - 1, u64::MAX] {
                assert_eq!(
                    rate.divide(dividend),
                    (dividend / rate_bps, dividend % rate_bps),
                    "{dividend} / {rate_bps}"
                );
            }
        }
    }

    #[test]
    fn a_million_frames_take_exactly_their_time() {
        // 1514 bytes at 25 Gbit/s take 484.48 ns; rounding each one up would cost 0.1 %.
        for (rate_bps, bytes) in [(25_000_000_000_u64, 1514_u32), (7, 1), (999_999_937, 8962)] {
            let mut rate = ExactRate::new(rate_bps);
            let total_ns: u128 = (0..1_000_000).map(|_| u128::from(rate.advance(bytes))).sum();
            let bits_ns = u128::from(bytes) * 8 * u128::from(NS_PER_SEC) * 1_000_000;
            assert_eq!(total_ns, bits_ns.div_ceil(u128::from(rate_bps)));
        }
    }
}
