//! DCTCP's law (Alizadeh et al. 2010, section 3.3): with a switch that marks packets that find more than K queued, the
//! queue stays at K, and the share of marks is sqrt(2 / W) for flows of window W = (C RTT + K) / N, if all packets are
//! marked in the round trip in which the window exceeds W. With delayed ACKs packets arrive in pairs, of which the second
//! finds one more queued than the first: half of them are marked, and the share is sqrt(1 / W).

use crate::support::{dumbbell, number, run, MS, SEC};
use serde_json::{json, Value};

const RATE_BPS: u64 = 1_000_000_000;
const RTT_NS: u64 = MS / 2;
const FRAME_BYTES: f64 = 1514.0;
/// K as the queueing delay of a packet behind K others.
const K_PACKETS: f64 = 40.0;
const K_NS: u64 = (K_PACKETS * FRAME_BYTES * 8.0 / (RATE_BPS as f64 / 1e9)) as u64;

/// CoDel itself never marks; the marks of the threshold are exact.
fn marking_queue() -> Value {
    json!({"kind": "codel", "limit_packets": 1000, "ecn": true, "target_ns": SEC, "interval_ns": SEC, "ce_threshold_ns": K_NS})
}

fn flows(count: usize) -> Value {
    let mut scenario = dumbbell(&vec!["dctcp"; count], RATE_BPS, RTT_NS, marking_queue(), 3 * SEC);
    scenario["warm_up_ns"] = json!(SEC);
    for i in 0..count {
        // One packet at a time, as the analysis has it.
        scenario["flows"][i]["sender"] = json!({"segmentation_offload": false});
        scenario["flows"][i]["start_ns"] = json!(i as u64 * 50 * MS);
    }
    run(&scenario)
}

fn total(result: &Value, field: &str) -> f64 {
    result["flows"].as_array().expect("flows").iter().map(|flow| number(&flow[field])).sum()
}

#[test]
fn the_queue_stays_at_the_threshold_and_nothing_is_lost() {
    for count in [1, 2, 8] {
        let result = flows(count);
        let link = &result["links"][0];
        let (mean, most) =
            (number(&link["mean_queue_bytes"]) / FRAME_BYTES, number(&link["max_queue_bytes"]) / FRAME_BYTES);
        println!("{count}: queue {mean:.1}, most {most:.1}, {}", link["utilisation"]);
        assert!(number(&link["utilisation"]) > 0.99, "{count} flows: {}", link["utilisation"]);
        assert_eq!(total(&result, "retransmits"), 0.0, "{count} flows");
        // Q_max = K + N, and an ACK of two packets lets go two or three at once.
        assert!(most <= K_PACKETS + 4.0 * count as f64 + 2.0, "{count} flows: {most} packets");
        // The amplitude: sqrt(2 N (C RTT + K)) / 2.
        let bdp = RATE_BPS as f64 * RTT_NS as f64 / 8e9 / FRAME_BYTES;
        let amplitude = (2.0 * count as f64 * (bdp + K_PACKETS)).sqrt() / 2.0;
        assert!(
            (K_PACKETS - amplitude - 3.0..K_PACKETS + count as f64 + 2.0).contains(&mean),
            "{count} flows: {mean} packets, swings by {amplitude}"
        );
    }
}

#[test]
fn the_share_of_marks_goes_with_the_root_of_the_window() {
    for count in [1, 2, 4, 8] {
        let result = flows(count);
        let bdp = RATE_BPS as f64 * RTT_NS as f64 / 8e9 / FRAME_BYTES;
        let window = (bdp + K_PACKETS) / count as f64;
        let share = number(&result["links"][0]["marked_packets"]) / total(&result, "data_packets_received");
        let (least, most) = (0.9 * (1.0 / window).sqrt(), (2.0 / window).sqrt());
        println!("{count}: {share:.3} in {least:.3} to {most:.3}");
        assert!((least..most).contains(&share), "{count} flows: {share:.3} marked, not {least:.3} to {most:.3}");
        // The receiver's echo tells the sender of each mark, not more and not less (RFC 8257 section 3.2).
        let echoed = total(&result, "marked_packets") / number(&result["links"][0]["marked_packets"]);
        assert!((echoed - 1.0).abs() < 0.02, "{count} flows: {echoed} of the marks are echoed");
    }
}

#[test]
fn flows_share_equally() {
    let result = flows(4);
    assert!(number(&result["jain_index"]) > 0.95, "{}", result["jain_index"]);
}

#[test]
fn its_queue_is_a_fraction_of_that_of_loss_based_flows() {
    let queue = |algorithm: &str| {
        let queue = if algorithm == "dctcp" { marking_queue() } else { json!({"kind": "fifo", "limit_packets": 1000}) };
        let result = run(&dumbbell(&[algorithm; 2], RATE_BPS, RTT_NS, queue, 3 * SEC));
        number(&result["links"][0]["mean_queue_bytes"])
    };
    let (dctcp, cubic) = (queue("dctcp"), queue("cubic"));
    assert!(dctcp < cubic / 10.0, "{dctcp} and {cubic} bytes");
}

/// iperf3 sets the algorithm for the sockets of both ends, so that the receiver echoes each mark, although it is set after
/// the handshake. The queue is RED as a step; Linux 6.12 divides the 50 Mbit/s into 24.8 and 23.9.
#[test]
fn the_receiver_of_an_iperf3_flow_echoes_as_the_algorithm_does() {
    let step = json!({"kind": "red", "limit_bytes": 400_000, "min_bytes": 30_000, "max_bytes": 30_001, "probability": 1.0,
        "burst_packets": 55, "bandwidth_bps": 50_000_000, "ecn": true});
    let mut scenario = dumbbell(&["dctcp", "dctcp"], 50_000_000, 10 * MS, step, 10 * SEC);
    scenario["warm_up_ns"] = json!(2 * SEC);
    for flow in scenario["flows"].as_array_mut().expect("flows") {
        flow["workload"] = json!({"kind": "iperf3"});
        flow["sender"] = json!({"ecn": true});
        flow["receiver"] = json!({"ecn": true});
    }
    let result = run(&scenario);
    for flow in result["flows"].as_array().expect("flows") {
        let goodput_mbps = number(&flow["goodput_mbps"]);
        println!("{goodput_mbps:.1} Mbit/s");
        assert!((15.0..32.0).contains(&goodput_mbps), "{goodput_mbps:.1} Mbit/s");
    }
}

/// A step of the marking probability and bursts lock two equal flows in phase (Floyd and Jacobson 1992): the flow that
/// arrives when the queue is short is marked less and keeps the larger window. Linux has the jitter of a real host: when
/// ACKs vary by more than the transmission time of a packet, here 121 us, the shares are equal.
#[test]
fn bursts_of_two_flows_share_equally_unless_they_lock_in_phase() {
    let threshold_ns = (K_PACKETS * FRAME_BYTES * 8e9 / 100e6) as u64;
    let step = json!({"kind": "codel", "limit_packets": 1000, "ecn": true, "target_ns": SEC, "interval_ns": SEC, "ce_threshold_ns": threshold_ns});
    let shares = |jitter_ns: Option<u64>| {
        let mut scenario = dumbbell(&["dctcp", "dctcp"], 100_000_000, 4 * MS, step.clone(), 12 * SEC);
        scenario["warm_up_ns"] = json!(2 * SEC);
        scenario["flows"][1]["start_ns"] = json!(50 * MS);
        if let Some(max_ns) = jitter_ns {
            scenario["links"][1]["jitter"] = json!({"max_ns": max_ns, "reorder": false});
        }
        let result = run(&scenario);
        let first = number(&result["flows"][0]["goodput_mbps"]);
        first / (first + number(&result["flows"][1]["goodput_mbps"]))
    };
    let (locked, varied) = (shares(None), shares(Some(MS / 5)));
    println!("locked {locked:.2}, varied {varied:.2}");
    assert!(locked > 0.7, "without jitter the first flow has {locked:.2}: is there no lock-in any more?");
    assert!((0.42..0.58).contains(&varied), "with 200 us of jitter the first flow has {varied:.2}");
}

/// A server with another algorithm does not agree to ECN after an ECN-capable SYN (Linux: `tcp_ecn_create_request`), so that
/// DCTCP backs off like Reno, from losses.
#[test]
fn a_receiver_with_another_algorithm_leaves_no_ecn() {
    let mut scenario = dumbbell(&["dctcp"], RATE_BPS, RTT_NS, marking_queue(), 3 * SEC);
    let marks = |scenario: &Value| number(&run(scenario)["links"][0]["marked_packets"]);
    assert!(marks(&scenario) > 0.0);
    scenario["flows"][0]["receiver"] = json!({"algorithm": "dctcp"});
    assert!(marks(&scenario) > 0.0);
    scenario["flows"][0]["receiver"] = json!({"algorithm": "cubic"});
    assert_eq!(marks(&scenario), 0.0);
    assert!(number(&run(&scenario)["flows"][0]["retransmits"]) > 0.0);
}
