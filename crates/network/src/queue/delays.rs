//! Queueing delays of the packets that left a queue.

use fairlane_engine::Buckets;

/// Sum, maximum and distribution of the queueing delays.
#[derive(Clone, Debug, Default)]
pub struct Delays {
    /// Of all packets, never reset.
    pub sum_ns: u128,
    pub longest_ns: u64,
    /// Packets without delay: most packets of an unsaturated link, so they are counted without a bucket.
    at_once_packets: u64,
    /// The others, in ticks; boxed, to keep the fields that every packet touches in one cache line.
    waited: Box<Buckets>,
}

impl Delays {
    #[inline]
    pub fn add(&mut self, delay_ns: u64) {
        if delay_ns == 0 {
            self.at_once_packets += 1;
            return;
        }
        self.sum_ns += u128::from(delay_ns);
        self.longest_ns = self.longest_ns.max(delay_ns);
        self.waited.add(u32::try_from(delay_ns >> TICK_LOG).unwrap_or(u32::MAX));
    }

    /// Restarts the longest delay and the distribution.
    pub fn restart(&mut self) {
        *self = Self { sum_ns: self.sum_ns, ..Self::default() };
    }

    /// The delay that the given share (0 to 1) of the packets did not exceed, to within 0.8 % or 64 ns; none without
    /// packets.
    pub fn quantile_ns(&self, share: f64) -> Option<f64> {
        let (at_once, waited) = (self.at_once_packets as f64, self.waited.count() as f64);
        let rank = share.clamp(0.0, 1.0) * (at_once + waited);
        if rank <= at_once {
            return (at_once + waited > 0.0).then_some(0.0);
        }
        let ticks = self.waited.quantile((rank - at_once) / waited)?;
        Some((ticks * f64::from(1 << TICK_LOG)).min(self.longest_ns as f64))
    }
}

/// A tick is 64 ns: 32 bits of them are 275 s, and the shortest packet takes longer on a link of 1 Gbit/s.
const TICK_LOG: u32 = 6;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_by_hand() {
        let mut delays = Delays::default();
        assert_eq!(delays.quantile_ns(0.5), None);
        for _ in 0..50 {
            delays.add(0);
        }
        for n in 1..=50 {
            delays.add(n * 6_400_000);
        }
        assert_eq!(delays.quantile_ns(0.5), Some(0.0));
        let (expected_ns, found_ns) = (45.0 * 6_400_000.0, delays.quantile_ns(0.95).unwrap());
        assert!((found_ns - expected_ns).abs() <= expected_ns / 64.0, "{found_ns}");
        assert_eq!(delays.quantile_ns(1.0), Some(50.0 * 6_400_000.0));
        assert_eq!((delays.sum_ns, delays.longest_ns), (50 * 51 / 2 * 6_400_000, 50 * 6_400_000));
        delays.restart();
        assert_eq!((delays.quantile_ns(0.95), delays.longest_ns), (None, 0));
        assert_eq!(delays.sum_ns, 50 * 51 / 2 * 6_400_000);
    }

    #[test]
    fn delays_beyond_the_histogram_count_as_its_longest() {
        let mut delays = Delays::default();
        delays.add(10_000_000_000_000);
        assert!(delays.quantile_ns(0.5).unwrap() >= 270e9);
        assert_eq!(delays.longest_ns, 10_000_000_000_000);
    }
}
