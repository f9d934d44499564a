//! Features of real equipment: capture, rate control, queues in the driver, larger Block Acks.

use crate::cells::{full_packets, lab, saturate, station, uplink_mbps, AC, N};
use crate::common::{MS, SEC};
use fairlane_contract::{QueueConfig, WifiConfig, WifiDriver, WifiRateControl, WifiStandard};
use fairlane_network::StationId;

fn delivered(lab: &mut crate::common::Lab, station: usize) -> f64 {
    lab.network.station_stats(StationId(2 * station as u32), SEC).delivered_packets as f64
}

/// The louder of two saturated stations loses no frame in collisions, so it never doubles its window and gets more than
/// half of the channel. Below the threshold nothing changes.
#[test]
fn a_louder_station_is_decoded_in_collisions() {
    let share = |signal_db, capture_db| {
        let mut config = WifiConfig { max_ampdu_mpdus: 8, capture_db, ..station(N, 2) };
        config.stations[0].signal_db = signal_db;
        let mut lab = saturate(&config, 30_000);
        lab.run_until(SEC);
        let [loud, quiet] = [0, 1].map(|one| delivered(&mut lab, one));
        let stats = lab.network.station_stats(StationId(0), SEC).access.expect("accesses");
        (loud / (loud + quiet), stats.collisions, loud + quiet)
    };
    let (equal, collisions, sum) = share(0.0, None);
    let (captured, no_collisions, larger_sum) = share(20.0, Some(10.0));
    assert!((0.47..0.53).contains(&equal) && collisions > 50, "{equal} {collisions}");
    assert!((0.55..0.65).contains(&captured) && no_collisions == 0, "{captured} {no_collisions}");
    assert!(larger_sum > 1.02 * sum, "{larger_sum} {sum}");
    assert_eq!(share(9.0, Some(10.0)), (equal, collisions, sum));
}

/// Rate control finds the fastest rate that arrives.
#[test]
fn rate_control_finds_the_best_rate() {
    let mut fixed = station(AC, 1);
    let uplink = &mut fixed.stations[0].uplink;
    uplink.mpdu_losses = vec![0.0, 0.0, 0.0, 0.0, 0.0, 0.05, 0.9, 1.0, 1.0, 1.0];
    let mut best = fixed.clone();
    best.stations[0].uplink.mcs = 5;
    let mut minstrel = fixed.clone();
    minstrel.stations[0].uplink.rate_control = WifiRateControl::Minstrel;
    let (best, found) = (uplink_mbps(&best, 2, 1_472), uplink_mbps(&minstrel, 2, 1_472));
    // Probes, and half a second until all rates are known.
    assert!((0.8..1.0).contains(&(found / best)), "{found} of {best} Mbit/s");
}

/// Collisions look like errors of the rate: with many stations minstrel slows down, unless RTS absorbs the collisions.
#[test]
fn collisions_lower_the_rate() {
    let sum = |rate_control, rts_cts| {
        let mut config = WifiConfig { max_ampdu_mpdus: 16, rts_cts, ..station(N, 8) };
        for one in &mut config.stations {
            one.uplink.rate_control = rate_control;
        }
        let mut lab = saturate(&config, 10_000);
        lab.run_until(SEC);
        (0..8).map(|one| delivered(&mut lab, one)).sum::<f64>()
    };
    let unprotected = sum(WifiRateControl::Minstrel, false) / sum(WifiRateControl::Fixed, false);
    let protected = sum(WifiRateControl::Minstrel, true) / sum(WifiRateControl::Fixed, true);
    assert!(unprotected < protected - 0.03, "{unprotected} {protected}");
}

/// 200 packets come at once into a queue of 100. The first goes on the air at once; a driver's queue of 30 takes 30
/// more out of the discipline's reach.
#[test]
fn a_drivers_queue_holds_packets_beyond_the_discipline() {
    let kept = |driver| {
        let mut config = station(N, 1);
        config.stations[0].uplink.queue = QueueConfig::Fifo { limit_bytes: None, limit_packets: Some(100) };
        config.stations[0].uplink.driver = driver;
        lab(&config).send_all(&full_packets(MS, 0, 200)).run().len()
    };
    assert_eq!(kept(None), 101);
    assert_eq!(kept(Some(WifiDriver::Fifo { limit_packets: 30 })), 131);
    // 1 ms at 300 Mbit/s is 37,500 bytes, of 1514 each: the 25th packet passes the limit.
    let aql = WifiDriver::Aql { low_ns: MS, high_ns: MS, total_ns: 24 * MS };
    assert_eq!(kept(Some(aql)), 125);
}

/// A driver's queue shorter than an A-MPDU does not limit it, because the driver dequeues more while it builds one.
#[test]
fn airtime_limits_do_not_cost_throughput() {
    let mut config = station(AC, 1);
    let free = uplink_mbps(&config, 1, 1_472);
    config.stations[0].uplink.driver = Some(WifiDriver::Aql { low_ns: 5 * MS, high_ns: 12 * MS, total_ns: 24 * MS });
    let limited = uplink_mbps(&config, 1, 1_472);
    assert!((limited / free - 1.0).abs() < 0.001, "{limited} {free}");
}

/// 802.11ax, 80 MHz, MCS 11, two streams: 1201 Mbit/s. 256 MPDUs: (16 + 8 × (255 × 1544 + 1542) + 6) / 16,333 bits are
/// 193.6, so 194 symbols of 13.6 us behind 52 us; AIFS 43, mean backoff 67.5, SIFS 16, and a Block Ack of 56 bytes at
/// 24 Mbit/s, which lasts 40 us.
#[test]
fn ax_may_have_256_mpdus() {
    let base = station(AC, 1);
    let mut config = WifiConfig { standard: WifiStandard::Ax, guard_interval_ns: 800, max_ampdu_mpdus: 256, ..base };
    config.stations[0].uplink.mcs = 11;
    let mut lab = saturate(&config, 100_000);
    let found = lab.run_until(SEC).len() as f64 * 1_472.0 * 8.0 / 1e6;
    let cycle_us = 43.0 + 67.5 + 52.0 + 194.0 * 13.6 + 16.0 + 40.0;
    let expected = 256.0 * 1_472.0 * 8.0 / cycle_us;
    assert!((found / expected - 1.0).abs() < 0.01, "{found} Mbit/s, not {expected}");
    let stats = lab.network.station_stats(StationId(0), SEC).access.expect("accesses");
    assert_eq!(stats.ppdus_by_mpdus.len(), 257);
}
