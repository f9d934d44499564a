//! Seeded random numbers, one independent stream per component.
//!
//! A stream's seed depends on the run's seed, the component's kind and the component's own number, and
//! on nothing else: one more flow or link in a scenario leaves the numbers of all others as they were.

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// Gives out random streams for one run.
#[derive(Clone, Copy, Debug)]
pub struct Streams {
    seed: u64,
}

impl Streams {
    pub fn new(seed: u64) -> Self {
        Self { seed }
    }

    /// The stream of component `index` of the kind `kind`, for example `("link loss", 2)`.
    pub fn stream(&self, kind: &str, index: u64) -> RandomStream {
        // FNV-1a over the kind, then one SplitMix64 step for each ingredient.
        let kind_hash = kind
            .bytes()
            .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3));
        let mixed = mix(mix(mix(self.seed) ^ kind_hash) ^ index);
        RandomStream(Xoshiro256PlusPlus::seed_from_u64(mixed))
    }
}

/// One step of SplitMix64's output function: spreads every input bit over the whole word.
fn mix(value: u64) -> u64 {
    let mut z = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// A reproducible sequence of random numbers.
#[derive(Clone, Debug)]
pub struct RandomStream(Xoshiro256PlusPlus);

impl RandomStream {
    #[inline]
    pub fn next_u64(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// An integer from 0 to `bound - 1` (0 when `bound` is 0).
    #[inline]
    pub fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.next_u64()) * u128::from(bound)) >> 64) as u64
    }

    /// A number in [0, 1) with 53 random bits.
    #[inline]
    pub fn unit(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 * (1.0 / (1_u64 << 53) as f64)
    }

    /// True with the given probability; draws a number even when the answer is certain.
    #[inline]
    pub fn with_probability(&mut self, probability: f64) -> bool {
        self.unit() < probability
    }

    /// An exponentially distributed duration with the given mean, in nanoseconds.
    pub fn exponential_ns(&mut self, mean_ns: u64) -> u64 {
        (-(1.0 - self.unit()).ln() * mean_ns as f64) as u64
    }

    /// A number of the standard normal distribution, by the method of Box and Muller.
    pub fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.unit()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.unit()).cos()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn same_seed_same_numbers_and_other_components_do_not_matter() {
        let take = |seed, kind, index| {
            let mut stream = Streams::new(seed).stream(kind, index);
            [stream.next_u64(), stream.next_u64()]
        };
        assert_eq!(take(7, "loss", 0), take(7, "loss", 0));
        assert_ne!(take(7, "loss", 0), take(7, "loss", 1));
        assert_ne!(take(7, "loss", 0), take(7, "jitter", 0));
        assert_ne!(take(7, "loss", 0), take(8, "loss", 0));
    }

    #[test]
    fn draws_keep_their_bounds_and_means() {
        let mut stream = Streams::new(3).stream("test", 0);
        let n = 100_000;
        let mean_below: f64 = (0..n).map(|_| stream.below(10) as f64).sum::<f64>() / f64::from(n);
        let mean_exponential: f64 = (0..n).map(|_| stream.exponential_ns(1000) as f64).sum::<f64>() / f64::from(n);
        assert!((mean_below - 4.5).abs() < 0.05, "{mean_below}");
        assert!((mean_exponential - 1000.0).abs() < 20.0, "{mean_exponential}");
        assert_eq!(stream.below(0), 0);
        let normal: Vec<f64> = (0..n).map(|_| stream.normal()).collect();
        let mean = normal.iter().sum::<f64>() / f64::from(n);
        let variance = normal.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / f64::from(n);
        assert!(mean.abs() < 0.02 && (variance - 1.0).abs() < 0.02, "{mean} {variance}");
    }
}
