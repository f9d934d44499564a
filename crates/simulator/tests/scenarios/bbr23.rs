//! The improvements of BBR versions 2 and 3 over version 1: few losses in small buffers, room for CUBIC, equal shares.

use crate::support::{dumbbell, number, run, MS, SEC};
use serde_json::{json, Value};

const RATE_BPS: u64 = 50_000_000;
const RTT_NS: u64 = 30 * MS;

/// A buffer in hundredths of a bandwidth-delay product.
fn buffer(percent: u64) -> Value {
    json!({"kind": "fifo", "limit_bytes": RATE_BPS / 8 * (RTT_NS / MS) / 1000 * percent / 100})
}

fn goodput(result: &Value, flow: usize) -> f64 {
    number(&result["flows"][flow]["goodput_mbps"])
}

fn retransmits(result: &Value) -> f64 {
    result["flows"].as_array().expect("flows").iter().map(|flow| number(&flow["retransmits"])).sum()
}

#[test]
fn cubic_gets_a_share_beside_them_in_small_and_in_large_buffers() {
    for percent in [25, 50, 100, 200, 500] {
        let share = |algorithm: &str| {
            let result = run(&dumbbell(&[algorithm, "cubic"], RATE_BPS, RTT_NS, buffer(percent), 60 * SEC));
            goodput(&result, 0) / (goodput(&result, 0) + goodput(&result, 1))
        };
        let bbr3 = share("bbr3");
        assert!((0.35..0.72).contains(&bbr3), "bbr3, buffer of {percent} %: {bbr3}");
        let bbr2 = share("bbr2");
        assert!((0.2..0.68).contains(&bbr2), "bbr2, buffer of {percent} %: {bbr2}");
        if percent <= 100 {
            assert!(share("bbr") > 0.85, "version 1, buffer of {percent} %");
        }
    }
}

#[test]
fn two_flows_lose_a_tenth_of_what_version_1_loses() {
    let pair = |algorithm: &str| retransmits(&run(&dumbbell(&[algorithm; 2], RATE_BPS, RTT_NS, buffer(50), 60 * SEC)));
    let (first, second, third) = (pair("bbr"), pair("bbr2"), pair("bbr3"));
    assert!(second < first / 10.0 && third < first / 10.0, "{first} {second} {third}");
}

#[test]
fn bandwidth_converges_in_version_3() {
    // The defect of version 2 that version 3 fixes: a late flow never catches up if buffers hold a BDP.
    let late_share = |algorithm: &str| {
        let mut scenario = dumbbell(&[algorithm; 2], RATE_BPS, RTT_NS, buffer(100), 90 * SEC);
        scenario["flows"][1]["start_ns"] = json!(10 * SEC);
        let result = run(&scenario);
        let rates: Vec<f64> = result["series"]["flows"]
            .as_array()
            .expect("flows")
            .iter()
            .map(|flow| {
                let series = flow["mbps"].as_array().expect("series");
                series[series.len() - 400..].iter().map(number).sum()
            })
            .collect();
        rates[1] / (rates[0] + rates[1])
    };
    let (second, third) = (late_share("bbr2"), late_share("bbr3"));
    assert!((0.38..0.62).contains(&third), "{third}");
    assert!(second < third, "{second} in version 2, {third} in version 3");
}

#[test]
fn random_loss_below_the_threshold_costs_little() {
    let with_loss = |algorithm: &str, probability: f64| {
        let mut scenario = dumbbell(&[algorithm], RATE_BPS, RTT_NS, buffer(100), 30 * SEC);
        scenario["links"][0]["loss"] = json!({"kind": "independent", "probability": probability});
        goodput(&run(&scenario), 0)
    };
    for algorithm in ["bbr2", "bbr3"] {
        let (some, much) = (with_loss(algorithm, 0.005), with_loss(algorithm, 0.08));
        assert!(some > 0.8 * 47.8, "{algorithm} at 0.5 %: {some}");
        assert!(much < 0.5 * 47.8, "{algorithm} at 8 %: {much}; losses above 2 % are heeded");
        assert!(some > 4.0 * with_loss("cubic", 0.005));
    }
}

#[test]
fn probe_rtt_keeps_half_of_the_data_in_flight() {
    for algorithm in ["bbr2", "bbr3"] {
        let result = run(&dumbbell(&[algorithm], RATE_BPS, RTT_NS, buffer(200), 30 * SEC));
        let in_flight = result["series"]["flows"][0]["inflight_packets"].as_array().expect("series");
        let low = in_flight[20..].iter().map(number).fold(f64::INFINITY, f64::min);
        // 124 packets of bandwidth-delay product; version 1 goes down to 4.
        assert!((50.0..75.0).contains(&low), "{algorithm}: {low}");
    }
}
