//! The same scenario gives the same result, bit for bit: repeated, and in parallel with other runs.

use crate::support::{dumbbell, one_bdp, MS, SEC};
use serde_json::{json, Value};

/// All sources of randomness together.
fn chancy(seed: u64) -> Value {
    let mut scenario = dumbbell(&["cubic", "bbr", "reno"], 20_000_000, 30 * MS, one_bdp(20_000_000, 30 * MS), 5 * SEC);
    scenario["seed"] = json!(seed);
    scenario["links"][1]["loss"] = json!({"kind": "gilbert_elliott", "good_to_bad": 0.01, "bad_to_good": 0.3});
    scenario["links"][0]["loss"] = json!({"kind": "independent", "probability": 0.002});
    scenario["links"][0]["jitter"] = json!({"max_ns": MS, "reorder": true});
    scenario["links"][0]["duplicate_probability"] = json!(0.001);
    scenario["cross_traffic"] = json!([{"path": ["bottleneck"], "rate_bps": 2_000_000, "on_ns": 100 * MS, "off_ns": 100 * MS, "exponential": true}]);
    scenario["flows"].as_array_mut().expect("flows").push(json!({
        "algorithm": "cubic", "forward": ["bottleneck"], "reverse": ["back"],
        "workload": {"kind": "poisson_flows", "rate_per_s": 5.0, "mean_bytes": 20000}
    }));
    scenario
}

fn run(scenario: &Value) -> String {
    crate::support::run_text(&scenario.to_string()).expect("the scenario runs")
}

#[test]
fn twice_the_same() {
    let first = run(&chancy(7));
    assert!(first == run(&chancy(7)), "the second run differs");
    assert!(first != run(&chancy(8)), "the seed has no effect");
}

#[test]
fn the_same_among_parallel_runs() {
    let alone: Vec<String> = (0..4).map(|seed| run(&chancy(seed))).collect();
    let together: Vec<String> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|seed| scope.spawn(move || run(&chancy(seed)))).collect();
        threads.into_iter().map(|thread| thread.join().expect("a run ends")).collect()
    });
    assert!(alone == together, "runs disturb each other");
}

#[test]
fn one_more_flow_leaves_the_chance_of_others_alone() {
    // The added flow uses links of its own: the first flow must not notice it.
    let mut scenario = dumbbell(&["bbr"], 20_000_000, 30 * MS, one_bdp(20_000_000, 30 * MS), 5 * SEC);
    scenario["links"][0]["loss"] = json!({"kind": "independent", "probability": 0.01});
    let alone: Value = serde_json::from_str(&run(&scenario)).expect("JSON");
    let links = scenario["links"].as_array_mut().expect("links");
    links.push(json!({"name": "elsewhere", "rate_bps": 5_000_000, "delay_ns": 10 * MS, "loss": {"kind": "independent", "probability": 0.02}}));
    links.push(json!({"name": "elsewhere back", "delay_ns": 10 * MS}));
    scenario["flows"]
        .as_array_mut()
        .expect("flows")
        .push(json!({"algorithm": "bbr", "forward": ["elsewhere"], "reverse": ["elsewhere back"]}));
    let accompanied: Value = serde_json::from_str(&run(&scenario)).expect("JSON");
    assert_eq!(alone["flows"][0], accompanied["flows"][0]);
}
