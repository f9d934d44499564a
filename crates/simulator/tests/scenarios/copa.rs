//! Claims of the Copa paper (NSDI 2018): full links with short queues for any number of flows, equal shares at equal and
//! unequal round-trip times, a share against buffer-filling flows, and insensitivity to random loss.

use crate::support::{dumbbell, number, one_bdp, run, MS, SEC};
use serde_json::{json, Value};

const RATE_BPS: u64 = 50_000_000;
const RTT_NS: u64 = 40 * MS;
const FRAME_BYTES: f64 = 1514.0;

fn goodput(result: &Value, flow: usize) -> f64 {
    number(&result["flows"][flow]["goodput_mbps"])
}

/// A buffer that a loss-based flow would fill with 400 ms.
fn large_buffer() -> Value {
    json!({"kind": "fifo", "limit_bytes": RATE_BPS / 20})
}

#[test]
fn links_are_full_and_queues_short_whatever_the_number_of_flows() {
    for (count, stagger_s) in [(1, 0), (2, 0), (4, 1), (8, 0), (8, 1)] {
        let mut scenario = dumbbell(&vec!["copa"; count], RATE_BPS, RTT_NS, large_buffer(), 40 * SEC);
        scenario["warm_up_ns"] = json!(20 * SEC);
        for i in 0..count {
            scenario["flows"][i]["start_ns"] = json!(i as u64 * stagger_s * SEC);
        }
        let result = run(&scenario);
        let link = &result["links"][0];
        let queue = number(&link["mean_queue_bytes"]) / FRAME_BYTES / count as f64;
        println!("{count}: {queue:.2} packets each, {} {}", link["utilisation"], result["jain_index"]);
        assert!(number(&link["utilisation"]) > 0.96, "{count} flows: {}", link["utilisation"]);
        // Section 3.1: it swings between empty and 2.5 / delta packets for each flow.
        assert!(queue < 6.0, "{count} flows: {queue} packets each");
        assert!(number(&result["jain_index"]) > 0.95, "{count} flows: {}", result["jain_index"]);
        assert_eq!(number(&result["flows"][0]["retransmits"]), 0.0);
    }
}

#[test]
fn flows_of_different_round_trip_times_share() {
    let mut links = vec![json!({"name": "bottleneck", "rate_bps": RATE_BPS, "queue": large_buffer()})];
    let mut flows = Vec::new();
    for (i, rtt_ms) in [20, 80].into_iter().enumerate() {
        links.push(json!({"name": format!("out{i}"), "delay_ns": rtt_ms * MS / 2}));
        links.push(json!({"name": format!("back{i}"), "delay_ns": rtt_ms * MS / 2}));
        flows.push(
            json!({"algorithm": "copa", "forward": ["bottleneck", format!("out{i}")], "reverse": [format!("back{i}")]}),
        );
    }
    let result =
        run(&json!({"seed": 1, "duration_ns": 60 * SEC, "warm_up_ns": 30 * SEC, "links": links, "flows": flows}));
    println!("{} and {}", goodput(&result, 0), goodput(&result, 1));
    let smaller = goodput(&result, 0).min(goodput(&result, 1)) / (goodput(&result, 0) + goodput(&result, 1));
    assert!(smaller > 0.3, "{smaller}");
}

#[test]
fn competing_it_keeps_a_share_beside_cubic_and_without_that_it_does_not() {
    let share = |mode_switching: u64| {
        let mut scenario = dumbbell(&["copa", "cubic"], RATE_BPS, RTT_NS, one_bdp(RATE_BPS, 2 * RTT_NS), 60 * SEC);
        scenario["flows"][0]["parameters"] = json!({"mode_switching": mode_switching});
        scenario["warm_up_ns"] = json!(20 * SEC);
        let result = run(&scenario);
        goodput(&result, 0) / (goodput(&result, 0) + goodput(&result, 1))
    };
    let (competing, not) = (share(1), share(0));
    println!("{competing:.3} and {not:.3}");
    assert!((0.25..0.75).contains(&competing), "{competing}");
    assert!(not < 0.15, "{not}");
}

#[test]
fn random_losses_cost_little() {
    let with_loss = |probability: f64| {
        let mut scenario = dumbbell(&["copa"], RATE_BPS, RTT_NS, large_buffer(), 30 * SEC);
        scenario["links"][0]["loss"] = json!({"kind": "independent", "probability": probability});
        goodput(&run(&scenario), 0)
    };
    let (none, some) = (with_loss(0.0), with_loss(0.01));
    assert!(some > 0.9 * none, "{some} of {none} Mbit/s at 1 %");
}

#[test]
fn a_smaller_delta_queues_more() {
    let queue = |delta: u64| {
        let mut scenario = dumbbell(&["copa"], RATE_BPS, RTT_NS, large_buffer(), 30 * SEC);
        scenario["flows"][0]["parameters"] = json!({"delta": delta});
        scenario["warm_up_ns"] = json!(10 * SEC);
        number(&run(&scenario)["links"][0]["mean_queue_bytes"]) / FRAME_BYTES
    };
    let (half, twentieth) = (queue(500), queue(50));
    assert!(twentieth > 4.0 * half, "{twentieth} and {half} packets");
}
