//! Laws of every Wi-Fi cell: packets are conserved, the times add up, order is kept, equal stations get equal shares,
//! and the same seed gives the same run.

use crate::cells::{reporting, saturate, seeded, station, AC, N};
use crate::common::{Lab, Send, MS, SEC};
use fairlane_contract::{OutageConfig, QueueConfig, WifiConfig, WifiDriver, WifiRateControl, WifiScheduler};
use fairlane_network::StationId;
use proptest::prelude::*;

fn queue() -> impl Strategy<Value = QueueConfig> {
    let json = |text: &'static str| serde_json::from_str::<QueueConfig>(text).expect("valid JSON of a queue");
    prop_oneof![
        (1_u64..200).prop_map(|limit| QueueConfig::Fifo { limit_bytes: None, limit_packets: Some(limit) }),
        Just(QueueConfig::Unlimited {}),
        Just(json(r#"{"kind":"codel","target_ns":1000000,"interval_ns":5000000}"#)),
        Just(json(r#"{"kind":"fq_codel","target_ns":1000000,"interval_ns":5000000}"#)),
        Just(json(r#"{"kind":"policer","rate_bps":20000000,"burst_bytes":20000}"#)),
    ]
}

fn driver() -> impl Strategy<Value = Option<WifiDriver>> {
    prop_oneof![
        3 => Just(None),
        1 => (1_u32..100).prop_map(|limit_packets| Some(WifiDriver::Fifo { limit_packets })),
        1 => (1..MS).prop_map(|low_ns| Some(WifiDriver::Aql { low_ns, high_ns: 3 * low_ns, total_ns: 2 * MS })),
    ]
}

prop_compose! {
    fn any_queue()(
        queue in queue(), mcs in 0_u32..10, mpdu_loss in prop_oneof![Just(0.0), 0.0..0.6], driver in driver(),
        has_minstrel in any::<bool>(), mpdu_losses in prop::collection::vec(0.0..0.9, 0..8),
    ) -> AnyQueue {
        AnyQueue { queue, mcs, mpdu_loss, driver, has_minstrel, mpdu_losses }
    }
}

#[derive(Clone, Debug)]
struct AnyQueue {
    queue: QueueConfig,
    mcs: u32,
    mpdu_loss: f64,
    driver: Option<WifiDriver>,
    has_minstrel: bool,
    mpdu_losses: Vec<f64>,
}

fn outages() -> impl Strategy<Value = Option<OutageConfig>> {
    prop_oneof![
        3 => Just(None),
        1 => Just(Some(OutageConfig::Random { mean_length_ns: MS, mean_distance_ns: 5 * MS })),
        1 => Just(Some(OutageConfig::Listed { at_ns: vec![MS, 9 * MS], length_ns: 3 * MS })),
    ]
}

prop_compose! {
    fn any_cell()(
        is_ac in any::<bool>(),
        wide in any::<bool>(),
        queues in prop::collection::vec((any_queue(), any_queue()), 1..6),
        (max_ampdu_mpdus, max_ampdu_bytes) in (1_u32..=64, prop::option::of(1_u32..100_000)),
        (retry_limit, txop) in (prop::option::of(0_u32..8), any::<bool>()),
        (block_ack_request, rts_cts, beacons, airtime) in (any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>()),
        outages in outages(),
        capture_db in prop::option::of(0.0..20.0),
        (hardware_aggregates, downlink_packets, hidden) in (
            prop_oneof![3 => Just(0), 1 => 1_u32..4], prop::option::of(1_u32..100), prop_oneof![2 => Just(0), 1 => 1_usize..4],
        ),
        latencies_ns in prop_oneof![2 => Just((0, 0)), 1 => (0..3 * MS, 0..MS)],
    ) -> WifiConfig {
        let base = station(if is_ac { AC } else { N }, queues.len());
        let mut cell = WifiConfig {
            width_mhz: match (is_ac, wide) { (true, true) => 80, (_, true) => 40, _ => 20 },
            max_ampdu_mpdus, max_ampdu_bytes, retry_limit, block_ack_request, rts_cts, outages, capture_db,
            txop_limit_ns: if txop { 2_528_000 } else { 0 },
            access_point_scheduler: match (airtime, downlink_packets) {
                (true, _) => WifiScheduler::Airtime,
                (_, Some(_)) => WifiScheduler::OldestFirst,
                _ => WifiScheduler::RoundRobin,
            },
            access_point_limit_packets: downlink_packets,
            hardware_aggregates,
            beacon_interval_ns: beacons.then_some(20 * MS),
            access_point_latency_ns: latencies_ns.0,
            ..base
        };
        let count = cell.stations.len();
        for number in 1..count.min(1 + hidden) {
            cell.stations[number].hidden_from = vec![cell.stations[0].name.clone()];
        }
        for (number, (station, (up, down))) in cell.stations.iter_mut().zip(queues).enumerate() {
            station.signal_db = 5.0 * number as f64;
            station.latency_ns = latencies_ns.1 * (number as u64 % 2);
            for (queue, any) in [(&mut station.uplink, up), (&mut station.downlink, down)] {
                queue.queue = any.queue;
                // 20 MHz has no MCS 9 with one or two streams in ac.
                queue.mcs = if is_ac { any.mcs.min(8) } else { any.mcs };
                queue.streams = None;
                queue.mpdu_loss = any.mpdu_loss;
                queue.mpdu_losses = any.mpdu_losses;
                queue.driver = any.driver;
                queue.rate_control =
                    if any.has_minstrel { WifiRateControl::Minstrel } else { WifiRateControl::Fixed };
            }
        }
        cell
    }
}

/// Traffic of all queues of a cell.
fn traffic() -> impl Strategy<Value = Vec<Send>> {
    let gap_ns = prop_oneof![4 => Just(0), 3 => 0..50_000_u64, 2 => 0..400_000_u64, 1 => 0..10 * MS];
    prop::collection::vec((gap_ns, 0_u32..10, 20_u32..1500), 1..400).prop_map(|packets| {
        let mut at_ns = 0;
        let mut send = |(gap_ns, path, ip_bytes)| {
            at_ns += gap_ns;
            Send { at_ns, path, ip_bytes }
        };
        packets.into_iter().map(&mut send).collect()
    })
}

fn of_queues(sends: &[Send], cell: &WifiConfig) -> Vec<Send> {
    let queues = 2 * cell.stations.len() as u32;
    sends.iter().map(|send| Send { path: send.path % queues, ..*send }).collect()
}

/// Every packet is delivered, dropped for a known reason, or still in the cell; and the channel's times add up.
fn check_books(lab: &mut Lab, cell: &WifiConfig, sends: &[Send], now_ns: u64) -> Result<(), TestCaseError> {
    let mut airtime_ns = 0;
    for queue in 0..2 * cell.stations.len() as u32 {
        let sent = sends.iter().filter(|send| send.path == queue && send.at_ns <= now_ns).count() as u64;
        let stats = lab.network.station_stats(StationId(queue), now_ns);
        let there = stats.backlog_packets + stats.in_flight_packets;
        let gone = stats.delivered_packets + stats.lost_randomly_packets + stats.dropped_packets;
        prop_assert_eq!(sent, there + gone, "queue {} at {}: {:?}", queue, now_ns, stats);
        prop_assert_eq!(lab.network.lost_packets(queue, now_ns), stats.lost_randomly_packets + stats.dropped_packets);
        let access = stats.access.expect("a cell reports its accesses");
        let by_mpdus: u64 = (0..).zip(&access.ppdus_by_mpdus).map(|(mpdus, count)| mpdus * count).sum();
        prop_assert_eq!((by_mpdus, access.ppdus_by_mpdus.iter().sum::<u64>()), (access.mpdus, access.ppdus));
        airtime_ns += access.airtime_ns;
        let times = access.times;
        prop_assert_eq!(times.idle_ns + times.exchange_ns + times.collision_ns + times.beacon_ns, times.until_ns);
        prop_assert!(access.airtime_ns <= times.exchange_ns + times.collision_ns);
    }
    let times = lab.network.station_stats(StationId(0), now_ns).access.expect("accesses").times;
    prop_assert!(airtime_ns >= times.exchange_ns, "{} of {:?}", airtime_ns, times);
    Ok(())
}

/// Checks the counters in the middle of a run and at its end, and the order of arrivals.
fn check_run(cell: &WifiConfig, sends: &[Send], stop_ns: u64) -> Result<(), TestCaseError> {
    let sends = of_queues(sends, cell);
    let queues: Vec<u32> = (0..2 * cell.stations.len() as u32).collect();
    let mut lab = reporting(cell, 1, &queues).send_all(&sends);
    let mut arrivals = lab.run_until(stop_ns);
    check_books(&mut lab, cell, &sends, stop_ns)?;
    let end_ns = stop_ns + 20 * SEC;
    arrivals.extend(lab.run_until(end_ns));
    check_books(&mut lab, cell, &sends, end_ns)?;
    for queue in 0..2 * cell.stations.len() as u32 {
        let stats = lab.network.station_stats(StationId(queue), end_ns);
        prop_assert_eq!((stats.backlog_packets, stats.in_flight_packets), (0, 0), "queue {}", queue);
        let numbers: Vec<_> = arrivals.iter().filter(|one| one.flow == queue).map(|one| one.number).collect();
        prop_assert!(numbers.windows(2).all(|pair| pair[0] < pair[1]), "queue {} keeps order", queue);
    }
    let mut departed: Vec<u64> = lab.departures.iter().map(|&(_, number)| number).collect();
    departed.sort_unstable();
    prop_assert!(departed.into_iter().eq(0..sends.len() as u64), "every packet departs from its host once");
    Ok(())
}

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(cases) }
}

proptest! {
    #![proptest_config(config(40))]

    #[test]
    fn nothing_is_lost_from_the_books(cell in any_cell(), sends in traffic(), stop_ns in 0..60 * MS) {
        check_run(&cell, &sends, stop_ns)?;
    }

    #[test]
    fn the_same_seed_gives_the_same_run(cell in any_cell(), sends in traffic(), seed in 0_u64..1_000) {
        let sends = of_queues(&sends, &cell);
        let run = || seeded(&cell, seed).send_all(&sends).run_until(SEC);
        prop_assert_eq!(run(), run());
    }
}

proptest! {
    #![proptest_config(config(2_000))]

    #[test]
    fn nothing_is_lost_from_the_books_of_2000_cells(cell in any_cell(), sends in traffic(), stop_ns in 0..60 * MS) {
        check_run(&cell, &sends, stop_ns)?;
    }
}

/// No station starves: each has a fair share of the exchanges.
#[test]
fn equal_stations_have_equal_shares() {
    for stations in [2, 5, 20] {
        let cell = WifiConfig { max_ampdu_mpdus: 2, ..station(N, stations) };
        let mut lab = saturate(&cell, 100_000 / stations);
        lab.run_until(8 * SEC);
        let delivered: Vec<f64> = (0..stations as u32)
            .map(|one| lab.network.station_stats(StationId(2 * one), 8 * SEC).delivered_packets as f64)
            .collect();
        let (sum, squares) = delivered.iter().fold((0.0, 0.0), |(sum, squares), one| (sum + one, squares + one * one));
        let jain = sum * sum / (squares * stations as f64);
        assert!(jain > 0.97, "{stations} stations: {delivered:?}");
    }
}
