//! A half-duplex channel compared with closed forms, with a link and with an independent model.

use crate::common::{times, Arrival, Lab, Send, FULL, MS, SEC};
use fairlane_contract::{HalfDuplexConfig, LinkConfig, LossConfig, MediumConfig, QueueConfig, StationConfig};
use fairlane_engine::Streams;
use fairlane_network::{check_medium, Network, StationId, StationStats, NO_PATH};
use proptest::prelude::*;

/// 121.12 us at 100 Mbit/s.
const FRAME_NS: u64 = 121_120;
const RATE_BPS: u64 = 100_000_000;

fn channel(stations: usize, turnaround_ns: u64) -> HalfDuplexConfig {
    let station = |number| StationConfig { name: format!("station {number}"), ..StationConfig::default() };
    HalfDuplexConfig {
        name: "channel".into(),
        rate_bps: RATE_BPS,
        turnaround_ns,
        frames_per_turn: 1,
        stations: (0..stations).map(station).collect(),
        ..HalfDuplexConfig::default()
    }
}

/// One path for each station, with the station's number.
fn lab(channel: &HalfDuplexConfig) -> Lab {
    seeded(channel, 1)
}

fn seeded(channel: &HalfDuplexConfig, seed: u64) -> Lab {
    let paths = (0..channel.stations.len() as u32).map(|station| vec![StationId(station)]).collect();
    let media = [MediumConfig::HalfDuplex(channel.clone())];
    Lab::with(Network::with_media(&[], &media, paths, &Streams::new(seed), 1_000).expect("a valid network"))
}

fn send(at_ns: u64, station: u32) -> Send {
    Send { at_ns, path: station, ip_bytes: FULL }
}

/// `count` full packets of each station, all at 0.
fn saturated(stations: u32, packets: usize) -> Vec<Send> {
    (0..stations).flat_map(|station| vec![send(0, station); packets]).collect()
}

fn stats(lab: &mut Lab, station: u32, now_ns: u64) -> StationStats {
    lab.network.station_stats(StationId(station), now_ns)
}

fn utilisation(lab: &mut Lab, stations: u32, now_ns: u64) -> f64 {
    (0..stations).map(|station| stats(lab, station, now_ns).utilisation()).sum()
}

#[test]
fn one_saturated_station_has_the_whole_rate_and_no_turnaround() {
    let mut lab = lab(&channel(2, 5 * MS)).send_all(&saturated(1, 10_000));
    lab.run_until(SEC);
    let transmitted = stats(&mut lab, 0, SEC).transmitted_bytes as f64 * 8.0;
    assert!((transmitted / RATE_BPS as f64 - 1.0).abs() < 2e-4, "{transmitted} bits in a second");
    assert_eq!(stats(&mut lab, 1, SEC).transmitted_bytes, 0);
}

/// Each frame costs itself and a turnaround: rate × frame / (frame + turnaround × rate).
#[test]
fn two_saturated_stations_alternate_and_pay_a_turnaround_per_frame() {
    for turnaround_ns in [0, 50_000, MS] {
        let mut lab = lab(&channel(2, turnaround_ns)).send_all(&saturated(2, 5_000));
        let arrivals = lab.run_until(SEC);
        assert!(arrivals.windows(2).all(|pair| pair[0].flow != pair[1].flow), "they do not alternate");
        let frame_bits = 1514.0 * 8.0;
        let expected = frame_bits / (frame_bits + turnaround_ns as f64 / 1e9 * RATE_BPS as f64);
        let found = utilisation(&mut lab, 2, SEC);
        assert!((found / expected - 1.0).abs() < 2e-3, "{turnaround_ns} ns: {found}, expected {expected}");
    }
}

/// Turns of `n` frames: rate × n × frame / (n × frame + turnaround × rate), shared equally.
#[test]
fn longer_turns_spread_the_turnaround_over_more_frames() {
    for (stations, frames_per_turn) in [(2, 8), (5, 3)] {
        let config = HalfDuplexConfig { frames_per_turn, ..channel(stations, MS) };
        let mut lab = lab(&config).send_all(&saturated(stations as u32, 8_000));
        lab.run_until(SEC);
        let turn_ns = f64::from(frames_per_turn) * FRAME_NS as f64;
        let expected = turn_ns / (turn_ns + MS as f64);
        let found = utilisation(&mut lab, stations as u32, SEC);
        assert!((found / expected - 1.0).abs() < 5e-3, "{found}, expected {expected}");
        for station in 0..stations as u32 {
            let share = stats(&mut lab, station, SEC).utilisation() * stations as f64;
            assert!((share / expected - 1.0).abs() < 0.02, "station {station} has {share} of {expected}");
        }
    }
}

#[test]
fn the_timing_of_a_few_frames_by_hand() {
    let config = HalfDuplexConfig { delay_ns: 10 * MS, frames_per_turn: 2, ..channel(3, MS) };
    // Station 2 first; the others arrive during its first frame. Station 0 follows in the circle after station 2's
    // turn.
    let sends = [send(0, 2), send(1_000, 1), send(2_000, 2), send(3_000, 2), send(4_000, 0)];
    let arrivals = lab(&config).send_all(&sends).run();
    let flows: Vec<u32> = arrivals.iter().map(|arrival| arrival.flow).collect();
    assert_eq!(flows, [2, 2, 0, 1, 2]);
    let start = 10 * MS + FRAME_NS;
    let expected = [
        start,
        start + FRAME_NS,
        start + 2 * FRAME_NS + MS,
        start + 3 * FRAME_NS + 2 * MS,
        start + 4 * FRAME_NS + 3 * MS,
    ];
    assert_eq!(times(&arrivals), expected);
}

#[test]
fn an_idle_channel_turns_when_another_station_has_a_packet() {
    let sends = [send(0, 0), send(50 * MS, 0), send(100 * MS, 1)];
    let arrivals = lab(&channel(2, MS)).send_all(&sends).run();
    assert_eq!(times(&arrivals), [FRAME_NS, 50 * MS + FRAME_NS, 101 * MS + FRAME_NS]);
}

/// The next frame is chosen when the channel becomes free, from the packets queued then.
#[test]
fn the_next_frame_is_chosen_at_the_access() {
    // Both wait at 121.12 us, although station 1 was first: after station 0 it is station 1's turn.
    let sends = [send(0, 0), send(100, 1), send(200, 0), send(300, 1)];
    let flows: Vec<u32> = lab(&channel(2, 0)).send_all(&sends).run().iter().map(|arrival| arrival.flow).collect();
    assert_eq!(flows, [0, 1, 0, 1]);
    // A packet that arrives during the turnaround does not change the choice.
    let sends = [send(0, 0), send(100, 1), send(FRAME_NS + 1, 0)];
    let flows: Vec<u32> = lab(&channel(2, MS)).send_all(&sends).run().iter().map(|arrival| arrival.flow).collect();
    assert_eq!(flows, [0, 1, 0]);
}

#[test]
fn a_packet_counts_as_queued_during_the_turnaround() {
    let mut lab = lab(&channel(2, MS)).send_all(&[send(0, 0), send(0, 1)]);
    lab.run_until(FRAME_NS);
    let during = stats(&mut lab, 1, FRAME_NS + MS / 2);
    assert_eq!((during.backlog_packets, during.in_flight_packets, during.transmitted_packets), (1, 0, 0));
    lab.run();
    let after = stats(&mut lab, 1, SEC);
    assert_eq!((after.backlog_packets, after.max_delay_ns), (0, FRAME_NS + MS));
    assert_eq!(after.delivered_packets, 1);
}

#[test]
fn each_station_has_its_own_queue_discipline() {
    let mut config = channel(2, 0);
    config.stations[0].queue = QueueConfig::Fifo { limit_bytes: None, limit_packets: Some(10) };
    let codel = r#"{"kind":"codel","target_ns":5000000}"#;
    config.stations[1].queue = serde_json::from_str(codel).expect("valid JSON of a queue");
    let mut lab = lab(&config).send_all(&saturated(2, 900));
    lab.run();
    let (fifo, codel) = (stats(&mut lab, 0, SEC), stats(&mut lab, 1, SEC));
    assert_eq!((fifo.dropped_packets, fifo.max_backlog_bytes), (889, 10 * 1_514));
    assert!((1..100).contains(&codel.dropped_packets), "{codel:?}");
    assert_eq!(lab.network.lost_packets(0, SEC), 889);
}

#[test]
fn random_loss_is_each_stations_own_and_does_not_depend_on_links() {
    let mut config = channel(2, 0);
    config.stations[1].loss = Some(LossConfig::Independent { probability: 0.1, correlation: 0.0 });
    let sends = saturated(2, 2_000);
    let arrivals = lab(&config).send_all(&sends).run();
    let of = |arrivals: &[Arrival], flow| -> Vec<u64> {
        arrivals.iter().filter(|arrival| arrival.flow == flow).map(|arrival| arrival.number).collect()
    };
    assert_eq!(of(&arrivals, 0).len(), 2_000);
    let lost = 2_000 - of(&arrivals, 1).len() as i64;
    assert!((150..250).contains(&lost), "{lost}");
    // With a link in the scenario the stations have other numbers, and still draw the same.
    let media = [MediumConfig::HalfDuplex(config.clone())];
    let paths = vec![vec![StationId(1)], vec![StationId(2)]];
    let network = Network::with_media(&[LinkConfig::new("a")], &media, paths, &Streams::new(1), 1_000);
    let again = Lab::with(network.expect("a valid network")).send_all(&sends).run();
    assert_eq!(again, arrivals);
    assert_ne!(of(&seeded(&config, 2).send_all(&sends).run(), 1), of(&arrivals, 1), "another seed, other losses");
}

#[test]
fn a_path_leads_through_links_and_stations() {
    let links = [crate::common::link(RATE_BPS, MS), LinkConfig { delay_ns: 2 * MS, ..LinkConfig::new("end") }];
    let media = [MediumConfig::HalfDuplex(HalfDuplexConfig { delay_ns: 3 * MS, ..channel(2, MS) })];
    let paths = vec![vec![StationId(0), StationId(2), StationId(1)], vec![StationId(3), StationId(2)]];
    let network = Network::with_media(&links, &media, paths, &Streams::new(1), 1_000).expect("a valid network");
    let arrivals = Lab::with(network).send_all(&[send(0, 0), send(100 * MS, 1)]).run();
    // The second packet crosses the channel twice, with a turnaround each time.
    assert_eq!(times(&arrivals), [6 * MS + 2 * FRAME_NS, 100 * MS + 2 * (4 * MS + FRAME_NS)]);
}

#[test]
fn hosts_hear_whose_packets_come_next() {
    let config = HalfDuplexConfig { delay_ns: 10 * MS, ..channel(2, 0) };
    let mut lab = lab(&config).send_all(&saturated(2, 2));
    lab.run_until(10 * MS + FRAME_NS);
    assert_eq!(lab.network.upcoming_paths(0), [1, 0, 1, NO_PATH]);
}

#[test]
fn invalid_configurations_are_rejected_with_a_remedy() {
    let refused = |config: HalfDuplexConfig| {
        check_medium(&MediumConfig::HalfDuplex(config)).expect_err("it must be refused").to_string()
    };
    let has = |line: String, words: [&str; 2]| assert!(words.iter().all(|word| line.contains(word)), "{line}");
    has(refused(channel(1, 0)), ["stations: has 1 entries", "give 2 to 256"]);
    has(
        refused(HalfDuplexConfig { frames_per_turn: 0, ..channel(2, 0) }),
        ["frames_per_turn: is 0", "give 1 to 1000000"],
    );
    has(refused(channel(2, u64::MAX)), ["turnaround_ns: is 1", "give 0 to 10000000 s"]);
    has(refused(HalfDuplexConfig { rate_bps: 0, ..channel(2, 0) }), ["rate_bps: is 0", "give 1 bit/s"]);
    let mut wrong = channel(2, 0);
    wrong.stations[1].queue = QueueConfig::Fifo { limit_bytes: None, limit_packets: None };
    has(refused(wrong), ["stations[1].queue.kind: ", "needs exactly one of"]);
    assert!(serde_json::from_str::<MediumConfig>(r#"{"kind":"half_duplex","name":"x","rate":5}"#).is_err());
}

fn queue() -> impl Strategy<Value = QueueConfig> {
    let json = |text: &'static str| serde_json::from_str::<QueueConfig>(text).expect("valid JSON of a queue");
    prop_oneof![
        (1_500_u64..100_000)
            .prop_map(|limit_bytes| QueueConfig::Fifo { limit_bytes: Some(limit_bytes), limit_packets: None }),
        Just(QueueConfig::Unlimited {}),
        Just(json(r#"{"kind":"codel","target_ns":1000000,"interval_ns":5000000}"#)),
        Just(json(r#"{"kind":"fq_codel","target_ns":1000000,"interval_ns":5000000}"#)),
        Just(json(r#"{"kind":"fq"}"#)),
        Just(json(r#"{"kind":"cake"}"#)),
        Just(json(r#"{"kind":"pie"}"#)),
        Just(json(r#"{"kind":"policer","rate_bps":20000000,"burst_bytes":20000}"#)),
    ]
}

fn any_channel() -> impl Strategy<Value = HalfDuplexConfig> {
    let stations = prop::collection::vec((queue(), prop::option::of(0.0..=1.0)), 2..6);
    (stations, 1_000_000_u64..1_000_000_000, 0..3 * MS, 0..10 * MS, 1_u32..5).prop_map(
        |(stations, rate_bps, turnaround_ns, delay_ns, frames_per_turn)| {
            let station = |(queue, loss): (QueueConfig, Option<f64>)| StationConfig {
                queue,
                loss: loss.map(|probability| LossConfig::Independent { probability, correlation: 0.0 }),
                ..StationConfig::default()
            };
            HalfDuplexConfig {
                rate_bps,
                turnaround_ns,
                delay_ns,
                frames_per_turn,
                stations: stations.into_iter().map(station).collect(),
                ..channel(2, 0)
            }
        },
    )
}

/// Traffic of up to five stations.
fn traffic() -> impl Strategy<Value = Vec<Send>> {
    let gap_ns = prop_oneof![3 => Just(0), 3 => 0..200_u64, 3 => 0..200_000_u64, 1 => 0..20 * MS];
    prop::collection::vec((gap_ns, 0_u32..5, 20_u32..1500), 1..300).prop_map(|packets| {
        let mut at_ns = 0;
        let mut send = |(gap_ns, path, ip_bytes)| {
            at_ns += gap_ns;
            Send { at_ns, path, ip_bytes }
        };
        packets.into_iter().map(&mut send).collect()
    })
}

/// The traffic of the channel's stations.
fn of_stations(sends: Vec<Send>, channel: &HalfDuplexConfig) -> Vec<Send> {
    let stations = channel.stations.len() as u32;
    sends.into_iter().map(|send| Send { path: send.path % stations, ..send }).collect()
}

/// An independent model of the same rules, for unlimited FIFO queues: arrival time and number of each packet.
fn modelled(channel: &HalfDuplexConfig, sends: &[Send]) -> Vec<(u64, u64)> {
    let stations = channel.stations.len();
    let mut queues = vec![std::collections::VecDeque::new(); stations];
    let (mut arrivals, mut next, mut free_ns, mut turn) = (Vec::new(), 0, 0, None);
    loop {
        if queues.iter().all(std::collections::VecDeque::is_empty) {
            let Some(send) = sends.get(next) else { return arrivals };
            free_ns = u64::max(free_ns, send.at_ns);
        }
        // Packets that arrive while the channel is busy are queued when it becomes free; at that very instant the
        // channel is first.
        while let Some(send) = sends.get(next) {
            let is_idle = queues.iter().all(std::collections::VecDeque::is_empty);
            if send.at_ns >= free_ns && !(is_idle && send.at_ns == free_ns) {
                break;
            }
            queues[send.path as usize].push_back((next as u64, send.at_ns, send.ip_bytes));
            next += 1;
        }
        let first = match turn {
            Some((station, frames)) if frames < channel.frames_per_turn => station,
            Some((station, _)) => station + 1,
            None => 0,
        };
        let station = (first..first + stations).map(|n| n % stations).find(|&n| !queues[n].is_empty()).unwrap();
        let (number, _, ip_bytes) = queues[station].pop_front().unwrap();
        let turns = turn.is_some_and(|(last, _)| last != station);
        let start_ns = free_ns + if turns { channel.turnaround_ns } else { 0 };
        turn = match turn {
            Some((last, frames)) if last == station && frames < channel.frames_per_turn => Some((last, frames + 1)),
            _ => Some((station, 1)),
        };
        let bits = u128::from(ip_bytes + 14) * 8 * u128::from(SEC);
        free_ns = start_ns + bits.div_ceil(u128::from(channel.rate_bps)) as u64;
        arrivals.push((free_ns + channel.delay_ns, number));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(300) })]

    #[test]
    fn no_byte_is_lost_from_the_books(config in any_channel(), sends in traffic(), stop_ns in 0..60 * MS) {
        let sends = of_stations(sends, &config);
        let mut lab = lab(&config).send_all(&sends);
        let arrivals = lab.run_until(stop_ns);
        let mut utilisation = 0.0;
        for station in 0..config.stations.len() as u32 {
            let stats = stats(&mut lab, station, stop_ns);
            let offered = sends.iter().filter(|send| send.path == station && send.at_ns <= stop_ns);
            prop_assert_eq!(stats.delivered_packets, arrivals.iter().filter(|arrival| arrival.flow == station).count() as u64);
            // A discipline may drop packets that it has admitted.
            prop_assert!(stats.enqueued_packets + stats.dropped_packets >= offered.clone().count() as u64);
            let left = stats.delivered_packets + stats.lost_randomly_packets + stats.backlog_packets + stats.in_flight_packets;
            let dropped_late = stats.enqueued_packets - left;
            prop_assert_eq!(stats.enqueued_packets + stats.dropped_packets - dropped_late, offered.count() as u64);
            prop_assert!(dropped_late <= stats.dropped_packets);
            utilisation += stats.utilisation();
        }
        prop_assert!(utilisation <= 1.0, "{utilisation}");
    }

    #[test]
    fn transmissions_never_overlap_and_turnarounds_are_kept(config in any_channel(), sends in traffic()) {
        let sends = of_stations(sends, &config);
        let arrivals = lab(&config).send_all(&sends).run();
        let frame_ns = |arrival: &Arrival| {
            (u128::from(arrival.ip_bytes + 14) * 8 * u128::from(SEC) / u128::from(config.rate_bps)) as u64
        };
        for pair in arrivals.windows(2) {
            // The earliest start before its arrival; times are rounded up to nanoseconds.
            let silence_ns = if pair[0].flow == pair[1].flow { 0 } else { config.turnaround_ns };
            prop_assert!(pair[1].at_ns + 1 >= pair[0].at_ns + silence_ns + frame_ns(&pair[1]), "{:?} {:?}", pair[0], pair[1]);
        }
    }

    #[test]
    fn the_same_seed_gives_the_same_run_and_looking_changes_nothing(
        config in any_channel(), sends in traffic(), stop_ns in 0..40 * MS
    ) {
        let sends = of_stations(sends, &config);
        let whole = lab(&config).send_all(&sends).run();
        let mut looked_at = lab(&config).send_all(&sends);
        let mut arrivals = looked_at.run_until(stop_ns);
        for station in 0..config.stations.len() as u32 {
            stats(&mut looked_at, station, stop_ns);
        }
        arrivals.extend(looked_at.run());
        prop_assert_eq!(arrivals, whole);
        for station in 0..config.stations.len() as u32 {
            let end = stats(&mut looked_at, station, 100 * SEC);
            prop_assert_eq!((end.backlog_packets, end.in_flight_packets), (0, 0), "nothing stays in the channel");
        }
    }

    /// While one station alone has packets, the channel is a link: same arrivals, same counters, any queue that draws
    /// nothing.
    #[test]
    fn a_lone_station_has_a_link(config in any_channel(), sends in traffic(), stop_ns in 0..40 * MS) {
        let mut config = config;
        config.stations[0].loss = None;
        if matches!(config.stations[0].queue, QueueConfig::Pie(_)) {
            // It draws drops from a stream of the station.
            config.stations[0].queue = QueueConfig::Unlimited {};
        }
        let sends: Vec<Send> = sends.into_iter().map(|send| Send { path: 0, ..send }).collect();
        let mut shared = lab(&config).send_all(&sends);
        let link = config.as_link(&config.stations[0]);
        let mut link = if matches!(link.queue, QueueConfig::Fifo { .. } | QueueConfig::Unlimited {}) {
            Lab::one_general_link(link)
        } else {
            Lab::one_link(link)
        }.send_all(&sends);
        prop_assert_eq!(shared.run_until(stop_ns), link.run_until(stop_ns));
        prop_assert_eq!(stats(&mut shared, 0, stop_ns), link.stats(stop_ns));
        prop_assert_eq!(shared.run(), link.run());
    }

    /// Rates at which every frame takes an integer number of nanoseconds, so that nothing is rounded.
    #[test]
    fn any_traffic_agrees_with_the_model(
        config in any_channel(), sends in traffic(), rate_bps in prop_oneof![Just(8_000_000_u64), Just(100_000_000), Just(1_000_000_000)]
    ) {
        let mut config = HalfDuplexConfig { rate_bps, ..config };
        for station in &mut config.stations {
            *station = StationConfig::default();
        }
        let sends = of_stations(sends, &config);
        let arrivals = lab(&config).send_all(&sends).run();
        let found: Vec<(u64, u64)> = arrivals.iter().map(|arrival| (arrival.at_ns, arrival.number)).collect();
        prop_assert_eq!(found, modelled(&config, &sends));
    }
}
