//! A flow that has data and a path makes progress, with every algorithm and on every path.

use crate::support::{number, run, MS, SEC};
use proptest::prelude::*;
use serde_json::{json, Value};

const NETWORKS: u32 = 300;
/// No flow may stall for this long.
const LONGEST_SILENCE_S: usize = 25;

fn network() -> impl Strategy<Value = Value> {
    let algorithms = fairlane_algorithm_native::bundled().into_iter().map(|info| info.name).collect::<Vec<_>>();
    let rates = (100_000_u64..5_000_000, 50_000_u64..5_000_000);
    let impairments = (0.0..0.05_f64, 0.0..0.05_f64, 0..30 * MS, any::<bool>(), 0.0..0.02_f64);
    (any::<u64>(), prop::sample::select(algorithms), rates, 0..200 * MS, 2_u64..100, impairments, any::<bool>())
        .prop_map(
            |(seed, algorithm, (rate, rate_back), delay_ns, packets, (loss, loss_back, jitter, reorder, twice), fq)| {
                json!({
                    "seed": seed, "duration_ns": 100 * SEC, "hz": 250, "series_interval_ns": SEC,
                    "links": [
                        {"name": "there", "rate_bps": rate, "delay_ns": delay_ns, "duplicate_probability": twice,
                         "queue": {"kind": "fifo", "limit_packets": packets},
                         "loss": {"kind": "independent", "probability": loss},
                         "jitter": {"max_ns": jitter, "reorder": reorder}},
                        {"name": "back", "rate_bps": rate_back, "delay_ns": delay_ns,
                         "queue": {"kind": "fifo", "limit_packets": packets},
                         "loss": {"kind": "independent", "probability": loss_back}},
                    ],
                    "flows": [{"algorithm": algorithm, "forward": ["there"], "reverse": ["back"],
                               "sender": {"pacing": if fq { "fq" } else { "internal" }}}],
                })
            },
        )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: NETWORKS, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_flow_stands_still(scenario in network()) {
        let result = run(&scenario);
        let mbps: Vec<f64> = result["series"]["flows"][0]["mbps"].as_array().expect("series").iter().map(number).collect();
        let silence = mbps.split(|&rate| rate > 0.0).map(<[f64]>::len).max().unwrap_or(0);
        prop_assert!(silence < LONGEST_SILENCE_S, "silent for {} s\n{}", silence, scenario);
    }
}
