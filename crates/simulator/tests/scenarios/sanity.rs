//! Basic tests of every algorithm: it fills a link alone, shares with itself, and recovers from all impairments of a
//! network.

use crate::support::{dumbbell, number, one_bdp, run, MS, SEC};
use serde_json::{json, Value};

const ALGORITHMS: [&str; 4] = ["bbr2", "bbr3", "lola", "modest_bbr"];

const RATE_BPS: u64 = 10_000_000;
const RTT_NS: u64 = 40 * MS;
/// The payload's share of a frame: 1448 of 1514 bytes.
const CEILING_MBPS: f64 = 10.0 * 1448.0 / 1514.0;

/// One flow on 10 Mbit/s, 40 ms and a buffer of one bandwidth-delay product.
fn alone(algorithm: &str, seconds: u64) -> Value {
    dumbbell(&[algorithm], RATE_BPS, RTT_NS, one_bdp(RATE_BPS, RTT_NS), seconds * SEC)
}

/// Mean of a flow's rate in a part of the run.
fn mbps_between(result: &Value, from_s: usize, to_s: usize) -> f64 {
    let series = result["series"]["flows"][0]["mbps"].as_array().expect("series");
    series[from_s * 10..to_s * 10].iter().map(number).sum::<f64>() / (10 * (to_s - from_s)) as f64
}

fn goodput(result: &Value) -> f64 {
    number(&result["flows"][0]["goodput_mbps"])
}

#[test]
fn it_fills_a_link_alone() {
    for algorithm in ALGORITHMS {
        let got = goodput(&run(&alone(algorithm, 30)));
        assert!(got > 0.93 * CEILING_MBPS, "{algorithm}: {got}");
    }
}

#[test]
fn it_shares_with_itself() {
    for algorithm in ALGORITHMS {
        let result = run(&dumbbell(&[algorithm; 3], 2 * RATE_BPS, RTT_NS, one_bdp(2 * RATE_BPS, RTT_NS), 90 * SEC));
        let jain = number(&result["jain_index"]);
        assert!(jain > 0.85, "{algorithm}: {jain}");
        assert!(number(&result["links"][0]["utilisation"]) > 0.93, "{algorithm}: {}", result["links"][0]);
    }
}

#[test]
fn it_survives_a_tenth_of_all_packets_lost() {
    for algorithm in ALGORITHMS {
        let mut scenario = alone(algorithm, 30);
        scenario["links"][0]["loss"] = json!({"kind": "independent", "probability": 0.1});
        let got = goodput(&run(&scenario));
        // Reno's response function gives 0.9 Mbit/s.
        assert!(got > 0.25, "{algorithm}: {got}");
    }
}

#[test]
fn reordering_is_not_loss() {
    for algorithm in ALGORITHMS {
        let mut scenario = alone(algorithm, 30);
        scenario["links"][0]["jitter"] = json!({"max_ns": 10 * MS, "reorder": true});
        let got = goodput(&run(&scenario));
        assert!(got > 0.7 * CEILING_MBPS, "{algorithm}: {got}");
    }
}

#[test]
fn it_comes_back_after_a_retransmission_time_out() {
    for algorithm in ALGORITHMS {
        let mut scenario = alone(algorithm, 30);
        scenario["links"][0]["changes"] =
            json!([{"at_ns": 10 * SEC, "rate_bps": 20_000}, {"at_ns": 12 * SEC, "rate_bps": RATE_BPS}]);
        let result = run(&scenario);
        assert!(number(&result["flows"][0]["timeouts"]) >= 1.0, "{algorithm}: no timeout in two seconds of standstill");
        let got = mbps_between(&result, 20, 30);
        assert!(got > 0.85 * CEILING_MBPS, "{algorithm}: {got} eight seconds later");
    }
}

#[test]
fn it_comes_back_from_idling() {
    for algorithm in ALGORITHMS {
        let mut scenario = alone(algorithm, 30);
        scenario["flows"][0]["workload"] = json!({"kind": "on_off", "on_ns": 3 * SEC, "off_ns": 3 * SEC});
        let result = run(&scenario);
        let got = 2.0 * goodput(&result);
        assert!(got > 0.8 * CEILING_MBPS, "{algorithm}: {got}");
    }
}

#[test]
fn it_follows_a_rate_up_and_down() {
    for algorithm in ALGORITHMS {
        let mut scenario = alone(algorithm, 60);
        scenario["links"][0]["changes"] =
            json!([{"at_ns": 20 * SEC, "rate_bps": 4 * RATE_BPS}, {"at_ns": 40 * SEC, "rate_bps": RATE_BPS}]);
        scenario["links"][0]["queue"] = one_bdp(4 * RATE_BPS, RTT_NS);
        let result = run(&scenario);
        let (low, high, low_again) =
            (mbps_between(&result, 5, 20), mbps_between(&result, 30, 40), mbps_between(&result, 45, 60));
        assert!(low > 0.9 * CEILING_MBPS, "{algorithm}: {low}");
        assert!(high > 0.85 * 4.0 * CEILING_MBPS, "{algorithm}: {high} of 40 Mbit/s");
        assert!(low_again > 0.9 * CEILING_MBPS, "{algorithm}: {low_again} after the rate fell again");
    }
}

#[test]
fn it_works_with_a_buffer_of_one_packet() {
    for algorithm in ALGORITHMS {
        let mut scenario = alone(algorithm, 30);
        scenario["links"][0]["queue"] = json!({"kind": "fifo", "limit_packets": 1});
        let got = goodput(&run(&scenario));
        assert!(got > 0.3, "{algorithm}: {got}");
    }
}

#[test]
fn it_works_over_ten_microseconds() {
    for algorithm in ALGORITHMS {
        let rate_bps = 1_000_000_000;
        let result =
            run(&dumbbell(&[algorithm], rate_bps, 10_000, json!({"kind": "fifo", "limit_bytes": 100_000}), 2 * SEC));
        assert!(goodput(&result) > 800.0, "{algorithm}: {}", goodput(&result));
    }
}

#[test]
fn it_works_over_two_seconds() {
    for algorithm in ALGORITHMS {
        let rtt_ns = 2 * SEC;
        let result = run(&dumbbell(&[algorithm], RATE_BPS / 2, rtt_ns, one_bdp(RATE_BPS / 2, rtt_ns), 120 * SEC));
        let late = mbps_between(&result, 60, 120);
        assert!(late > 0.5 * CEILING_MBPS / 2.0, "{algorithm}: {late} of 5 Mbit/s");
    }
}
