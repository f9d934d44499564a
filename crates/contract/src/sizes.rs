//! How large transfers are.

use schemars::JsonSchema;
use serde::Deserialize;

/// Distribution of the sizes of transfers.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Sizes {
    /// All transfers have the same size.
    Fixed {
        /// The size.
        bytes: u64,
    },
    /// Exponential distribution.
    Exponential {
        /// Mean size.
        mean_bytes: u64,
    },
    /// Pareto distribution: a size is larger than x with probability (minimum / x)^shape. Larger draws than the maximum
    /// count as the maximum.
    Pareto {
        /// Smallest size.
        minimum_bytes: u64,
        /// Tail index; the smaller, the heavier the tail.
        shape: f64,
        /// Largest size.
        #[serde(default = "default_maximum_bytes")]
        maximum_bytes: u64,
    },
    /// Log-normal distribution. Larger draws than the maximum count as the maximum.
    LogNormal {
        /// Median size.
        median_bytes: u64,
        /// Standard deviation of the natural logarithm of the size.
        sigma: f64,
        /// Largest size.
        #[serde(default = "default_maximum_bytes")]
        maximum_bytes: u64,
    },
    /// A measured distribution: sizes between two points are uniformly distributed.
    Empirical {
        /// Points of the cumulative distribution function, in increasing order; the last one has probability 1.
        points: Vec<CdfPoint>,
    },
}

/// A point of a cumulative distribution function.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CdfPoint {
    /// A size.
    pub bytes: u64,
    /// Share of the transfers that are at most that large, 0 to 1.
    pub probability: f64,
}

fn default_maximum_bytes() -> u64 {
    1 << 40
}
