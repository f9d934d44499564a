//! TCP over a half-duplex channel, where acknowledgements take turns with the data.

use crate::support::{number, run, run_text, MS, SEC};
use serde_json::{json, Value};

/// A client that sends through an access point to a server.
fn scenario(turnaround_ns: u64, frames_per_turn: u32) -> Value {
    json!({
        "seed": 1,
        "duration_ns": 20 * SEC,
        "warm_up_ns": 5 * SEC,
        "links": [{"name": "there", "delay_ns": 5 * MS}, {"name": "back", "delay_ns": 5 * MS}],
        "media": [{
            "kind": "half_duplex", "name": "air", "rate_bps": 100_000_000, "turnaround_ns": turnaround_ns,
            "frames_per_turn": frames_per_turn,
            "stations": [
                {"name": "client", "queue": {"kind": "fifo", "limit_packets": 200}},
                {"name": "access point", "queue": {"kind": "fq_codel"}},
            ],
        }],
        "flows": [
            {"algorithm": "cubic", "forward": ["client", "there"], "reverse": ["back", "access point"]},
        ],
    })
}

/// Every acknowledgement costs its frame and two turnarounds; data takes the rest of the time.
#[test]
fn data_acknowledgements_and_turnarounds_fill_the_time() {
    for turnaround_ns in [0, 50_000, 200_000] {
        let mut backlogged = scenario(turnaround_ns, 1);
        backlogged["media"][0]["stations"][0]["queue"] = json!({"kind": "unlimited"});
        let result = run(&backlogged);
        let count = |row: usize| number(&result["links"][row]["delivered_packets"]);
        let frame_ns = |bytes: f64| bytes * 80.0;
        let ack_ns = frame_ns(14.0 + 52.0) + 2.0 * turnaround_ns as f64;
        let busy_ns = count(2) * frame_ns(1514.0) + count(3) * ack_ns;
        assert!((busy_ns / (15.0 * SEC as f64) - 1.0).abs() < 1e-3, "{busy_ns} ns at {turnaround_ns} ns");
        let goodput_mbps = number(&result["flows"][0]["goodput_mbps"]);
        let expected_mbps = count(0) * 1448.0 * 8.0 / 15e6;
        assert!((goodput_mbps / expected_mbps - 1.0).abs() < 2e-3, "{goodput_mbps}, expected {expected_mbps}");
    }
}

#[test]
fn stations_have_rows_and_series_as_links_have() {
    let result = run(&scenario(50_000, 4));
    let names: Vec<&str> =
        result["links"].as_array().unwrap().iter().map(|row| row["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["there", "back", "client", "access point"]);
    assert_eq!(result["series"]["links"].as_array().unwrap().len(), 4);
    let (client, access_point) = (&result["links"][2], &result["links"][3]);
    let utilisation = number(&client["utilisation"]) + number(&access_point["utilisation"]);
    assert!((0.7..=1.0).contains(&utilisation), "{utilisation}");
    assert!(number(&client["max_queue_bytes"]) <= 200.0 * 1514.0);
    assert!(number(&client["mean_queue_delay_ms"]) > number(&access_point["mean_queue_delay_ms"]));
}

#[test]
fn the_same_scenario_gives_the_same_result_to_the_last_bit() {
    let mut lossy = scenario(50_000, 2);
    lossy["media"][0]["stations"][0]["loss"] = json!({"kind": "independent", "probability": 0.001});
    let (first, second) = (run_text(&lossy.to_string()).unwrap(), run_text(&lossy.to_string()).unwrap());
    assert!(first == second);
    let lost = number(&serde_json::from_str::<Value>(&first).unwrap()["links"][2]["lost_packets"]);
    assert!(lost > 10.0, "{lost}");
}

#[test]
fn a_station_needs_a_name_of_its_own() {
    let mut twice = scenario(0, 1);
    twice["media"][0]["stations"][0]["name"] = json!("back");
    let error = run_text(&twice.to_string()).expect_err("it must be refused").to_string();
    assert!(error.contains("the name \"back\" is used twice"), "{error}");
    let mut wrong = scenario(0, 1);
    wrong["flows"][0]["forward"] = json!(["air"]);
    let error = run_text(&wrong.to_string()).expect_err("a medium is no station").to_string();
    assert!(error.contains("there is no link or station \"air\"") && error.contains("client"), "{error}");
}
