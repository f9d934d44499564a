//! Random delays.

use fairlane_contract::{JitterConfig, JitterDistribution};
use fairlane_engine::RandomStream;

pub(super) struct Jitter {
    kind: Kind,
    stream: RandomStream,
    /// Weight of the previous delay, in units of 2⁻³², and that delay.
    carry: u64,
    last_ns: i64,
}

enum Kind {
    /// From 0 to this.
    Added {
        max_ns: u64,
    },
    Spread {
        spread_ns: u64,
        distribution: JitterDistribution,
    },
}

/// The weight 1 in the fixed point of `carry`.
const WHOLE: u64 = 1 << 32;
/// tc's tables of distributions end here, in multiples of the spread.
const TABLE_END: f64 = 4.0;

impl Jitter {
    /// None for a jitter of zero.
    pub fn new(config: &JitterConfig, stream: RandomStream) -> Option<Self> {
        let distribution = config.distribution.unwrap_or_default();
        let (kind, last_ns) = match (config.spread_ns.unwrap_or(0), config.max_ns) {
            (0, 0) => return None,
            (0, max_ns) => (Kind::Added { max_ns }, (max_ns / 2) as i64),
            (spread_ns, _) => (Kind::Spread { spread_ns, distribution }, 0),
        };
        Some(Self { kind, stream, carry: (config.correlation * WHOLE as f64) as u64, last_ns })
    }

    /// Added to the delay of the packet that leaves the transmitter now; may be negative.
    pub fn next_ns(&mut self) -> i64 {
        let fresh_ns = match self.kind {
            Kind::Added { max_ns } => self.stream.below(max_ns + 1) as i64,
            Kind::Spread { spread_ns, distribution } => {
                (spread_ns as f64 * standardised(distribution, self.stream.unit())) as i64
            }
        };
        if self.carry == 0 {
            return fresh_ns;
        }
        let (carry, fresh) = (i128::from(self.carry), i128::from(WHOLE - self.carry));
        let sum = i128::from(self.last_ns) * carry + i128::from(fresh_ns) * fresh;
        self.last_ns = (sum / i128::from(WHOLE)) as i64;
        self.last_ns
    }

    /// The most by which it shortens a delay.
    pub fn most_below_ns(&self) -> u64 {
        match self.kind {
            Kind::Added { .. } => 0,
            Kind::Spread { spread_ns, distribution } => {
                (spread_ns as f64 * -standardised(distribution, 0.0)).ceil() as u64
            }
        }
    }
}

/// The quantile of a distribution with the location 0 and the spread 1. The formulas are those of tc's tables.
fn standardised(distribution: JitterDistribution, quantile: f64) -> f64 {
    match distribution {
        JitterDistribution::Uniform => 2.0 * quantile - 1.0,
        JitterDistribution::Normal => normal(quantile),
        JitterDistribution::Pareto => pareto(quantile),
        JitterDistribution::Paretonormal => (normal(quantile) + 3.0 * pareto(quantile)) / 4.0,
    }
}

/// With the exponent 3, less its mean, times 4/3; the table ends at 4.
fn pareto(quantile: f64) -> f64 {
    ((1.0 / (1.0 - quantile).cbrt() - 1.5) * (4.0 / 3.0)).min(TABLE_END)
}

/// The inverse of the normal distribution, by the rational approximation of Acklam (2003), which is within 1.2e-9.
fn normal(quantile: f64) -> f64 {
    const A: [f64; 6] = [
        -3.969683028665376e1,
        2.209460984245205e2,
        -2.759285104469687e2,
        1.383_577_518_672_69e2,
        -3.066479806614716e1,
        2.506628277459239,
    ];
    const B: [f64; 6] = [
        -5.447609879822406e1,
        1.615858368580409e2,
        -1.556989798598866e2,
        6.680131188771972e1,
        -1.328068155288572e1,
        1.0,
    ];
    const C: [f64; 6] = [
        -7.784894002430293e-3,
        -3.223964580411365e-1,
        -2.400758277161838,
        -2.549732539343734,
        4.374664141464968,
        2.938163982698783,
    ];
    const D: [f64; 5] = [7.784695709041462e-3, 3.224671290700398e-1, 2.445134137142996, 3.754408661907416, 1.0];
    /// Beyond this quantile, and its mirror, another formula holds.
    const TAIL: f64 = 0.02425;
    let polynomial = |coefficients: &[f64], x: f64| coefficients.iter().fold(0.0, |sum, &next| sum * x + next);
    let tail = |quantile: f64| {
        let root = (-2.0 * quantile.ln()).sqrt();
        polynomial(&C, root) / polynomial(&D, root)
    };
    let found = if quantile <= 0.0 {
        -TABLE_END
    } else if quantile < TAIL {
        tail(quantile)
    } else if quantile > 1.0 - TAIL {
        -tail(1.0 - quantile)
    } else {
        let centred = quantile - 0.5;
        let square = centred * centred;
        polynomial(&A, square) * centred / polynomial(&B, square)
    };
    found.clamp(-TABLE_END, TABLE_END)
}

#[cfg(test)]
mod tests {
    use fairlane_engine::Streams;

    use super::*;

    fn moments(distribution: JitterDistribution, correlation: f64) -> (f64, f64) {
        let config = JitterConfig {
            spread_ns: Some(1_000_000),
            distribution: Some(distribution),
            correlation,
            ..JitterConfig::default()
        };
        let mut jitter = Jitter::new(&config, Streams::new(3).stream("test", 0)).unwrap();
        let delays: Vec<f64> = (0..200_000).map(|_| jitter.next_ns() as f64 / 1e6).collect();
        let mean = delays.iter().sum::<f64>() / delays.len() as f64;
        let variance = delays.iter().map(|delay| (delay - mean).powi(2)).sum::<f64>() / delays.len() as f64;
        assert!(delays.iter().all(|&delay| delay >= -(jitter.most_below_ns() as f64) / 1e6));
        (mean, variance.sqrt())
    }

    #[test]
    fn distributions_have_their_moments() {
        let near = |(mean, deviation): (f64, f64), expected: (f64, f64)| {
            assert!((mean - expected.0).abs() < 0.01, "mean {mean}, expected {}", expected.0);
            assert!((deviation - expected.1).abs() < 0.01, "deviation {deviation}, expected {}", expected.1);
        };
        near(moments(JitterDistribution::Uniform, 0.0), (0.0, (1.0_f64 / 3.0).sqrt()));
        near(moments(JitterDistribution::Normal, 0.0), (0.0, 1.0));
        // Without the end of the table at 4 the mean would be 0 and the deviation 2/√3.
        near(moments(JitterDistribution::Pareto, 0.0), (-0.0329, 0.8209));
    }

    #[test]
    fn quantiles_of_the_normal_distribution() {
        for (quantile, expected) in [(0.5, 0.0), (0.841_344_746, 1.0), (0.022_750_132, -2.0), (0.998_650_102, 3.0)] {
            assert!((normal(quantile) - expected).abs() < 1e-6, "{quantile}");
        }
    }

    #[test]
    fn correlation_narrows_as_the_weights_say() {
        let (_, deviation) = moments(JitterDistribution::Normal, 0.5);
        assert!((deviation - (1.0_f64 / 3.0).sqrt()).abs() < 0.01, "{deviation}");
    }
}
