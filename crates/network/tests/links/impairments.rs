//! Random loss, duplication and jitter: their effect on packets, which depends only on seed and link.

use crate::common::{link, numbers, times, Arrival, Lab, Send, FULL, MS, SEC};
use fairlane_contract::{CorruptConfig, JitterConfig, JitterDistribution, LinkConfig, LossConfig, QueueConfig};
use fairlane_contract::{EcnFault, EcnFaultConfig, ReorderConfig, SlotConfig};
use fairlane_network::Ecn;

const PACKETS: u32 = 20_000;

fn lossy(probability: f64) -> LinkConfig {
    LinkConfig { loss: Some(LossConfig::Independent { probability, correlation: 0.0 }), ..link(1_000_000_000, MS) }
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

#[test]
fn packets_that_reorder_skip_the_delay() {
    let reorder = Some(ReorderConfig { probability: 1.0, correlation: 0.0, gap: 5 });
    let config = LinkConfig { reorder, ..link(1_000_000_000, MS) };
    let arrivals = Lab::one_link(config).send_many(10, 0, FULL).run();
    assert_eq!(numbers(&arrivals), [4, 9, 0, 1, 2, 3, 5, 6, 7, 8]);
    assert_eq!(times(&arrivals)[..3], [5 * 12_112, 10 * 12_112, MS + 12_112]);
}

#[test]
fn the_others_keep_their_order_and_their_jitter() {
    let reorder = Some(ReorderConfig { probability: 0.25, correlation: 0.5, gap: 1 });
    let arrivals = run(LinkConfig { reorder, ..jittery(100_000, false) });
    assert_eq!(arrivals.len(), PACKETS as usize);
    let sent_ns = |arrival: &Arrival| departures()[arrival.number as usize];
    let (early, late): (Vec<Arrival>, Vec<Arrival>) =
        arrivals.iter().copied().partition(|arrival| arrival.at_ns == sent_ns(arrival));
    assert!((0.03..0.2).contains(&(early.len() as f64 / f64::from(PACKETS))), "{}", early.len());
    assert!(late.windows(2).all(|pair| pair[0].number < pair[1].number));
    assert!(late.iter().all(|arrival| (MS..=MS + 100_000).contains(&(arrival.at_ns - sent_ns(arrival)))));
}

#[test]
fn corrupt_packets_are_lost_at_the_far_end() {
    let corrupt = Some(CorruptConfig { probability: 0.2, correlation: 0.0 });
    let mut lab = Lab::one_link(LinkConfig { corrupt, ..link(1_000_000_000, MS) }).send_many(PACKETS, 0, FULL);
    let arrived = lab.run().len() as f64 / f64::from(PACKETS);
    assert!((arrived - 0.8).abs() < 0.01, "{arrived}");
    assert_eq!(lab.stats(SEC).transmitted_packets, u64::from(PACKETS));
}

/// Of 10 packets the queue marks the last 6, which waited for more than 3 ms, unless they are Not-ECT.
#[test]
fn ecn_faults_change_the_codepoints_that_leave() {
    let leaving = |fault, sent| {
        let queue = serde_json::from_str(r#"{"kind":"codel","ce_threshold_ns":3000000}"#).expect("a valid queue");
        let ecn_fault = Some(EcnFaultConfig { fault, probability: 1.0 });
        let link = LinkConfig { queue, ecn_fault, ..link(12_112_000, 5 * MS) };
        let mut lab = Lab::one_link(link).ecn(sent).send_many(10, 0, FULL);
        let mut found: Vec<Ecn> = lab.run().iter().map(|arrival| arrival.ecn).collect();
        assert_eq!(lab.stats(SEC).marked_packets, if sent == Ecn::NotEct { 0 } else { 6 });
        found.dedup();
        found
    };
    use Ecn::{Ce, Ect0, Ect1, NotEct};
    assert_eq!(leaving(EcnFault::Bleach, Ect1), [NotEct]);
    assert_eq!(leaving(EcnFault::LoseCe, Ect1), [Ect1]);
    assert_eq!(leaving(EcnFault::LoseCe, Ect0), [Ect0]);
    assert_eq!(leaving(EcnFault::AllCe, Ect0), [Ce]);
    assert_eq!(leaving(EcnFault::Remark, Ect0), [Ect1, Ce]);
    assert_eq!(leaving(EcnFault::SetEct, NotEct), [Ect0]);
    for fault in [EcnFault::LoseCe, EcnFault::AllCe, EcnFault::Remark] {
        assert_eq!(leaving(fault, NotEct), [NotEct], "{fault:?}");
    }
}

#[test]
fn an_ecn_fault_affects_its_share_of_packets_and_no_time() {
    let ecn_fault = Some(EcnFaultConfig { fault: EcnFault::Bleach, probability: 0.25 });
    let faulty = Lab::one_link(LinkConfig { ecn_fault, ..link(1_000_000_000, MS) });
    let arrivals = faulty.ecn(Ecn::Ect0).send_many(PACKETS, 0, FULL).run();
    let bleached = arrivals.iter().filter(|arrival| arrival.ecn == Ecn::NotEct).count() as f64 / f64::from(PACKETS);
    assert!((bleached - 0.25).abs() < 0.01, "{bleached}");
    assert_eq!(times(&arrivals), departures().iter().map(|sent_ns| sent_ns + MS).collect::<Vec<_>>());
}

/// The network of the example in tc's manual: packets leave the link in bursts.
#[test]
fn slots_deliver_in_bursts() {
    let slot = |packets, bytes| Some(SlotConfig { min_ns: 800_000, max_ns: None, packets, bytes });
    let at = |packets, bytes| {
        let config = LinkConfig { slot: slot(packets, bytes), ..link(1_000_000_000, MS) };
        times(&Lab::one_link(config).send_many(100, 0, FULL).run())
    };
    // The first packet crosses the link by 1.012 ms and waits 0.8 ms, in which 66 others arrive; the next finds the slot
    // over.
    let any = at(None, None);
    let first = MS + 12_112 + 800_000;
    assert_eq!(any.iter().filter(|&&at_ns| at_ns == first).count(), 67);
    assert_eq!(any.iter().filter(|&&at_ns| at_ns == MS + 68 * 12_112 + 800_000).count(), 33);
    // A slot that is full ends, and the next one comes 0.8 ms later.
    let few = at(Some(2), None);
    assert_eq!(few[..6], [first, first, first + 800_000, first + 800_000, first + 1_600_000, first + 1_600_000]);
    let small = at(None, Some(3_000));
    assert_eq!(small, few, "two packets of 1,500 bytes");
}

#[test]
fn slots_vary_within_their_bounds() {
    let slot = Some(SlotConfig { min_ns: 100_000, max_ns: Some(300_000), packets: None, bytes: None });
    let config = LinkConfig { slot, ..link(1_000_000_000, MS) };
    let mut at = times(&Lab::one_link(config).send_many(PACKETS, 0, FULL).run());
    at.dedup();
    let gaps: Vec<u64> = at.windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert!(gaps.iter().all(|gap_ns| (100_000..=300_000 + 12_112).contains(gap_ns)));
    let mean_ns = gaps.iter().sum::<u64>() as f64 / gaps.len() as f64;
    assert!((mean_ns / 206_000.0 - 1.0).abs() < 0.03, "{mean_ns}");
}

#[test]
fn jitter_may_be_spread_around_the_delay() {
    let spread = |distribution, reorder| {
        let jitter = JitterConfig { spread_ns: Some(100_000), distribution, reorder, ..JitterConfig::default() };
        let arrivals = run(LinkConfig { jitter: Some(jitter), ..link(1_000_000_000, MS) });
        let extra = |arrival: &Arrival| arrival.at_ns as f64 - (departures()[arrival.number as usize] + MS) as f64;
        arrivals.iter().map(extra).collect::<Vec<f64>>()
    };
    let uniform = spread(None, true);
    assert!(uniform.iter().all(|extra_ns| extra_ns.abs() <= 100_000.0));
    assert!((uniform.iter().sum::<f64>() / uniform.len() as f64).abs() < 2_000.0);
    let normal = spread(Some(JitterDistribution::Normal), true);
    let within = normal.iter().filter(|extra_ns| extra_ns.abs() < 100_000.0).count() as f64 / normal.len() as f64;
    assert!((within - 0.683).abs() < 0.01, "{within}");
    let ordered = spread(Some(JitterDistribution::Normal), false);
    assert!(ordered.iter().sum::<f64>() > 0.0, "a packet waits for its predecessor");
}

/// A delay of 0 is the shortest.
#[test]
fn spread_jitter_does_not_reach_into_the_past() {
    let jitter = Some(JitterConfig { spread_ns: Some(MS), reorder: true, ..JitterConfig::default() });
    let arrivals = run(LinkConfig { jitter, ..link(1_000_000_000, 100_000) });
    let at_once = arrivals.iter().filter(|arrival| arrival.at_ns == departures()[arrival.number as usize]).count();
    assert!((at_once as f64 / f64::from(PACKETS) - 0.45).abs() < 0.02, "{at_once}");
}
