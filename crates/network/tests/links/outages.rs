//! Links that are down for some time.

use crate::common::{link, numbers, times, Lab, FULL, MS, SEC};
use fairlane_contract::{LinkConfig, LossConfig, OutageConfig, QueueConfig, WhenDown};

/// A frame of 1514 bytes at 100 Mbit/s.
const FRAME_NS: u64 = 121_120;

fn down(from_ns: u64, to_ns: u64, when_down: WhenDown) -> LinkConfig {
    let outages = vec![OutageConfig::Listed { at_ns: vec![from_ns], length_ns: to_ns - from_ns }];
    LinkConfig { outages, when_down, ..link(100_000_000, 10 * MS) }
}

#[test]
fn arrivals_during_the_outage_are_lost() {
    // Frames arrive from 10.12 ms to 22.1 ms; those on the wire at 12 ms are lost, those that leave at 8 ms arrive.
    let mut lab = Lab::one_link(down(12 * MS, 18 * MS, WhenDown::Drop)).send_many(100, 0, FULL);
    let arrivals = lab.run();
    let lost = times(&arrivals).windows(2).position(|pair| pair[1] - pair[0] > FRAME_NS).expect("a gap");
    assert!(arrivals[lost].at_ns < 12 * MS && arrivals[lost + 1].at_ns >= 18 * MS);
    assert!(arrivals[lost + 1].at_ns < 18 * MS + FRAME_NS, "resumes at once");
    let stats = lab.stats(SEC);
    assert_eq!(stats.lost_randomly_packets, 100 - arrivals.len() as u64);
    assert_eq!(stats.transmitted_packets, 100, "the transmitter does not know");
}

#[test]
fn a_paused_transmitter_completes_its_frame_and_the_queue_afterwards() {
    let mut lab = Lab::one_link(down(180_000, 5 * MS, WhenDown::Hold)).send_many(4, 0, FULL);
    lab.run_until(2 * MS);
    let stats = lab.stats(2 * MS);
    assert_eq!((stats.transmitted_packets, stats.backlog_packets), (1, 2), "the second frame is half sent");
    let pause_ns = 5 * MS - 180_000;
    let expected = [FRAME_NS, 2 * FRAME_NS + pause_ns, 3 * FRAME_NS + pause_ns, 4 * FRAME_NS + pause_ns];
    let mut lab = Lab::one_link(down(180_000, 5 * MS, WhenDown::Hold)).send_many(4, 0, FULL);
    assert_eq!(times(&lab.run()), expected.map(|end_ns| end_ns + 10 * MS));
    assert_eq!(lab.stats(10 * MS).capacity_bytes, Some(62_500 + 180_000 / 80), "a pause has no capacity");
}

#[test]
fn an_idle_link_that_pauses_sends_nothing_and_counts_nothing() {
    let mut lab = Lab::one_link(down(MS, 5 * MS, WhenDown::Hold)).send(0, FULL).send(2 * MS, FULL);
    let arrivals = lab.run_until(3 * MS);
    let stats = lab.stats(3 * MS);
    assert_eq!((stats.transmitted_packets, stats.backlog_packets, arrivals.len()), (1, 1, 0));
    assert_eq!(times(&lab.run()), [10 * MS + FRAME_NS, 15 * MS + FRAME_NS]);
}

/// The second outage begins during the first one, at whose end no frame ends.
#[test]
fn a_link_that_pauses_longer_sends_nothing_and_counts_nothing() {
    let pause = |from_ns, to_ns| OutageConfig::Listed { at_ns: vec![from_ns], length_ns: to_ns - from_ns };
    let outages = vec![pause(MS, 5 * MS), pause(2 * MS, 9 * MS)];
    let mut lab = Lab::one_link(LinkConfig { outages, ..down(0, 0, WhenDown::Hold) }).send(0, FULL).send(3 * MS, FULL);
    lab.run_until(4 * MS);
    let stats = lab.stats(4 * MS);
    assert_eq!((stats.transmitted_packets, stats.backlog_packets), (1, 1));
    assert_eq!(times(&lab.run()), [10 * MS + FRAME_NS, 19 * MS + FRAME_NS]);
}

#[test]
fn a_full_queue_drops_while_the_link_pauses() {
    let queue = QueueConfig::Fifo { limit_bytes: None, limit_packets: Some(10) };
    let config = LinkConfig { queue, ..down(0, 5 * MS, WhenDown::Hold) };
    let mut lab = Lab::one_link(config).send_many(30, MS, FULL);
    assert_eq!(numbers(&lab.run()), (0..10).collect::<Vec<_>>());
    assert_eq!(lab.stats(SEC).dropped_packets, 20);
}

#[test]
fn every_transmitter_pauses() {
    let plain = down(MS, 5 * MS, WhenDown::Hold);
    let instant = LinkConfig { rate_bps: None, ..plain.clone() };
    let bucket = LinkConfig { burst_bytes: Some(3_028), ..plain.clone() };
    let trace = LinkConfig { rate_bps: None, trace_ms: Some(vec![1, 2, 3, 4, 5, 6]), ..plain };
    let at = |config: LinkConfig| times(&Lab::one_link(config).send_many(6, 2 * MS, FULL).run());
    assert_eq!(at(instant), [15 * MS; 6]);
    // The bucket is full at the end of the pause, not fuller.
    let after_ns = |frames| 15 * MS + frames * FRAME_NS;
    assert_eq!(at(bucket), [after_ns(0), after_ns(0), after_ns(1), after_ns(2), after_ns(3), after_ns(4)]);
    assert_eq!(at(trace), [15 * MS, 16 * MS, 17 * MS, 18 * MS, 19 * MS, 20 * MS]);
}

#[test]
fn outages_come_at_regular_and_at_random_times() {
    let share_up = |outages| {
        let config = LinkConfig { outages: vec![outages], ..link(100_000_000, 0) };
        Lab::one_link(config).send_many(80_000, 0, FULL).run().len() as f64 / 80_000.0
    };
    let periodic = OutageConfig::Periodic { every_ns: 500 * MS, length_ns: 100 * MS, first_ns: Some(0) };
    assert!((share_up(periodic) - 0.8).abs() < 0.01);
    let random = OutageConfig::Random { mean_length_ns: 10 * MS, mean_distance_ns: 30 * MS };
    assert!((share_up(random) - 0.75).abs() < 0.05);
}

#[test]
fn several_outages_join() {
    let listed = |at_ns, length_ns| OutageConfig::Listed { at_ns: vec![at_ns], length_ns };
    let outages = vec![listed(4 * MS, 2 * MS), listed(MS, 4 * MS), listed(9 * MS, MS)];
    for when_down in [WhenDown::Hold, WhenDown::Drop] {
        let config = LinkConfig { outages: outages.clone(), when_down, ..link(100_000_000, 0) };
        let arrivals = times(&Lab::one_link(config).send_many(200, 0, FULL).run());
        assert!(arrivals.iter().all(|at_ns| !(MS + FRAME_NS..6 * MS).contains(at_ns)));
        assert!(arrivals.iter().any(|at_ns| (6 * MS..9 * MS).contains(at_ns)));
        assert_eq!(arrivals.len() == 200, when_down == WhenDown::Hold);
    }
}

#[test]
fn bursts_of_loss_in_time() {
    let times = OutageConfig::Periodic { every_ns: 100 * MS, length_ns: 20 * MS, first_ns: None };
    let loss = Some(LossConfig::Bursts { times, loss_good: 0.01, loss_bad: 0.5 });
    let config = LinkConfig { loss, ..link(100_000_000, 0) };
    let arrivals = Lab::one_link(config).send_many(80_000, 0, FULL).run();
    let in_burst = |at_ns: u64| at_ns >= 100 * MS && at_ns % (100 * MS) < 20 * MS;
    let arrived = arrivals.iter().filter(|arrival| in_burst(arrival.at_ns)).count() as f64;
    let sent = (1..=80_000).filter(|number| in_burst(number * FRAME_NS)).count() as f64;
    assert!((arrived / sent - 0.5).abs() < 0.02, "{}", arrived / sent);
    let (arrived, sent) = (arrivals.len() as f64 - arrived, 80_000.0 - sent);
    assert!((arrived / sent - 0.99).abs() < 0.002, "{}", arrived / sent);
}
