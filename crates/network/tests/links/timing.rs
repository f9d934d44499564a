//! Arrival times: serialisation, propagation, queueing, paths; exact to the nanosecond.

use crate::common::{link, numbers, times, Lab, Send, FULL, MS};
use fairlane_contract::{LinkConfig, QueueConfig};
use fairlane_network::StationId;

#[test]
fn a_lone_packet_takes_its_serialisation_and_the_propagation() {
    // 1514 bytes at 100 Mbit/s take 121.12 us.
    let arrivals = Lab::one_link(link(100_000_000, 10 * MS)).send(5, FULL).run();
    assert_eq!(times(&arrivals), [5 + 121_120 + 10 * MS]);
}

#[test]
fn packets_sent_together_arrive_one_serialisation_apart() {
    let arrivals = Lab::one_link(link(100_000_000, MS)).send_many(4, 0, FULL).run();
    let expected: Vec<u64> = (1..=4).map(|n| n * 121_120 + MS).collect();
    assert_eq!(times(&arrivals), expected);
}

/// 1514 bytes at 25 Gbit/s take 484.48 ns: the fraction carries over from frame to frame, and an arrival is reported at
/// the first whole nanosecond at which the frame is complete.
#[test]
fn fractions_of_a_nanosecond_do_not_add_up() {
    let arrivals = Lab::one_link(link(25_000_000_000, 0)).send_many(10_000, 0, FULL).run();
    let expected: Vec<u64> = (1..=10_000_u64).map(|n| (n * 48_448).div_ceil(100)).collect();
    assert_eq!(times(&arrivals), expected);
}

#[test]
fn an_idle_link_starts_afresh() {
    let arrivals = Lab::one_link(link(25_000_000_000, 0)).send(0, FULL).send(1000, FULL).send(1100, FULL).run();
    assert_eq!(times(&arrivals), [485, 1485, 1969], "2 x 484.48 ns after 1000");
}

#[test]
fn overhead_counts_and_can_be_chosen() {
    let bare = LinkConfig { overhead_bytes: Some(0), ..link(8_000_000, 0) };
    assert_eq!(times(&Lab::one_link(bare).send(0, 1500).run()), [1_500_000]);
    assert_eq!(times(&Lab::one_link(link(8_000_000, 0)).send(0, 1500).run()), [1_514_000]);
}

#[test]
fn a_link_without_rate_only_delays() {
    let delay = LinkConfig { delay_ns: 7 * MS, ..LinkConfig::new("delay") };
    let mut lab = Lab::one_link(delay).send_many(3, 10, FULL).send(11, 40);
    assert_eq!(times(&lab.run()), [7 * MS + 10, 7 * MS + 10, 7 * MS + 10, 7 * MS + 11]);
    let stats = lab.stats(10 * MS);
    assert_eq!((stats.max_backlog_bytes, stats.mean_backlog_bytes, stats.capacity_bytes), (0, 0.0, None));
}

#[test]
fn delays_along_a_path_add_up_and_instant_links_are_free() {
    let links = [
        LinkConfig::new("in"),
        link(100_000_000, MS),
        LinkConfig::new("middle"),
        link(10_000_000, 2 * MS),
        LinkConfig::new("out"),
    ];
    let mut lab = Lab::new(&links, &[&[0, 1, 2, 3, 4]]).send(0, FULL);
    assert_eq!(times(&lab.run()), [121_120 + MS + 1_211_200 + 2 * MS]);
    for link in 0..5 {
        let stats = lab.network.station_stats(StationId(link), 10 * MS);
        assert_eq!(
            (stats.enqueued_packets, stats.delivered_packets, stats.delivered_bytes),
            (1, 1, 1514),
            "link {link}"
        );
    }
}

#[test]
fn a_path_of_instant_links_delivers_at_once_and_in_order() {
    let links = [LinkConfig::new("a"), LinkConfig::new("b")];
    let arrivals = Lab::new(&links, &[&[0, 1]]).send_many(3, 42, FULL).run();
    assert_eq!(times(&arrivals), [42, 42, 42]);
    assert_eq!(numbers(&arrivals), [0, 1, 2]);
}

#[test]
fn a_path_may_pass_a_link_twice() {
    let arrivals = Lab::new(&[link(100_000_000, MS)], &[&[0, 0]]).send(0, FULL).run();
    assert_eq!(times(&arrivals), [2 * (121_120 + MS)]);
}

#[test]
fn paths_share_a_link_and_part_again() {
    let access = |name, delay_ns| LinkConfig { delay_ns, ..LinkConfig::new(name) };
    let links = [link(100_000_000, 0), access("near", MS), access("far", 5 * MS)];
    let sends = [0, 1, 0].map(|path| Send { at_ns: 0, path, ip_bytes: FULL });
    let arrivals = Lab::new(&links, &[&[0, 1], &[0, 2]]).send_all(&sends).run();
    assert_eq!(numbers(&arrivals), [0, 2, 1]);
    assert_eq!(times(&arrivals), [121_120 + MS, 3 * 121_120 + MS, 2 * 121_120 + 5 * MS]);
}

/// As in Linux, the frame that the device transmits has left the queue.
#[test]
fn the_frame_in_transmission_does_not_count_against_the_limit() {
    let queue = QueueConfig::Fifo { limit_bytes: Some(2 * 1514), limit_packets: None };
    let mut lab = Lab::one_link(LinkConfig { queue, ..link(100_000_000, 0) }).send_many(5, 0, FULL);
    assert_eq!(numbers(&lab.run()), [0, 1, 2], "one in transmission, two waiting, two dropped");
    let stats = lab.stats(MS);
    assert_eq!((stats.dropped_packets, stats.dropped_bytes, stats.max_backlog_bytes), (2, 2 * 1514, 2 * 1514));
}

#[test]
fn a_byte_limit_admits_what_fits_exactly_and_smaller_frames_behind_a_refused_one() {
    let queue = QueueConfig::Fifo { limit_bytes: Some(1514 + 54), limit_packets: None };
    let mut lab = Lab::one_link(LinkConfig { queue, ..link(100_000_000, 0) })
        .send_many(3, 0, FULL) // the third does not fit
        .send(0, 40) // fills the queue to the byte
        .send(0, 0);
    assert_eq!(numbers(&lab.run()), [0, 1, 3]);
}

#[test]
fn a_packet_limit_counts_packets_of_any_size() {
    let queue = QueueConfig::Fifo { limit_bytes: None, limit_packets: Some(3) };
    let mut lab = Lab::one_link(LinkConfig { queue, ..link(100_000_000, 0) }).send_many(3, 0, 40).send_many(3, 0, 9000);
    assert_eq!(numbers(&lab.run()), [0, 1, 2, 3]);
}

/// Frames start at 0, 121.12 us, 242.24 us: the second and third wait for one and two serialisations.
#[test]
fn the_mean_backlog_is_the_integral_over_time() {
    let mut lab = Lab::one_link(link(100_000_000, 0)).send_many(3, 0, FULL);
    lab.run_until(MS);
    let byte_ns = 1514.0 * (121_120.0 + 242_240.0);
    assert_eq!(lab.stats(MS).mean_backlog_bytes, byte_ns / MS as f64);

    let mut lab = Lab::one_link(link(100_000_000, 0)).send_many(3, 0, FULL);
    lab.run_until(200_000);
    let stats = lab.stats(200_000);
    assert_eq!(stats.mean_backlog_bytes, 1514.0 * (121_120.0 + 200_000.0) / 200_000.0, "one still waits");
    assert_eq!((stats.backlog_packets, stats.in_flight_packets, stats.transmitted_packets), (1, 1, 1));
}
