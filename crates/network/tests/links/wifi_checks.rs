//! Cells compared with published values and closed forms: each row is checked, and `docs/concepts/wifi.md` shows them.
//!
//! `cargo test -p fairlane-network --test links wifi_checks -- --ignored` rewrites the table of the page.

use crate::cells::{full_packets, lab, saturate, station, uplink_mbps, AC, N};
use crate::common::{Lab, SEC};
use fairlane_contract::{WifiBand, WifiConfig, WifiStandard};
use fairlane_network::StationId;
use std::path::PathBuf;

/// A measured value of a cell, and its published one.
struct Row {
    what: String,
    /// A value, or the bounds between which a source has it.
    low: f64,
    high: f64,
    found: f64,
    tolerance: f64,
    /// The tolerance in percentage points, if given so.
    points: Option<f64>,
    source: &'static str,
}

impl Row {
    /// How far the value is outside of the bounds, as a share.
    fn error(&self) -> f64 {
        if self.found < self.low {
            self.found / self.low - 1.0
        } else {
            (self.found / self.high - 1.0).max(0.0)
        }
    }

    fn text(&self) -> String {
        let source = self.source;
        let (expected, error) = if self.low < self.high {
            let inside = if self.error() == 0.0 { "inside".into() } else { percent(self.error()) };
            (format!("{} to {}", self.low, self.high), inside)
        } else {
            (format!("{:.1}", self.low), percent(self.found / self.low - 1.0))
        };
        let tolerance = match self.points {
            Some(points) => format!("{points} points"),
            None => format!("{} %", 100.0 * self.tolerance),
        };
        format!("| {} | {expected} | {:.1} | {error} | {tolerance} | {source} |", self.what, self.found)
    }
}

fn percent(share: f64) -> String {
    let text = format!("{:+.1} %", 100.0 * share);
    if text == "-0.0 %" {
        "+0.0 %".into()
    } else {
        text
    }
}

const CLOSED: &str = "AIFS, mean backoff, PPDU, SIFS, Block Ack (802.11-2020)";
const AGGREGATION: &str = "ns-3, `wifi-aggregation --verifyResults`";
const TXOP: &str = "ns-3, `wifi-txop-aggregation --verifyResults`";
const HT: &str = "ns-3, `wifi-ht-network`, bound of the fastest rate";
const HT_SLOW: &str = "ns-3, `wifi-ht-network`, bound of the slowest rate";
const HE: &str = "ns-3, `wifi-he-network`, bound of the fastest rate";

fn mbps(lab: &mut Lab, seconds: u64) -> f64 {
    lab.run_until(seconds * SEC).len() as f64 * 1_472.0 * 8.0 / (seconds as f64 * 1e6)
}

/// One access point and one station, UDP of 1472 bytes to the station, as in the examples of ns-3.
fn downlink_mbps(config: &WifiConfig, mcs: u32) -> f64 {
    let mut config = WifiConfig { access_point_cw_max: 1_023, ..config.clone() };
    config.stations[0].downlink.mcs = mcs;
    config.stations[0].downlink.streams = None;
    mbps(&mut lab(&config).send_all(&full_packets(0, 1, 30_000)), 1)
}

fn ht(band: WifiBand, width_mhz: u32, guard_interval_ns: u32) -> WifiConfig {
    WifiConfig { band, width_mhz, guard_interval_ns, ..station(N, 1) }
}

/// ns-3 limits the A-MPDUs of best effort to 65,535 bytes in all standards by default.
fn ax(width_mhz: u32) -> WifiConfig {
    WifiConfig {
        standard: WifiStandard::Ax,
        band: WifiBand::Ghz2_4,
        width_mhz,
        guard_interval_ns: 800,
        max_ampdu_bytes: Some(65_535),
        ..station(AC, 1)
    }
}

fn closed_forms() -> Vec<Row> {
    let cycles_us = |standard, mpdus: u32| {
        let bytes = f64::from((mpdus - 1) * 1_544 + 1_542);
        if standard == N {
            37.0 + 67.5 + 46.0 + 3.6 * ((22.0 + 8.0 * bytes) / 1_080.0).ceil() + 48.0
        } else {
            43.0 + 67.5 + 44.0 + 3.6 * ((28.0 + 8.0 * bytes) / 3_120.0).ceil() + 48.0
        }
    };
    let one = |standard, name: &str, mpdus: u32| {
        let config = WifiConfig { max_ampdu_mpdus: mpdus, ..station(standard, 1) };
        let expected = f64::from(mpdus) * 1_472.0 * 8.0 / cycles_us(standard, mpdus);
        Row {
            what: format!("UDP upload, {name}, A-MPDU of {mpdus}"),
            low: expected,
            high: expected,
            found: uplink_mbps(&config, 1, 1_472),
            tolerance: 0.01,
            points: None,
            source: CLOSED,
        }
    };
    let n = [1, 4, 16, 42].map(|mpdus| one(N, "n, 40 MHz, MCS 15", mpdus));
    let ac = [1, 4, 16, 64].map(|mpdus| one(AC, "ac, 80 MHz, MCS 9, 2 streams", mpdus));
    n.into_iter().chain(ac).chain([slowest()]).collect()
}

/// The longest PPDU, 5.484 ms, holds two full packets at 6.5 Mbit/s; Block Acks have 6 Mbit/s.
fn slowest() -> Row {
    let mut config = ht(WifiBand::Ghz2_4, 20, 800);
    config.stations[0].uplink.mcs = 0;
    config.stations[0].uplink.streams = None;
    let ppdu_us = 42.0 + 4.0 * ((22.0 + 8.0 * (1_544.0 + 1_542.0)) / 26.0_f64).ceil();
    let expected = 2.0 * 1_472.0 * 8.0 / (37.0 + 67.5 + ppdu_us + 10.0 + 74.0);
    Row {
        what: "UDP upload, n, 20 MHz, MCS 0, longest PPDU".into(),
        low: expected,
        high: expected,
        found: uplink_mbps(&config, 2, 1_472),
        tolerance: 0.01,
        points: None,
        source: CLOSED,
    }
}

fn ns3() -> Vec<Row> {
    let bounds = |what: &str, (low, high), found, source| Row {
        what: what.into(),
        low,
        high,
        found,
        tolerance: 0.05,
        points: None,
        source,
    };
    let beacons = |config: WifiConfig| WifiConfig { beacon_interval_ns: Some(102_400_000), ..config };
    let slow = || beacons(ht(WifiBand::Ghz5, 20, 800));
    let alone = |config: WifiConfig| WifiConfig { max_ampdu_mpdus: 1, ..config };
    let txop = |config: WifiConfig| WifiConfig { txop_limit_ns: 3_520_000, ..config };
    let rts = |config: WifiConfig| WifiConfig { rts_cts: true, ..config };
    let ht_slow = rts(ht(WifiBand::Ghz5, 20, 800));
    let (g5, g2) = (|| ht(WifiBand::Ghz5, 40, 400), || ht(WifiBand::Ghz2_4, 40, 400));
    vec![
        bounds("n, 5 GHz, 20 MHz, MCS 7", (58.5, 59.5), downlink_mbps(&slow(), 7), AGGREGATION),
        bounds("the same, no A-MPDU", (30.0, 31.0), downlink_mbps(&alone(slow()), 7), AGGREGATION),
        bounds("the same, TXOP of 3520 us", (57.5, 58.5), downlink_mbps(&txop(slow()), 7), TXOP),
        bounds("TXOP of 3520 us, no A-MPDU", (38.0, 39.0), downlink_mbps(&txop(alone(slow())), 7), TXOP),
        bounds("n, 5 GHz, 40 MHz, MCS 7", (135.0, 135.0), downlink_mbps(&g5(), 7), HT),
        bounds("the same, RTS", (132.0, 132.0), downlink_mbps(&rts(g5()), 7), HT),
        bounds("n, 2.4 GHz, 40 MHz, MCS 7", (132.0, 132.0), downlink_mbps(&g2(), 7), HT),
        bounds("the same, RTS", (129.0, 129.0), downlink_mbps(&rts(g2()), 7), HT),
        bounds("n, 5 GHz, 20 MHz, MCS 0 (6.5 Mbit/s), RTS", (5.0, 6.5), downlink_mbps(&ht_slow, 0), HT_SLOW),
        bounds("ax, 2.4 GHz, 40 MHz, MCS 11", (238.0, 238.0), downlink_mbps(&ax(40), 11), HE),
        bounds("the same, RTS", (223.0, 223.0), downlink_mbps(&rts(ax(40)), 11), HE),
    ]
}

/// The attempt rate and the collision probability of saturated stations (Bianchi 2000, equations 7 and 9, with a
/// contention window that is reset after 7 failures).
fn bianchi(stations: i32) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..60 {
        let tau = f64::midpoint(low, high);
        let p = 1.0 - f64::powi(1.0 - tau, stations - 1);
        let stages = || (0..7_i32).map(|i| (p.powi(i), 16.0 * f64::from(1_u32 << i.min(6))));
        let attempts: f64 = stages().map(|(reached, _)| reached).sum();
        let slots: f64 = stages().map(|(reached, window)| reached * (window - 1.0) / 2.0).sum();
        if attempts / (slots + attempts) > tau {
            low = tau;
        } else {
            high = tau;
        }
    }
    100.0 * (1.0 - f64::powi(1.0 - low, stations - 1))
}

fn collisions() -> Vec<Row> {
    let one = |stations: usize| {
        let config = WifiConfig { max_ampdu_mpdus: 4, ..station(N, stations) };
        let mut lab = saturate(&config, 3 * 20_000 / stations);
        lab.run_until(3 * SEC);
        let stats = |one: usize| *lab.network.station_stats(StationId(2 * one as u32), 3 * SEC).access.expect("Wi-Fi");
        let all: Vec<_> = (0..stations).map(stats).collect();
        let (ppdus, collided): (u64, u64) =
            (all.iter().map(|one| one.ppdus).sum(), all.iter().map(|one| one.collisions).sum());
        let (expected, points) = (bianchi(stations as i32), 1.5);
        Row {
            what: format!("collided PPDUs, {stations} stations, %"),
            low: expected,
            high: expected,
            found: 100.0 * collided as f64 / ppdus as f64,
            tolerance: points / expected,
            points: Some(points),
            source: "Bianchi's fixed point",
        }
    };
    [2, 5, 10, 20].map(one).into()
}

fn rows() -> Vec<Row> {
    [closed_forms(), ns3(), collisions()].into_iter().flatten().collect()
}

fn page() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/concepts/wifi.md")
}

const BEGIN: &str = "<!-- checks -->\n";
const END: &str = "<!-- end of checks -->";

fn table(rows: &[Row]) -> String {
    let head = "| what, Mbit/s unless it says more | expected | here | error | tolerance | source |\n|---|---|---|---|---|---|\n";
    let lines: Vec<String> = rows.iter().map(Row::text).collect();
    format!("{head}{}\n", lines.join("\n"))
}

#[test]
fn every_row_is_within_its_tolerance_and_on_the_page() {
    let rows = rows();
    for row in &rows {
        assert!(row.error().abs() <= row.tolerance, "{}", row.text());
    }
    let text = std::fs::read_to_string(page()).expect("the page");
    let (_, after) = text.split_once(BEGIN).expect("where the table begins");
    let (shown, _) = after.split_once(END).expect("where it ends");
    assert_eq!(shown, table(&rows), "run the ignored test of this file, which writes the page");
}

#[test]
#[ignore = "it writes the page"]
fn write_the_page() {
    let text = std::fs::read_to_string(page()).expect("the page");
    let (before, after) = text.split_once(BEGIN).expect("where the table begins");
    let (_, after) = after.split_once(END).expect("where it ends");
    std::fs::write(page(), format!("{before}{BEGIN}{}{END}{after}", table(&rows()))).expect("it can be written");
}
