//! CoDel's behaviour on a link, compared with RFC 8289.

use crate::common::{numbers, Arrival, Lab, FULL, MS};
use fairlane_contract::LinkConfig;
use fairlane_network::Ecn;

/// One full frame takes a millisecond.
const FRAME_NS: u64 = MS;

fn lab(queue: &str) -> Lab {
    let json = format!(r#"{{"name":"link","rate_bps":12112000,"queue":{queue}}}"#);
    let link: LinkConfig = serde_json::from_str(&json).expect("valid JSON of a link");
    Lab::one_link(link)
}

/// `count` packets at twice the rate of the link, after a burst that fills the queue.
fn overload(mut lab: Lab, burst: u32, packets: u64) -> Lab {
    lab = lab.send_many(burst, 0, FULL);
    for number in 0..packets {
        lab = lab.send(number * FRAME_NS / 2, FULL);
    }
    lab
}

/// Times of drops: the start of the next survivor's transmission.
fn drops_ms(arrivals: &[Arrival]) -> Vec<u64> {
    let gaps = arrivals.windows(2).filter(|pair| pair[1].number > pair[0].number + 1);
    gaps.flat_map(|pair| vec![(pair[1].at_ns - FRAME_NS) / MS; (pair[1].number - pair[0].number - 1) as usize])
        .collect()
}

/// RFC 8289 §5.4 and §5.5: the first drop comes an interval after the delay went above target, then interval / √count.
#[test]
fn drops_follow_the_control_law() {
    let arrivals = overload(lab(r#"{"kind":"codel","limit_packets":100000}"#), 0, 6_000).run_until(2_500 * MS);
    let drops = drops_ms(&arrivals);
    // Packet n arrives at n / 2 ms and starts at n ms: above 5 ms at 10 ms, patience until 110 ms.
    assert_eq!(drops[0], 111);
    let spacings: Vec<u64> = drops.windows(2).map(|pair| pair[1] - pair[0]).collect();
    // Linux's approximation of 1/√count lags behind at first: 1, 1/2 for 1/√2.
    assert_eq!(&spacings[..3], &[100, 50, 57]);
    for (n, &spacing) in spacings.iter().enumerate().skip(4) {
        let expected = 100.0 / ((n + 1) as f64).sqrt();
        assert!((spacing as f64 - expected).abs() <= 1.5, "spacing {n} is {spacing}, not {expected}");
    }
}

/// RFC 8289 §3.2: a burst that drains within an interval is no bad queue.
#[test]
fn a_burst_shorter_than_an_interval_is_left_alone() {
    let mut lab = lab(r#"{"kind":"codel"}"#).send_many(100, 0, FULL);
    assert_eq!(lab.run().len(), 100);
}

/// RFC 8289 §5.3: no packet is dropped while no more than an MTU waits behind it, however late it is.
#[test]
fn the_last_packets_are_spared() {
    let slow = r#"{"name":"link","rate_bps":121120,"queue":{"kind":"codel"}}"#; // 100 ms per frame
    let mut lab = Lab::one_link(serde_json::from_str(slow).expect("valid JSON of a link"));
    for number in 0..40 {
        lab = lab.send_many(1, (number / 2) * 200 * MS, FULL);
    }
    assert_eq!(lab.run().len(), 40);
}

/// RFC 8289 §5.5: leaves the dropping state as soon as the delay is below target.
#[test]
fn dropping_ends_with_the_bad_queue() {
    let mut lab = overload(lab(r#"{"kind":"codel"}"#), 0, 400);
    for number in 0..300 {
        lab = lab.send((500 + number) * MS, FULL);
    }
    let arrivals = lab.run();
    let drops = drops_ms(&arrivals);
    assert!(!drops.is_empty() && drops.iter().all(|&ms| ms < 400), "{drops:?}");
    assert_eq!(arrivals.last().map(|arrival| arrival.number), Some(699));
}

/// RFC 8289 §5.5: a relapse continues at the drop rate with which the last phase ended.
#[test]
fn a_relapse_starts_with_the_last_drop_rate() {
    let mut lab = overload(lab(r#"{"kind":"codel","limit_packets":100000}"#), 0, 2_000);
    // The first overload is over, and its queue gone, by 2 s; the second begins soon after.
    for number in 0..1_000 {
        lab = lab.send(2_100 * MS + number * FRAME_NS / 2, FULL);
    }
    let drops = drops_ms(&lab.run());
    let second: Vec<u64> = drops.iter().copied().filter(|&ms| ms > 2_100).take(2).collect();
    assert!(second[1] - second[0] < 40, "the phase begins with {second:?}, not with an interval");
}

#[test]
fn with_ecn_packets_are_marked_at_the_times_of_the_drops() {
    let dropped = drops_ms(&overload(lab(r#"{"kind":"codel","limit_packets":100000}"#), 0, 600).run_until(250 * MS));
    let ecn = lab(r#"{"kind":"codel","limit_packets":100000,"ecn":true}"#).ecn(Ecn::Ect0);
    let arrivals = overload(ecn, 0, 600).run_until(250 * MS);
    let marks = arrivals.iter().filter(|arrival| arrival.ecn == Ecn::Ce);
    assert_eq!(marks.map(|arrival| (arrival.at_ns - FRAME_NS) / MS).collect::<Vec<_>>(), dropped);
    assert_eq!(numbers(&arrivals), (0..arrivals.len() as u64).collect::<Vec<_>>());
}

#[test]
fn the_threshold_marks_what_waited_longer() {
    let mut lab = lab(r#"{"kind":"codel","ce_threshold_ns":3000000}"#).ecn(Ecn::Ect1).send_many(10, 0, FULL);
    let marked: Vec<u64> = numbers(&lab.run().into_iter().filter(|arrival| arrival.ecn == Ecn::Ce).collect::<Vec<_>>());
    assert_eq!(marked, [4, 5, 6, 7, 8, 9]);
}

/// A token bucket peeks at the head, and CoDel decides, when the previous packet leaves: the time that the head then
/// waits for tokens does not count as delay.
#[test]
fn a_token_bucket_makes_the_decision_early() {
    let queue = r#"{"kind":"codel","ce_threshold_ns":3000000}"#;
    let json = format!(r#"{{"name":"link","rate_bps":12112000,"burst_bytes":1514,"queue":{queue}}}"#);
    let link = serde_json::from_str(&json).expect("valid JSON of a link");
    let arrivals = Lab::one_link(link).ecn(Ecn::Ect1).send_many(10, 0, FULL).run();
    let first = arrivals.iter().find(|arrival| arrival.ecn == Ecn::Ce).expect("late packets are marked");
    assert_eq!((first.number, first.at_ns), (5, 5 * MS));
}
