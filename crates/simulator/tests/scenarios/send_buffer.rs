//! The send buffer, whose memory limits the inflight if nothing else does.

use crate::support::{dumbbell, number, one_bdp, run, MS, SEC};
use serde_json::{json, Value};

fn most_in_flight(rate_bps: u64, sender: Value) -> f64 {
    let mut scenario = dumbbell(&["reno"], rate_bps, 100 * MS, json!({"kind": "unlimited"}), 5 * SEC);
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

/// Megabits per second of a flow alone that pauses for half a second after each second, 50 Mbit/s, 40 ms, 1 BDP.
fn pausing(algorithm: &str, header_room_bytes: u64) -> f64 {
    let (rate_bps, rtt_ns) = (50_000_000, 40 * MS);
    let mut scenario = dumbbell(&[algorithm], rate_bps, rtt_ns, one_bdp(rate_bps, rtt_ns), 8 * SEC);
    scenario["flows"][0]["workload"] = json!({"kind": "on_off", "on_ns": SEC, "off_ns": SEC / 2});
    scenario["flows"][0]["sender"] = json!({"header_room_bytes": header_room_bytes});
    number(&run(&scenario)["flows"][0]["goodput_mbps"])
}

/// Linux 6.12 for virtual machines, whose buffer for the first ten packets is 46,080 bytes: 36.3 Mbit/s. Room for 64
/// more bytes of headers makes each packet's memory a power of two larger, and the buffer 87,040 bytes: more is left in
/// it when a pause begins, and less of the pause is silent.
#[test]
fn what_the_send_buffer_holds_flows_in_the_pause() {
    let cubic = pausing("cubic", 256);
    assert!((cubic / 36.3 - 1.0).abs() < 0.02, "{cubic}");
    let larger = pausing("cubic", 320);
    assert!(larger > 1.1 * cubic, "{larger}");
    let bbr = pausing("bbr", 256);
    assert!(bbr > 1.1 * cubic, "its buffer grows to three windows: {bbr}");
}
