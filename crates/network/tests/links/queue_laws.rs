//! Laws that hold for every queue discipline, with any traffic and parameters.

use std::collections::BTreeMap;

use crate::common::{Arrival, Lab, Send, MS, SEC};
use fairlane_contract::LinkConfig;
use fairlane_network::{check_link, Ecn, StationStats};
use proptest::prelude::*;

const FLOWS: u32 = 5;

/// A queue of a scenario.
fn queue() -> impl Strategy<Value = String> {
    let ecn = any::<bool>();
    let limit = 1_u64..60;
    prop_oneof![
        (limit.clone(), 1..20 * MS, ecn).prop_map(|(limit, target, ecn)| format!(
            r#"{{"kind":"codel","limit_packets":{limit},"target_ns":{target},"interval_ns":{},"ecn":{ecn}}}"#,
            10 * target
        )),
        (limit.clone(), 1..20 * MS, 1..9_u32, 1..70_u32).prop_map(|(limit, target, flows, batch)| format!(
            r#"{{"kind":"fq_codel","limit_packets":{limit},"target_ns":{target},"flows":{flows},
                "drop_batch_packets":{batch},"memory_limit_bytes":200000}}"#
        )),
        (limit.clone(), 1..20 * MS, ecn, ecn, ecn).prop_map(|(limit, target, ecn, bytemode, estimator)| format!(
            r#"{{"kind":"pie","limit_packets":{limit},"target_ns":{target},"tupdate_ns":{target},"ecn":{ecn},
                "bytemode":{bytemode},"dq_rate_estimator":{estimator}}}"#
        )),
        (limit.clone(), 1..20 * MS, ecn, 1..9_u32).prop_map(|(limit, target, ecn, flows)| format!(
            r#"{{"kind":"fq_pie","limit_packets":{limit},"target_ns":{target},"tupdate_ns":{target},"ecn":{ecn},
                "flows":{flows}}}"#
        )),
        (20_000_u64..400_000, ecn, ecn, ecn).prop_map(|(limit, ecn, harddrop, adaptive)| format!(
            r#"{{"kind":"red","limit_bytes":{limit},"burst_packets":{},"ecn":{ecn},"harddrop":{harddrop},
                "adaptive":{adaptive},"probability":0.1}}"#,
            limit / 8_000 + 2
        )),
        (limit.clone(), 1..40_u64, prop::option::of(1_000_000_u64..100_000_000)).prop_map(
            |(limit, flow_limit, maxrate)| format!(
                r#"{{"kind":"fq","limit_packets":{limit},"flow_limit_packets":{flow_limit},"maxrate_bps":{}}}"#,
                maxrate.map_or("null".into(), |rate| rate.to_string())
            )
        ),
        (prop::option::of(1_000_000_u64..100_000_000), 10_000_u64..300_000, MS..100 * MS).prop_map(
            |(bandwidth, memory, rtt)| format!(
                r#"{{"kind":"cake","bandwidth_bps":{},"memlimit_bytes":{memory},"rtt_ns":{rtt}}}"#,
                bandwidth.map_or("null".into(), |rate| rate.to_string())
            )
        ),
        (limit, 1..20 * MS, ecn, ecn, 0..101_u32).prop_map(|(limit, target, early, overload, percent)| format!(
            r#"{{"kind":"dualpi2","limit_packets":{limit},"target_ns":{target},"drop_enqueue":{early},
                "drop_on_overload":{overload},"classic_protection_percent":{percent}}}"#
        )),
        (1_000_000_u64..1_000_000_000, 1_000_u32..50_000)
            .prop_map(|(rate, burst)| format!(r#"{{"kind":"policer","rate_bps":{rate},"burst_bytes":{burst}}}"#)),
        (100_u64..1_000_000, 1_u32..50).prop_map(|(rate, burst)| format!(
            r#"{{"kind":"policer","pkts_rate_pps":{rate},"pkts_burst_packets":{burst},"mtu_bytes":1400}}"#
        )),
        (1_u64..40, 0..2 * MS, prop::option::of(1..MS), 1..9_u32).prop_map(
            |(limit, forwarding, interval, merged)| format!(
                r#"{{"kind":"router","limit_packets":{limit},"forwarding_ns":{forwarding},"merge_packets":{merged},
                "merge_interval_ns":{}}}"#,
                interval.map_or("null".into(), |interval| interval.to_string())
            )
        ),
    ]
}

fn link() -> impl Strategy<Value = LinkConfig> {
    let transmitter = prop_oneof![
        (1_000_000_u64..1_000_000_000).prop_map(|rate| format!(r#","rate_bps":{rate}"#)),
        (1_000_000_u64..1_000_000_000, 1_540_u32..20_000)
            .prop_map(|(rate, burst)| format!(r#","rate_bps":{rate},"burst_bytes":{burst}"#)),
        Just(r#","trace_ms":[1,1,2,5]"#.to_owned()),
        Just(String::new()),
    ];
    (transmitter, queue()).prop_map(|(transmitter, queue)| {
        let json = format!(r#"{{"name":"link","delay_ns":{MS},"queue":{queue}{transmitter}}}"#);
        let link: LinkConfig = serde_json::from_str(&json).unwrap_or_else(|error| panic!("{error}: {json}"));
        assert_eq!(check_link(&link), Ok(()), "{json}");
        link
    })
}

fn traffic() -> impl Strategy<Value = Vec<Send>> {
    let gap_ns = prop_oneof![3 => Just(0), 3 => 0..2_000_u64, 3 => 0..MS, 1 => 0..300 * MS];
    prop::collection::vec((gap_ns, 0..FLOWS, 20_u32..1_501), 1..600).prop_map(|packets| {
        let mut at_ns = 0;
        let mut send = |(gap_ns, path, ip_bytes)| {
            at_ns += gap_ns;
            Send { at_ns, path, ip_bytes }
        };
        packets.into_iter().map(&mut send).collect()
    })
}

fn lab(link: &LinkConfig, ecn: Ecn, sends: &[Send]) -> Lab {
    Lab::new(std::slice::from_ref(link), &[&[0_u32] as &[u32]; FLOWS as usize]).ecn(ecn).send_all(sends)
}

fn codepoint() -> impl Strategy<Value = Ecn> {
    prop_oneof![Just(Ecn::NotEct), Just(Ecn::Ect0), Just(Ecn::Ect1)]
}

fn frame_bytes(link: &LinkConfig, ip_bytes: impl Iterator<Item = u32>) -> u64 {
    ip_bytes.map(|bytes| u64::from(bytes + link.frame_overhead_bytes())).sum()
}

/// The limits of a queue, in packets and bytes.
fn limits(link: &LinkConfig) -> (u64, u64) {
    let text = format!("{:?}", link.queue);
    let number = |key: &str| -> Option<u64> {
        let rest = text.split(key).nth(1)?.trim_start_matches(": ").trim_start_matches("Some(");
        rest.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
    };
    let merged = number("merge_packets").unwrap_or(1); // a router counts merged packets as one
    (number("limit_packets").unwrap_or(u64::MAX).saturating_mul(merged), number("limit_bytes").unwrap_or(u64::MAX))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(600) })]

    #[test]
    fn every_packet_is_accounted_for(link in link(), ecn in codepoint(), sends in traffic(), share in 0.0..1.0) {
        let last_ns = sends.last().map_or(0, |send| send.at_ns);
        let stop_ns = (last_ns as f64 * share) as u64;
        let mut lab = lab(&link, ecn, &sends);
        let arrivals = lab.run_until(stop_ns);
        let stats = lab.stats(stop_ns);
        let offered: Vec<Send> = sends.iter().filter(|send| send.at_ns <= stop_ns).copied().collect();
        let inside = stats.backlog_packets + stats.in_flight_packets;
        prop_assert_eq!(stats.delivered_packets, arrivals.len() as u64);
        prop_assert_eq!(stats.delivered_packets + stats.dropped_packets + inside, offered.len() as u64);
        let delivered_bytes = frame_bytes(&link, arrivals.iter().map(|arrival| arrival.ip_bytes));
        prop_assert_eq!(stats.delivered_bytes, delivered_bytes);
        let offered_bytes = frame_bytes(&link, offered.iter().map(|send| send.ip_bytes));
        let gone_bytes = stats.delivered_bytes + stats.dropped_bytes;
        prop_assert!(gone_bytes + stats.backlog_bytes <= offered_bytes);
        prop_assert!(stats.enqueued_packets + stats.dropped_packets >= offered.len() as u64);
        prop_assert!(stats.mean_backlog_bytes <= stats.max_backlog_bytes as f64);
        prop_assert!(stats.mean_delay_ns <= stats.max_delay_ns);
    }

    #[test]
    fn limits_hold(link in link(), ecn in codepoint(), sends in traffic()) {
        let (limit_packets, limit_bytes) = limits(&link);
        let mut lab = lab(&link, ecn, &sends);
        for step in 0..20 {
            lab.run_until(step * 10 * MS);
            let StationStats { backlog_packets, max_backlog_bytes, .. } = lab.stats(step * 10 * MS);
            // fq_pie, pie and the like count before they admit; nothing exceeds its limit after it.
            prop_assert!(backlog_packets <= limit_packets && max_backlog_bytes <= limit_bytes);
        }
    }

    #[test]
    fn a_flow_keeps_its_order(link in link(), ecn in codepoint(), sends in traffic()) {
        let mut last: BTreeMap<u32, u64> = BTreeMap::new();
        for Arrival { flow, number, .. } in lab(&link, ecn, &sends).run() {
            let before = last.insert(flow, number);
            prop_assert!(before.is_none_or(|before| before < number), "flow {flow}: {number} after {before:?}");
        }
    }

    #[test]
    fn queues_run_empty(link in link(), ecn in codepoint(), sends in traffic()) {
        let mut lab = lab(&link, ecn, &sends);
        lab.run();
        let stats = lab.stats(10_000 * SEC);
        prop_assert_eq!((stats.backlog_packets, stats.backlog_bytes, stats.in_flight_packets), (0, 0, 0));
        prop_assert_eq!(stats.delivered_packets + stats.dropped_packets, sends.len() as u64);
    }

    #[test]
    fn marks_are_for_those_who_understand_them(link in link(), ecn in codepoint(), sends in traffic()) {
        let mut lab = lab(&link, ecn, &sends);
        let arrivals = lab.run();
        let marked = arrivals.iter().filter(|arrival| arrival.ecn == Ecn::Ce).count() as u64;
        let stats = lab.stats(10_000 * SEC);
        // A marked packet may still be dropped when a limit is exceeded.
        prop_assert!(marked <= stats.marked_packets && stats.marked_packets <= marked + stats.dropped_packets);
        prop_assert!(ecn != Ecn::NotEct || stats.marked_packets == 0);
        prop_assert!(arrivals.iter().all(|arrival| arrival.ecn == Ecn::Ce || arrival.ecn == ecn));
    }

    /// Reading counters, and running twice, change nothing.
    #[test]
    fn a_run_can_be_repeated(link in link(), ecn in codepoint(), sends in traffic(), stop_ns in 0..100 * MS) {
        let mut looked_at = lab(&link, ecn, &sends);
        let mut arrivals = looked_at.run_until(stop_ns);
        looked_at.stats(stop_ns);
        arrivals.extend(looked_at.run());
        prop_assert_eq!(arrivals, lab(&link, ecn, &sends).run());
    }
}
