//! Calls over RTP with SCReAMv2: alone, beside TCP, with marks, and rejected scenarios.

use crate::support::{number, run, run_by_events, run_text, MS, SEC};
use serde_json::{json, Value};

/// A call and other flows through a bottleneck with an RTT of 40 ms, for 40 s of which the first 10 are warm-up.
fn scenario(rate_bps: u64, queue: Value, others: &[Value], call: Value) -> Value {
    let mut flows = vec![json!({"algorithm": "scream", "transport": "rtp", "workload": {"kind": "call"}})];
    flows[0].as_object_mut().unwrap().extend(call.as_object().unwrap().clone());
    flows.extend_from_slice(others);
    for flow in &mut flows {
        flow["forward"] = json!(["bottleneck"]);
        flow["reverse"] = json!(["back"]);
    }
    let link = json!({"name": "bottleneck", "rate_bps": rate_bps, "delay_ns": 20 * MS, "queue": queue});
    let links = json!([link, {"name": "back", "delay_ns": 20 * MS}]);
    json!({"seed": 1, "duration_ns": 40 * SEC, "warm_up_ns": 10 * SEC, "links": links, "flows": flows})
}

fn fifo() -> Value {
    json!({"kind": "fifo", "limit_bytes": 60_000})
}

#[test]
fn alone_a_call_fills_the_link_with_a_short_delay() {
    let scenario = scenario(1_000_000, fifo(), &[], json!({}));
    let result = run(&scenario);
    let flow = &result["flows"][0];
    assert!(number(&result["links"][0]["utilisation"]) > 0.9, "{}", result["links"][0]["utilisation"]);
    assert!(number(&flow["call_delay_p95_ms"]) < 100.0, "{}", flow["call_delay_p95_ms"]);
    assert_eq!((&flow["call_freezes"], &flow["retransmits"]), (&json!(0), &json!(0)));
    assert!(result == run_by_events(&scenario));
}

/// The queue of 60 kB is 120 ms at 4 Mbit/s, and CUBIC fills it.
#[test]
fn beside_tcp_it_yields_in_a_fifo_and_keeps_its_delay_in_fq_codel() {
    let cubic = [json!({"algorithm": "cubic"})];
    let in_fifo = run(&scenario(4_000_000, fifo(), &cubic, json!({})));
    let in_fq = run(&scenario(4_000_000, json!({"kind": "fq_codel"}), &cubic, json!({})));
    let of = |result: &Value, key: &str| number(&result["flows"][0][key]);
    assert!(of(&in_fifo, "goodput_mbps") < number(&in_fifo["flows"][1]["goodput_mbps"]));
    assert!(of(&in_fifo, "goodput_mbps") > 0.14, "the lowest bitrate: {}", of(&in_fifo, "goodput_mbps"));
    assert!(of(&in_fq, "call_delay_p95_ms") < of(&in_fifo, "call_delay_p95_ms") / 1.5);
    assert!(of(&in_fq, "call_bitrate_mbps") > 1.2, "{}", of(&in_fq, "call_bitrate_mbps"));
}

/// For 4 s the link drops everything: at first all frames in flight, then, after the timeout, those that waited.
#[test]
fn a_call_goes_on_after_all_its_frames_were_lost() {
    let mut scenario = scenario(200_000, fifo(), &[], json!({}));
    scenario["links"][0]["outages"] = json!([{"kind": "listed", "at_ns": [15 * SEC], "length_ns": 4 * SEC}]);
    let frozen_s = number(&run(&scenario)["flows"][0]["call_frozen_s"]);
    assert!((4.0..10.0).contains(&frozen_s), "{frozen_s}");
}

#[test]
fn l4s_marks_keep_the_queue_shorter_than_delays_do() {
    let dualpi2 = json!({"kind": "dualpi2"});
    let call = |hosts: Value| run(&scenario(2_000_000, dualpi2.clone(), &[], hosts));
    let marked = call(json!({"sender": {"ecn": true, "ect1": true}}));
    let unmarked = call(json!({}));
    let delay_ms = |result: &Value| number(&result["links"][0]["p95_queue_delay_ms"]);
    assert!(number(&marked["flows"][0]["marked_packets"]) > 10.0);
    assert!(delay_ms(&marked) < delay_ms(&unmarked), "{} {}", delay_ms(&marked), delay_ms(&unmarked));
    assert!(number(&marked["links"][0]["utilisation"]) > 0.6, "{}", marked["links"][0]["utilisation"]);
}

#[test]
fn what_rtp_does_not_carry_is_refused() {
    let refused =
        |call: Value| run_text(&scenario(1_000_000, fifo(), &[], call).to_string()).expect_err("refused").to_string();
    for (call, words) in [
        (json!({"algorithm": "cubic"}), "flows[0].algorithm: is cubic, but RTP flows have scream"),
        (json!({"workload": {"kind": "bulk"}}), "flows[0].workload: is not `call`"),
        (json!({"quic": {}}), "flows[0].quic: is given for an RTP flow"),
        (json!({"sender": {"nagle": false}}), "flows[0].sender.nagle: is a setting of TCP, but the flow uses RTP"),
        (json!({"transport": "tcp"}), "scream"),
    ] {
        let message = refused(call);
        assert!(message.contains(words), "{message}");
    }
}
