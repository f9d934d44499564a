//! Valid and invalid configurations, each problem with its remedy.

use fairlane_contract::{LinkConfig, QueueConfig};
use fairlane_engine::Streams;
use fairlane_network::{check_link, Network, StationId};

fn parse(json: &str) -> LinkConfig {
    serde_json::from_str(json).expect("valid JSON of a link")
}

/// The one-line problem of an invalid link.
fn refusal(json: &str) -> String {
    check_link(&parse(json)).expect_err("the link must be refused").to_string()
}

#[test]
fn a_link_is_read_from_json_with_all_keys() {
    let config = parse(
        r#"{"name":"bottleneck","rate_bps":100000000,"delay_ns":10000000,"overhead_bytes":14,
            "queue":{"kind":"fifo","limit_bytes":250000},"burst_bytes":1540,
            "jitter":{"max_ns":1000000,"reorder":false},
            "loss":{"kind":"gilbert_elliott","good_to_bad":0.01,"bad_to_good":0.3,"loss_good":0.0,"loss_bad":1.0},
            "duplicate_probability":0.0,"changes":[{"at_ns":5,"rate_bps":7},{"at_ns":6,"delay_ns":8}]}"#,
    );
    assert_eq!(config.queue, QueueConfig::Fifo { limit_bytes: Some(250_000), limit_packets: None });
    assert_eq!(check_link(&config), Ok(()));
}

#[test]
fn only_the_name_is_required() {
    assert_eq!(parse(r#"{"name":"out"}"#), LinkConfig::new("out"));
    assert_eq!(parse(r#"{"name":"out","queue":{"kind":"unlimited"}}"#), LinkConfig::new("out"));
}

#[test]
fn unknown_keys_are_refused() {
    for json in [
        r#"{"name":"x","rate":5}"#,
        r#"{"name":"x","queue":{"kind":"fifo","limit":5}}"#,
        r#"{"name":"x","queue":{"kind":"unlimited","limit_bytes":5}}"#,
        r#"{"name":"x","queue":{"kind":"codel","target":5}}"#,
        r#"{"name":"x","queue":{"kind":"sfq"}}"#,
        r#"{"name":"x","loss":{"kind":"independent","probability":0.1,"burst":2}}"#,
        r#"{"name":"x","jitter":{"max_ns":1,"reordering":true}}"#,
        r#"{"name":"x","changes":[{"at_ns":1,"rate_bps":5,"jitter":0.1}]}"#,
    ] {
        assert!(serde_json::from_str::<LinkConfig>(json).is_err(), "{json}");
    }
}

#[test]
fn every_wrong_value_names_key_and_remedy() {
    for (json, words) in [
        (r#"{"name":"x","rate_bps":0}"#, ["rate_bps: is 0", "leave it out"]),
        (r#"{"name":"x","rate_bps":2000000000000000}"#, ["rate_bps: is 2000000000000000", "leave it out"]),
        (r#"{"name":"x","delay_ns":99999999999999999}"#, ["delay_ns: is 9", "give 0 to 10000000 s"]),
        (r#"{"name":"x","overhead_bytes":70000}"#, ["overhead_bytes", "14"]),
        (r#"{"name":"x","queue":{"kind":"fifo"}}"#, ["exactly one", "limit_packets"]),
        (r#"{"name":"x","queue":{"kind":"fifo","limit_bytes":1,"limit_packets":1}}"#, ["exactly one", "unlimited"]),
        (r#"{"name":"x","queue":{"kind":"fifo","limit_bytes":0}}"#, ["queue.limit_bytes: is 0", "give more than 0"]),
        (r#"{"name":"x","queue":{"kind":"fifo","limit_packets":0}}"#, ["queue.limit_packets: is 0", "give 1 or more"]),
        (r#"{"name":"x","burst_bytes":1540}"#, ["burst_bytes", "rate_bps"]),
        (r#"{"name":"x","rate_bps":1,"burst_bytes":0}"#, ["burst_bytes: is 0", "at least one frame"]),
        (r#"{"name":"x","jitter":{"max_ns":99999999999999999}}"#, ["jitter.max_ns", "give 0 to 10000000 s"]),
        (r#"{"name":"x","duplicate_probability":1.5}"#, ["duplicate_probability: is 1.5", "give 0 to 1"]),
        (
            r#"{"name":"x","loss":{"kind":"independent","probability":-0.1}}"#,
            ["loss.probability: is -0.1", "give 0 to 1"],
        ),
        (
            r#"{"name":"x","loss":{"kind":"gilbert_elliott","good_to_bad":0.1,"bad_to_good":2}}"#,
            ["loss.bad_to_good: is 2", "give 0 to 1"],
        ),
        (
            r#"{"name":"x","changes":[{"at_ns":5}]}"#,
            ["changes[0]: changes nothing", "`rate_bps`, `delay_ns` or `loss`"],
        ),
        (r#"{"name":"x","jitter":{"max_ns":1,"spread_ns":1}}"#, ["jitter: has both", "remove one"]),
        (
            r#"{"name":"x","jitter":{"max_ns":1,"distribution":"normal"}}"#,
            ["jitter: has a distribution", "`spread_ns`"],
        ),
        (r#"{"name":"x","reorder":{"probability":0.1,"gap":0}}"#, ["reorder.gap: is 0", "give 1 or more"]),
        (
            r#"{"name":"x","ecn_fault":{"fault":"bleach","probability":2.0}}"#,
            ["ecn_fault.probability: is 2", "give 0 to 1"],
        ),
        (r#"{"name":"x","corrupt":{"probability":1.1}}"#, ["corrupt.probability: is 1.1", "give 0 to 1"]),
        (
            r#"{"name":"x","duplicate_correlation":0.2}"#,
            ["duplicate_correlation: has no effect", "`duplicate_probability`"],
        ),
        (r#"{"name":"x","slot":{"min_ns":5,"max_ns":4}}"#, ["slot: has a `max_ns` below", "exchange"]),
        (
            r#"{"name":"x","outages":[{"kind":"listed","at_ns":[5,6],"length_ns":2}]}"#,
            ["outages[0].at_ns: has outages that overlap", "`length_ns` apart"],
        ),
        (
            r#"{"name":"x","outages":[{"kind":"periodic","every_ns":5000,"length_ns":5000}]}"#,
            ["outages[0].length_ns: leaves no time", "less than `every_ns`"],
        ),
        (r#"{"name":"x","when_down":"hold"}"#, ["when_down: has no effect", "give `outages`"]),
        (
            r#"{"name":"x","loss":{"kind":"bursts","times":{"kind":"periodic","every_ns":5000,"length_ns":5000}}}"#,
            ["loss.times.length_ns: leaves no time", "less than `every_ns`"],
        ),
        (r#"{"name":"x","changes":[{"at_ns":5,"rate_bps":0}]}"#, ["changes[0].rate_bps: is 0", "give 1 bit/s"]),
        (
            r#"{"name":"x","changes":[{"at_ns":5,"rate_bps":1},{"at_ns":5,"rate_bps":2}]}"#,
            ["changes[1].at_ns: is not later", "sort changes"],
        ),
        (r#"{"name":"x","trace_ms":[]}"#, ["trace_ms: has 0 entries", "leave it out"]),
        (r#"{"name":"x","trace_ms":[1,3,2]}"#, ["trace_ms[2]: is earlier", "sort the trace"]),
        (r#"{"name":"x","trace_ms":[0,0]}"#, ["trace_ms: ends at 0", "above 0"]),
        (r#"{"name":"x","trace_ms":[1],"rate_bps":5}"#, ["rate_bps: and `trace_ms`", "remove one"]),
        (
            r#"{"name":"x","trace_ms":[1],"changes":[{"at_ns":5,"rate_bps":1}]}"#,
            ["changes[0].rate_bps: and `trace_ms`", "remove one"],
        ),
        (r#"{"name":"x","trace_ms":[18446744073709551615]}"#, ["trace_ms[0]: is 1", "give 0 to 10000000000"]),
    ] {
        let line = refusal(json);
        assert!(!line.contains('\n'), "{line}");
        for word in words {
            assert!(line.contains(word), "{json}: \"{line}\" does not say \"{word}\"");
        }
    }
}

#[test]
fn paths_must_exist() {
    let build = |paths: &[&[u32]]| {
        let paths = paths.iter().map(|path| path.iter().copied().map(StationId).collect()).collect();
        let network = Network::<()>::new(&[LinkConfig::new("a")], paths, &Streams::new(1));
        network.err().map(|problem| problem.to_string())
    };
    let said = |line: &str| Some(line.to_owned());
    assert_eq!(build(&[&[0]]), None);
    assert_eq!(build(&[&[0], &[]]), said("paths[1]: has no stations; give it at least one"));
    assert_eq!(build(&[&[0, 1]]), said("paths[0]: names station 1 of 1; count stations from 0"));
    assert_eq!(build(&[&[0; 5000]]), said("paths[0]: has 5000 stations; give it at most 1000"));
}

#[test]
fn a_network_refuses_a_wrong_link() {
    let wrong = LinkConfig { rate_bps: Some(0), ..LinkConfig::new("a") };
    let error = Network::<()>::new(&[wrong], vec![vec![StationId(0)]], &Streams::new(1)).err();
    let error = error.expect("its rate is 0");
    assert_eq!(error.path.to_string(), "links[0].rate_bps");
    assert_eq!(error.what, "is 0");
}
