//! Applications on paths whose results can be computed by hand, over TCP and QUIC.

use crate::support::{number, run, MS, SEC};
use serde_json::{json, Value};

/// 20 ms, 10 Mbit/s with a buffer of 40 ms, and an unlimited reverse path. A call over TCP turns Nagle's algorithm off.
fn alone(workload: &Value, transport: &str) -> Value {
    let is_call_over_tcp = workload["kind"] == "call" && transport == "tcp";
    let sender = if is_call_over_tcp { json!({"nagle": false}) } else { json!({}) };
    run(&json!({
        "seed": 1,
        "duration_ns": 20 * SEC,
        "links": [
            {"name": "out", "rate_bps": 10_000_000, "delay_ns": 10 * MS, "queue": {"kind": "fifo", "limit_bytes": 50_000}},
            {"name": "back", "delay_ns": 10 * MS},
        ],
        "flows": [{"algorithm": "cubic", "forward": ["out"], "reverse": ["back"], "workload": workload, "transport": transport,
                   "sender": sender}],
    }))
}

/// 64 bytes and headers take 0.1 ms. The handshake does not count.
#[test]
fn a_ping_measures_the_round_trip() {
    for transport in ["tcp", "quic"] {
        let flow = &alone(&json!({"kind": "ping"}), transport)["flows"][0];
        assert_eq!(flow["requests_completed"], 100, "{transport}"); // every 200 ms of 20 s, the first after the handshake
        for column in ["request_median_ms", "request_max_ms"] {
            assert!((20.0..20.3).contains(&number(&flow[column])), "{transport}: {column} {}", flow[column]);
        }
    }
}

/// 1,000 bytes every 10 ms are 0.8 Mbit/s; 20,000 are 16 Mbit/s, more than the link takes.
#[test]
fn writes_arrive_at_their_own_rate() {
    for transport in ["tcp", "quic"] {
        let goodput = |bytes: u64| {
            let flow =
                &alone(&json!({"kind": "writes", "bytes": bytes, "interval_ns": 10 * MS}), transport)["flows"][0];
            number(&flow["goodput_mbps"])
        };
        assert!((goodput(1_000) - 0.8).abs() < 0.01, "{transport}: {}", goodput(1_000));
        assert!((8.5..9.8).contains(&goodput(20_000)), "{transport}: {}", goodput(20_000));
    }
}

/// Before the first data is acknowledged an application fills the initial buffer once: on Linux 6.12 in this network with
/// 32 segments, 10 that the window lets through and 22 of half a receive window, not before the handshake and again after it.
#[test]
fn the_send_buffer_is_filled_once_at_the_start() {
    let result = run(&json!({
        "seed": 1,
        "duration_ns": SEC,
        "links": [
            {"name": "out", "rate_bps": 20_000_000, "delay_ns": 20 * MS, "queue": {"kind": "fifo", "limit_bytes": 100_000}},
            {"name": "back", "delay_ns": 20 * MS},
        ],
        "flows": [{"algorithm": "reno", "forward": ["out"], "reverse": ["back"], "sender": {"header_room_bytes": 256},
                   "workload": {"kind": "on_off", "on_ns": 100 * MS, "off_ns": 2 * SEC}}],
    }));
    assert_eq!((number(&result["flows"][0]["goodput_mbps"]) * 1e6 / 8.0).round(), 32.0 * 1448.0);
}

/// A stream of 12 Mbit/s stalls over 10 Mbit/s: after the first picture all time is playback or stall, and playback is
/// limited by downloads.
#[test]
fn video_above_the_rate_of_the_link_stalls() {
    let video = json!({"kind": "video", "ladder_bps": [12_000_000], "segment_ns": 4 * SEC, "buffer_ns": 12 * SEC});
    for transport in ["tcp", "quic"] {
        let flow = &alone(&video, transport)["flows"][0];
        let [played, stalled, startup] = ["played_s", "rebuffering_s", "startup_s"].map(|name| number(&flow[name]));
        assert!((played + stalled + startup - 20.0).abs() < 1e-6, "{transport}: {flow}");
        assert_eq!(played, 12.0, "{transport}: three segments of 4 s");
        assert_eq!(flow["rebuffering_events"], 3, "{transport}");
    }
}

/// A frame of 280 kbit/s is 1,400 bytes and headers at 25 frames per second, 1.2 ms of the link.
#[test]
fn a_call_on_an_idle_line_is_in_time() {
    let call =
        json!({"kind": "call", "frame_interval_ns": 40 * MS, "ladder_bps": [280_000], "feedback_interval_ns": 50 * MS});
    for transport in ["tcp", "quic"] {
        let flow = &alone(&call, transport)["flows"][0];
        let frames = number(&flow["call_frames"]);
        assert!((499.0..=500.0).contains(&frames), "{transport}: {frames}"); // 20 s less the handshake
        for column in ["call_delay_median_ms", "call_delay_p99_ms"] {
            assert!((11.1..11.6).contains(&number(&flow[column])), "{transport}: {column} {}", flow[column]);
        }
        for column in ["call_late_frames", "call_lost_frames", "call_freezes", "call_frozen_s", "bitrate_switches"] {
            assert_eq!(number(&flow[column]), 0.0, "{transport}: {column}");
        }
    }
}

/// The bitrate follows the feedback: up the ladder as long as the line carries it, and down when it delays frames.
#[test]
fn the_bitrate_of_a_call_is_that_of_the_line() {
    let call = json!({"kind": "call", "ladder_bps": [1_000_000, 5_000_000, 20_000_000], "late_ns": 60 * MS});
    for transport in ["tcp", "quic"] {
        let flow = &alone(&call, transport)["flows"][0];
        let bitrate = number(&flow["call_bitrate_mbps"]);
        assert!((3.0..9.0).contains(&bitrate), "{transport}: {bitrate} Mbit/s over 10");
        assert!(number(&flow["bitrate_switches"]) >= 3.0, "{transport}: {flow}");
        assert!(number(&flow["call_late_frames"]) > 0.0, "{transport}: {flow}");
    }
    let only = json!({"kind": "call", "ladder_bps": [20_000_000]});
    let flow = &alone(&only, "tcp")["flows"][0];
    assert!(
        number(&flow["call_lost_frames"]) > 0.4 * number(&flow["call_frames"]),
        "twice the rate of the line: {flow}"
    );
    assert!(number(&flow["call_delay_p95_ms"]) > 300.0, "{flow}");
}

/// Objects of all pages together: as many requests as pages have objects and documents, on all connections.
#[test]
fn pages_are_complete() {
    let web = json!({"kind": "web", "document_bytes": 18_000, "objects": 20, "think_ns": SEC,
                     "object_sizes": {"kind": "fixed", "bytes": 20_000}});
    for transport in ["tcp", "quic"] {
        let result = alone(&web, transport);
        let flows = result["flows"].as_array().expect("a list");
        assert_eq!(flows.len(), 6);
        let requests: f64 = flows.iter().map(|flow| number(&flow["requests_completed"])).sum();
        let pages = number(&flows[0]["pages_completed"]);
        assert!(pages * 21.0 <= requests && requests < (pages + 1.0) * 21.0, "{transport}: {pages} pages, {requests}");
        // 418 kB at 10 Mbit/s
        assert!(number(&flows[0]["page_load_median_ms"]) > 418.0 * 0.8, "{transport}");
    }
}

/// No transfer is faster than on an idle path; the first one, alone, takes hardly longer.
#[test]
fn completion_times_are_bounded_by_the_ideal() {
    let poisson = json!({"kind": "poisson_flows", "rate_per_s": 5.0,
                         "sizes": {"kind": "pareto", "minimum_bytes": 10_000, "shape": 1.5}});
    for transport in ["tcp", "quic"] {
        let result = alone(&poisson, transport);
        let flows = result["flows"].as_array().expect("a list");
        assert!(flows.len() > 50);
        for flow in flows.iter().filter(|flow| !flow["completion_s"].is_null()) {
            assert!(number(&flow["completion_s"]) >= number(&flow["ideal_completion_s"]), "{transport}: {flow}");
        }
    }
    // A round trip of handshake, 10 ms, and 1000 + 52 + 14 bytes at 10 Mbit/s.
    let arrivals = json!({"kind": "arrivals", "arrivals": [{"start_ns": 0, "bytes": 1000}]});
    let flow = &alone(&arrivals, "tcp")["flows"][0];
    assert!((number(&flow["ideal_completion_s"]) - 0.030_852_8).abs() < 1e-9, "{flow}");
    assert!(number(&flow["completion_s"]) < 0.0310, "{flow}");
}
