//! The send buffer, whose memory limits what is in flight where nothing else does.

mod support;

use serde_json::{json, Value};
use support::{dumbbell, number, run, MS, SEC};

fn most_in_flight(rate_bps: u64, sender: Value) -> f64 {
    let mut scenario = dumbbell(&["reno"], rate_bps, 100 * MS, json!({"kind": "unlimited"}), 30 * SEC);
    scenario["flows"][0]["sender"] = sender;
    let result = run(&scenario);
    let in_flight = result["series"]["flows"][0]["inflight_packets"].as_array().expect("a series");
    in_flight.iter().map(number).fold(0.0, f64::max)
}

/// Memory is charged for each burst (`truesize` of its buffer): 4 MiB hold 271 bursts of 10 segments, as Linux sends them
/// at 100 Mbit/s, and 63 of 45. Charged for each segment they would hold 1,892 segments.
#[test]
fn four_mebibytes_hold_some_2700_segments_in_bursts_and_1741_without() {
    for rate_bps in [100_000_000, 1_000_000_000] {
        let most = most_in_flight(rate_bps, json!({"wmem_max_bytes": 4 << 20}));
        assert!((2_600.0..2_860.0).contains(&most), "{rate_bps} b/s: {most}");
    }
    let alone = most_in_flight(100_000_000, json!({"wmem_max_bytes": 4 << 20, "segmentation_offload": false}));
    assert!((1_700.0..=1_741.0).contains(&alone), "{alone}");
}
