//! Laws for any traffic over any link, checked on random ones.

use crate::common::{Arrival, Bursts, Lab, Send, MS, SEC};
use fairlane_contract::{ChangeConfig, CorruptConfig, EcnFault, EcnFaultConfig, JitterConfig, LinkConfig, LossConfig};
use fairlane_contract::{OutageConfig, QueueConfig, ReorderConfig, SlotConfig, WhenDown};
use proptest::prelude::*;

fn traffic() -> impl Strategy<Value = Vec<Send>> {
    // Gaps from nothing to far more than a link needs to run dry.
    let gap_ns = prop_oneof![3 => Just(0), 3 => 0..200_u64, 3 => 0..200_000_u64, 1 => 0..20 * MS];
    prop::collection::vec((gap_ns, 20_u32..9000), 1..300).prop_map(|packets| {
        let mut at_ns = 0;
        let mut send = |(gap_ns, ip_bytes)| {
            at_ns += gap_ns;
            Send { at_ns, path: 0, ip_bytes }
        };
        packets.into_iter().map(&mut send).collect()
    })
}

fn queue() -> impl Strategy<Value = QueueConfig> {
    prop_oneof![
        (1_u64..100_000).prop_map(|limit| QueueConfig::Fifo { limit_bytes: Some(limit), limit_packets: None }),
        (1_u64..40).prop_map(|limit| QueueConfig::Fifo { limit_bytes: None, limit_packets: Some(limit) }),
        Just(QueueConfig::Unlimited {}),
    ]
}

fn rate() -> impl Strategy<Value = u64> {
    prop_oneof![1_000_000_u64..100_000_000, 1_000_000_000_u64..100_000_000_000]
}

/// A serialising link without anything else.
fn plain() -> impl Strategy<Value = LinkConfig> {
    (rate(), 0..30 * MS, queue()).prop_map(|(rate_bps, delay_ns, queue)| LinkConfig {
        rate_bps: Some(rate_bps),
        delay_ns,
        queue,
        ..LinkConfig::new("link")
    })
}

/// Any valid configuration.
fn any_link() -> impl Strategy<Value = LinkConfig> {
    let transmitter = prop_oneof![
        rate().prop_map(|rate_bps| LinkConfig { rate_bps: Some(rate_bps), ..LinkConfig::new("rate") }),
        (rate(), 100_u32..20_000).prop_map(|(rate_bps, burst)| LinkConfig {
            rate_bps: Some(rate_bps),
            burst_bytes: Some(burst),
            ..LinkConfig::new("bucket")
        }),
        prop::collection::vec(0_u64..8, 1..10).prop_map(|gaps| {
            let sums = gaps.iter().scan(1, |at_ms, gap| {
                *at_ms += gap;
                Some(*at_ms)
            });
            LinkConfig { trace_ms: Some(sums.collect()), ..LinkConfig::new("trace") }
        }),
        Just(LinkConfig::new("infinite")),
    ];
    let changes = prop::collection::vec((1..5 * MS, prop::option::of(rate()), 0..10 * MS), 0..4);
    let jitter = prop::option::of((0..MS, any::<bool>()).prop_map(|(max_ns, reorder)| JitterConfig {
        max_ns,
        reorder,
        ..JitterConfig::default()
    }));
    let loss = prop::option::of((0.0..=1.0, 0.0..=1.0_f64).prop_map(|(good_to_bad, bad_to_good)| {
        LossConfig::GilbertElliott { good_to_bad, bad_to_good, loss_good: 0.01, loss_bad: 0.6 }
    }));
    let duplicate = prop_oneof![2 => Just(0.0), 1 => 0.0..=1.0];
    (transmitter, 0..10 * MS, queue(), changes, jitter, loss, duplicate, netem(), outages()).prop_map(
        |(base, delay_ns, queue, changes, jitter, loss, duplicate_probability, netem, (outages, when_down))| {
            let mut at_ns = 0;
            let has_trace = base.trace_ms.is_some();
            let mut change = |(gap_ns, rate_bps, delay_ns): (u64, Option<u64>, u64)| {
                at_ns += gap_ns;
                let rate_bps = rate_bps.filter(|_| !has_trace);
                let loss = Some(LossConfig::Independent { probability: 0.1, correlation: 0.2 });
                ChangeConfig { at_ns, rate_bps, delay_ns: Some(delay_ns), loss: loss.filter(|_| at_ns % 2 == 0) }
            };
            let changes = changes.into_iter().map(&mut change).collect();
            let (reorder, slot, corrupt) = netem;
            let ecn_fault = slot.is_none().then_some(EcnFaultConfig { fault: EcnFault::Bleach, probability: 0.5 });
            let wire = LinkConfig { jitter, loss, duplicate_probability, reorder, slot, corrupt, ecn_fault, ..base };
            LinkConfig { delay_ns, queue, changes, outages, when_down, ..wire }
        },
    )
}

/// Impairments of netem.
fn netem() -> impl Strategy<Value = (Option<ReorderConfig>, Option<SlotConfig>, Option<CorruptConfig>)> {
    let reorder =
        (0.0..=1.0, 1..5_u32).prop_map(|(probability, gap)| ReorderConfig { probability, correlation: 0.1, gap });
    let slot = (1..2 * MS, 0..MS, prop::option::of(1..5_u32)).prop_map(|(min_ns, more_ns, packets)| SlotConfig {
        min_ns,
        max_ns: Some(min_ns + more_ns),
        packets,
        bytes: packets.map(|packets| 1_000 * packets),
    });
    let corrupt = (0.0..0.3).prop_map(|probability| CorruptConfig { probability, correlation: 0.0 });
    (prop::option::weighted(0.2, reorder), prop::option::weighted(0.2, slot), prop::option::weighted(0.2, corrupt))
}

fn outages() -> impl Strategy<Value = (Vec<OutageConfig>, WhenDown)> {
    let periodic = (2 * MS..20 * MS, 1..2 * MS, prop::option::of(0..5 * MS))
        .prop_map(|(every_ns, length_ns, first_ns)| OutageConfig::Periodic { every_ns, length_ns, first_ns });
    let listed =
        (0..5 * MS, 1..9 * MS).prop_map(|(at_ns, length_ns)| OutageConfig::Listed { at_ns: vec![at_ns], length_ns });
    let random = Just(OutageConfig::Random { mean_length_ns: MS, mean_distance_ns: 5 * MS });
    let some = prop::collection::vec(prop_oneof![periodic, listed, random], 1..3);
    let when_down = prop::sample::select(vec![WhenDown::Drop, WhenDown::Hold]);
    prop_oneof![1 => Just((vec![], WhenDown::Drop)), 1 => (some, when_down)]
}

fn end_ns(sends: &[Send], arrivals: &[Arrival]) -> u64 {
    let last = |times: &mut dyn Iterator<Item = u64>| times.max().unwrap_or(0);
    last(&mut sends.iter().map(|send| send.at_ns)).max(last(&mut arrivals.iter().map(|arrival| arrival.at_ns)))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(300) })]

    #[test]
    fn packets_that_enter_together_fare_as_one_by_one(config in any_link(), sends in traffic()) {
        let outcomes = [Bursts::OneByOne, Bursts::Together].map(|bursts| {
            let mut lab = Lab::one_link(config.clone()).bursts(bursts).send_all(&sends);
            let arrivals = lab.run_until(SEC);
            (arrivals, lab.stats(SEC))
        });
        prop_assert_eq!(&outcomes[0], &outcomes[1]);
    }

    #[test]
    fn a_plain_link_obeys_physics(config in plain(), sends in traffic()) {
        let (rate, delay) = (u128::from(config.rate_bps.unwrap_or(1)), config.delay_ns);
        let bit_ns = |ip_bytes: u32| u128::from(ip_bytes + 14) * 8 * u128::from(SEC);
        let arrivals = Lab::one_link(config).send_all(&sends).run();
        for arrival in &arrivals {
            let earliest = u128::from(sends[arrival.number as usize].at_ns + delay) + bit_ns(arrival.ip_bytes).div_ceil(rate);
            prop_assert!(u128::from(arrival.at_ns) >= earliest, "{arrival:?} before {earliest}");
        }
        for pair in arrivals.windows(2) {
            prop_assert!(pair[0].number < pair[1].number, "a FIFO keeps its order");
        }
        // Between any two arrivals lies the serialisation of all but the first; both are rounded up to whole nanoseconds.
        for first in 0..arrivals.len() {
            let mut sent = 0;
            for arrival in &arrivals[first + 1..] {
                sent += bit_ns(arrival.ip_bytes);
                let window_ns = u128::from(arrival.at_ns - arrivals[first].at_ns);
                prop_assert!(sent < (window_ns + 1) * rate, "more than the rate allows");
            }
        }
    }

    /// A link that is not empty is busy: with any traffic, the last bit leaves when a fluid model says so.
    #[test]
    fn an_unlimited_queue_drains_at_exactly_the_rate(config in plain(), sends in traffic()) {
        let config = LinkConfig { queue: QueueConfig::Unlimited {}, ..config };
        let (rate, delay) = (u128::from(config.rate_bps.unwrap_or(1)), config.delay_ns);
        let arrivals = Lab::one_link(config).send_all(&sends).run();
        // Time in units of 1/rate ns; a frame that finds the link idle, to the nanosecond, starts on a whole one.
        let mut free = 0_u128;
        for (send, arrival) in sends.iter().zip(&arrivals) {
            if u128::from(send.at_ns) >= free.div_ceil(rate) {
                free = u128::from(send.at_ns) * rate;
            }
            free += u128::from(send.ip_bytes + 14) * 8 * u128::from(SEC);
            prop_assert_eq!(u128::from(arrival.at_ns - delay), free.div_ceil(rate));
        }
        prop_assert_eq!(arrivals.len(), sends.len());
    }

    #[test]
    fn no_byte_is_lost_from_the_books(config in any_link(), sends in traffic(), stop_ns in 0..40 * MS) {
        let overhead = config.frame_overhead_bytes();
        let queue = config.queue.clone();
        let mut lab = Lab::one_link(config).send_all(&sends);
        let arrivals = lab.run_until(stop_ns);
        let stats = lab.stats(stop_ns);
        let offered: Vec<&Send> = sends.iter().filter(|send| send.at_ns <= stop_ns).collect();
        let offered_bytes: u64 = offered.iter().map(|send| u64::from(send.ip_bytes + overhead)).sum();
        prop_assert_eq!(stats.enqueued_packets + stats.dropped_packets, offered.len() as u64);
        prop_assert_eq!(stats.enqueued_bytes + stats.dropped_bytes, offered_bytes);
        prop_assert_eq!(stats.delivered_packets, arrivals.len() as u64);
        prop_assert_eq!(
            stats.enqueued_packets + stats.duplicated_packets,
            stats.delivered_packets + stats.lost_randomly_packets + stats.backlog_packets + stats.in_flight_packets
        );
        let waiting_or_under_way = stats.enqueued_bytes + stats.duplicated_bytes - stats.delivered_bytes - stats.lost_randomly_bytes;
        prop_assert!(waiting_or_under_way >= stats.backlog_bytes);
        prop_assert_eq!(waiting_or_under_way == 0, stats.backlog_packets + stats.in_flight_packets == 0);
        if let QueueConfig::Fifo { limit_bytes, limit_packets } = queue {
            prop_assert!(stats.max_backlog_bytes <= limit_bytes.unwrap_or(u64::MAX));
            prop_assert!(stats.backlog_packets <= limit_packets.unwrap_or(u64::MAX));
        }
        prop_assert!(stats.mean_backlog_bytes <= stats.max_backlog_bytes as f64);
    }

    #[test]
    fn nothing_stays_in_the_link_for_ever(config in any_link(), sends in traffic()) {
        let mut lab = Lab::one_link(config).send_all(&sends);
        let arrivals = lab.run();
        let stats = lab.stats(end_ns(&sends, &arrivals) + SEC);
        prop_assert_eq!((stats.backlog_packets, stats.in_flight_packets), (0, 0));
    }

    /// The fast link is the general link with a FIFO: same arrivals, same drops, same counters, bit for bit.
    #[test]
    fn fast_and_general_link_are_the_same(config in any_link(), sends in traffic(), stop_ns in 0..40 * MS) {
        let mut fast = Lab::one_link(config.clone()).send_all(&sends);
        let mut general = Lab::one_general_link(config).send_all(&sends);
        prop_assert_eq!(fast.run_until(stop_ns), general.run_until(stop_ns));
        prop_assert_eq!(fast.stats(stop_ns), general.stats(stop_ns));
        prop_assert_eq!(fast.run(), general.run());
        prop_assert_eq!(fast.stats(100 * SEC), general.stats(100 * SEC));
    }

    /// Reading a link's counters changes nothing.
    #[test]
    fn statistics_do_not_disturb(config in any_link(), sends in traffic(), stop_ns in 0..40 * MS) {
        let mut looked_at = Lab::one_link(config.clone()).send_all(&sends);
        let mut arrivals = looked_at.run_until(stop_ns);
        looked_at.stats(stop_ns);
        arrivals.extend(looked_at.run());
        prop_assert_eq!(arrivals, Lab::one_link(config).send_all(&sends).run());
    }
}
