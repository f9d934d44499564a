//! Runs with QUIC flows: goodput, coexistence with TCP, and rejected scenarios.

use crate::support::{run, run_text, MS, SEC};
use serde_json::{json, Value};

fn scenario(flows: Value, bottleneck: Value) -> Value {
    let mut flows = flows;
    for flow in flows.as_array_mut().expect("a list of flows") {
        flow["forward"] = json!(["bottleneck"]);
        flow["reverse"] = json!(["back"]);
    }
    let mut link = json!({"name": "bottleneck", "rate_bps": 10_000_000, "delay_ns": 10 * MS,
        "queue": {"kind": "fifo", "limit_packets": 50}});
    link.as_object_mut().unwrap().extend(bottleneck.as_object().unwrap().clone());
    json!({"seed": 1, "duration_ns": 20 * SEC, "links": [link, {"name": "back", "delay_ns": 10 * MS}], "flows": flows})
}

#[test]
fn a_lone_flow_fills_its_link() {
    for algorithm in ["reno", "cubic", "bbr"] {
        let result = run(&scenario(json!([{"algorithm": algorithm, "transport": "quic"}]), json!({})));
        let flow = &result["flows"][0];
        // 1167 of 1242 bytes of each frame are data.
        let goodput_mbps = flow["goodput_mbps"].as_f64().unwrap();
        assert!((8.5..=10.0 * 1167.0 / 1242.0).contains(&goodput_mbps), "{algorithm}: {goodput_mbps}");
        assert!(flow["min_rtt_ms"].as_f64().unwrap() >= 20.0);
        assert_eq!(flow["mss_bytes"], 1167);
        assert_eq!(flow["timeouts"], 0, "{algorithm}");
    }
}

#[test]
fn both_transports_share_a_link_and_repeat_bit_for_bit() {
    let flows = json!([{"algorithm": "cubic"}, {"algorithm": "cubic", "transport": "quic"}]);
    let scenario = scenario(flows, json!({"loss": {"kind": "independent", "probability": 0.001}}));
    let result = run(&scenario);
    let goodputs = [0, 1].map(|flow| result["flows"][flow]["goodput_mbps"].as_f64().unwrap());
    assert!(goodputs.iter().all(|&mbps| mbps > 1.0) && goodputs.iter().sum::<f64>() < 10.0, "{goodputs:?}");
    assert!(result == run(&scenario));
}

#[test]
fn every_workload_works_over_quic() {
    let flows = json!([
        {"algorithm": "cubic", "workload": {"kind": "bytes", "bytes": 100_000}},
        {"algorithm": "cubic", "workload": {"kind": "request_response", "request_bytes": 200, "response_bytes": 9_000}},
        {"algorithm": "reno", "workload": {"kind": "on_off", "on_ns": SEC, "off_ns": SEC}},
        {"algorithm": "reno", "workload": {"kind": "iperf3"}},
        {"algorithm": "reno", "workload": {"kind": "poisson_flows", "rate_per_s": 2.0, "mean_bytes": 20_000}},
    ]);
    let mut flows = flows;
    flows.as_array_mut().unwrap().iter_mut().for_each(|flow| flow["transport"] = json!("quic"));
    let result = run(&scenario(flows, json!({"duplicate_probability": 0.01})));
    assert_eq!(result["flows"][0]["bytes_delivered"], 100_000);
    assert!(result["flows"][1]["requests_completed"].as_u64().unwrap() > 50);
    assert!(result["flows"][2]["goodput_mbps"].as_f64().unwrap() > 0.5);
    assert!(result["flows"][3]["goodput_mbps"].as_f64().unwrap() > 0.5);
    let short = result["flows"].as_array().unwrap()[4..].iter();
    assert!(short.filter(|flow| !flow["completion_s"].is_null()).count() > 20);
}

#[test]
fn marks_reach_the_algorithm() {
    let hosts = json!({"ecn": true});
    let flows = json!([{"algorithm": "dctcp", "transport": "quic", "sender": hosts, "receiver": hosts}]);
    let codel = json!({"queue": {"kind": "codel", "ecn": true, "ce_threshold_ns": 2 * MS}});
    let result = run(&scenario(flows, codel));
    let flow = &result["flows"][0];
    assert!(flow["marked_packets"].as_u64().unwrap() > 100, "{flow}");
    assert_eq!(flow["packets_marked_lost"], 0);
    assert!(flow["goodput_mbps"].as_f64().unwrap() > 8.5);
}

#[test]
fn a_resumed_session_saves_a_round_trip() {
    let completion_ms = |zero_rtt: bool| {
        let workload = json!({"kind": "bytes", "bytes": 5_000});
        let flow =
            json!({"algorithm": "cubic", "transport": "quic", "quic": {"zero_rtt": zero_rtt}, "workload": workload});
        run(&scenario(json!([flow]), json!({})))["flows"][0]["completion_s"].as_f64().unwrap() * 1e3
    };
    let (full, resumed) = (completion_ms(false), completion_ms(true));
    // And the time that the client's last handshake message takes on the link, about 1 ms.
    assert!((20.0..=22.0).contains(&(full - resumed)), "{full} and {resumed} ms with an RTT of 20 ms");
}

#[test]
fn unreliable_data_is_lost_for_good() {
    let flow = json!({"algorithm": "cubic", "transport": "quic", "quic": {"datagrams": true}});
    let result = run(&scenario(json!([flow]), json!({"loss": {"kind": "independent", "probability": 0.01}})));
    let flow = &result["flows"][0];
    assert_eq!((flow["retransmits"].as_u64(), flow["mss_bytes"].as_u64()), (Some(0), Some(1162)));
    let (sent, lost) = (flow["data_packets_sent"].as_f64().unwrap(), flow["packets_marked_lost"].as_f64().unwrap());
    assert!((0.005..0.02).contains(&(lost / sent)), "{lost} of {sent}");
    let delivered = flow["bytes_delivered"].as_f64().unwrap();
    assert!(delivered <= (sent - lost) * 1162.0 && delivered > 0.97 * sent * 1162.0 - lost * 1162.0);
}

#[test]
fn only_a_quic_flow_has_a_qlog() {
    let flows = json!([{"algorithm": "cubic"}, {"algorithm": "cubic", "transport": "quic"}]);
    let scenario = scenario(flows, json!({})).to_string();
    let log = |config: Value| crate::support::run_with_capture(&scenario, &config.to_string());
    let text = String::from_utf8(log(json!({"flows": [1], "format": "qlog"})).expect("a log")).expect("text");
    let records = text.split('\u{1e}').skip(1).map(|record| serde_json::from_str::<Value>(record).expect("JSON"));
    assert!(records.count() > 10_000);
    let message = log(json!({"flows": [0], "format": "qlog"})).expect_err("TCP").to_string();
    assert_eq!(
        message,
        "capture.flows: flow 0 is no QUIC flow, or never began; choose a flow with transport = \"quic\""
    );
}

fn error_of(scenario: &Value) -> String {
    run_text(&scenario.to_string()).expect_err("it is refused").to_string()
}

#[test]
fn a_setting_of_the_other_transport_is_refused() {
    let cases = [
        (json!({"quic": {}}), "flows[0].quic: is given for a TCP flow; remove it, or set transport = \"quic\""),
        (
            json!({"transport": "quic", "sender": {"nagle": false}}),
            "flows[0].sender.nagle: is a setting of TCP, but the flow uses QUIC; remove it, or see `quic`",
        ),
        (
            json!({"transport": "quic", "quic": {"packet_bytes": 1100}}),
            "flows[0].quic.packet_bytes: is 1100; give 1200 to 65507 bytes (RFC 9000 section 14.1)",
        ),
        (
            json!({"transport": "quic", "mtu": 1000}),
            "flows[0].mtu: is 1000, but the flow's QUIC packets have 1228 bytes with IP and UDP headers; raise it to 1228 or \
             more",
        ),
        (
            json!({"transport": "quic", "mtu": 1300, "quic": {"profile": "gquic"}}),
            "flows[0].mtu: is 1300, but the flow's QUIC packets have 1378 bytes with IP and UDP headers; raise it to 1378 or \
             more",
        ),
        (
            json!({"transport": "quic", "quic": {"datagrams": true}, "workload": {"kind": "bytes", "bytes": 1000}}),
            "flows[0].quic.datagrams: is set, but the workload waits for all of its data, and lost datagrams never arrive; \
             use the workload bulk or on_off, or remove it",
        ),
        (
            json!({"transport": "quic", "quic": {"persistent_congestion_threshold": 0}}),
            "flows[0].quic.persistent_congestion_threshold: is 0; give 1 to 1000 (RFC 9002: 3)",
        ),
        (
            json!({"transport": "quic", "quic": {"streams": 0}}),
            "flows[0].quic.streams: is 0; give 1 to 10000",
        ),
    ];
    for (settings, message) in cases {
        let mut flow = json!({"algorithm": "reno"});
        flow.as_object_mut().unwrap().extend(settings.as_object().unwrap().clone());
        assert_eq!(error_of(&scenario(json!([flow]), json!({}))), message);
    }
    let unknown = json!([{"algorithm": "reno", "transport": "quic", "quic": {"profile": "h3"}}]);
    let message = error_of(&scenario(unknown, json!({})));
    assert!(message.contains("profile") && message.contains("ietf"), "{message}");
}
