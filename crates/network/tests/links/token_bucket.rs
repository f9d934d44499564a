//! The token bucket of tc's tbf: a burst at once, then exactly the rate.

use crate::common::{link, numbers, times, Lab, FULL, MS, SEC};
use fairlane_contract::{ChangeConfig, LinkConfig, QueueConfig};
use fairlane_network::StationStats;
use proptest::prelude::*;

fn bucket(rate_bps: u64, burst_bytes: u32) -> LinkConfig {
    LinkConfig { burst_bytes: Some(burst_bytes), ..link(rate_bps, 0) }
}

#[test]
fn a_full_bucket_lets_exactly_its_burst_through_at_once() {
    let arrivals = Lab::one_link(bucket(100_000_000, 3 * 1514)).send_many(5, 7, FULL).run();
    assert_eq!(times(&arrivals), [7, 7, 7, 7 + 121_120, 7 + 2 * 121_120]);
}

/// tbf with a burst of 1540 bytes at 100 Mbit/s: 26 bytes are left after the first frame, 1488 must come.
#[test]
fn tokens_left_over_make_the_next_wait_shorter() {
    let arrivals = Lab::one_link(bucket(100_000_000, 1540)).send_many(3, 0, FULL).run();
    assert_eq!(times(&arrivals), [0, 1488 * 80, 1488 * 80 + 1514 * 80]);
}

#[test]
fn the_bucket_fills_up_to_its_burst_and_no_further() {
    let lab = Lab::one_link(bucket(100_000_000, 2 * 1514)).send_many(3, 0, FULL).send_many(3, SEC, FULL);
    let expected = [0, 0, 121_120, SEC, SEC, SEC + 121_120];
    assert_eq!(times(&{ lab }.run()), expected);
}

#[test]
fn a_frame_takes_no_time_to_leave_and_waits_in_the_queue_until_then() {
    let queue = QueueConfig::Fifo { limit_bytes: None, limit_packets: Some(2) };
    let mut lab = Lab::one_link(LinkConfig { queue, ..bucket(100_000_000, 1514) }).send_many(5, 0, FULL);
    assert_eq!(numbers(&lab.run()), [0, 1, 2], "one left at once, two waited, two were dropped");
    assert_eq!(lab.stats(MS).max_backlog_bytes, 2 * 1514);
}

#[test]
fn a_small_frame_does_not_overtake_a_large_one() {
    let arrivals = Lab::one_link(bucket(8_000_000, 1514)).send_many(2, 0, FULL).send(0, 40).run();
    assert_eq!(numbers(&arrivals), [0, 1, 2]);
    assert_eq!(times(&arrivals), [0, 1_514_000, 1_514_000 + 54_000]);
}

#[test]
fn a_frame_larger_than_the_bucket_is_dropped_as_tbf_does() {
    let mut lab = Lab::one_link(bucket(100_000_000, 1513)).send(0, FULL).send(0, 1499);
    assert_eq!(numbers(&lab.run()), [1]);
    assert_eq!(lab.stats(MS).dropped_packets, 1);
}

/// 3 frames leave at 0, 121.12 us and 242.24 us; at 100 us the rate halves, so the tokens that the second still lacks
/// arrive at half the rate.
#[test]
fn a_change_of_rate_keeps_the_tokens() {
    let changes = vec![ChangeConfig { at_ns: 100_000, rate_bps: Some(50_000_000), ..ChangeConfig::default() }];
    let mut lab = Lab::one_link(LinkConfig { changes, ..bucket(100_000_000, 1514) }).send_many(3, 0, FULL);
    let second = 100_000 + 2 * 21_120;
    assert_eq!(times(&lab.run()), [0, second, second + 2 * 121_120]);
}

/// At 100 us the rate doubles: a frame that was to wait until 121.12 us may go earlier.
#[test]
fn a_rate_that_grows_lets_the_head_of_the_queue_go_earlier() {
    let changes = vec![ChangeConfig { at_ns: 100_000, rate_bps: Some(200_000_000), ..ChangeConfig::default() }];
    let mut lab = Lab::one_link(LinkConfig { changes, ..bucket(100_000_000, 1514) }).send_many(3, 0, FULL);
    let second = 100_000 + 21_120 / 2;
    assert_eq!(times(&lab.run()), [0, second, second + 60_560]);
}

#[test]
fn fractions_of_a_nanosecond_do_not_add_up() {
    let arrivals = Lab::one_link(bucket(25_000_000_000, 1514)).send_many(10_000, 0, FULL).run();
    let expected: Vec<u64> = (0..10_000_u64).map(|n| (n * 48_448).div_ceil(100)).collect();
    assert_eq!(times(&arrivals), expected);
}

#[test]
fn a_bucket_that_is_emptied_and_kept_empty_is_used_fully() {
    // 10 frames of tokens, and 8 ms at 1514 bytes per 121.12 us; the measurement begins with a full bucket.
    let mut lab = Lab::one_link(bucket(100_000_000, 10 * 1514)).send_many(200, MS, FULL);
    lab.run_until(MS - 1);
    let begin = lab.stats(MS - 1);
    lab.run_until(9 * MS);
    let end = lab.stats(9 * MS);
    assert_eq!(begin.tokens_bytes, 10 * 1514);
    assert_eq!(end.transmitted_bytes, (10 + 66) * 1514);
    assert_eq!(end.capacity_bytes.unwrap() - begin.capacity_bytes.unwrap(), 100_001);
    assert!((end.utilisation_since(&begin) - 76.0 * 1514.0 / (15_140.0 + 100_001.0)).abs() < 1e-12);
    // From then on tokens arrive as they are used.
    lab.run_until(17 * MS);
    assert!(lab.stats(17 * MS).utilisation_since(&end) > 0.98);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// In no interval does more leave than the burst and the tokens that arrive in that time; nor more than the tokens
    /// that are there when it begins, and those that arrive.
    #[test]
    fn no_window_carries_more_than_burst_and_rate(
        rate_bps in 1_000_000_u64..40_000_000_000,
        burst in 1514_u32..20_000,
        sends in prop::collection::vec((0_u64..50_000, 1_u32..=FULL), 1..80),
    ) {
        let mut lab = Lab::one_link(bucket(rate_bps, burst));
        let mut at_ns = 0;
        for (gap_ns, ip_bytes) in sends {
            at_ns += gap_ns;
            lab = lab.send(at_ns, ip_bytes);
        }
        let (mut arrivals, mut begin) = (Vec::new(), StationStats::default());
        for step in 0..20 {
            let now_ns = step * at_ns / 20 + step;
            arrivals.extend(lab.run_until(now_ns));
            let end = lab.stats(now_ns);
            let offered_bytes = end.capacity_bytes.unwrap() - begin.capacity_bytes.unwrap_or(0) + begin.tokens_bytes;
            let sent_bytes = end.transmitted_bytes - begin.transmitted_bytes;
            // Whole bytes, and a nanosecond by which a departure is too late.
            prop_assert!(sent_bytes <= offered_bytes + 2 + rate_bps / (8 * SEC), "{sent_bytes} of {offered_bytes}");
            prop_assert!((0.0..=1.0).contains(&end.utilisation_since(&begin)));
            begin = end;
        }
        arrivals.extend(lab.run());
        for first in 0..arrivals.len() {
            let mut bytes = 0_u128;
            for arrival in &arrivals[first..] {
                bytes += u128::from(arrival.ip_bytes + 14);
                let window_ns = u128::from(arrival.at_ns - arrivals[first].at_ns);
                // One nanosecond for rounding: each departure is up to one too late.
                let allowed = u128::from(burst) * 8 * u128::from(SEC) + (window_ns + 1) * u128::from(rate_bps);
                prop_assert!(bytes * 8 * u128::from(SEC) <= allowed);
            }
        }
    }
}
