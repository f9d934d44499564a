//! Random loss, duplication and jitter: their effect on packets, which depends only on seed and link.

use crate::common::{link, numbers, times, Arrival, Lab, Send, FULL, MS};
use fairlane_contract::{JitterConfig, LinkConfig, LossConfig, QueueConfig};

const PACKETS: u32 = 20_000;

fn lossy(probability: f64) -> LinkConfig {
    LinkConfig { loss: Some(LossConfig::Independent { probability }), ..link(1_000_000_000, MS) }
}

fn jittery(max_ns: u64, reorder: bool) -> LinkConfig {
    LinkConfig { jitter: Some(JitterConfig { max_ns, reorder, ..JitterConfig::default() }), ..link(1_000_000_000, MS) }
}

fn run(config: LinkConfig) -> Vec<Arrival> {
    Lab::one_link(config).send_many(PACKETS, 0, FULL).run()
}

/// Serialisation ends at these times, without any impairment.
fn departures() -> Vec<u64> {
    (1..=u64::from(PACKETS)).map(|n| n * 12_112).collect()
}

#[test]
fn lost_packets_take_their_time_on_the_link() {
    let arrivals = run(lossy(0.3));
    assert!((arrivals.len() as f64 / f64::from(PACKETS) - 0.7).abs() < 0.01, "{}", arrivals.len());
    assert!(arrivals.iter().all(|arrival| arrival.at_ns == departures()[arrival.number as usize] + MS));
}

#[test]
fn lost_packets_take_their_room_in_the_queue() {
    let queue = QueueConfig::Fifo { limit_bytes: None, limit_packets: Some(9) };
    let mut lab = Lab::one_link(LinkConfig { queue, ..lossy(1.0) }).send_many(20, 0, FULL);
    assert_eq!(lab.run(), []);
    let stats = lab.stats(10 * MS);
    assert_eq!((stats.lost_randomly_packets, stats.dropped_packets, stats.transmitted_packets), (10, 10, 10));
}

#[test]
fn duplicates_arrive_behind_their_originals_and_take_no_capacity() {
    let config = LinkConfig { duplicate_probability: 0.25, ..link(1_000_000_000, MS) };
    let mut lab = Lab::one_link(config).send_many(PACKETS, 0, FULL);
    let arrivals = lab.run();
    let copies = arrivals.windows(2).filter(|pair| pair[0] == pair[1]).count();
    assert_eq!(arrivals.len(), PACKETS as usize + copies);
    assert!((copies as f64 / f64::from(PACKETS) - 0.25).abs() < 0.01, "{copies}");
    let stats = lab.stats(1000 * MS);
    assert_eq!((stats.duplicated_packets, stats.transmitted_packets), (copies as u64, u64::from(PACKETS)));
}

#[test]
fn jitter_without_reordering_delays_and_keeps_the_order() {
    let arrivals = run(jittery(100_000, false));
    assert_eq!(numbers(&arrivals), (0..u64::from(PACKETS)).collect::<Vec<_>>());
    let added: Vec<u64> =
        times(&arrivals).iter().zip(departures()).map(|(at_ns, sent_ns)| at_ns - sent_ns - MS).collect();
    assert!(added.iter().all(|&added_ns| added_ns <= 100_000));
    assert!(*added.iter().max().expect("arrivals") > 99_000);
}

#[test]
fn jitter_with_reordering_is_uniform_and_reorders() {
    let arrivals = run(jittery(100_000, true));
    let added: Vec<u64> =
        arrivals.iter().map(|arrival| arrival.at_ns - departures()[arrival.number as usize] - MS).collect();
    let mean = added.iter().sum::<u64>() as f64 / f64::from(PACKETS);
    assert!(added.iter().all(|&added_ns| added_ns <= 100_000));
    assert!((mean / 50_000.0 - 1.0).abs() < 0.02, "{mean}");
    assert!(arrivals.windows(2).all(|pair| pair[0].at_ns <= pair[1].at_ns));
    let overtaken = numbers(&arrivals).windows(2).filter(|pair| pair[0] > pair[1]).count();
    assert!(overtaken > PACKETS as usize / 10, "{overtaken}");
    let mut sorted = numbers(&arrivals);
    sorted.sort_unstable();
    assert_eq!(sorted, (0..u64::from(PACKETS)).collect::<Vec<_>>(), "each packet arrives once");
}

#[test]
fn all_impairments_together_keep_the_books() {
    let config = LinkConfig {
        loss: Some(LossConfig::GilbertElliott { good_to_bad: 0.02, bad_to_good: 0.2, loss_good: 0.001, loss_bad: 0.7 }),
        duplicate_probability: 0.1,
        ..jittery(300_000, true)
    };
    let mut lab = Lab::one_link(config).send_many(PACKETS, 0, FULL);
    let arrivals = lab.run_until(100 * MS);
    let stats = lab.stats(100 * MS);
    assert_eq!(stats.delivered_packets, arrivals.len() as u64);
    assert!(stats.in_flight_packets > 0 && stats.lost_randomly_packets > 0 && stats.duplicated_packets > 0);
    assert_eq!(
        stats.enqueued_packets + stats.duplicated_packets,
        stats.delivered_packets + stats.lost_randomly_packets + stats.backlog_packets + stats.in_flight_packets
    );
}

#[test]
fn the_seed_decides_and_nothing_else() {
    let arrivals = |seed| Lab::seeded(&[lossy(0.1)], &[&[0]], seed).send_many(1000, 0, FULL).run();
    assert_eq!(arrivals(1), arrivals(1));
    assert_ne!(arrivals(1), arrivals(2));
}

#[test]
fn another_link_or_impairment_leaves_the_losses_as_they_were() {
    let alone = Lab::new(&[lossy(0.1)], &[&[0]]).send_many(1000, 0, FULL).run();
    let among_others = Lab::new(&[lossy(0.1), lossy(0.5)], &[&[0]]).send_many(1000, 0, FULL).run();
    assert_eq!(alone, among_others);
    let with_jitter = LinkConfig {
        jitter: Some(JitterConfig { max_ns: 5_000, reorder: false, ..JitterConfig::default() }),
        ..lossy(0.1)
    };
    assert_eq!(numbers(&alone), numbers(&Lab::one_link(with_jitter).send_many(1000, 0, FULL).run()));
}

#[test]
fn two_links_lose_different_packets() {
    let links = [lossy(0.1), lossy(0.1)];
    let first = Lab::new(&links, &[&[0]]).send_many(1000, 0, FULL).run();
    let second = Lab::new(&links, &[&[1]]).send_many(1000, 0, FULL).run();
    assert_ne!(numbers(&first), numbers(&second));
}

/// The correlation of neighbours follows netem's rule: the covariance of an AR(1) process is its coefficient.
#[test]
fn correlated_jitter_changes_slowly_and_keeps_its_mean() {
    let delays = |correlation: f64| -> Vec<f64> {
        let jitter = Some(JitterConfig { max_ns: MS, correlation, ..JitterConfig::default() });
        let config = LinkConfig { jitter, ..link(1_000_000_000, 0) };
        let sends: Vec<Send> = (0..4_000).map(|n| Send { at_ns: n * 5 * MS, path: 0, ip_bytes: 100 }).collect();
        let arrivals = Lab::new(&[config], &[&[0]]).send_all(&sends).run();
        arrivals.iter().zip(&sends).map(|(arrival, send)| (arrival.at_ns - send.at_ns) as f64).collect()
    };
    for (correlation, tolerance) in [(0.0, 0.05), (0.9, 0.03)] {
        let found = delays(correlation);
        let mean = found.iter().sum::<f64>() / found.len() as f64;
        assert!((mean / MS as f64 - 0.5).abs() < 0.05, "{correlation}: {mean}");
        let of = |lag: usize| found.iter().zip(&found[lag..]).map(|(a, b)| (a - mean) * (b - mean)).sum::<f64>();
        assert!((of(1) / of(0) - correlation).abs() < tolerance, "{correlation}: {}", of(1) / of(0));
    }
}
