//! The metrics of a result agree with its time series, with each other, and with values computed by hand.

use crate::support::{dumbbell, number, one_bdp, run, MS, SEC};
use serde_json::{json, Value};

const RATE_BPS: u64 = 20_000_000;

fn lossy_pair() -> Value {
    let mut scenario = dumbbell(&["cubic", "bbr"], RATE_BPS, 40 * MS, one_bdp(RATE_BPS, 40 * MS), 20 * SEC);
    scenario["links"][0]["loss"] = json!({"kind": "independent", "probability": 0.001});
    scenario
}

fn numbers(column: &Value) -> Vec<f64> {
    column.as_array().expect("a column").iter().map(|value| value.as_f64().unwrap_or(f64::NAN)).collect()
}

fn assert_close(found: f64, expected: f64, tolerance: f64, what: &str) {
    assert!((found - expected).abs() <= tolerance * expected.abs(), "{what}: {found} against {expected}");
}

#[test]
fn figures_are_what_the_series_sum_up_to() {
    for warm_up_ns in [0, 5 * SEC] {
        let mut scenario = lossy_pair();
        scenario["warm_up_ns"] = json!(warm_up_ns);
        let result = run(&scenario);
        let first = (warm_up_ns / (100 * MS)) as usize;
        for (flow, series) in (0..).map(|flow| (&result["flows"][flow], &result["series"]["flows"][flow])).take(2) {
            let mean = |column: &str| {
                let values = &numbers(&series[column])[first..];
                values.iter().sum::<f64>() / values.len() as f64
            };
            assert_close(number(&flow["duration_s"]), 20.0 - warm_up_ns as f64 / 1e9, 1e-12, "duration");
            assert_close(number(&flow["goodput_mbps"]), mean("mbps"), 1e-6, "goodput");
            assert_close(number(&flow["throughput_mbps"]), mean("throughput_mbps"), 1e-6, "throughput");
            assert_close(number(&flow["sending_rate_mbps"]), mean("sending_rate_mbps"), 1e-6, "sending rate");
            assert_close(number(&flow["mean_rtt_ms"]), mean("rtt_ms"), 1e-6, "RTT");
            assert_close(number(&flow["mean_cwnd_packets"]), mean("cwnd_packets"), 1e-6, "cwnd");
            let retransmits: f64 = numbers(&series["retransmits"])[first..].iter().sum();
            assert_eq!(number(&flow["retransmits"]), retransmits);
        }
        let (link, series) = (&result["links"][0], &result["series"]["links"][0]);
        assert_eq!(number(&link["dropped_packets"]), numbers(&series["dropped_packets"])[first..].iter().sum::<f64>());
        let throughput = &numbers(&series["throughput_mbps"])[first..];
        let used = throughput.iter().sum::<f64>() / throughput.len() as f64 / (RATE_BPS as f64 / 1e6);
        assert_close(number(&link["utilisation"]), used, 1e-6, "utilisation");
        let queue = &numbers(&series["mean_queue_bytes"])[first..];
        assert_close(number(&link["mean_queue_bytes"]), queue.iter().sum::<f64>() / queue.len() as f64, 1e-5, "queue");
        let longest = numbers(&series["queue_bytes"])[first..].iter().copied().fold(0.0, f64::max);
        assert!(number(&link["max_queue_bytes"]) >= longest);
    }
}

#[test]
fn a_warm_up_leaves_the_beginning_out() {
    let mut scenario = dumbbell(&["bbr"], RATE_BPS, 40 * MS, one_bdp(RATE_BPS, 40 * MS), 20 * SEC);
    let whole = run(&scenario);
    scenario["warm_up_ns"] = json!(5 * SEC);
    let later = run(&scenario);
    assert_eq!(whole["series"], later["series"], "the run itself is the same");
    // BBR's startup fills the queue, and only that.
    assert!(number(&later["links"][0]["max_queue_bytes"]) < number(&whole["links"][0]["max_queue_bytes"]));
    let longest = |result: &Value| number(&result["flows"][0]["packet_rtt_max_ms"]);
    assert!(longest(&later) < longest(&whole));
}

#[test]
fn a_packet_takes_propagation_queue_and_transmission() {
    let mut scenario = dumbbell(&["cubic"], RATE_BPS, 40 * MS, one_bdp(RATE_BPS, 40 * MS), 20 * SEC);
    scenario["warm_up_ns"] = json!(2 * SEC);
    let result = run(&scenario);
    let flow = &result["flows"][0];
    let transmission_ms = 1514.0 * 8.0 / RATE_BPS as f64 * 1e3;
    let expected_ms = 40.0 + number(&result["links"][0]["mean_queue_delay_ms"]) + transmission_ms;
    assert_close(number(&flow["packet_rtt_mean_ms"]), expected_ms, 0.01, "RTT");
    assert!(number(&flow["packet_rtt_min_ms"]) >= 40.0 + transmission_ms);
    for name in ["median", "p95", "p99"] {
        let waited_ms = number(&result["links"][0][format!("{name}_queue_delay_ms")]);
        let rtt_ms = number(&flow[format!("packet_rtt_{name}_ms")]);
        assert_close(rtt_ms, 40.0 + waited_ms + transmission_ms, 0.01, name);
    }
    let ordered = ["min", "median", "p95", "p99", "max"].map(|name| number(&flow[format!("packet_rtt_{name}_ms")]));
    assert!(ordered.is_sorted(), "{ordered:?}");
    let histogram = &result["distributions"]["flows"][0];
    let counts = numbers(&histogram["samples"]);
    assert_eq!(counts.iter().sum::<f64>(), number(&flow["packet_rtt_samples"]));
    let sum: f64 = numbers(&histogram["rtt_ms"]).iter().zip(&counts).map(|(rtt_ms, count)| rtt_ms * count).sum();
    assert_close(sum / counts.iter().sum::<f64>(), number(&flow["packet_rtt_mean_ms"]), 0.01, "histogram");
}

#[test]
fn figures_of_a_stopped_flow_end_with_it() {
    let mut scenario = lossy_pair();
    scenario["flows"][0]["stop_ns"] = json!(3 * SEC);
    let result = run(&scenario);
    let flow = &result["flows"][0];
    assert_eq!(number(&flow["duration_s"]), 3.0);
    // Packets still in flight do not count as received.
    assert!(number(&flow["throughput_mbps"]) <= RATE_BPS as f64 / 1e6);
    assert!(number(&flow["data_packets_sent"]) > number(&flow["data_packets_received"]));
}

#[test]
fn a_flow_that_is_over_before_the_warm_up_has_nothing_to_show() {
    let mut scenario = lossy_pair();
    scenario["warm_up_ns"] = json!(5 * SEC);
    scenario["flows"][0]["stop_ns"] = json!(3 * SEC);
    let flow = &run(&scenario)["flows"][0];
    assert_eq!((number(&flow["duration_s"]), number(&flow["bytes_delivered"])), (0.0, 0.0));
    assert!(flow["mean_rtt_ms"].is_null() && flow["packet_rtt_mean_ms"].is_null());
}

#[test]
fn a_warm_up_as_long_as_the_run_is_refused() {
    let mut scenario = lossy_pair();
    scenario["warm_up_ns"] = json!(20 * SEC);
    let error = crate::support::run_text(&scenario.to_string()).expect_err("refused").to_string();
    assert!(error.starts_with("warm_up_ns") && error.contains("shorten"), "{error}");
}

#[test]
fn every_loss_belongs_to_a_flow() {
    for queue in [
        json!({"kind": "fifo", "limit_bytes": 60_000}),
        json!({"kind": "fq_codel"}),
        json!({"kind": "red", "limit_bytes": 200_000}),
    ] {
        for warm_up_ns in [0, 5 * SEC] {
            let mut scenario = lossy_pair();
            scenario["links"][0]["queue"] = queue.clone();
            scenario["warm_up_ns"] = json!(warm_up_ns);
            let result = run(&scenario);
            let link = &result["links"][0];
            let lost: f64 = (0..2).map(|flow| number(&result["flows"][flow]["lost_packets"])).sum();
            assert!(lost > 0.0);
            assert_eq!(lost, number(&link["dropped_packets"]) + number(&link["lost_packets"]), "{queue}");
            for flow in 0..2 {
                let flow = &result["flows"][flow];
                let under_way = number(&flow["data_packets_sent"])
                    - number(&flow["data_packets_received"])
                    - number(&flow["lost_packets"]);
                assert!(under_way.abs() < 1_000.0, "{flow}");
            }
        }
    }
}
