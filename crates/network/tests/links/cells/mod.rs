//! Wi-Fi cells for tests, one path for each transmit queue.

use crate::common::{Lab, Send, FULL, SEC};
use fairlane_contract::{MediumConfig, WifiConfig, WifiStandard};
use fairlane_engine::Streams;
use fairlane_network::{Network, StationId};

pub const N: WifiStandard = WifiStandard::N;
pub const AC: WifiStandard = WifiStandard::Ac;

/// A cell of equal stations: n with 40 MHz, MCS 15 in 2.4 GHz, or ac with 80 MHz, MCS 9 and two streams in 5 GHz; short
/// guard interval, unlimited queues.
pub fn station(standard: WifiStandard, stations: usize) -> WifiConfig {
    let (name, band, width_mhz, mcs) = if standard == N { ("n", "2.4ghz", 40, 15) } else { ("ac", "5ghz", 80, 9) };
    let queue = |name: String| format!(r#"{{"name":"{name}","mcs":{mcs},"streams":2,"queue":{{"kind":"unlimited"}}}}"#);
    let one = |number: usize| {
        let (up, down) = (queue(format!("{number}-up")), queue(format!("{number}-down")));
        format!(r#"{{"name":"{number}","uplink":{up},"downlink":{down}}}"#)
    };
    let stations = (1..=stations).map(one).collect::<Vec<_>>().join(",");
    let text = format!(
        r#"{{"name":"cell","standard":"{name}","band":"{band}","width_mhz":{width_mhz},"guard_interval_ns":400,
            "stations":[{stations}]}}"#
    );
    serde_json::from_str(&text).expect("a cell")
}

pub fn cell_of_n(stations: usize) -> WifiConfig {
    station(N, stations)
}

pub fn lab(config: &WifiConfig) -> Lab {
    seeded(config, 1)
}

pub fn seeded(config: &WifiConfig, seed: u64) -> Lab {
    reporting(config, seed, &[])
}

/// Cells in which hosts wait for departures from some queues.
pub fn reporting(config: &WifiConfig, seed: u64, queues: &[u32]) -> Lab {
    let paths = (0..2 * config.stations.len() as u32).map(|queue| vec![StationId(queue)]).collect();
    let media = [MediumConfig::Wifi(config.clone())];
    let devices: Vec<StationId> = queues.iter().copied().map(StationId).collect();
    let network = Network::with_host_devices(&[], &media, paths, &Streams::new(seed), 1_000, &devices);
    Lab::with(network.expect("a valid network"))
}

pub fn full_packets(at_ns: u64, queue: u32, packets: usize) -> Vec<Send> {
    vec![Send { at_ns, path: queue, ip_bytes: FULL }; packets]
}

/// Gives every station this number of packets at the start.
pub fn saturate(config: &WifiConfig, packets: usize) -> Lab {
    let sends = (0..config.stations.len()).flat_map(|one| full_packets(0, 2 * one as u32, packets));
    lab(config).send_all(&sends.collect::<Vec<_>>())
}

/// Goodput of one saturated station alone, in some seconds.
pub fn uplink_mbps(config: &WifiConfig, seconds: u64, payload_bytes: usize) -> f64 {
    let packets = saturate(config, 60_000 * seconds as usize).run_until(seconds * SEC).len();
    packets as f64 * payload_bytes as f64 * 8.0 / (seconds as f64 * 1e6)
}
