//! Physical limits, on networks whose results can be computed by hand.

use crate::support::{dumbbell, number, one_bdp, run, MS, SEC};
use serde_json::json;

const ALGORITHMS: [&str; 3] = ["reno", "cubic", "bbr"];

#[test]
fn a_lone_flow_fills_its_link() {
    for algorithm in ALGORITHMS {
        for (rate_bps, rtt_ns) in [(10_000_000, 20 * MS), (100_000_000, 50 * MS), (1_000_000, 200 * MS)] {
            let result = run(&dumbbell(&[algorithm], rate_bps, rtt_ns, one_bdp(rate_bps, rtt_ns), 30 * SEC));
            let goodput = number(&result["flows"][0]["goodput_mbps"]) * 1e6;
            // At most the payload's share of a frame: 1448 of 1514 bytes.
            let ceiling = rate_bps as f64 * 1448.0 / 1514.0;
            assert!(goodput <= ceiling, "{algorithm}: {goodput} b/s through a link for {ceiling}");
            assert!(
                goodput >= 0.90 * ceiling,
                "{algorithm} at {rate_bps} b/s, {rtt_ns} ns: {:.3} of the ceiling",
                goodput / ceiling
            );
        }
    }
}

#[test]
fn no_round_trip_is_shorter_than_light_and_no_queue_longer_than_its_limit() {
    for algorithm in ALGORITHMS {
        let result = run(&dumbbell(
            &[algorithm, algorithm],
            20_000_000,
            40 * MS,
            json!({"kind": "fifo", "limit_bytes": 100_000}),
            20 * SEC,
        ));
        for flow in result["flows"].as_array().expect("flows") {
            assert!(number(&flow["min_rtt_ms"]) >= 40.0, "{flow}");
            // Propagation, a full queue, one frame in transmission, and what the receiver may delay.
            assert!(number(&flow["max_rtt_ms"]) <= 40.0 + 100_000.0 * 8.0 / 20_000.0 + 1.3 + 44.0, "{flow}");
        }
        let link = &result["links"][0];
        assert!(number(&link["max_queue_bytes"]) <= 100_000.0);
        assert!(number(&link["utilisation"]) <= 1.0);
    }
}

/// Heavy loss keeps the measured delivery rate low: paced packets are far apart when a timeout resends the oldest one.
#[test]
fn no_round_trip_of_a_paced_flow_is_shorter_than_light_after_a_timeout() {
    let mut timeouts = 0.0;
    for pacing in ["internal", "fq"] {
        for algorithm in ["bbr", "bbr2", "bbr3"] {
            for (rtt_ms, probability) in [(100, 0.2), (100, 0.4), (200, 0.3), (200, 0.5), (280, 0.4), (280, 0.5)] {
                for tail_loss_probe in [false, true] {
                    let mut scenario =
                        dumbbell(&[algorithm], 20_000_000, rtt_ms * MS, one_bdp(20_000_000, rtt_ms * MS), 60 * SEC);
                    scenario["links"][0]["loss"] = json!({"kind": "independent", "probability": probability});
                    scenario["flows"][0]["sender"] = json!({"pacing": pacing, "tail_loss_probe": tail_loss_probe});
                    let flow = &run(&scenario)["flows"][0];
                    timeouts += number(&flow["timeouts"]);
                    // The timestamp option, the only measure of a retransmission, ticks in milliseconds.
                    assert!(number(&flow["packet_rtt_min_ms"]) > rtt_ms as f64 - 1.0, "{pacing}, {scenario}: {flow}");
                }
            }
        }
    }
    assert!(timeouts > 100.0, "only {timeouts} timeouts");
}

#[test]
fn two_equal_flows_share_in_the_long_run() {
    let result = run(&dumbbell(&["reno", "reno"], 20_000_000, 20 * MS, one_bdp(20_000_000, 20 * MS), 120 * SEC));
    assert!(number(&result["jain_index"]) > 0.95, "{}", result["jain_index"]);
}

#[test]
fn a_transfer_takes_the_time_that_slow_start_needs() {
    // 100 packets from a window of 10 need 4 flights (10 + 20 + 40 + 30), and the handshake one round trip.
    let mut scenario = dumbbell(&["reno"], 1_000_000_000, 100 * MS, json!({"kind": "unlimited"}), 5 * SEC);
    scenario["flows"][0]["workload"] = json!({"kind": "bytes", "bytes": 144_800});
    let result = run(&scenario);
    let completion_s = number(&result["flows"][0]["completion_s"]);
    assert!((0.45..0.50).contains(&completion_s), "1 handshake + 3.5 round trips, got {completion_s} s");
    assert_eq!(result["flows"][0]["bytes_delivered"], 144_800);
}

#[test]
fn rate_and_delay_changes_are_followed() {
    let mut scenario = dumbbell(&["cubic"], 10_000_000, 40 * MS, one_bdp(10_000_000, 40 * MS), 40 * SEC);
    scenario["links"][0]["changes"] = json!([{"at_ns": 20 * SEC, "rate_bps": 2_000_000}]);
    let result = run(&scenario);
    let mbps: Vec<f64> = result["series"]["flows"][0]["mbps"].as_array().expect("series").iter().map(number).collect();
    let mean = |range: std::ops::Range<usize>| mbps[range.clone()].iter().sum::<f64>() / range.len() as f64;
    assert!((8.8..9.6).contains(&mean(100..200)), "{}", mean(100..200));
    assert!((1.7..1.95).contains(&mean(250..400)), "{}", mean(250..400));
}

#[test]
fn cross_traffic_takes_its_share() {
    let mut scenario = dumbbell(&["cubic"], 10_000_000, 20 * MS, one_bdp(10_000_000, 20 * MS), 20 * SEC);
    scenario["cross_traffic"] = json!([{"path": ["bottleneck"], "rate_bps": 4_000_000}]);
    let result = run(&scenario);
    let udp = &result["cross_traffic"][0];
    let delivered_share = number(&udp["delivered_packets"]) / number(&udp["sent_packets"]);
    assert!((0.95..=1.0).contains(&delivered_share), "UDP does not give way: {delivered_share} of it arrives");
    // TCP gets the capacity that UDP leaves, less headers.
    let left_mbps = (10.0 - 4.0 * delivered_share) * 1448.0 / 1500.0;
    let goodput_mbps = number(&result["flows"][0]["goodput_mbps"]);
    assert!((0.95..=1.0).contains(&(goodput_mbps / left_mbps)), "{goodput_mbps} of {left_mbps} Mbit/s");
}

#[test]
fn a_host_queue_paces_as_well_as_tcp_does() {
    let goodput = |pacing: &str| {
        let mut scenario = dumbbell(&["bbr"], 50_000_000, 40 * MS, one_bdp(50_000_000, 40 * MS), 20 * SEC);
        scenario["flows"][0]["sender"] = json!({"pacing": pacing});
        let result = run(&scenario);
        (number(&result["flows"][0]["goodput_mbps"]), number(&result["flows"][0]["mean_rtt_ms"]))
    };
    let (internal, fq) = (goodput("internal"), goodput("fq"));
    assert!((internal.0 - fq.0).abs() < 0.05 * internal.0, "{internal:?} {fq:?}");
    assert!((internal.1 - fq.1).abs() < 0.1 * internal.1, "{internal:?} {fq:?}");
}

#[test]
fn without_pacing_a_window_of_two_bdp_stands_in_the_queue() {
    // BBR's window is 2 BDP, and only pacing keeps it from being used: Cardwell et al. 2016.
    let queue = json!({"kind": "fifo", "limit_packets": 1000});
    let mut scenario = dumbbell(&["bbr"], 50_000_000, 40 * MS, queue, 20 * SEC);
    scenario["flows"][0]["sender"] = json!({"pacing": "none"});
    let result = run(&scenario);
    let rtt_ms = number(&result["flows"][0]["median_rtt_ms"]);
    assert!((70.0..95.0).contains(&rtt_ms), "{rtt_ms}");
    assert!(number(&result["flows"][0]["goodput_mbps"]) > 45.0);
}

#[test]
fn requests_are_answered_one_after_the_other() {
    let mut scenario = dumbbell(&["cubic"], 100_000_000, 20 * MS, json!({"kind": "unlimited"}), 10 * SEC);
    scenario["flows"][0]["workload"] =
        json!({"kind": "request_response", "request_bytes": 100, "response_bytes": 10_000, "think_ns": 30 * MS});
    let result = run(&scenario);
    // A round trip for the answer, 30 ms to think: 50 ms a turn, after a handshake of 20.
    let turns = number(&result["flows"][0]["requests_completed"]);
    assert!((190.0..=200.0).contains(&turns), "{turns}");
}

#[test]
fn an_on_off_source_is_silent_half_of_the_time() {
    let mut scenario = dumbbell(&["cubic"], 10_000_000, 20 * MS, one_bdp(10_000_000, 20 * MS), 40 * SEC);
    scenario["flows"][0]["workload"] = json!({"kind": "on_off", "on_ns": 2 * SEC, "off_ns": 2 * SEC});
    let result = run(&scenario);
    let goodput = number(&result["flows"][0]["goodput_mbps"]);
    assert!((4.2..5.6).contains(&goodput), "{goodput}");
}

#[test]
fn poisson_flows_come_and_go() {
    let mut scenario = dumbbell(&["cubic"], 100_000_000, 20 * MS, one_bdp(100_000_000, 20 * MS), 30 * SEC);
    scenario["flows"][0]["workload"] = json!({"kind": "poisson_flows", "rate_per_s": 20.0, "mean_bytes": 100_000});
    let result = run(&scenario);
    let flows = result["flows"].as_array().expect("flows");
    assert!((500..700).contains(&flows.len()), "{}", flows.len());
    let completed = flows.iter().filter(|flow| !flow["completion_s"].is_null()).count();
    assert!(completed + 20 > flows.len(), "{completed} of {}", flows.len());
}

#[test]
fn merging_at_the_receiver_saves_acknowledgements() {
    let acks = |offload: bool| {
        let mut scenario = dumbbell(&["cubic"], 10_000_000_000, 2 * MS, one_bdp(10_000_000_000, 2 * MS), SEC);
        scenario["flows"][0]["receiver"] = json!({"offload": offload});
        let result = run(&scenario);
        (number(&result["flows"][0]["goodput_mbps"]), number(&result["flows"][0]["wire_bytes_reverse"]))
    };
    let (with, without) = (acks(true), acks(false));
    assert!(with.1 < without.1 / 3.0, "{with:?} {without:?}");
    assert!(with.0 > 0.8 * without.0, "{with:?} {without:?}");
}
