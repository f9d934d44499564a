//! RTT measurements of a connection, counted by size.
//!
//! A histogram whose buckets grow with the value: below 128 us each microsecond has its own, above a bucket is at
//! most 1/64 of its value wide. Counting costs a shift and an increment; quantiles are exact to within 0.8 %, the
//! smallest, the largest and the mean are exact. Rows of 64 buckets come into being when they are first needed, so that
//! short flows stay small.

/// Buckets in a row; a row spans one doubling of the RTT.
const COLUMNS: usize = 64;
const COLUMN_BITS: u32 = COLUMNS.ilog2();
/// Enough for every `u32`.
const ROWS: usize = (u32::BITS - COLUMN_BITS) as usize + 1;

/// The measurements of one connection; see the module.
#[derive(Clone, Debug, Default)]
pub struct RttHistogram {
    count: u64,
    sum_us: u64,
    min_us: u32,
    max_us: u32,
    rows: [Option<Box<[u32; COLUMNS]>>; ROWS],
}

impl RttHistogram {
    #[inline]
    pub fn record(&mut self, rtt_us: u32) {
        self.min_us = if self.count == 0 { rtt_us } else { self.min_us.min(rtt_us) };
        self.max_us = self.max_us.max(rtt_us);
        self.count += 1;
        self.sum_us += u64::from(rtt_us);
        let row = row_of(rtt_us);
        let column = (rtt_us >> row.saturating_sub(1)) as usize % COLUMNS;
        self.rows[row as usize].get_or_insert_with(|| Box::new([0; COLUMNS]))[column] += 1;
    }

    /// How many were recorded.
    pub fn count(&self) -> u64 {
        self.count
    }

    pub fn sum_us(&self) -> u64 {
        self.sum_us
    }

    pub fn min_us(&self) -> Option<u32> {
        (self.count > 0).then_some(self.min_us)
    }

    pub fn max_us(&self) -> Option<u32> {
        (self.count > 0).then_some(self.max_us)
    }

    pub fn mean_us(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum_us as f64 / self.count as f64)
    }

    /// The value below which the given share (0 to 1) of the measurements lies; those of one bucket count as spread
    /// evenly over it.
    pub fn quantile_us(&self, share: f64) -> Option<f64> {
        let rank = share.clamp(0.0, 1.0) * self.count as f64;
        let mut below = 0.0;
        for (start_us, width_us, count) in self.buckets() {
            if below + f64::from(count) >= rank {
                let value_us = f64::from(start_us) + f64::from(width_us) * (rank - below) / f64::from(count);
                // A bucket of one microsecond holds that value and nothing beside it.
                let value_us = if width_us == 1 { f64::from(start_us) } else { value_us };
                return Some(value_us.clamp(f64::from(self.min_us), f64::from(self.max_us)));
            }
            below += f64::from(count);
        }
        self.max_us().map(f64::from)
    }

    /// The buckets in use from the smallest up: first value, width and count.
    pub fn buckets(&self) -> impl Iterator<Item = (u32, u32, u32)> + '_ {
        let rows = (0_u32..).zip(&self.rows).filter_map(|(row, counts)| Some((row, counts.as_ref()?)));
        rows.flat_map(|(row, counts)| {
            let shift = row.saturating_sub(1);
            let first = if row == 0 { 0 } else { COLUMNS as u32 };
            (first..).zip(counts.iter()).map(move |(place, &count)| (place << shift, 1 << shift, count))
        })
        .filter(|&(_, _, count)| count > 0)
    }
}

/// Row 0 holds what is below 64 us, row `n` what lies from 2^(n+5) us to below twice that.
#[inline]
fn row_of(rtt_us: u32) -> u32 {
    (rtt_us | (COLUMNS as u32 - 1)).ilog2() - (COLUMN_BITS - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_falls_into_a_bucket_that_holds_it_and_is_narrow() {
        for rtt_us in (0..2_000)
            .chain((11..32).flat_map(|bit| [(1 << bit) - 1, 1 << bit, (1 << bit) + 12_345 % (1 << bit)]))
            .chain([u32::MAX])
        {
            let mut histogram = RttHistogram::default();
            histogram.record(rtt_us);
            let (start_us, width_us, count) = histogram.buckets().next().unwrap();
            assert_eq!(count, 1);
            assert!(start_us <= rtt_us && rtt_us - start_us < width_us, "{rtt_us} in {start_us} + {width_us}");
            assert!(width_us == 1 || width_us <= start_us / 64, "{rtt_us}: {width_us} wide");
            assert_eq!(histogram.quantile_us(0.5), Some(f64::from(rtt_us)));
        }
    }

    #[test]
    fn quantiles_are_within_a_bucket_of_the_sorted_values() {
        let values: Vec<u32> = (0..10_000_u32).map(|n| 20_000 + n.wrapping_mul(2_654_435_761) % 60_000).collect();
        let mut histogram = RttHistogram::default();
        values.iter().for_each(|&value| histogram.record(value));
        let mut sorted = values.clone();
        sorted.sort_unstable();
        for (share, place) in [(0.5, 5_000), (0.95, 9_500), (0.99, 9_900)] {
            let exact = f64::from(sorted[place]);
            let found = histogram.quantile_us(share).unwrap();
            assert!((found - exact).abs() <= exact / 64.0, "{share}: {found} against {exact}");
        }
        assert_eq!(histogram.min_us(), sorted.first().copied());
        assert_eq!(histogram.max_us(), sorted.last().copied());
        let sum: u64 = values.iter().map(|&value| u64::from(value)).sum();
        assert_eq!((histogram.count(), histogram.sum_us()), (10_000, sum));
    }

    #[test]
    fn nothing_recorded_gives_nothing() {
        let histogram = RttHistogram::default();
        assert_eq!((histogram.min_us(), histogram.max_us(), histogram.quantile_us(0.5)), (None, None, None));
        assert_eq!(histogram.buckets().count(), 0);
    }
}
