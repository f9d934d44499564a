//! The sender's own interface as the bottleneck, with TCP Small Queues.
//!
//! Linux 6.18 in network namespaces (HTB of 100 Mbit/s and pfifo of 1000 at the sender, an RTT below 0.1 ms,
//! `tcp_limit_output_bytes` of 256 KiB and 4 MiB): Reno and CUBIC have 90 packets in flight, two bursts of 45, an RTT of
//! 10.9 ms, no retransmission, and windows that stay at one value between 99 and 311 packets from the first second on.
//! With the same shaper one hop on, CUBIC fills it: 243 ms and a window of 2191 packets.

use crate::support::{dumbbell, number, run, MS, SEC};
use serde_json::{json, Value};

const RATE_BPS: u64 = 100_000_000;
const LIMIT_BYTES: u64 = 256 << 10;

/// A flow whose first link, of 100 Mbit/s, is its host's interface.
fn limited_by_interface(algorithm: &str, sender: Value) -> Value {
    let mut scenario =
        dumbbell(&[algorithm], RATE_BPS, MS / 10, json!({"kind": "fifo", "limit_packets": 1000}), 10 * SEC);
    scenario["flows"][0]["sender"] = sender;
    scenario["flows"][0]["receiver"] = json!({"offload": true});
    scenario
}

fn windows(result: &Value) -> Vec<f64> {
    result["series"]["flows"][0]["cwnd_packets"].as_array().expect("a series").iter().map(number).collect()
}

#[test]
fn two_bursts_wait_at_the_interface_and_the_window_stays() {
    for algorithm in ["reno", "cubic"] {
        for limit_bytes in [LIMIT_BYTES, 4 << 20] {
            let result = run(&limited_by_interface(algorithm, json!({"small_queue_limit_bytes": limit_bytes})));
            let flow = &result["flows"][0];
            assert_eq!(flow["retransmits"], 0, "{algorithm}");
            assert!(number(&flow["goodput_mbps"]) > 95.0, "{algorithm}: {}", flow["goodput_mbps"]);
            let longest_ms = number(&flow["packet_rtt_p99_ms"]);
            assert!((10.0..11.5).contains(&longest_ms), "{algorithm}: {longest_ms} ms, Linux: 10.9");
            let late = &windows(&result)[20..];
            assert!(late.iter().all(|&window| window == late[0]), "{algorithm}: {late:?}");
            assert!((90.0..320.0).contains(&late[0]), "{algorithm}: {} packets, Linux: 99 to 311", late[0]);
        }
    }
}

#[test]
fn without_small_queues_the_flow_fills_the_queue_of_its_host() {
    let result = run(&limited_by_interface("reno", json!({})));
    assert!(number(&result["links"][0]["max_queue_bytes"]) > 1.4e6);
    assert!(number(&result["flows"][0]["retransmits"]) > 0.0);
}

/// Linux sends a burst regardless of the limit if at most one is in flight: with a limit below one burst it has the same
/// 90 packets in flight.
#[test]
fn a_limit_below_one_burst_leaves_two_in_flight() {
    let result = run(&limited_by_interface("cubic", json!({"small_queue_limit_bytes": 30_000})));
    assert!(number(&result["flows"][0]["goodput_mbps"]) > 95.0);
    let longest = number(&result["links"][0]["max_queue_bytes"]);
    assert!((46.0 * 1514.0..=91.0 * 1514.0).contains(&longest), "{longest} bytes");
}

/// On a path of 20 ms the pacing rate is near the interface's, bursts take a millisecond, and the limit is two of them.
#[test]
fn about_two_milliseconds_wait_where_the_path_is_long() {
    let mut scenario = limited_by_interface("bbr", json!({"small_queue_limit_bytes": 4 << 20}));
    scenario["links"][1]["delay_ns"] = json!(20 * MS);
    let result = run(&scenario);
    let mean = number(&result["links"][0]["mean_queue_delay_ms"]);
    assert!(mean < 3.0, "{mean} ms");
    assert!(number(&result["flows"][0]["goodput_mbps"]) > 93.0, "{}", result["flows"][0]["goodput_mbps"]);
}

/// A packet that is dropped in the interface's queue or lost on the wire has left the host: otherwise the flow would stop.
#[test]
fn lost_packets_do_not_stay_in_the_books() {
    for queue in [json!({"kind": "fifo", "limit_packets": 20}), json!({"kind": "codel", "target_ns": MS})] {
        let mut scenario = limited_by_interface("cubic", json!({"small_queue_limit_bytes": LIMIT_BYTES}));
        scenario["links"][0]["queue"] = queue.clone();
        scenario["links"][0]["loss"] = json!({"kind": "independent", "probability": 0.001});
        let result = run(&scenario);
        let goodput = number(&result["flows"][0]["goodput_mbps"]);
        assert!(goodput > 80.0, "{queue}: {goodput} Mbit/s");
        assert!(number(&result["flows"][0]["lost_packets"]) > 20.0);
    }
}

#[test]
fn fq_and_the_interface_together_count_each_packet_once() {
    let sender = json!({"small_queue_limit_bytes": LIMIT_BYTES, "pacing": "fq"});
    let flow = &run(&limited_by_interface("bbr", sender))["flows"][0];
    assert!(number(&flow["goodput_mbps"]) > 94.0, "{flow}");
    assert_eq!(flow["retransmits"], 0);
}

#[test]
fn two_flows_share_the_interface() {
    let mut scenario = limited_by_interface("cubic", json!({"small_queue_limit_bytes": LIMIT_BYTES}));
    let flow = scenario["flows"][0].clone();
    scenario["flows"].as_array_mut().expect("flows").push(flow);
    let result = run(&scenario);
    assert!(number(&result["jain_index"]) > 0.9, "{}", result["jain_index"]);
    assert!(number(&result["links"][0]["max_queue_bytes"]) < 5.0 * 45.0 * 1514.0, "{}", result["links"][0]);
}

/// Linux retransmits before it sends new data when the host's queue has room again (`tcp_tsq_write`). New data alone would
/// fill the fq queue each time, and what is lost would wait for the timeout: one every 2 s here.
#[test]
fn retransmissions_do_not_wait_behind_new_data_for_an_fq_queue() {
    let queue = json!({"kind": "fifo", "limit_packets": 3000});
    let mut scenario = dumbbell(&["bbr"], 20_000_000, 260 * MS, queue, 30 * SEC);
    scenario["links"][0]["loss"] = json!({"kind": "independent", "probability": 0.006});
    scenario["flows"][0]["sender"] = json!({"pacing": "fq"});
    let result = run(&scenario);
    assert_eq!(result["flows"][0]["timeouts"], 0);
    assert!(number(&result["flows"][0]["goodput_mbps"]) > 14.0, "{}", result["flows"][0]["goodput_mbps"]);
}
