//! Queue disciplines with flows: ECN end to end, delays, shares.

use crate::support::{dumbbell, number, run, MS, SEC};
use serde_json::{json, Value};

const RATE_BPS: u64 = 50_000_000;

fn two_flows(queue: Value) -> Value {
    dumbbell(&["cubic", "reno"], RATE_BPS, 20 * MS, queue, 15 * SEC)
}

/// Enables ECN on both hosts of a flow.
fn with_ecn(mut scenario: Value, flow: usize, ect1: bool) -> Value {
    scenario["flows"][flow]["sender"] = json!({"ecn": true, "ect1": ect1});
    scenario["flows"][flow]["receiver"] = json!({"ecn": true});
    scenario
}

fn bottleneck(result: &Value, key: &str) -> f64 {
    number(&result["links"][0][key])
}

/// Drops after the first five seconds: in slow start pie's probability is so high that it does not mark.
fn late_drops(result: &Value) -> f64 {
    let drops = result["series"]["links"][0]["dropped_packets"].as_array().expect("a series");
    drops[50..].iter().map(number).sum()
}

/// With tc's defaults, every discipline keeps the link busy and the delay far below that of a FIFO of its size.
#[test]
fn every_discipline_serves_two_flows() {
    for queue in [
        json!({"kind": "codel"}),
        json!({"kind": "fq_codel"}),
        json!({"kind": "pie"}),
        json!({"kind": "fq_pie"}),
        json!({"kind": "cake"}),
        json!({"kind": "fq"}),
        json!({"kind": "dualpi2"}),
        json!({"kind": "red", "limit_bytes": 400_000, "min_bytes": 60_000, "bandwidth_bps": RATE_BPS}),
    ] {
        let result = run(&two_flows(queue.clone()));
        let delay_ms = bottleneck(&result, "mean_queue_delay_ms");
        assert!(bottleneck(&result, "utilisation") > 0.9, "{queue}: {}", result["links"][0]);
        assert!((0.1..45.0).contains(&delay_ms), "{queue}: {delay_ms} ms");
        let fair = ["fq_codel", "fq_pie", "cake", "fq"].iter().any(|kind| queue["kind"] == *kind);
        assert!(!fair || number(&result["jain_index"]) > 0.99, "{queue}: {}", result["jain_index"]);
    }
}

/// RFC 3168: a congested queue marks instead of dropping, and the sender slows down nevertheless.
#[test]
fn marks_take_the_place_of_drops() {
    for queue in [
        json!({"kind": "codel", "ecn": true}),
        json!({"kind": "fq_codel"}),
        json!({"kind": "pie", "ecn": true}),
        json!({"kind": "cake"}),
        json!({"kind": "dualpi2"}),
        json!({"kind": "red", "limit_bytes": 4_000_000, "min_bytes": 60_000, "ecn": true, "bandwidth_bps": RATE_BPS}),
    ] {
        let result = run(&with_ecn(with_ecn(two_flows(queue.clone()), 0, false), 1, false));
        assert!(bottleneck(&result, "marked_packets") > 10.0, "{queue}: {}", result["links"][0]);
        let without = run(&two_flows(queue.clone()));
        let (drops, before) = (late_drops(&result), late_drops(&without));
        assert!(drops < 0.1 * before, "{queue}: {drops} drops with ECN, {before} without");
        assert!(bottleneck(&result, "utilisation") > 0.9, "{queue}: {}", result["links"][0]);
    }
}

/// RFC 9331: ECT(1) takes the low-latency queue of dualpi2.
#[test]
fn ect1_chooses_the_low_latency_queue() {
    let result = run(&with_ecn(with_ecn(two_flows(json!({"kind": "dualpi2"})), 0, true), 1, false));
    let rtt_ms = |flow: usize| number(&result["flows"][flow]["mean_rtt_ms"]);
    assert!(rtt_ms(0) < 24.0 && rtt_ms(1) > rtt_ms(0) + 3.0, "{} and {} ms", rtt_ms(0), rtt_ms(1));
}

/// Nothing is reordered behind a policer, so what was dropped is sent again, and nothing else, although all ACKs of a
/// burst arrive at one instant where no link has a rate.
#[test]
fn behind_a_policer_only_lost_packets_are_sent_again() {
    for algorithm in ["reno", "cubic", "illinois"] {
        let policer = json!({"kind": "policer", "rate_bps": RATE_BPS / 5, "burst_bytes": 20_000});
        let mut scenario = dumbbell(&[algorithm], RATE_BPS, 20 * MS, policer, 15 * SEC);
        scenario["links"][0].as_object_mut().expect("a link").remove("rate_bps");
        let result = run(&scenario);
        let (again, lost) = (number(&result["flows"][0]["retransmits"]), bottleneck(&result, "dropped_packets"));
        assert!(lost > 100.0 && again <= lost * 1.01, "{algorithm}: {again} sent again, {lost} dropped");
    }
}

/// A policer drops without a queue: no packet is delayed.
#[test]
fn a_policer_adds_no_delay() {
    let mut scenario = two_flows(json!({"kind": "policer", "rate_bps": RATE_BPS, "burst_bytes": 100_000}));
    scenario["links"][0].as_object_mut().expect("a link").remove("rate_bps");
    let result = run(&scenario);
    let goodput: f64 = (0..2).map(|flow| number(&result["flows"][flow]["goodput_mbps"])).sum();
    assert!((25.0..50.0).contains(&goodput), "{goodput}");
    assert!(bottleneck(&result, "max_queue_delay_ms") == 0.0 && bottleneck(&result, "dropped_packets") > 10.0);
    // But for the few packets whose acknowledgement the receiver holds back.
    assert!(number(&result["flows"][0]["packet_rtt_p99_ms"]) < 20.5);
}
