//! Claims of the TCP LoLa paper (LCN 2017): full links, a queue of a few milliseconds for any number of flows, and equal
//! shares, at equal and at unequal round-trip times.

use crate::support::{dumbbell, number, run, MS, SEC};
use serde_json::{json, Value};

const RATE_BPS: u64 = 100_000_000;

fn queue_ms(result: &Value) -> (f64, f64) {
    let mut all: Vec<f64> = result["series"]["links"][0]["queue_bytes"].as_array().expect("series")[200..]
        .iter()
        .map(|bytes| number(bytes) * 8e3 / RATE_BPS as f64)
        .collect();
    all.sort_by(f64::total_cmp);
    (all.iter().sum::<f64>() / all.len() as f64, all[all.len() * 95 / 100])
}

/// Jain's index of the rates in the second half.
fn late_jain(result: &Value) -> f64 {
    let late = |flow: &Value| {
        let series = flow["mbps"].as_array().expect("series");
        series[series.len() / 2..].iter().map(number).sum::<f64>()
    };
    let rates: Vec<f64> = result["series"]["flows"].as_array().expect("flows").iter().map(late).collect();
    rates.iter().sum::<f64>().powi(2) / (rates.len() as f64 * rates.iter().map(|rate| rate * rate).sum::<f64>())
}

#[test]
fn the_queue_stays_near_q_target_whatever_the_number_of_flows() {
    for flows in [1, 2, 8] {
        // A buffer of 100 ms, which CUBIC would fill.
        let buffer = json!({"kind": "fifo", "limit_bytes": RATE_BPS / 80});
        let mut scenario = dumbbell(&vec!["lola"; flows], RATE_BPS, 30 * MS, buffer, 60 * SEC);
        for i in 0..flows {
            scenario["flows"][i]["start_ns"] = json!(i as u64 * SEC);
        }
        let result = run(&scenario);
        let (mean, high) = queue_ms(&result);
        assert!(mean < 6.0 && high < 13.0, "{flows} flows: {mean:.1} ms in the mean, {high:.1} ms in one of twenty");
        assert!(
            number(&result["links"][0]["utilisation"]) > 0.97,
            "{flows} flows: {}",
            result["links"][0]["utilisation"]
        );
        assert!(late_jain(&result) > 0.95, "{flows} flows: {}", late_jain(&result));
    }
}

#[test]
fn its_queue_is_a_tenth_of_cubics() {
    let queue = |algorithm: &str| {
        let buffer = json!({"kind": "fifo", "limit_bytes": RATE_BPS / 80});
        queue_ms(&run(&dumbbell(&[algorithm; 2], RATE_BPS, 30 * MS, buffer, 40 * SEC))).0
    };
    let (lola, cubic) = (queue("lola"), queue("cubic"));
    assert!(lola < cubic / 10.0, "{lola} and {cubic} ms");
}

#[test]
fn flows_of_different_round_trip_times_share() {
    let links: Vec<Value> = [(10, 10), (40, 40)]
        .iter()
        .enumerate()
        .flat_map(|(i, (out, back))| {
            [json!({"name": format!("out{i}"), "delay_ns": out * MS}), json!({"name": format!("back{i}"), "delay_ns": back * MS})]
        })
        .chain([json!({"name": "bottleneck", "rate_bps": RATE_BPS, "queue": {"kind": "fifo", "limit_bytes": RATE_BPS / 80}})])
        .collect();
    let flow = |algorithm: &str, i: usize| json!({"algorithm": algorithm, "forward": ["bottleneck", format!("out{i}")], "reverse": [format!("back{i}")]});
    let result =
        run(&json!({"seed": 1, "duration_ns": 120 * SEC, "links": links, "flows": [flow("lola", 0), flow("lola", 1)]}));
    assert!(late_jain(&result) > 0.97, "20 and 80 ms: {}", late_jain(&result));
}

#[test]
fn the_baseline_of_fifty_shades_comes_out() {
    // Turkovic et al. 2019, Table I: 92 % of the best algorithm's goodput, 17.6 packets, 2.7 ms on a path of 1 ms.
    let mut scenario = dumbbell(&["lola"], RATE_BPS, MS, json!({"kind": "fifo", "limit_packets": 1000}), 60 * SEC);
    scenario["flows"][0]["parameters"] = json!({"wait_after_decrease": 0});
    scenario["flows"][0]["receiver"] = json!({"offload": true});
    let flow = &run(&scenario)["flows"][0];
    let (goodput, cwnd, rtt) =
        (number(&flow["goodput_mbps"]) / 95.5, number(&flow["mean_cwnd_packets"]), number(&flow["mean_rtt_ms"]));
    assert!(
        (0.85..0.97).contains(&goodput) && (14.0..24.0).contains(&cwnd) && (2.0..3.2).contains(&rtt),
        "{goodput} {cwnd} {rtt}"
    );
}
