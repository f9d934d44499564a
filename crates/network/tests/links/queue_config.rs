//! Configuration of queues: defaults, the reference, and invalid values.

use fairlane_contract::{LinkConfig, QueueConfig};
use fairlane_network::check_link;

fn queue(json: &str) -> Result<QueueConfig, String> {
    serde_json::from_str(json).map_err(|error| error.to_string())
}

/// Required keys of each kind.
fn required(kind: &str) -> &'static str {
    match kind {
        "fifo" => r#","limit_packets":1"#,
        "red" => r#","limit_bytes":400000"#,
        "policer" => r#","rate_bps":1000000,"burst_bytes":10000"#,
        _ => "",
    }
}

fn refusal(queue: &str) -> String {
    let json = format!(r#"{{"name":"x","rate_bps":1000000,"queue":{queue}}}"#);
    let link: LinkConfig = serde_json::from_str(&json).unwrap_or_else(|error| panic!("{error}: {json}"));
    check_link(&link).expect_err(&json).to_string()
}

/// Every key of the reference exists, with the documented default.
#[test]
fn the_reference_tells_the_truth() {
    let reference = include_str!("../../../../docs/reference/queues.md");
    let (mut kind, mut keys) = ("", 0);
    for line in reference.lines() {
        if let Some(name) = line.strip_prefix("## `") {
            kind = name.trim_end_matches('`');
            let plain = format!(r#"{{"kind":"{kind}"{}}}"#, required(kind));
            assert!(queue(&plain).is_ok(), "{plain}: {:?}", queue(&plain));
        }
        let Some((key, default)) = line.strip_prefix("| `").and_then(|row| row.split_once("` | ")) else { continue };
        let default = default.split(" | ").next().expect("a row has cells").trim();
        keys += 1;
        if required(kind).contains(key) {
            let is_one_of_two = kind == "fifo" || kind == "policer";
            assert_eq!(default, if is_one_of_two { "none" } else { "required" }, "{kind}.{key}");
            continue;
        }
        let plain = queue(&format!(r#"{{"kind":"{kind}"{}}}"#, required(kind)));
        let is_value = default.parse::<f64>().is_ok() || default == "true" || default == "false";
        let value = if is_value { default } else { "null" };
        let spelled_out = queue(&format!(r#"{{"kind":"{kind}"{},"{key}":{value}}}"#, required(kind)));
        assert_eq!(spelled_out, plain, "{kind}.{key} = {default}");
    }
    assert!(keys > 60, "the reference lists {keys} keys only");
}

#[test]
fn an_unknown_key_is_refused_with_those_that_exist() {
    let message = queue(r#"{"kind":"codel","target":5}"#).expect_err("there is no such key");
    for word in ["unknown field `target`", "target_ns", "interval_ns", "ecn"] {
        assert!(message.contains(word), "{message}");
    }
    let plain = ["fifo", "unlimited", "policer", "router"];
    for kind in plain.into_iter().chain(["red", "codel", "fq_codel", "pie", "fq_pie", "fq", "cake", "dualpi2"]) {
        let json = format!(r#"{{"kind":"{kind}"{},"burst_ms":1}}"#, required(kind));
        assert!(queue(&json).is_err_and(|message| message.contains("burst_ms")), "{json}");
    }
    let message = queue(r#"{"kind":"sfq"}"#).expect_err("there is no such kind");
    assert!(message.contains("sfq") && message.contains("fq_codel"), "{message}");
    let message = queue(r#"{"kind":"red"}"#).expect_err("it has no default");
    assert!(message.contains("limit_bytes"), "{message}");
}

#[test]
fn every_wrong_value_names_key_and_remedy() {
    for (queue, words) in [
        (r#"{"kind":"router","merge_packets":0}"#, ["queue.merge_packets: is 0", "merges none"]),
        (r#"{"kind":"codel","limit_packets":0}"#, ["queue.limit_packets: is 0", "give 1 or more"]),
        (r#"{"kind":"codel","target_ns":0}"#, ["queue.target_ns: is 0", "give 1 ns to 1 h"]),
        (r#"{"kind":"codel","interval_ns":9999999999999999}"#, ["queue.interval_ns: is 9", "to 1 h"]),
        (r#"{"kind":"fq_codel","flows":0}"#, ["queue.flows: is 0", "1024"]),
        (
            r#"{"kind":"fq_codel","quantum_bytes":1}"#,
            ["queue.quantum_bytes: is 1; give 256 bytes to 1 MiB", "leave it out"],
        ),
        (r#"{"kind":"fq_codel","drop_batch_packets":0}"#, ["queue.drop_batch_packets: is 0", "64"]),
        (r#"{"kind":"pie","alpha":33}"#, ["queue.alpha: is 33", "sixteenths"]),
        (r#"{"kind":"fq_pie","ecn_prob":101}"#, ["queue.ecn_prob: is 101", "0 to 100"]),
        (r#"{"kind":"fq","maxrate_bps":0}"#, ["queue.maxrate_bps: is 0", "leave it out"]),
        (r#"{"kind":"fq","orphan_mask":70000}"#, ["queue.orphan_mask", "1023"]),
        (r#"{"kind":"cake","bandwidth_bps":0}"#, ["queue.bandwidth_bps: is 0", "leave it out"]),
        (r#"{"kind":"dualpi2","coupling_factor":0}"#, ["queue.coupling_factor: is 0", "1 to 255"]),
        (r#"{"kind":"dualpi2","alpha_hz":-1}"#, ["queue.alpha_hz: is -1", "per second"]),
        (r#"{"kind":"dualpi2","step_thresh_ns":1,"step_thresh_packets":1}"#, ["exclude each other", "remove one"]),
        (r#"{"kind":"dualpi2","typical_rtt_ns":2,"max_rtt_ns":1}"#, ["queue.typical_rtt_ns: is above", "at most"]),
        (r#"{"kind":"dualpi2","max_rtt_ns":90000000,"alpha_hz":0.1}"#, ["queue.max_rtt_ns: sets `target_ns`", "leave"]),
        (r#"{"kind":"dualpi2","max_rtt_ns":60000000000}"#, ["queue.max_rtt_ns: is too long", "shorter"]),
        (r#"{"kind":"dualpi2","max_rtt_ns":100}"#, ["queue.max_rtt_ns: is below", "longer"]),
        (r#"{"kind":"red","limit_bytes":0}"#, ["queue.limit_bytes: is 0", "give more than 0"]),
        (r#"{"kind":"red","limit_bytes":9,"probability":2}"#, ["queue.probability: is 2", "0.02"]),
        (
            r#"{"kind":"red","limit_bytes":9000,"min_bytes":8000,"max_bytes":7000}"#,
            ["queue.min_bytes: is out of range", "less than `max_bytes`"],
        ),
        (r#"{"kind":"red","limit_bytes":9000,"max_bytes":10000}"#, ["queue.max_bytes: is above", "at most the limit"]),
        (r#"{"kind":"red","limit_bytes":400000,"burst_packets":3}"#, ["queue.burst_packets: is too small", "at least"]),
        (r#"{"kind":"red","limit_bytes":3000}"#, ["queue.limit_bytes: is too small", "give 15000 bytes or more"]),
        (r#"{"kind":"red","limit_bytes":400000,"bandwidth_bps":0}"#, ["queue.bandwidth_bps: is 0", "rate of the link"]),
    ] {
        assert_says(queue, &words);
    }
}

#[test]
fn a_policer_has_one_rate_with_its_burst() {
    for (parameters, words) in [
        ("", ["queue.rate_bps: is missing", "pkts_rate_pps"]),
        (r#","mtu_bytes":1514"#, ["queue.rate_bps: is missing", "burst_bytes"]),
        (r#","rate_bps":1"#, ["queue.burst_bytes: is missing", "one frame"]),
        (r#","pkts_rate_pps":1"#, ["queue.pkts_burst_packets: is missing", "at once"]),
        (r#","rate_bps":1,"burst_bytes":1,"pkts_rate_pps":1"#, ["queue.pkts_rate_pps: and `rate_bps`", "remove one"]),
        (r#","rate_bps":1,"burst_bytes":1,"pkts_burst_packets":1"#, ["queue.pkts_burst_packets: belongs", "leave it"]),
        (r#","pkts_rate_pps":1,"pkts_burst_packets":1,"burst_bytes":1"#, ["queue.burst_bytes: belongs", "leave it"]),
        (r#","rate_bps":0,"burst_bytes":1"#, ["queue.rate_bps: is 0", "give 1 bit/s"]),
        (r#","rate_bps":1,"burst_bytes":0"#, ["queue.burst_bytes: is 0", "one frame"]),
        (r#","rate_bps":1,"burst_bytes":1,"mtu_bytes":0"#, ["queue.mtu_bytes: is 0", "leave it out"]),
        (r#","pkts_rate_pps":0,"pkts_burst_packets":1"#, ["queue.pkts_rate_pps: is 0", "give 1 to 100000000000000"]),
        (r#","pkts_rate_pps":1,"pkts_burst_packets":0"#, ["queue.pkts_burst_packets: is 0", "at once"]),
        (
            r#","rate_bps":9,"burst_bytes":1,"peakrate_bps":9,"mtu_bytes":1"#,
            ["queue.peakrate_bps: is not above", "more than `rate_bps`"],
        ),
        (r#","rate_bps":9,"burst_bytes":1,"peakrate_bps":10"#, ["queue.mtu_bytes: is missing", "largest frame"]),
        (
            r#","pkts_rate_pps":9,"pkts_burst_packets":1,"peakrate_bps":10,"mtu_bytes":1"#,
            ["queue.peakrate_bps: needs `rate_bps`", "leave it out"],
        ),
    ] {
        assert_says(&format!(r#"{{"kind":"policer"{parameters}}}"#), &words);
    }
}

fn assert_says(queue: &str, words: &[&str]) {
    let line = refusal(queue);
    assert!(line.starts_with("queue.") && !line.contains('\n') && !line.contains("  "), "{line}");
    for word in words {
        assert!(line.contains(word), "{queue}: \"{line}\" does not say \"{word}\"");
    }
}

/// tc's own arithmetic: min and max from each other and from the limit, burst from both.
#[test]
fn red_needs_no_more_than_a_limit() {
    for queue in [
        r#"{"kind":"red","limit_bytes":400000}"#,
        r#"{"kind":"red","limit_bytes":400000,"min_bytes":30000}"#,
        r#"{"kind":"red","limit_bytes":1000000000,"avpkt_bytes":8000}"#,
    ] {
        let json = format!(r#"{{"name":"x","rate_bps":1000000,"queue":{queue}}}"#);
        let link: LinkConfig = serde_json::from_str(&json).expect("valid JSON of a link");
        assert_eq!(check_link(&link), Ok(()), "{json}");
    }
}
