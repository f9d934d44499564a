//! Links that follow a packet-delivery trace in mahimahi's format.

use crate::common::{numbers, times, Lab, FULL, MS};
use fairlane_contract::{LinkConfig, QueueConfig};

fn trace(entries_ms: &[u64]) -> LinkConfig {
    LinkConfig { trace_ms: Some(entries_ms.to_vec()), ..LinkConfig::new("cell") }
}

#[test]
fn each_entry_lets_one_full_packet_go() {
    let arrivals = Lab::one_link(trace(&[1, 5, 5, 9])).send_many(4, 0, FULL).run();
    assert_eq!(times(&arrivals), [MS, 5 * MS, 5 * MS, 9 * MS]);
}

#[test]
fn the_trace_repeats_after_its_last_entry() {
    let arrivals = Lab::one_link(trace(&[1, 5, 9])).send_many(7, 0, FULL).run();
    let expected = [1, 5, 9, 10, 14, 18, 19].map(|ms| ms * MS);
    assert_eq!(times(&arrivals), expected);
}

#[test]
fn an_entry_at_zero_comes_with_the_last_of_each_round() {
    let arrivals = Lab::one_link(trace(&[0, 4])).send_many(5, 0, FULL).run();
    // The first opportunity, at the instant of sending, is missed.
    assert_eq!(times(&arrivals), [4, 4, 8, 8, 12].map(|ms| ms * MS));
}

#[test]
fn opportunities_are_lost_while_the_queue_is_empty() {
    let lab =
        Lab::one_link(trace(&[1, 2, 3, 4, 5])).send(3 * MS + 1, FULL).send(3 * MS + 1, FULL).send(1004 * MS, FULL);
    // The last packet comes at the instant of an opportunity and misses it.
    assert_eq!(times(&{ lab }.run()), [4 * MS, 5 * MS, 1005 * MS]);
}

/// An opportunity is worth 1504 bytes, a frame 4 bytes more than its packet: 15 frames of 100 bytes are 1500, the 16th
/// starts in the first opportunity and ends in the second.
#[test]
fn small_packets_share_an_opportunity_and_the_last_one_goes_on_in_the_next() {
    let arrivals = Lab::one_link(trace(&[10, 20])).send_many(17, 0, 96).run();
    let mut expected = vec![10 * MS; 15];
    expected.extend([20 * MS; 2]);
    assert_eq!(times(&arrivals), expected);
}

#[test]
fn the_rest_of_an_opportunity_is_lost() {
    let arrivals = Lab::one_link(trace(&[10, 20, 30])).send(0, 96).send(11 * MS, FULL).run();
    assert_eq!(times(&arrivals), [10 * MS, 20 * MS]);
}

#[test]
fn a_jumbo_packet_takes_several_opportunities() {
    let arrivals = Lab::one_link(trace(&[10])).send(0, 8900).send(0, 100).run();
    assert_eq!(times(&arrivals), [60 * MS, 60 * MS], "8904 bytes are 5.92 opportunities");
}

#[test]
fn a_frame_leaves_the_queue_with_its_first_byte() {
    let queue = QueueConfig::Fifo { limit_bytes: None, limit_packets: Some(1) };
    let config = LinkConfig { queue, delay_ns: MS, ..trace(&[10]) };
    // The first jumbo is being sent from 10 ms on, so the second finds the queue empty at 15 ms, the third full.
    let mut lab = Lab::one_link(config).send(0, 8900).send(15 * MS, 100).send(16 * MS, 100);
    let arrivals = lab.run();
    assert_eq!(numbers(&arrivals), [0, 1]);
    assert_eq!(times(&arrivals), [61 * MS, 61 * MS]);
    assert_eq!(lab.stats(62 * MS).dropped_packets, 1);
}

#[test]
fn capacity_is_all_that_the_trace_offered() {
    let mut lab = Lab::one_link(trace(&[1, 5, 9])).send_many(3, 0, FULL);
    lab.run_until(14 * MS);
    let stats = lab.stats(14 * MS);
    assert_eq!(stats.capacity_bytes, Some(5 * 1504), "at 1, 5, 9, 10 and 14 ms");
    assert!((stats.utilisation() - 0.6).abs() < 1e-12);
}
