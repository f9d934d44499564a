//! Unequal nodes: one queue of the access point for all stations, A-MPDUs formed ahead of the access, and hidden
//! stations.

use crate::cells::{cell_of_n, full_packets, lab, saturate, station, AC, N};
use crate::common::{times, Send, FULL, MS, SEC};
use fairlane_contract::{AccessLogConfig, WifiConfig, WifiScheduler};
use fairlane_network::StationId;

fn delivered(lab: &mut crate::common::Lab, queue: u32, at_ns: u64) -> u64 {
    lab.network.station_stats(StationId(queue), at_ns).delivered_packets
}

/// 300 packets for each of two stations arrive at once, with a limit of 100: those on the air and 100 more are
/// admitted.
#[test]
fn one_queue_holds_the_packets_of_all_stations() {
    let config = WifiConfig { access_point_limit_packets: Some(100), ..cell_of_n(2) };
    let sends: Vec<Send> =
        (0..600).map(|number| Send { at_ns: MS, path: 1 + 2 * (number % 2), ip_bytes: FULL }).collect();
    let mut limited = lab(&config).send_all(&sends);
    assert_eq!(limited.run().len(), 101);
    let dropped: u64 =
        [1, 3].map(|queue| limited.network.station_stats(StationId(queue), SEC).dropped_packets).iter().sum();
    assert_eq!(dropped, 499);
    assert_eq!(lab(&cell_of_n(2)).send_all(&sends).run().len(), 600);
}

/// Five packets for one station, then one for another, then five again: in order of their arrival the single packet is
/// second, and packets for the first station that came later travel with those that came earlier.
#[test]
fn the_oldest_packet_goes_first() {
    let config = WifiConfig { access_point_scheduler: WifiScheduler::OldestFirst, max_ampdu_mpdus: 5, ..cell_of_n(3) };
    let mut sends = full_packets(MS, 1, 6);
    sends.extend(full_packets(MS + 1, 3, 1));
    sends.extend(full_packets(MS + 2, 1, 4));
    sends.extend(full_packets(MS + 3, 5, 1));
    let order: Vec<u32> = lab(&config).send_all(&sends).run().iter().map(|one| one.flow).collect();
    // The first finds the channel idle and goes alone.
    assert_eq!(order, [1, 1, 1, 1, 1, 1, 3, 1, 1, 1, 1, 5]);
}

/// 60 packets arrive while the first is on the air: without hardware they are sent as 42 and 18; with it, the second
/// A-MPDU was formed from the first of them and cannot grow.
#[test]
fn hardware_aggregates_do_not_grow() {
    let mpdus = |hardware_aggregates| {
        let config = WifiConfig { hardware_aggregates, ..cell_of_n(1) };
        let mut sends = full_packets(MS, 0, 1);
        sends.extend((0..60).map(|number| Send { at_ns: MS + 1_000 + number, path: 0, ip_bytes: FULL }));
        let mut lab = lab(&config).send_all(&sends);
        assert_eq!(lab.run().len(), 61);
        let counts = lab.network.station_stats(StationId(0), SEC).access.expect("accesses").ppdus_by_mpdus;
        (0..).zip(counts).filter(|&(_, count)| count > 0).collect::<Vec<(u32, u64)>>()
    };
    assert_eq!(mpdus(0), [(1, 1), (18, 1), (42, 1)]);
    assert_eq!(mpdus(1), [(1, 1), (18, 1), (42, 1)]);
    assert_eq!(mpdus(2), [(1, 2), (27, 1), (32, 1)]);
}

/// A saturated station loses at most the larger half of its Block Ack window.
#[test]
fn hardware_aggregates_of_a_backlogged_station_are_full() {
    let goodput = |hardware_aggregates, max_ampdu_mpdus| {
        let mut lab = saturate(&WifiConfig { hardware_aggregates, max_ampdu_mpdus, ..station(AC, 1) }, 60_000);
        lab.run_until(SEC / 2);
        delivered(&mut lab, 0, SEC / 2) as f64
    };
    // Up to a frame of 32 at the begin, and one at the end.
    let (found, expected) = (goodput(2, 64), goodput(0, 32));
    assert!((found - expected).abs() <= 64.0, "{found} packets, not {expected}");
}

fn hidden(mut config: WifiConfig) -> WifiConfig {
    let first = config.stations[0].name.clone();
    config.stations[1].hidden_from = vec![first];
    config
}

/// A sends at 1 ms, and B in the middle of that: hidden, B begins at once and destroys both frames; otherwise it waits.
#[test]
fn a_hidden_station_begins_while_the_other_sends() {
    let sends = [Send { at_ns: MS, path: 0, ip_bytes: FULL }, Send { at_ns: MS + 30_000, path: 2, ip_bytes: FULL }];
    let log = AccessLogConfig { from_ns: 0, frames: 100 };
    let frames = |config: WifiConfig| {
        let mut lab = lab(&WifiConfig { access_log: Some(log), ..config }).send_all(&sends);
        assert_eq!(lab.run().len(), 2, "both arrive in the end");
        [0, 2].map(|queue| lab.network.accesses(StationId(queue)))
    };
    // A PPDU of one packet lasts 46 us and 12 symbols of 3.6 us.
    let ppdu_ns = 89_200;
    let [a, b] = frames(hidden(cell_of_n(2)));
    assert!(a[0].has_collided && b[0].has_collided);
    assert_eq!((a[0].start_ns, a[0].end_ns), (MS, MS + ppdu_ns));
    assert_eq!((b[0].start_ns, b[0].end_ns), (MS + 30_000, MS + 30_000 + ppdu_ns));
    let [a, b] = frames(cell_of_n(2));
    assert!(!a[0].has_collided && !b[0].has_collided && a.len() + b.len() == 2);
    assert!(b[0].start_ns >= a[0].until_ns + 37_000);
    // The CTS of the access point is heard by both.
    let rts = WifiConfig { rts_cts: true, ..cell_of_n(2) };
    let later = |config: WifiConfig| {
        let sends = [Send { at_ns: MS + 40_000, ..sends[1] }, Send { at_ns: MS, ..sends[0] }];
        let mut lab = lab(&WifiConfig { access_log: Some(log), ..config }).send_all(&[sends[1], sends[0]]);
        lab.run();
        lab.network.accesses(StationId(2))[0].has_collided
    };
    assert!(!later(hidden(rts)) && later(hidden(cell_of_n(2))));
}

/// Two saturated hidden stations destroy most of each other's long frames; RTS restores most of the channel.
#[test]
fn hidden_stations_need_rts() {
    let sum = |config: WifiConfig| {
        let mut lab = saturate(&config, 20_000);
        lab.run_until(SEC);
        let [a, b] = [0, 2].map(|queue| delivered(&mut lab, queue, SEC) as f64);
        let stats = lab.network.station_stats(StationId(0), SEC).access.expect("accesses");
        let times = stats.times;
        assert_eq!(times.idle_ns + times.exchange_ns + times.collision_ns + times.beacon_ns, times.until_ns);
        ((a + b), stats.collisions)
    };
    let (open, few) = sum(station(N, 2));
    let (blind, many) = sum(hidden(station(N, 2)));
    let (protected, _) = sum(hidden(WifiConfig { rts_cts: true, ..station(N, 2) }));
    assert!(blind < 0.6 * open && many > 3 * few, "{blind} of {open}; {many} and {few} collisions");
    assert!(protected > 0.9 * open, "{protected} of {open}");
}

#[test]
fn recorded_accesses_are_those_of_the_run() {
    let config = WifiConfig { access_log: Some(AccessLogConfig { from_ns: MS, frames: 3 }), ..cell_of_n(1) };
    let mut lab = saturate(&config, 1_000);
    let arrivals = times(&lab.run());
    let records = lab.network.accesses(StationId(0));
    assert_eq!(records.len(), 3);
    for one in records {
        assert!(one.start_ns >= MS && one.mpdus == 42 && one.confirmed == 42 && !one.has_collided, "{one:?}");
        assert_eq!((one.end_ns - one.start_ns, one.until_ns - one.end_ns), (1_777_600, 48_000));
        assert!(arrivals.contains(&one.end_ns));
    }
}
