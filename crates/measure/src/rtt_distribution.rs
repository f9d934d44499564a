//! The RTTs of a flow's packets: metrics, and the histogram behind them.

use fairlane_contract::{PacketRtt, RttDistribution};
use fairlane_engine::Histogram;

pub fn packet_rtt(histogram: &Histogram) -> PacketRtt {
    let quantile_ms = |share| histogram.quantile(share).map(milliseconds);
    PacketRtt {
        packet_rtt_samples: histogram.count(),
        packet_rtt_mean_ms: histogram.mean().map(milliseconds),
        packet_rtt_median_ms: quantile_ms(0.5),
        packet_rtt_p95_ms: quantile_ms(0.95),
        packet_rtt_p99_ms: quantile_ms(0.99),
        packet_rtt_min_ms: histogram.min().map(f64::from).map(milliseconds),
        packet_rtt_max_ms: histogram.max().map(f64::from).map(milliseconds),
    }
}

pub fn rtt_distribution(histogram: &Histogram) -> RttDistribution {
    let mut distribution = RttDistribution::default();
    for (start_us, width_us, count) in histogram.buckets().iter() {
        // The values of a bucket are whole microseconds: the middle of [64, 65] is 64.5, that of [64] is 64.
        let middle_us = f64::from(start_us) + f64::from(width_us - 1) / 2.0;
        distribution.rtt_ms.push(milliseconds(middle_us) as f32);
        distribution.samples.push(count);
    }
    distribution
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
        let rtt = packet_rtt(&histogram);
        assert_eq!((rtt.packet_rtt_samples, rtt.packet_rtt_mean_ms), (4, Some(0.1075)));
        assert_eq!((rtt.packet_rtt_median_ms, rtt.packet_rtt_max_ms), (Some(0.1), Some(0.13)));
        let distribution = rtt_distribution(&histogram);
        assert_eq!(distribution.rtt_ms, [0.1, 0.1305]); // 130 and 131 us share a bucket
        assert_eq!(distribution.samples, [3, 1]);
        assert_eq!(packet_rtt(&Histogram::default()).packet_rtt_median_ms, None);
    }
}
