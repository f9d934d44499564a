//! Draws the sizes of transfers.

use fairlane_contract::{CdfPoint, Problem, Sizes};
use fairlane_engine::RandomStream;

/// A checked distribution of sizes.
#[derive(Clone, Debug)]
pub(crate) struct SizeSampler(Sizes);

impl SizeSampler {
    /// # Errors
    /// An invalid distribution; the path of the problem is relative to it.
    pub fn new(sizes: &Sizes) -> Result<Self, Problem> {
        check(sizes)?;
        Ok(Self(sizes.clone()))
    }

    /// At least 1 byte.
    pub fn draw(&self, random: &mut RandomStream) -> u64 {
        let bytes = match &self.0 {
            Sizes::Fixed { bytes } => *bytes,
            Sizes::Exponential { mean_bytes } => random.exponential_ns(*mean_bytes),
            Sizes::Pareto { minimum_bytes, shape, maximum_bytes } => {
                let bytes = *minimum_bytes as f64 * (1.0 - random.unit()).powf(-1.0 / shape);
                (bytes as u64).min(*maximum_bytes)
            }
            Sizes::LogNormal { median_bytes, sigma, maximum_bytes } => {
                let bytes = *median_bytes as f64 * (sigma * random.normal()).exp();
                (bytes as u64).min(*maximum_bytes)
            }
            Sizes::Empirical { points } => quantile(points, random.unit()),
        };
        bytes.max(1)
    }
}

/// The size at a quantile. The first point may have a probability above 0: that share of the transfers has its size.
fn quantile(points: &[CdfPoint], share: f64) -> u64 {
    let above = points.partition_point(|point| point.probability <= share).min(points.len() - 1);
    let Some(below) = above.checked_sub(1) else { return points[0].bytes };
    let (low, high) = (points[below], points[above]);
    let part = (share - low.probability) / (high.probability - low.probability);
    low.bytes + ((high.bytes - low.bytes) as f64 * part) as u64
}

fn check(sizes: &Sizes) -> Result<(), Problem> {
    let refuse = |key: &str, what: &str, remedy: &str| Err(Problem::new(key, what, remedy));
    match sizes {
        Sizes::Pareto { minimum_bytes, maximum_bytes, .. } if maximum_bytes < minimum_bytes => {
            refuse("maximum_bytes", "is less than minimum_bytes", "raise it")
        }
        Sizes::Empirical { points } => {
            let is_ordered =
                points.windows(2).all(|two| two[0].bytes <= two[1].bytes && two[0].probability < two[1].probability);
            match points.last() {
                Some(CdfPoint { probability: 1.0, bytes: 1.. }) if is_ordered => Ok(()),
                _ if !is_ordered => refuse("points", "are not in increasing order from 0 to 1", "sort them"),
                _ => refuse("points", "do not end with a size above 0 at probability 1", "add that point"),
            }
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fairlane_engine::Streams;

    fn mean(sizes: &Sizes) -> f64 {
        let sampler = SizeSampler::new(sizes).expect("it makes sense");
        let mut random = Streams::new(1).stream("sizes", 0);
        (0..200_000).map(|_| sampler.draw(&mut random) as f64).sum::<f64>() / 200_000.0
    }

    fn assert_mean(sizes: &Sizes, expected: f64) {
        let mean = mean(sizes);
        assert!((mean / expected - 1.0).abs() < 0.02, "{sizes:?}: {mean}, not {expected}");
    }

    #[test]
    fn draws_have_the_mean_of_the_formula() {
        let maximum_bytes = 1 << 40;
        assert_mean(&Sizes::Fixed { bytes: 777 }, 777.0);
        assert_mean(&Sizes::Exponential { mean_bytes: 20_000 }, 20_000.0);
        // shape / (shape - 1) times the minimum
        assert_mean(&Sizes::Pareto { minimum_bytes: 1000, shape: 3.0, maximum_bytes }, 1500.0);
        // exp(sigma^2 / 2) times the median
        assert_mean(&Sizes::LogNormal { median_bytes: 1000, sigma: 1.0, maximum_bytes }, 1648.7);
        // a quarter at 100, a quarter uniform from 100 to 300, a half uniform from 300 to 1300
        let points = [(100, 0.25), (300, 0.5), (1300, 1.0)];
        let points = points.map(|(bytes, probability)| CdfPoint { bytes, probability }).to_vec();
        assert_mean(&Sizes::Empirical { points }, 25.0 + 50.0 + 400.0);
    }

    #[test]
    fn a_maximum_holds() {
        let sizes = Sizes::Pareto { minimum_bytes: 1000, shape: 0.5, maximum_bytes: 5000 };
        let sampler = SizeSampler::new(&sizes).expect("it makes sense");
        let mut random = Streams::new(1).stream("sizes", 0);
        assert!((0..1000).all(|_| (1000..=5000).contains(&sampler.draw(&mut random))));
    }

    #[test]
    fn quantiles_are_between_their_points() {
        let points = [(0, 0.0), (100, 0.5), (1100, 1.0)].map(|(bytes, probability)| CdfPoint { bytes, probability });
        let found = [0.0, 0.25, 0.5, 0.75, 0.999].map(|share| quantile(&points, share));
        assert_eq!(found, [0, 50, 100, 600, 1098]);
    }
}
