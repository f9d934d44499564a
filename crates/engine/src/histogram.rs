//! Histograms of measurements: RTTs, queueing delays. The unit is the caller's.
//!
//! Buckets grow with the value: below 128 each value has its own, above that a bucket is at most 1/64 of its value
//! wide. Recording costs a shift and an increment; quantiles are accurate to within 0.8 %; minimum, maximum and mean
//! are exact. Rows of 64 buckets are allocated on first use, so that a histogram of few measurements stays small.

use crate::prefetch;

/// Buckets in a row; a row spans one doubling of the value.
const COLUMNS: usize = 64;
const COLUMN_BITS: u32 = COLUMNS.ilog2();

/// Bucket counts, and the exact count, sum, minimum and maximum; see the module.
#[derive(Clone, Debug, Default)]
#[repr(C)]
pub struct Histogram {
    count: u64,
    sum: u64,
    min: u32,
    max: u32,
    buckets: Buckets,
}

impl Histogram {
    #[inline]
    pub fn record(&mut self, value: u32) {
        self.min = if self.count == 0 { value } else { self.min.min(value) };
        self.max = self.max.max(value);
        self.count += 1;
        self.sum += u64::from(value);
        self.buckets.add(value);
    }

    /// Prefetches the bucket of the latest value; the next one is often close to it.
    #[inline]
    pub fn prefetch(&self) {
        let Buckets { latest, latest_column, .. } = &self.buckets;
        if let Some(count) = latest.as_ref().and_then(|counts| counts.get(*latest_column as usize)) {
            prefetch(count);
        }
    }

    /// Number of recorded values.
    pub fn count(&self) -> u64 {
        self.count
    }

    pub fn sum(&self) -> u64 {
        self.sum
    }

    pub fn min(&self) -> Option<u32> {
        (self.count > 0).then_some(self.min)
    }

    pub fn max(&self) -> Option<u32> {
        (self.count > 0).then_some(self.max)
    }

    pub fn mean(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum as f64 / self.count as f64)
    }

    /// As [`Buckets::quantile`], limited to the minimum and the maximum.
    pub fn quantile(&self, share: f64) -> Option<f64> {
        Some(self.buckets.quantile(share)?.clamp(f64::from(self.min), f64::from(self.max)))
    }

    pub fn buckets(&self) -> &Buckets {
        &self.buckets
    }
}

/// The bucket counts alone, for callers that keep the rest themselves.
///
/// The row of the latest value is kept apart: measurements of one quantity mostly lie within one doubling.
#[derive(Clone, Debug)]
pub struct Buckets {
    latest: Option<Box<Row>>,
    /// Index of that row.
    latest_row: u32,
    /// Index of its latest bucket.
    latest_column: u32,
    /// None before the first value; boxed, because histograms lie in cache lines with other fields.
    rows: Option<Box<Rows>>,
}

type Row = [u32; COLUMNS];

/// The rows by index, in ascending order; none in the place of the latest one.
#[derive(Clone, Debug, Default)]
struct Rows(Vec<(u32, Option<Box<Row>>)>);

impl Rows {
    fn place_of(&self, row: u32) -> Result<usize, usize> {
        self.0.binary_search_by_key(&row, |&(index, _)| index)
    }
}

impl Default for Buckets {
    fn default() -> Self {
        Self { latest: None, latest_row: u32::MAX, latest_column: 0, rows: None }
    }
}

impl Buckets {
    #[inline]
    pub fn add(&mut self, value: u32) {
        let row = row_of(value);
        let column = (value >> row.saturating_sub(1)) as usize % COLUMNS;
        if row != self.latest_row {
            self.turn_to(row);
        }
        self.latest_column = column as u32;
        if let Some(counts) = &mut self.latest {
            counts[column] += 1;
        }
    }

    #[cold]
    #[inline(never)]
    fn turn_to(&mut self, row: u32) {
        let rows = self.rows.get_or_insert_default();
        if let Ok(at) = rows.place_of(self.latest_row) {
            rows.0[at].1 = self.latest.take();
        }
        let at = rows.place_of(row).unwrap_or_else(|at| {
            rows.0.reserve_exact(1); // most histograms have few rows
            rows.0.insert(at, (row, Some(Box::new([0; COLUMNS]))));
            at
        });
        self.latest = rows.0[at].1.take();
        self.latest_row = row;
    }

    /// Number of values.
    pub fn count(&self) -> u64 {
        self.iter().map(|(_, _, count)| u64::from(count)).sum()
    }

    /// The value below which the given share (0 to 1) of the measurements lies, by linear interpolation within a
    /// bucket.
    pub fn quantile(&self, share: f64) -> Option<f64> {
        let rank = share.clamp(0.0, 1.0) * self.count() as f64;
        let (mut below, mut largest) = (0.0, None);
        for (start, width, count) in self.iter() {
            // A bucket of width 1 has only that value.
            let within = if width == 1 { 0.0 } else { f64::from(width) * (rank - below) / f64::from(count) };
            if below + f64::from(count) >= rank {
                return Some(f64::from(start) + within);
            }
            below += f64::from(count);
            largest = Some(f64::from(start) + f64::from(width));
        }
        largest // reached by rounding alone
    }

    /// The non-empty buckets in ascending order: first value, width and count.
    pub fn iter(&self) -> impl Iterator<Item = (u32, u32, u32)> + '_ {
        let rows = self.rows.iter().flat_map(|rows| &rows.0);
        let rows = rows.filter_map(|(row, counts)| Some((*row, counts.as_ref().or(self.latest.as_ref())?)));
        rows.flat_map(|(row, counts)| {
            let shift = row.saturating_sub(1);
            let first = if row == 0 { 0 } else { COLUMNS as u32 };
            (first..).zip(counts.iter()).map(move |(place, &count)| (place << shift, 1 << shift, count))
        })
        .filter(|&(_, _, count)| count > 0)
    }
}

/// Row 0 has the values below 64, row `n` those from 2^(n+5) to below twice that.
#[inline]
fn row_of(value: u32) -> u32 {
    (value | (COLUMNS as u32 - 1)).ilog2() - (COLUMN_BITS - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_falls_into_a_bucket_that_holds_it_and_is_narrow() {
        for value in (0..2_000)
            .chain((11..32).flat_map(|bit| [(1 << bit) - 1, 1 << bit, (1 << bit) + 12_345 % (1 << bit)]))
            .chain([u32::MAX])
        {
            let mut histogram = Histogram::default();
            histogram.record(value);
            let (start, width, count) = histogram.buckets().iter().next().unwrap();
            assert_eq!(count, 1);
            assert!(start <= value && value - start < width, "{value} in {start} + {width}");
            assert!(width == 1 || width <= start / 64, "{value}: {width} wide");
            assert_eq!(histogram.quantile(0.5), Some(f64::from(value)));
        }
    }

    #[test]
    fn quantiles_are_within_a_bucket_of_the_sorted_values() {
        let values: Vec<u32> = (0..10_000_u32).map(|n| 20_000 + n.wrapping_mul(2_654_435_761) % 60_000).collect();
        let mut histogram = Histogram::default();
        values.iter().for_each(|&value| histogram.record(value));
        let mut sorted = values.clone();
        sorted.sort_unstable();
        for (share, place) in [(0.5, 5_000), (0.95, 9_500), (0.99, 9_900)] {
            let exact = f64::from(sorted[place]);
            let found = histogram.quantile(share).unwrap();
            assert!((found - exact).abs() <= exact / 64.0, "{share}: {found} against {exact}");
        }
        assert_eq!(histogram.min(), sorted.first().copied());
        assert_eq!(histogram.max(), sorted.last().copied());
        let sum: u64 = values.iter().map(|&value| u64::from(value)).sum();
        assert_eq!((histogram.count(), histogram.sum()), (10_000, sum));
    }

    #[test]
    fn nothing_recorded_gives_nothing() {
        let histogram = Histogram::default();
        assert_eq!((histogram.min(), histogram.max(), histogram.quantile(0.5)), (None, None, None));
        assert_eq!(histogram.buckets().iter().count(), 0);
    }
}
