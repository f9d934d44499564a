//! Disciplines with a rate: cake's own shaper, PIE's control, and DualPI2's two queues.

use crate::common::{numbers, times, Lab, Send, FULL, MS, SEC};
use fairlane_contract::LinkConfig;
use fairlane_network::{Acknowledgement, Ecn};

fn lab(json: &str, flows: usize) -> Lab {
    let link: LinkConfig = serde_json::from_str(json).expect("valid JSON of a link");
    Lab::new(&[link], &vec![&[0_u32] as &[u32]; flows])
}

#[test]
fn cake_shapes_without_a_burst() {
    let mut lab = lab(r#"{"name":"x","queue":{"kind":"cake","bandwidth_bps":12112000}}"#, 1);
    let arrivals = lab.send_many(5, 7, FULL).send(20 * MS, FULL).run();
    assert_eq!(times(&arrivals), [7, MS + 7, 2 * MS + 7, 3 * MS + 7, 4 * MS + 7, 20 * MS]);
    lab = self::lab(r#"{"name":"x","queue":{"kind":"cake","bandwidth_bps":25000000000}}"#, 1);
    let arrivals = lab.send_many(5_000, 0, FULL).run();
    let last_ns = arrivals.last().expect("all of them").at_ns;
    assert!(last_ns.abs_diff(4_999 * 48_448 / 100) <= 1, "{last_ns}: no rounding adds up");
}

/// 1,500 bytes and an overhead of 44 take 33 ATM cells of 53 bytes.
#[test]
fn cake_counts_the_bytes_of_the_shaped_link() {
    let interval_ns = |options: &str| {
        let json = format!(r#"{{"name":"x","queue":{{"kind":"cake","bandwidth_bps":8000000{options}}}}}"#);
        let arrivals = lab(&json, 1).send_many(2, 0, FULL).run();
        arrivals[1].at_ns - arrivals[0].at_ns
    };
    assert_eq!(interval_ns(""), 1_514_000);
    assert_eq!(interval_ns(r#","overhead":44,"atm":true"#), 33 * 53_000);
    assert_eq!(interval_ns(r#","overhead":-30"#), 1_470_000);
}

/// ACKs number `n` of 40 bytes, each for 1,000 bytes more; every tenth has data.
fn filtered(option: &str) -> Vec<u64> {
    let json = format!(r#"{{"name":"x","queue":{{"kind":"cake","bandwidth_bps":432000{option}}}}}"#);
    let mut lab = lab(&json, 1).send_many(25, 0, 40);
    lab.network.read_acknowledgements(|&number| {
        let sack = [(0, 0); 4];
        Some(Acknowledgement { ack: 1_000 * number, is_pure: number % 10 != 9, ecn_flags: 0, sack })
    });
    let arrivals = lab.run();
    let stats = lab.stats(SEC);
    assert_eq!(stats.dropped_packets, 25 - arrivals.len() as u64);
    assert_eq!(stats.enqueued_packets + stats.dropped_packets, 25 + stats.dropped_packets);
    numbers(&arrivals)
}

/// The first ACK leaves before others come. Of the others the last two pure ones stay, and all with data.
#[test]
fn cakes_ack_filter_drops_redundant_acks() {
    assert_eq!(filtered("").len(), 25);
    assert_eq!(filtered(r#","ack_filter":true"#), [0, 9, 19, 23, 24]);
    assert_eq!(filtered(r#","ack_filter_aggressive":true"#), [0, 9, 19, 24]);
}

const DUAL: &str = r#"{"name":"x","rate_bps":12112000,"queue":{"kind":"dualpi2"}}"#;

/// RFC 9332 §2.4: L4S packets do not wait behind classic ones, except for the share reserved for those.
#[test]
fn dualpi2_keeps_the_queues_apart() {
    let classic: Vec<Send> = (0..200).map(|_| Send { at_ns: 0, path: 0, ip_bytes: FULL }).collect();
    let mut lab = lab(DUAL, 2).send_all(&classic).ecn(Ecn::Ect0);
    lab.run_until(0);
    lab = lab.ecn(Ecn::Ect1).send_all(&[Send { at_ns: MS / 2, path: 1, ip_bytes: FULL }]);
    let arrivals = lab.run_until(100 * MS);
    let probe = arrivals.iter().find(|arrival| arrival.flow == 1).expect("it arrives");
    assert!(probe.at_ns <= 3 * MS, "{probe:?}");
}

/// RFC 9332 Appendix A.1: above the step of 1 ms every L4S packet is marked, none is dropped.
#[test]
fn dualpi2_marks_above_the_step() {
    let arrivals = lab(DUAL, 1).ecn(Ecn::Ect1).send_many(10, 0, FULL).run();
    let marked: Vec<u64> = arrivals.iter().filter(|arrival| arrival.ecn == Ecn::Ce).map(|a| a.number).collect();
    assert_eq!(marked, (2..10).collect::<Vec<_>>());
    assert_eq!(arrivals.len(), 10);
}

/// Classic traffic at twice the rate: p² settles at a drop rate of half, and the delay near the target.
#[test]
fn dualpi2_controls_the_classic_queue() {
    let mut lab = lab(DUAL, 1);
    for number in 0..60_000 {
        lab = lab.send(number * MS / 2, FULL);
    }
    let before = {
        lab.run_until(20 * SEC);
        lab.stats(20 * SEC)
    };
    lab.run_until(30 * SEC);
    let after = lab.stats(30 * SEC);
    let dropped = after.dropped_packets - before.dropped_packets;
    assert!((9_800..10_200).contains(&dropped), "{dropped} of 20000");
    assert!((5_000..40_000).contains(&after.backlog_bytes), "{} bytes wait", after.backlog_bytes);
}

/// RFC 8033: unresponsive traffic at twice the rate: half of it is dropped, and the delay reaches the target.
#[test]
fn pie_controls_the_delay() {
    let mut lab = lab(r#"{"name":"x","rate_bps":12112000,"queue":{"kind":"pie","limit_packets":100000}}"#, 1);
    for number in 0..120_000 {
        lab = lab.send(number * MS / 2, FULL);
    }
    lab.run_until(30 * SEC);
    let before = lab.stats(30 * SEC);
    lab.run_until(60 * SEC);
    let after = lab.stats(60 * SEC);
    let (packets, delays) = (
        after.delivered_packets - before.delivered_packets,
        after.mean_delay_ns * after.delivered_packets - before.mean_delay_ns * before.delivered_packets,
    );
    let mean_ms = delays / packets / MS;
    assert!((10..22).contains(&mean_ms), "mean delay {mean_ms} ms, target 15");
}
