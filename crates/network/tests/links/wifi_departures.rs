//! Reports to hosts of packets that have left a Wi-Fi cell's queues, and their times.

use crate::cells::{cell_of_n, full_packets, lab, reporting};
use crate::common::{times, MS};
use fairlane_contract::{QueueConfig, WifiConfig};

const US: u64 = 1_000;

/// 802.11n, 40 MHz, MCS 15: a PPDU with one full packet lasts 46 us and 12 symbols of 3.6 us; the Block Ack 38 us.
const ONE_PPDU_NS: u64 = 46_000 + 12 * 3_600;
const ANSWER_NS: u64 = (10 + 38) * US;

/// The packet arrives when the PPDU ends, and departs from its host when the Block Ack ends.
#[test]
fn a_packet_departs_at_the_end_of_the_block_ack() {
    let mut lab = reporting(&cell_of_n(1), 1, &[0]).send_all(&full_packets(MS, 0, 1));
    assert_eq!(times(&lab.run()), [MS + ONE_PPDU_NS]);
    assert_eq!(lab.departures, [(MS + ONE_PPDU_NS + ANSWER_NS, 0)]);
}

#[test]
fn only_queues_with_waiting_hosts_report() {
    let mut lab = reporting(&cell_of_n(1), 1, &[0]).send_all(&full_packets(MS, 1, 5));
    assert_eq!(lab.run().len(), 5);
    assert!(lab.departures.is_empty());
}

/// Packets dropped by the queue depart at once; MPDUs that are given up depart when their last Block Ack is missing.
#[test]
fn dropped_packets_depart() {
    let mut config = cell_of_n(1);
    config.stations[0].uplink.queue = QueueConfig::Fifo { limit_bytes: None, limit_packets: Some(10) };
    let mut lab = reporting(&config, 1, &[0]).send_all(&full_packets(MS, 0, 20));
    let arrivals = lab.run();
    let at_once = lab.departures.iter().filter(|&&(at_ns, _)| at_ns == MS).count();
    assert_eq!((arrivals.len() + at_once, lab.departures.len()), (20, 20));

    let mut lossy = WifiConfig { retry_limit: Some(0), ..cell_of_n(1) };
    lossy.stations[0].uplink.mpdu_loss = 0.5;
    let mut lab = reporting(&lossy, 1, &[0]).send_all(&full_packets(MS, 0, 100));
    let arrivals = lab.run();
    assert!((30..70).contains(&arrivals.len()), "{}", arrivals.len());
    assert_eq!(lab.departures.len(), 100);
}

/// Drivers and interrupts delay the reports at either end.
#[test]
fn latencies_of_station_and_access_point() {
    let mut config = WifiConfig { access_point_latency_ns: 300 * US, ..cell_of_n(1) };
    config.stations[0].latency_ns = 700 * US;
    let mut lab = reporting(&config, 1, &[0]).send_all(&full_packets(MS, 0, 1));
    assert_eq!(times(&lab.run()), [MS + ONE_PPDU_NS + 300 * US]);
    assert_eq!(lab.departures, [(MS + ONE_PPDU_NS + ANSWER_NS + 700 * US, 0)]);
    let arrivals = lab_of_downlink(&config);
    assert_eq!(arrivals, [MS + ONE_PPDU_NS + 700 * US]);
}

fn lab_of_downlink(config: &WifiConfig) -> Vec<u64> {
    times(&lab(config).send_all(&full_packets(MS, 1, 1)).run())
}
