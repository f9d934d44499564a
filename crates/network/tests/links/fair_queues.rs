//! Flow queueing disciplines: fairness within a quantum, and priority for sparse flows.

use std::collections::BTreeMap;

use crate::common::{Arrival, Lab, Send, FULL, MS};
use fairlane_contract::LinkConfig;

/// 12.112 Mbit/s: a full frame takes a millisecond.
fn lab(queue: &str, flows: usize) -> Lab {
    let json = format!(r#"{{"name":"link","rate_bps":12112000,"queue":{queue}}}"#);
    let link: LinkConfig = serde_json::from_str(&json).expect("valid JSON of a link");
    Lab::new(&[link], &vec![&[0_u32] as &[u32]; flows])
}

const FAIR: [&str; 4] = [r#"{"kind":"fq_codel"}"#, r#"{"kind":"fq_pie"}"#, r#"{"kind":"fq"}"#, r#"{"kind":"cake"}"#];

fn bytes_by_flow(arrivals: &[Arrival]) -> BTreeMap<u32, u64> {
    let mut bytes = BTreeMap::new();
    for arrival in arrivals {
        *bytes.entry(arrival.flow).or_default() += u64::from(arrival.ip_bytes + 14);
    }
    bytes
}

/// Backlogged flows get the same number of bytes with packets of any size, to within a quantum and a packet (Shreedhar
/// and Varghese 1995, theorem 2).
#[test]
fn backlogged_flows_share_by_bytes() {
    for queue in FAIR {
        let mut sends = Vec::new();
        for (path, ip_bytes) in [(0, FULL), (1, 500), (2, 64)] {
            let packets = if path == 2 { 95 } else { 60 };
            sends.extend((0..packets).map(|_| Send { at_ns: 0, path, ip_bytes }));
        }
        // Long before the flow of small packets runs dry, and before any AQM acts.
        let bytes = bytes_by_flow(&lab(queue, 3).send_all(&sends).run_until(10 * MS));
        let (least, most) = (bytes.values().min().expect("flows"), bytes.values().max().expect("flows"));
        let quantum = if queue.contains(r#""fq""#) { 10 * 1514 } else { 1514 };
        assert!(most - least <= quantum + 1514 + 8 * 1514 * u64::from(queue.contains(r#""fq""#)), "{queue}: {bytes:?}");
    }
}

/// RFC 8290 §1.2: a flow that sends less than its share goes first, behind a long queue of another.
#[test]
fn a_sparse_flow_overtakes_a_bulky_one() {
    for queue in FAIR {
        let mut lab = lab(queue, 2).send_many(80, 0, FULL);
        for probe in 1..6 {
            lab = lab.send_all(&[Send { at_ns: probe * 10 * MS + 100, path: 1, ip_bytes: 100 }]);
        }
        let arrivals = lab.run();
        for arrival in arrivals.iter().filter(|arrival| arrival.flow == 1) {
            let sent_ns = (arrival.number - 79) * 10 * MS + 100;
            // The frame in transmission and its own come first, no more; at first fq owes the other its initial quantum.
            let initial_ns = if queue.contains(r#""fq""#) && sent_ns < 20 * MS { 10 * MS } else { 0 };
            assert!(arrival.at_ns - sent_ns <= 2 * MS + initial_ns, "{queue}: {} ns", arrival.at_ns - sent_ns);
        }
    }
}

/// RFC 8290 §4.2: a flow that is always nearly empty must not stay among the new ones forever.
#[test]
fn new_flows_do_not_starve_old_ones() {
    for queue in FAIR {
        let mut lab = lab(queue, 2).send_many(60, 0, FULL);
        for number in 0..120 {
            lab = lab.send_all(&[Send { at_ns: number * MS / 2, path: 1, ip_bytes: FULL }]);
        }
        let bytes = bytes_by_flow(&lab.run_until(50 * MS));
        assert!(bytes[&0] > 20 * 1514 && bytes[&1] > 15 * 1514, "{queue}: {bytes:?}");
    }
}

/// RFC 8290 §5.2.1 and Linux: above the limit, the longest queue loses half of its bytes, at most 64 packets, from its
/// head.
#[test]
fn fq_codel_drops_a_batch_of_the_fattest_flow() {
    let mut sends: Vec<Send> = (0..20).map(|_| Send { at_ns: 0, path: 0, ip_bytes: FULL }).collect();
    sends.extend((0..81).map(|_| Send { at_ns: 0, path: 1, ip_bytes: FULL }));
    let run = |queue: &str| {
        let mut lab = lab(queue, 2).send_all(&sends);
        let arrivals = lab.run_until(5 * MS);
        let dropped = lab.stats(5 * MS).dropped_packets;
        (arrivals, dropped)
    };
    // Both together are 101; the first has one in transmission, so the last one is the 100th that waits.
    assert_eq!(run(r#"{"kind":"fq_codel","limit_packets":100}"#).1, 0);
    assert_eq!(run(r#"{"kind":"fq_codel","limit_packets":99}"#).1, 41);
    let (arrivals, dropped) = run(r#"{"kind":"fq_codel","limit_packets":99,"drop_batch_packets":10}"#);
    assert_eq!(dropped, 10);
    let first = arrivals.iter().find(|arrival| arrival.flow == 1).expect("the fat flow has its turn");
    assert_eq!(first.number, 30, "packets 20 to 29 were its head");
}

/// A packet of 1500 bytes takes 2304 of the kernel's memory.
#[test]
fn fq_codel_has_a_limit_of_memory() {
    let memory = 100 * 2304;
    let queue = format!(r#"{{"kind":"fq_codel","memory_limit_bytes":{memory}}}"#);
    let mut exact = lab(&queue, 1).send_many(101, 0, FULL);
    exact.run_until(0);
    assert_eq!(exact.stats(0).dropped_packets, 0);
    let mut above = lab(&queue, 1).send_many(102, 0, FULL);
    above.run_until(0);
    assert_eq!(above.stats(0).dropped_packets, 51);
}

#[test]
fn fq_limits_each_flow_and_each_rate() {
    let mut limited = lab(r#"{"kind":"fq","flow_limit_packets":10}"#, 1).send_many(50, 0, FULL);
    // One in transmission, eight by the fast path, ten in the flow's queue.
    assert_eq!(limited.run().len(), 1 + 8 + 10);
    let mut paced = lab(r#"{"kind":"fq","maxrate_bps":1211200}"#, 1).send_many(100, 0, FULL);
    let arrivals = paced.run();
    // The first ten are its initial credit; from then on two frames in each 20 ms.
    let span_ns = arrivals[90].at_ns - arrivals[10].at_ns;
    assert!(span_ns.abs_diff(80 * 10 * MS) <= 20 * MS, "{span_ns}");
}

/// cake's set-associative hash: two flows share a queue only if nine meet in a set of eight.
#[test]
fn cake_keeps_flows_apart() {
    let mut sends = Vec::new();
    for path in 0..600 {
        sends.extend((0..2).map(|_| Send { at_ns: 0, path, ip_bytes: FULL }));
    }
    // So patient that no AQM acts in the meantime.
    let flows_in_first_round = |queue: &str| {
        let arrivals = lab(queue, 600).send_all(&sends).run_until(600 * MS);
        bytes_by_flow(&arrivals).len()
    };
    let cake = flows_in_first_round(r#"{"kind":"cake","rtt_ns":60000000000}"#);
    let plain = flows_in_first_round(r#"{"kind":"fq_codel","interval_ns":60000000000}"#);
    assert!(cake > 570 && plain < 480, "{cake} of 600 flows, {plain} with a plain hash");
}

/// BLUE drops more and more of an unresponsive flow, until it no longer overflows the queue.
#[test]
fn cake_restrains_what_does_not_listen() {
    let mut lab = lab(r#"{"kind":"cake","memlimit_bytes":100000}"#, 1);
    for number in 0..40_000 {
        lab = lab.send(number * MS / 4, FULL);
    }
    let arrivals = lab.run();
    let late = arrivals.iter().filter(|arrival| arrival.at_ns > 8_000 * MS).count();
    assert!((1_900..=2_100).contains(&late), "{late}: the link stays busy");
    let stats = lab.stats(10_100 * MS);
    assert!(stats.max_backlog_bytes <= 100_000 && stats.mean_delay_ns < 40 * MS, "{stats:?}");
}
