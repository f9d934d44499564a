//! Random networks and workloads: no panic, no packet delivered twice, no flow that stalls forever.
//!
//! Test builds also check the sender's counters after every event (see `check_invariants`).

use crate::support::{number, run, run_by_events, MS, SEC};
use proptest::prelude::*;
use serde_json::{json, Value};

const NETWORKS: u32 = 2_000;
const SHARED_NETWORKS: u32 = 500;
const MANY_NETWORKS: u32 = 10_000;

pub fn queue() -> impl Strategy<Value = Value> {
    prop_oneof![
        (2_000_u64..200_000).prop_map(|bytes| json!({"kind": "fifo", "limit_bytes": bytes})),
        (1_u64..200).prop_map(|packets| json!({"kind": "fifo", "limit_packets": packets})),
        Just(json!({"kind": "unlimited"})),
        (60_000_u64..400_000).prop_map(|bytes| json!({"kind": "red", "limit_bytes": bytes})),
        prop::sample::select(vec!["codel", "fq_codel", "pie", "fq_pie", "fq", "cake", "dualpi2"])
            .prop_map(|kind| json!({"kind": kind})),
    ]
}

/// All algorithms.
pub fn algorithm() -> impl Strategy<Value = String> {
    prop::sample::select(fairlane_algorithm_native::bundled().into_iter().map(|info| info.name).collect::<Vec<_>>())
}

pub fn loss() -> impl Strategy<Value = Value> {
    prop_oneof![
        4 => Just(Value::Null),
        2 => (0.0..0.1).prop_map(|p| json!({"kind": "independent", "probability": p})),
        1 => (0.0..0.05, 0.1..1.0).prop_map(|(into, out)| json!({"kind": "gilbert_elliott", "good_to_bad": into, "bad_to_good": out})),
    ]
}

fn jitter() -> impl Strategy<Value = Value> {
    prop_oneof![
        3 => Just(Value::Null),
        1 => (0..20 * MS, any::<bool>()).prop_map(|(max_ns, reorder)| json!({"max_ns": max_ns, "reorder": reorder})),
    ]
}

/// A link with a rate from 0.1 to 50 Mbit/s, or a trace, or without limit.
fn link(name: &'static str) -> impl Strategy<Value = Value> {
    let rate = prop_oneof![4 => (100_000_u64..50_000_000).prop_map(Some), 1 => Just(None)];
    (rate, 0..150 * MS, queue(), loss(), jitter(), 0.0..0.02_f64, any::<bool>(), any::<bool>()).prop_map(
        move |(rate, delay_ns, queue, loss, jitter, duplicate, bucket, changes)| {
            let mut link = json!({"name": name, "delay_ns": delay_ns, "duplicate_probability": duplicate});
            if let Some(rate) = rate {
                link["rate_bps"] = json!(rate);
                link["queue"] = queue;
                if bucket {
                    link["burst_bytes"] = json!(10_000);
                }
                if changes {
                    link["changes"] = json!([{"at_ns": SEC, "rate_bps": rate / 3 + 50_000}, {"at_ns": 2 * SEC, "delay_ns": delay_ns / 2}]);
                }
            } else if bucket {
                link["trace_ms"] = json!([1, 2, 2, 7, 30]);
                link["queue"] = queue;
            }
            for (key, value) in [("loss", loss), ("jitter", jitter)] {
                if !value.is_null() {
                    link[key] = value;
                }
            }
            link
        },
    )
}

fn workload() -> impl Strategy<Value = Value> {
    prop_oneof![
        3 => Just(json!({"kind": "bulk"})),
        2 => (1_u64..300_000).prop_map(|bytes| json!({"kind": "bytes", "bytes": bytes})),
        1 => (1_u64..5_000, 1_u64..50_000, 0..500 * MS)
            .prop_map(|(request, response, think)| json!({"kind": "request_response", "request_bytes": request, "response_bytes": response, "think_ns": think})),
        1 => (MS..SEC, MS..SEC, any::<bool>()).prop_map(|(on, off, exponential)| json!({"kind": "on_off", "on_ns": on, "off_ns": off, "exponential": exponential})),
        1 => (1.0..20.0_f64, 1_000_u64..50_000).prop_map(|(rate, mean)| json!({"kind": "poisson_flows", "rate_per_s": rate, "mean_bytes": mean})),
        1 => (1_u64..50_000, MS..SEC).prop_map(|(bytes, interval)| json!({"kind": "writes", "bytes": bytes, "interval_ns": interval})),
        1 => Just(json!({"kind": "iperf3"})),
    ]
}

fn flow() -> impl Strategy<Value = Value> {
    let path = prop_oneof![Just(vec!["a"]), Just(vec!["a", "b"]), Just(vec!["b"])];
    let switches = (any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>());
    (algorithm(), path, workload(), 0..2 * SEC, prop_oneof![Just(1500), Just(9000), Just(576)], switches).prop_map(
        |(algorithm, path, workload, start_ns, mtu, (offload, fq, ecn, timestamps, probes, merge))| {
            json!({
                "algorithm": algorithm, "forward": path, "reverse": ["c"], "workload": workload, "start_ns": start_ns, "mtu": mtu,
                "sender": {"pacing": if fq { "fq" } else { "internal" }, "ecn": ecn, "timestamps": timestamps,
                           "tail_loss_probe": probes, "segmentation_offload": offload, "offload": merge},
                "receiver": {"offload": merge, "ecn": ecn, "rmem_max_bytes": if offload { 200_000 } else { 6_000_000 }},
            })
        },
    )
}

fn network() -> impl Strategy<Value = Value> {
    (
        any::<u64>(),
        link("a"),
        link("b"),
        link("c"),
        prop::collection::vec(flow(), 1..5),
        any::<bool>(),
        prop_oneof![Just(100), Just(250), Just(1000)],
    )
        .prop_map(|(seed, a, b, c, flows, cross, hz)| {
            let mut scenario =
                json!({"seed": seed, "duration_ns": 4 * SEC, "hz": hz, "links": [a, b, c], "flows": flows});
            if cross {
                scenario["cross_traffic"] = json!([{"path": ["a"], "rate_bps": 100_000, "packet_bytes": 500}]);
            }
            scenario
        })
}

/// A random network in which two of the links are stations of one half-duplex channel: data and acknowledgements take
/// turns on it.
fn shared_network() -> impl Strategy<Value = Value> {
    (network(), queue(), loss(), 100_000_u64..50_000_000, 0..20 * MS, 1..9, 0..50 * MS).prop_map(
        |(mut scenario, queue, loss, rate_bps, turnaround_ns, frames_per_turn, delay_ns)| {
            let own = scenario["links"][1].take();
            let station = |name: &str| {
                let mut station = json!({"name": name, "queue": queue});
                if !loss.is_null() {
                    station["loss"] = loss.clone();
                }
                station
            };
            scenario["links"] = json!([own]);
            scenario["media"] = json!([{
                "kind": "half_duplex", "name": "channel", "rate_bps": rate_bps, "turnaround_ns": turnaround_ns,
                "frames_per_turn": frames_per_turn, "delay_ns": delay_ns, "stations": [station("a"), station("c")],
            }]);
            scenario
        },
    )
}

proptest! {
    #![proptest_config(config(NETWORKS))]

    #[test]
    fn nothing_breaks(scenario in network()) {
        holds(&scenario)?;
    }
}

proptest! {
    #![proptest_config(config(SHARED_NETWORKS))]

    #[test]
    fn nothing_breaks_on_a_shared_channel(scenario in shared_network()) {
        holds(&scenario)?;
    }
}

proptest! {
    #![proptest_config(config(MANY_NETWORKS))]

    #[test]
    #[ignore = "takes many minutes: PROPTEST_RNG_SEED=2 cargo test -p fairlane-simulator --test scenarios random_networks -- --ignored"]
    fn nothing_breaks_in_many_networks(scenario in network()) {
        holds(&scenario)?;
    }
}

pub fn config(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, max_shrink_iters: 200, failure_persistence: None, ..ProptestConfig::default() }
}

/// Checks the invariants of every network's result.
fn holds(scenario: &Value) -> Result<(), TestCaseError> {
    let result = run(scenario);
    prop_assert!(run_by_events(scenario) == result, "another result event by event: {}", scenario);
    for flow in result["flows"].as_array().expect("flows") {
        let config = &scenario["flows"][flow["group"].as_u64().expect("group") as usize];
        let delivered = number(&flow["bytes_delivered"]);
        let most = number(&flow["data_packets_sent"]) * number(&config["mtu"]);
        prop_assert!(delivered <= most, "more was delivered than sent: {}", flow);
        if config["workload"]["kind"] == "bytes" {
            let size = number(&config["workload"]["bytes"]);
            prop_assert!(delivered <= size, "{}", flow);
            prop_assert_eq!(flow["completion_s"].is_null(), delivered < size, "{}", flow);
        }
        let propagation_ms = propagation_ms(scenario, config);
        if let Some(rtt_ms) = flow["min_rtt_ms"].as_f64() {
            // After a retransmission only the timestamp option can measure, and its clock ticks in milliseconds.
            prop_assert!(rtt_ms + 1.0 >= propagation_ms, "RTT {} ms on a path of {} ms", rtt_ms, propagation_ms);
        }
    }
    for (link, config) in result["links"].as_array().expect("links").iter().zip(stations(scenario)) {
        prop_assert!((0.0..=1.0).contains(&number(&link["utilisation"])), "{}", link);
        if let Some(capacity_bytes) = capacity_bytes(&config, number(&scenario["duration_ns"])) {
            prop_assert!(number(&link["transmitted_bytes"]) <= capacity_bytes, "{} of {}", link, capacity_bytes);
        }
        if let Some(limit) = config["queue"]["limit_bytes"].as_f64() {
            prop_assert!(number(&link["max_queue_bytes"]) <= limit, "{}", link);
        }
    }
    let of_channel =
        result["links"].as_array().expect("links").iter().skip(scenario["links"].as_array().map_or(0, Vec::len));
    let utilisation: f64 = of_channel.map(|station| number(&station["utilisation"])).sum();
    prop_assert!(utilisation <= 1.0 + 1e-9, "the stations of the channel used {} of it", utilisation);
    Ok(())
}

/// Bytes that a link with a rate can transmit in a run: what the rate allows, the burst, and one frame that is in
/// transmission when the rate drops.
fn capacity_bytes(config: &Value, duration_ns: f64) -> Option<f64> {
    let (mut rate_bps, mut since_ns, mut bits) = (config["rate_bps"].as_f64()?, 0.0, 0.0);
    let changes = config["changes"].as_array().cloned().unwrap_or_default();
    for change in &changes {
        let at_ns = number(&change["at_ns"]).min(duration_ns);
        bits += rate_bps * (at_ns - since_ns) / 1e9;
        (rate_bps, since_ns) = (change["rate_bps"].as_f64().unwrap_or(rate_bps), at_ns);
    }
    bits += rate_bps * (duration_ns - since_ns) / 1e9;
    let burst_bytes = config["burst_bytes"].as_f64().unwrap_or(0.0);
    let frame_bytes = if changes.is_empty() { 0.0 } else { 9_014.0 };
    Some(bits / 8.0 + burst_bytes + frame_bytes + 1.0)
}

/// The rows of results: all links, and the stations of shared media with the delay of their medium.
fn stations(scenario: &Value) -> Vec<Value> {
    let mut all = scenario["links"].as_array().expect("links").clone();
    for medium in scenario["media"].as_array().into_iter().flatten() {
        for station in medium["stations"].as_array().expect("stations") {
            let mut station = station.clone();
            station["delay_ns"] = medium["delay_ns"].clone();
            all.push(station);
        }
    }
    all
}

/// Sum of the propagation delays there and back, at their smallest.
fn propagation_ms(scenario: &Value, flow: &Value) -> f64 {
    let links = stations(scenario);
    let names = flow["forward"].as_array().expect("path").iter().chain(flow["reverse"].as_array().expect("path"));
    let sum: f64 = names
        .map(|name| {
            let link = links.iter().find(|link| &link["name"] == name).expect("the link exists");
            let changed = link["changes"].as_array().map_or(1.0, |_| 0.5);
            number(&link["delay_ns"]) * changed
        })
        .sum();
    sum / 1e6
}
