//! A Wi-Fi cell compared with closed forms: one saturated station, Bianchi's model of many, and single exchanges worked
//! out by hand.

use crate::cells::{cell_of_n, full_packets, lab, saturate, station, uplink_mbps, AC, N};
use crate::common::{times, Send, FULL, MS, SEC};
use fairlane_contract::{OutageConfig, WifiBand, WifiConfig, WifiScheduler};
use fairlane_network::{AccessStats, StationId, StationStats};

const US: u64 = 1_000;
/// Mean backoff of a station that always succeeds: half of 15 slots.
const MEAN_BACKOFF_US: f64 = 67.5;

fn access(stats: &StationStats) -> AccessStats {
    *stats.access.clone().expect("a cell reports its accesses")
}

/// The duration of a PPDU of full packets from the constants of 802.11, independent of the code.
fn ppdu_us(config: &WifiConfig, mpdus: u32) -> f64 {
    let bytes = f64::from((mpdus - 1) * 1_544 + 1_542);
    if config.standard == N {
        46.0 + 3.6 * ((22.0 + 8.0 * bytes) / 1_080.0).ceil()
    } else {
        44.0 + 3.6 * ((28.0 + 8.0 * bytes) / 3_120.0).ceil()
    }
}

/// SIFS and Block Ack; AIFS.
fn answer_and_aifs_us(config: &WifiConfig) -> (f64, f64) {
    if config.standard == N {
        (10.0 + 38.0, 37.0)
    } else {
        (16.0 + 32.0, 43.0)
    }
}

/// One station alone: AIFS, mean backoff, PPDU, SIFS, Block Ack.
#[test]
fn a_saturated_station_reaches_its_closed_form() {
    for standard in [N, AC] {
        for mpdus in [1, 2, 4, 8, 16, 32, 42, 64] {
            let config = WifiConfig { max_ampdu_mpdus: mpdus, ..station(standard, 1) };
            let sent = if standard == N { mpdus.min(42) } else { mpdus };
            let (answer_us, aifs_us) = answer_and_aifs_us(&config);
            let cycle_us = aifs_us + MEAN_BACKOFF_US + ppdu_us(&config, sent) + answer_us;
            let expected = f64::from(sent) * 1_472.0 * 8.0 / cycle_us;
            let found = uplink_mbps(&config, 1, 1_472);
            assert!((found / expected - 1.0).abs() < 0.01, "{standard:?}, {mpdus}: {found} Mbit/s, not {expected}");
        }
    }
}

/// ns-3 checks its own example of aggregation (`wifi-aggregation`: 802.11n, 5 GHz, 20 MHz, MCS 7, long guard interval,
/// UDP of 1472 bytes from access point to station) against 58.5 to 59.5 Mbit/s with A-MPDUs and 30 to 31 without.
#[test]
fn a_saturated_downlink_is_within_the_bounds_of_ns3() {
    let base = station(N, 1);
    for (mpdus, low, high) in [(64, 58.5, 59.5), (1, 30.0, 31.0)] {
        let mut config = WifiConfig {
            band: WifiBand::Ghz5,
            width_mhz: 20,
            guard_interval_ns: 800,
            max_ampdu_mpdus: mpdus,
            beacon_interval_ns: Some(102_400 * US),
            ..base.clone()
        };
        config.stations[0].downlink.mcs = 7;
        config.stations[0].downlink.streams = None;
        let packets = lab(&config).send_all(&full_packets(0, 1, 60_000)).run_until(8 * SEC).len();
        let found = packets as f64 * 1_472.0 * 8.0 / 8e6;
        assert!((0.99 * low..1.01 * high).contains(&found), "{mpdus}: {found} Mbit/s, not {low} to {high}");
    }
}

/// The attempt rate at which n stations collide as often as they assume (Bianchi 2000, equations 7 and 9, with a
/// contention window that is reset after 7 failures): the collision probability and the attempt rate.
fn bianchi(stations: u32) -> (f64, f64) {
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..60 {
        let tau = f64::midpoint(low, high);
        let p = 1.0 - f64::powi(1.0 - tau, stations as i32 - 1);
        let stages = || (0..7_i32).map(|i| (p.powi(i), 16.0 * f64::from(1_u32 << i.min(6))));
        let attempts: f64 = stages().map(|(reached, _)| reached).sum();
        let slots: f64 = stages().map(|(reached, window)| reached * (window - 1.0) / 2.0).sum();
        if attempts / (slots + attempts) > tau {
            low = tau;
        } else {
            high = tau;
        }
    }
    (1.0 - f64::powi(1.0 - low, stations as i32 - 1), low)
}

#[test]
fn bianchis_fixed_point_by_its_published_values() {
    for (stations, expected) in [(2, 0.105), (3, 0.178), (5, 0.272), (10, 0.389)] {
        let (found, _) = bianchi(stations);
        assert!((found - expected).abs() < 0.001, "{stations}: {found}");
    }
}

#[test]
fn many_saturated_stations_collide_as_bianchi_says() {
    for stations in [2, 3, 5, 10, 20] {
        let config = WifiConfig { max_ampdu_mpdus: 4, ..station(N, stations) };
        let mut lab = saturate(&config, 6 * 20_000 / stations);
        lab.run_until(6 * SEC);
        let all: Vec<_> =
            (0..stations).map(|one| access(&lab.network.station_stats(StationId(2 * one as u32), 6 * SEC))).collect();
        let attempts: u64 = all.iter().map(|one| one.ppdus).sum();
        let collisions: u64 = all.iter().map(|one| one.collisions).sum();
        let (p, tau) = bianchi(stations as u32);
        let found = collisions as f64 / attempts as f64;
        assert!((found - p).abs() < 0.015, "{stations} stations collide with {found}, not {p}");

        // Throughput in full A-MPDUs per second; a collision keeps the others away for EIFS, as long as a Block Ack.
        let (answer_us, aifs_us) = answer_and_aifs_us(&config);
        let busy_us = ppdu_us(&config, 4) + answer_us + aifs_us;
        let none = f64::powi(1.0 - tau, stations as i32);
        let one = f64::from(stations as u32) * tau * f64::powi(1.0 - tau, stations as i32 - 1);
        let expected = one / (none * 9.0 + (1.0 - none) * busy_us) * 1e6;
        let exchanges = (attempts - collisions) as f64 / 6.0;
        assert!((exchanges / expected - 1.0).abs() < 0.02, "{stations} stations: {exchanges} per s, not {expected}");
    }
}

#[test]
fn a_packet_that_finds_the_channel_idle_goes_at_once() {
    let arrivals = lab(&station(N, 1)).send_all(&[Send { at_ns: MS, path: 0, ip_bytes: FULL }]).run();
    // 12 symbols: (16 + 8 × 1542 + 6) / 1080 = 11.4.
    assert_eq!(times(&arrivals), [MS + 89_200]);
}

#[test]
fn packets_queued_at_the_access_form_one_frame_and_arrive_together() {
    let mut lab = lab(&station(N, 1)).send_all(&full_packets(MS, 0, 43));
    let arrivals = lab.run();
    // The first packet finds the channel idle and goes alone; 42 wait until it is answered.
    let alone_ns = MS + 89_200;
    assert_eq!(arrivals[0].at_ns, alone_ns);
    assert!(arrivals[1..].iter().all(|arrival| arrival.at_ns == arrivals[1].at_ns), "one frame");
    let backoff_ns = arrivals[1].at_ns - alone_ns - (10 + 38 + 37) * US - 1_777_600;
    assert!(backoff_ns % 9_000 == 0 && backoff_ns <= 15 * 9_000, "{backoff_ns}");
    let stats = access(&lab.network.station_stats(StationId(0), SEC));
    assert_eq!((stats.ppdus, stats.mpdus, stats.ppdus_by_mpdus[1], stats.ppdus_by_mpdus[42]), (2, 43, 1, 1));
    assert_eq!(stats.airtime_ns, (89_200 + 48_000) + (1_777_600 + 48_000));
    assert_eq!(stats.times.exchange_ns, stats.airtime_ns);
}

#[test]
fn an_aggregate_stops_at_the_first_of_its_limits() {
    let largest = |config: WifiConfig| {
        let mut lab = saturate(&config, 400);
        lab.run_until(SEC);
        let by_mpdus = access(&lab.network.station_stats(StationId(0), SEC)).ppdus_by_mpdus;
        by_mpdus.len() as u32 - 1
    };
    assert_eq!(largest(station(AC, 1)), 64, "the Block Ack window");
    assert_eq!(largest(station(N, 1)), 42, "65,535 bytes");
    assert_eq!(largest(WifiConfig { max_ampdu_bytes: Some(10_000), ..station(AC, 1) }), 6, "10,000 bytes");
    // 4 ms less 46 us at 300 Mbit/s: 1,098 symbols, 148,227 bytes: more than 65,535. At 15 Mbit/s: 7,410 bytes.
    let mut slow = station(N, 1);
    slow.stations[0].uplink.mcs = 0;
    slow.stations[0].uplink.streams = None;
    assert_eq!(largest(WifiConfig { max_ppdu_ns: 4 * MS, ..slow.clone() }), 4, "4 ms");
    assert_eq!(largest(WifiConfig { txop_limit_ns: 2_528 * US, ..slow }), 2, "the TXOP");
}

#[test]
fn a_txop_holds_several_exchanges_a_sifs_apart() {
    // 4 MPDUs: (16 + 8 × 6174 + 6) / 1080 = 45.8, 46 symbols; with SIFS and Block Ack 259.6 us, and SIFS before the
    // next.
    let config = WifiConfig { max_ampdu_mpdus: 4, txop_limit_ns: 2_528 * US, ..station(N, 1) };
    let mut lab = saturate(&config, 100);
    let arrivals = lab.run();
    let ends: Vec<u64> = arrivals.chunks(4).map(|frame| frame[0].at_ns).collect();
    let close = ends.windows(2).filter(|pair| pair[1] - pair[0] == 269_600).count();
    // The first frame is a single MPDU.
    assert!((18..=22).contains(&close), "{close} of {}", ends.len() - 1);
}

#[test]
fn rts_makes_collisions_short() {
    let run = |rts_cts| {
        let config = WifiConfig { rts_cts, ..station(N, 10) };
        let mut lab = saturate(&config, 3_000);
        let packets = lab.run_until(SEC).len();
        let stats = access(&lab.network.station_stats(StationId(0), SEC));
        (packets, stats.times.collision_ns, stats.retransmitted_mpdus)
    };
    let ((plain, plain_ns, retransmitted), (protected, protected_ns, none)) = (run(false), run(true));
    assert!(
        protected > plain * 11 / 10 && protected_ns < plain_ns / 5,
        "{plain} {plain_ns} {protected} {protected_ns}"
    );
    assert!(retransmitted > 0 && none == 0, "{retransmitted} {none}");
}

/// With a share p of MPDUs in error, goodput falls to 1 - p of its value, minus the cost of smaller aggregates.
#[test]
fn mpdus_with_errors_are_retransmitted_in_order() {
    let mut config = station(AC, 1);
    config.stations[0].uplink.mpdu_loss = 0.2;
    let mut lab = saturate(&config, 60_000);
    let arrivals = lab.run_until(SEC);
    assert!(arrivals.windows(2).all(|pair| pair[1].number == pair[0].number + 1), "in order, none missing");
    let stats = access(&lab.network.station_stats(StationId(0), SEC));
    let share = stats.retransmitted_mpdus as f64 / stats.mpdus as f64;
    assert!((share - 0.2).abs() < 0.01, "{share}");
}

#[test]
fn a_retry_limit_drops_an_mpdu_and_releases_what_waited_behind_it() {
    let mut config = WifiConfig { retry_limit: Some(1), ..station(AC, 1) };
    config.stations[0].uplink.mpdu_loss = 0.3;
    let mut lab = saturate(&config, 20_000);
    let arrivals = lab.run();
    assert!(arrivals.windows(2).all(|pair| pair[1].number > pair[0].number), "in order");
    let stats = lab.network.station_stats(StationId(0), 10 * SEC);
    assert_eq!(stats.delivered_packets + stats.lost_randomly_packets, 20_000);
    // Two failures in a row.
    assert!((1_600..2_000).contains(&stats.lost_randomly_packets), "{}", stats.lost_randomly_packets);
    assert_eq!(lab.network.lost_packets(0, 10 * SEC), stats.lost_randomly_packets);
}

#[test]
fn beacons_take_their_share_of_the_airtime() {
    for (standard, beacon_us) in [(N, 1_392), (AC, 224)] {
        let config = WifiConfig { beacon_interval_ns: Some(102_400 * US), ..station(standard, 1) };
        let mut lab = lab(&config).send_all(&full_packets(0, 0, 60_000));
        lab.run_until(SEC);
        let times = access(&lab.network.station_stats(StationId(0), SEC)).times;
        // At 0, 102.4 ms, ..., 921.6 ms, each once; those that collide are not repeated.
        let sent = times.beacon_ns / (beacon_us * US);
        assert_eq!(times.beacon_ns, sent * beacon_us * US);
        let lost = u64::from(times.collision_ns > 0) + u64::from(times.collision_ns > 2 * MS);
        assert!((10 - lost..=10).contains(&sent) && sent >= 8, "{standard:?} {times:?}");
    }
}

#[test]
fn nothing_is_received_during_an_outage() {
    let outages = OutageConfig::Listed { at_ns: vec![300 * MS, 600 * MS], length_ns: 50 * MS };
    let config = WifiConfig { outages: Some(outages), ..station(N, 1) };
    let arrivals = saturate(&config, 30_000).run_until(SEC);
    let within = |from_ms, to_ms| arrivals.iter().filter(|a| (from_ms * MS..to_ms * MS).contains(&a.at_ns)).count();
    assert!(within(280, 300) > 300 && within(302, 350) == 0 && within(602, 650) == 0 && within(680, 700) > 300);
    let random = OutageConfig::Random { mean_length_ns: 10 * MS, mean_distance_ns: 90 * MS };
    let outages = WifiConfig { outages: Some(random), ..station(N, 1) };
    let share = uplink_mbps(&outages, 4, 1_472) / uplink_mbps(&station(N, 1), 4, 1_472);
    assert!((0.7..0.97).contains(&share), "{share}");
}

#[test]
fn a_block_ack_request_follows_a_collision() {
    let run = |block_ack_request| {
        let config = WifiConfig { block_ack_request, ..station(N, 2) };
        let mut lab = saturate(&config, 20_000);
        let arrivals = lab.run_until(SEC);
        assert!(arrivals.len() > 10_000, "{}", arrivals.len());
        access(&lab.network.station_stats(StationId(0), SEC))
    };
    // Requests are short exchanges of their own, and not counted as PPDUs with MPDUs.
    let (without, with) = (run(false), run(true));
    assert!(with.ppdus < without.ppdus && with.collisions > 0, "{} {}", with.ppdus, without.ppdus);
}

/// A slow station gets as many accesses as a fast one, and therefore most of the airtime; airtime scheduling gives both
/// the same airtime.
#[test]
fn airtime_scheduling_shares_time_and_not_accesses() {
    let airtimes = |access_point_scheduler| {
        let mut config = WifiConfig { access_point_scheduler, ..cell_of_n(2) };
        config.stations[1].downlink.mcs = 0;
        config.stations[1].downlink.streams = None;
        let sends: Vec<Send> = (0..2).flat_map(|one| full_packets(0, 2 * one + 1, 30_000)).collect();
        let mut lab = lab(&config).send_all(&sends);
        lab.run_until(SEC);
        [1, 3].map(|queue| access(&lab.network.station_stats(StationId(queue), SEC)).airtime_ns as f64)
    };
    let [fast, slow] = airtimes(WifiScheduler::RoundRobin);
    assert!((2.5..3.5).contains(&(slow / fast)), "in turn: {fast} and {slow} ns");
    let [fast, slow] = airtimes(WifiScheduler::Airtime);
    assert!((0.95..1.05).contains(&(slow / fast)), "by airtime: {fast} and {slow} ns");
}

/// The access point serves its stations round robin.
#[test]
fn downlinks_share_the_access_point_equally() {
    let config = cell_of_n(3);
    let sends: Vec<Send> = (0..3).flat_map(|one| full_packets(0, 2 * one + 1, 10_000)).collect();
    let mut lab = lab(&config).send_all(&sends);
    lab.run_until(SEC);
    let of = |lab: &mut crate::common::Lab, one: u32| {
        lab.network.station_stats(StationId(2 * one + 1), SEC).delivered_packets
    };
    let found = [of(&mut lab, 0), of(&mut lab, 1), of(&mut lab, 2)];
    assert!(found.iter().all(|&one| one.abs_diff(found[0]) <= 64), "{found:?}");
    let stats = access(&lab.network.station_stats(StationId(1), SEC));
    assert_eq!(stats.collisions, 0, "one node does not collide with itself");
}
