//! The measurements of the Modest BBR paper (Sections II and IV-C), on a link with a longer queue than the testbed of
//! studies/modestbbr: 42 packets, and hosts that are never late.

use crate::support::{dumbbell, number, one_bdp, run, MS, SEC};
use serde_json::{json, Value};

const SEEDS: u64 = 3;

/// Two senders with cards as fast as the bottleneck: 100 Mbit/s, 3 ms, 42 packets.
fn paper(algorithms: [&str; 2], seed: u64) -> Value {
    let mut links =
        vec![json!({"name": "bottleneck", "rate_bps": 100_000_000, "queue": {"kind": "fifo", "limit_packets": 42}})];
    let mut flows = Vec::new();
    for (i, algorithm) in algorithms.iter().enumerate() {
        let (card, back) = (format!("card{i}"), format!("back{i}"));
        // Without a little jitter two equal senders keep step, and one of them takes every place in the queue.
        let jitter = json!({"max_ns": MS / 5, "reorder": false});
        links.push(json!({"name": card, "rate_bps": 100_000_000, "delay_ns": 3 * MS / 2, "jitter": jitter}));
        links.push(json!({"name": back, "delay_ns": 3 * MS / 2}));
        let mut flow = json!({"algorithm": algorithm, "forward": [card, "bottleneck"], "reverse": [back], "receiver": {"offload": true}});
        if *algorithm == "bbr" {
            flow["parameters"] = json!({"pacing_margin": 0, "extra_acked_gain": 0});
            // as in Linux 4.14
        }
        if *algorithm != "cubic" {
            flow["sender"] = json!({"pacing": "fq"});
        }
        flows.push(flow);
    }
    json!({"seed": seed, "duration_ns": 30 * SEC, "hz": 250, "links": links, "flows": flows})
}

/// Mean goodput in Mbit/s and mean retransmissions of both flows.
fn measure(algorithms: [&str; 2]) -> [(f64, f64); 2] {
    let mut means = [(0.0, 0.0); 2];
    for seed in 1..=SEEDS {
        let result = run(&paper(algorithms, seed));
        for (mean, flow) in means.iter_mut().zip(result["flows"].as_array().expect("flows")) {
            mean.0 += number(&flow["goodput_mbps"]) / SEEDS as f64;
            mean.1 += number(&flow["retransmits"]) / SEEDS as f64;
        }
    }
    means
}

#[test]
fn it_leaves_cubic_four_times_what_bbr_leaves() {
    let [(bbr, _), (suppressed, _)] = measure(["bbr", "cubic"]);
    assert!(bbr / suppressed > 10.0, "observation 1: {bbr} and {suppressed}");
    let [(modest, modest_resent), (cubic, cubic_resent)] = measure(["modest_bbr", "cubic"]);
    assert!((3.0..6.0).contains(&(cubic / suppressed)), "CUBIC: {suppressed} against BBR, {cubic} against Modest BBR");
    assert!((2.0..4.0).contains(&(modest / cubic)), "{modest} and {cubic}; three times as much in the paper");
    assert!((1.5..3.0).contains(&(modest_resent / cubic_resent)), "{modest_resent} and {cubic_resent} retransmissions");
    assert!(modest + cubic > 0.99 * (bbr + suppressed), "the link stays full");
}

#[test]
fn it_halves_the_retransmissions() {
    let bbr: f64 = measure(["bbr", "cubic"]).iter().map(|flow| flow.1).sum();
    let modest: f64 = measure(["modest_bbr", "cubic"]).iter().map(|flow| flow.1).sum();
    assert!(modest < 0.65 * bbr, "{modest} and {bbr}");
}

#[test]
fn alone_it_is_as_fast_as_bbr() {
    let goodput = |algorithm: &str| {
        let result = run(&dumbbell(&[algorithm], 50_000_000, 30 * MS, one_bdp(50_000_000, 30 * MS), 20 * SEC));
        number(&result["flows"][0]["goodput_mbps"])
    };
    let (modest, bbr) = (goodput("modest_bbr"), goodput("bbr"));
    assert!(modest > 0.97 * bbr, "{modest} and {bbr}; 3 % less in the paper's Internet tests");
}

#[test]
fn five_flows_come_to_equal_shares() {
    // Section IV-D: a new flow every three seconds.
    let mut scenario = dumbbell(&["modest_bbr"; 5], 100_000_000, 20 * MS, one_bdp(100_000_000, 20 * MS), 60 * SEC);
    for (i, start_s) in [0, 3, 6, 9, 12].into_iter().enumerate() {
        scenario["flows"][i]["start_ns"] = json!(start_s * SEC);
    }
    let result = run(&scenario);
    let late = |flow: &Value| flow["mbps"].as_array().expect("series")[300..].iter().map(number).sum::<f64>();
    let shares: Vec<f64> = result["series"]["flows"].as_array().expect("flows").iter().map(late).collect();
    let sum: f64 = shares.iter().sum();
    let jain = sum * sum / (5.0 * shares.iter().map(|share| share * share).sum::<f64>());
    assert!(jain > 0.9, "{jain} {shares:?}");
}
