//! TCP over a Wi-Fi cell, where acknowledgements contend for the channel with the data.

use crate::support::{number, run, run_text, MS, SEC};
use serde_json::{json, Value};

/// Uploads of `stations` stations to a server behind the access point: 802.11n, 40 MHz, MCS 15 (300 Mbit/s).
fn uploads(algorithms: &[&str], wire_ns: u64) -> Value {
    let queue = |name: String| json!({"name": name, "mcs": 15, "queue": {"kind": "fifo", "limit_packets": 1000}});
    let numbers = 1..=algorithms.len();
    let stations: Vec<Value> = numbers
        .clone()
        .map(|n| json!({"name": n.to_string(), "uplink": queue(format!("{n}-up")), "downlink": queue(format!("{n}-down"))}))
        .collect();
    let flows: Vec<Value> = numbers
        .zip(algorithms)
        .map(|(n, algorithm)| {
            let (forward, reverse) = ([format!("{n}-up"), "there".into()], ["back".into(), format!("{n}-down")]);
            json!({"algorithm": algorithm, "forward": forward, "reverse": reverse})
        })
        .collect();
    json!({
        "seed": 1,
        "duration_ns": 20 * SEC,
        "warm_up_ns": 5 * SEC,
        "links": [{"name": "there", "delay_ns": wire_ns}, {"name": "back", "delay_ns": wire_ns}],
        "media": [{
            "kind": "wifi", "name": "cell", "standard": "n", "band": "2.4ghz", "width_mhz": 40,
            "guard_interval_ns": 400, "stations": stations,
        }],
        "flows": flows,
    })
}

fn goodputs(result: &Value) -> Vec<f64> {
    result["flows"].as_array().unwrap().iter().map(|flow| number(&flow["goodput_mbps"])).collect()
}

/// UDP alone saturates at 256 Mbit/s; the acknowledgements cost accesses of their own, and collisions.
#[test]
fn one_upload_leaves_the_channel_to_its_acknowledgements_and_nothing_idle() {
    let result = run(&uploads(&["cubic"], MS / 10));
    let [goodput_mbps] = goodputs(&result)[..] else { panic!("one flow") };
    assert!((200.0..240.0).contains(&goodput_mbps), "{goodput_mbps}");
    let (up, down) = (&result["links"][2], &result["links"][3]);
    assert!(number(&up["mpdus_per_ppdu"]) > 41.0, "{up}");
    let airtime = number(&up["airtime_share"]) + number(&down["airtime_share"]);
    assert!((0.9..1.1).contains(&airtime), "{airtime}");
    // One acknowledgement for two segments, and as many turns back as there are turns to the data.
    let acks = number(&down["delivered_packets"]) / number(&up["delivered_packets"]);
    assert!((0.45..0.55).contains(&acks), "{acks}");
    assert!((number(&down["turns"]) - number(&up["turns"])).abs() <= 1.0);
}

#[test]
fn equal_uploads_share_the_channel_equally() {
    let found = goodputs(&run(&uploads(&["cubic", "cubic"], MS)));
    let share = found[0] / (found[0] + found[1]);
    assert!((0.45..0.55).contains(&share), "{found:?}");
    assert!(found[0] + found[1] > 180.0, "{found:?}");
}

/// BBR's window is twice the BDP of a round trip measured with little in flight. Since 5.1, Linux's BBR enlarges it when
/// acknowledgements arrive in bursts; without that, the queue at a channel access does not fill an A-MPDU, and the
/// channel changes hands more often.
#[test]
fn without_an_allowance_for_bursts_of_acknowledgements_bbr_sends_smaller_aggregates() {
    let with_gain = |gain: i64| {
        let mut scenario = uploads(&["bbr"], MS / 10);
        scenario["flows"][0]["parameters"] = json!({"extra_acked_gain": gain});
        let result = run(&scenario);
        let up = &result["links"][2];
        (goodputs(&result)[0], number(&up["mpdus_per_ppdu"]), number(&up["turns"]))
    };
    let ((with_mbps, with_mpdus, with_turns), (mbps, mpdus, turns)) = (with_gain(256), with_gain(0));
    assert!(mpdus < 0.9 * with_mpdus, "{mpdus} and {with_mpdus} MPDUs");
    assert!(turns > 1.2 * with_turns, "{turns} and {with_turns} turns");
    assert!(mbps < with_mbps, "{mbps} and {with_mbps} Mbit/s");
}

#[test]
fn the_same_seed_gives_the_same_result_to_the_last_bit() {
    let scenario = uploads(&["cubic", "bbr"], MS).to_string();
    let text = || run_text(&scenario).expect("it runs");
    assert_eq!(text(), text());
    let mut other = uploads(&["cubic", "bbr"], MS);
    other["seed"] = json!(2);
    assert_ne!(run(&other)["flows"], serde_json::from_str::<Value>(&text()).expect("JSON")["flows"]);
}

#[test]
fn names_of_queues_are_known_to_paths_and_what_is_wrong_names_its_key() {
    let mut scenario = uploads(&["cubic"], MS);
    scenario["flows"][0]["forward"] = json!(["1"]);
    let line = run_text(&scenario.to_string()).expect_err("there is no such queue").to_string();
    assert!(line.contains("there is no link or station \"1\""), "{line}");
    let mut scenario = uploads(&["cubic"], MS);
    scenario["media"][0]["stations"][0]["downlink"]["mcs"] = json!(40);
    let line = run_text(&scenario.to_string()).expect_err("there is no MCS 40").to_string();
    assert!(line.contains("media[0].stations[0].downlink.mcs: is 40; give 0 to 31"), "{line}");
}
