//! The RTTs of a flow's packets: figures, and the histogram behind them.

use fairlane_engine::Histogram;
use serde::Serialize;

/// One RTT for each acknowledgement that gives one: that of the latest packet it covers. Quantiles are exact to within
/// 0.8 %, the rest is exact.
#[derive(Clone, Debug, Serialize)]
pub struct PacketRtt {
    pub packet_rtt_samples: u64,
    pub packet_rtt_mean_ms: Option<f64>,
    pub packet_rtt_median_ms: Option<f64>,
    pub packet_rtt_p95_ms: Option<f64>,
    pub packet_rtt_p99_ms: Option<f64>,
    pub packet_rtt_min_ms: Option<f64>,
    pub packet_rtt_max_ms: Option<f64>,
}

impl PacketRtt {
    pub fn of(histogram: &Histogram) -> Self {
        let quantile_ms = |share| histogram.quantile(share).map(milliseconds);
        Self {
            packet_rtt_samples: histogram.count(),
            packet_rtt_mean_ms: histogram.mean().map(milliseconds),
            packet_rtt_median_ms: quantile_ms(0.5),
            packet_rtt_p95_ms: quantile_ms(0.95),
            packet_rtt_p99_ms: quantile_ms(0.99),
            packet_rtt_min_ms: histogram.min().map(f64::from).map(milliseconds),
            packet_rtt_max_ms: histogram.max().map(f64::from).map(milliseconds),
        }
    }
}

/// A histogram: the middle of each bucket that is not empty, and how many measurements fell into it.
#[derive(Clone, Debug, Default, Serialize)]
pub struct RttDistribution {
    pub rtt_ms: Vec<f32>,
    pub samples: Vec<u32>,
}

impl RttDistribution {
    pub fn of(histogram: &Histogram) -> Self {
        let mut distribution = Self::default();
        for (start_us, width_us, count) in histogram.buckets().iter() {
            // The values of a bucket are whole microseconds: the middle of [64, 65] is 64.5, that of [64] is 64.
            let middle_us = f64::from(start_us) + f64::from(width_us - 1) / 2.0;
            distribution.rtt_ms.push(milliseconds(middle_us) as f32);
            distribution.samples.push(count);
        }
        distribution
    }
}

fn milliseconds(us: f64) -> f64 {
    us / 1000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_and_buckets_by_hand() {
        let mut histogram = Histogram::default();
        for rtt_us in [100, 100, 100, 130] {
            histogram.record(rtt_us);
        }
        let rtt = PacketRtt::of(&histogram);
        assert_eq!((rtt.packet_rtt_samples, rtt.packet_rtt_mean_ms), (4, Some(0.1075)));
        assert_eq!((rtt.packet_rtt_median_ms, rtt.packet_rtt_max_ms), (Some(0.1), Some(0.13)));
        let distribution = RttDistribution::of(&histogram);
        assert_eq!(distribution.rtt_ms, [0.1, 0.1305]); // 130 and 131 us share a bucket
        assert_eq!(distribution.samples, [3, 1]);
        assert_eq!(PacketRtt::of(&Histogram::default()).packet_rtt_median_ms, None);
    }
}
