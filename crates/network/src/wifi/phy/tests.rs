//! Rates compared with the standard's tables, airtime with values worked out by hand.

use super::*;
use fairlane_contract::WifiQueueConfig;
use fairlane_contract::{QueueConfig, WifiRateControl, WifiStationConfig};

fn cell(standard: WifiStandard, width_mhz: u32, guard_interval_ns: u32) -> WifiConfig {
    let band = if standard == WifiStandard::N { "2.4ghz" } else { "5ghz" };
    let queue = |name: &str| WifiQueueConfig {
        name: name.into(),
        mcs: 0,
        streams: None,
        mpdu_loss: 0.0,
        rate_control: WifiRateControl::Fixed,
        mpdu_losses: Vec::new(),
        queue: QueueConfig::Unlimited {},
        driver: None,
        mtu_bytes: None,
    };
    let station = WifiStationConfig {
        name: "one".into(),
        signal_db: 0.0,
        hidden_from: vec![],
        latency_ns: 0,
        uplink: queue("up"),
        downlink: queue("down"),
    };
    let text = format!(
        r#"{{"name":"cell","standard":"n","band":"{band}","width_mhz":{width_mhz},
            "guard_interval_ns":{guard_interval_ns},"stations":[]}}"#
    );
    let empty: WifiConfig = serde_json::from_str(&text).expect("a cell");
    WifiConfig { standard, stations: vec![station], ..empty }
}

/// Mbit/s to one decimal, as tables print them.
fn mbps(cell: &WifiConfig, mcs: u32, streams: Option<u32>) -> f64 {
    let rate = Rate::new(cell, mcs, streams).unwrap_or_else(|problem| panic!("{problem}"));
    let exact = f64::from(rate.bits_per_symbol) * 1e3 / f64::from(rate.symbol_ns);
    (exact * 10.0).round() / 10.0
}

/// 802.11-2020 Tables 19-27 to 19-34.
#[test]
fn the_rates_of_802_11n() {
    let rates = |width_mhz, gi_ns, list: [f64; 8]| {
        for streams in 1..=4_u32 {
            for (mcs, expected) in (0..).zip(list) {
                let found = mbps(&cell(WifiStandard::N, width_mhz, gi_ns), mcs + 8 * (streams - 1), None);
                let expected = expected * f64::from(streams);
                assert!((found - expected).abs() < 0.25, "{width_mhz} MHz, MCS {mcs}, {streams}: {found}, {expected}");
            }
        }
    };
    rates(20, 800, [6.5, 13.0, 19.5, 26.0, 39.0, 52.0, 58.5, 65.0]);
    rates(20, 400, [7.2, 14.4, 21.7, 28.9, 43.3, 57.8, 65.0, 72.2]);
    rates(40, 800, [13.5, 27.0, 40.5, 54.0, 81.0, 108.0, 121.5, 135.0]);
    rates(40, 400, [15.0, 30.0, 45.0, 60.0, 90.0, 120.0, 135.0, 150.0]);
}

/// Tables 21-29 to 21-52, one to four streams.
#[test]
fn the_rates_of_802_11ac() {
    let ac = |width_mhz, gi_ns| cell(WifiStandard::Ac, width_mhz, gi_ns);
    let one = |width_mhz, gi_ns| (0..9).map(|mcs| mbps(&ac(width_mhz, gi_ns), mcs, Some(1))).collect::<Vec<_>>();
    assert_eq!(one(20, 800), [6.5, 13.0, 19.5, 26.0, 39.0, 52.0, 58.5, 65.0, 78.0]);
    assert_eq!(one(40, 800), [13.5, 27.0, 40.5, 54.0, 81.0, 108.0, 121.5, 135.0, 162.0]);
    assert_eq!(one(80, 800), [29.3, 58.5, 87.8, 117.0, 175.5, 234.0, 263.3, 292.5, 351.0]);
    assert_eq!(one(80, 400), [32.5, 65.0, 97.5, 130.0, 195.0, 260.0, 292.5, 325.0, 390.0]);
    assert_eq!(mbps(&ac(80, 400), 9, Some(2)), 866.7);
    assert_eq!(mbps(&ac(80, 800), 9, Some(3)), 1170.0);
    assert_eq!(mbps(&ac(80, 400), 9, Some(4)), 1733.3);
    assert_eq!(mbps(&ac(20, 400), 9, Some(3)), 288.9);
}

/// Combinations that the tables exclude, because an encoder would get a fraction of a bit.
#[test]
fn combinations_that_802_11ac_excludes() {
    for (width_mhz, mcs, streams) in [(20, 9, 1), (20, 9, 2), (20, 9, 4), (80, 6, 3)] {
        for gi_ns in [400, 800] {
            let found = Rate::new(&cell(WifiStandard::Ac, width_mhz, gi_ns), mcs, Some(streams));
            let line = found.expect_err("it is excluded").to_string();
            assert!(line.contains(&format!("mcs: is {mcs}, which {width_mhz} MHz")), "{line}");
        }
    }
    let mut allowed = 0;
    for width_mhz in [20, 40, 80] {
        for mcs in 0..10 {
            allowed +=
                (1..=4).filter(|&n| Rate::new(&cell(WifiStandard::Ac, width_mhz, 400), mcs, Some(n)).is_ok()).count();
        }
    }
    assert_eq!(allowed, 3 * 10 * 4 - 4);
}

/// Tables 27-55 to 27-59.
#[test]
fn the_rates_of_802_11ax() {
    let ax = |width_mhz, gi_ns| cell(WifiStandard::Ax, width_mhz, gi_ns);
    let one = |width_mhz, gi_ns| (0..12).map(|mcs| mbps(&ax(width_mhz, gi_ns), mcs, None)).collect::<Vec<_>>();
    assert_eq!(one(20, 800), [8.6, 17.2, 25.8, 34.4, 51.6, 68.8, 77.4, 86.0, 103.2, 114.7, 129.0, 143.4]);
    assert_eq!(one(80, 800), [36.0, 72.1, 108.1, 144.1, 216.2, 288.2, 324.3, 360.3, 432.4, 480.4, 540.4, 600.4]);
    assert_eq!(mbps(&ax(80, 800), 11, Some(2)), 1201.0);
    assert_eq!(mbps(&ax(40, 1_600), 7, Some(1)), 162.5);
    assert_eq!(mbps(&ax(40, 3_200), 7, Some(1)), 146.3);
}

/// Full IP packets, each in a subframe of 1542 bytes that is padded to 1544 unless it is the last.
fn psdu_bytes(mpdus: u32) -> u32 {
    (mpdus - 1) * 1_544 + 1_542
}

/// A PPDU of 42 MPDUs: (16 + 8 × 64,846 + 6) / 1080 = 480.4, so 481 symbols of 3.6 us, preamble 40 us, extension 6 us.
#[test]
fn the_airtime_of_802_11n_by_hand() {
    let cell = cell(WifiStandard::N, 40, 400);
    let rate = Rate::new(&cell, 15, Some(2)).expect("a rate");
    assert_eq!((rate.bits_per_symbol, rate.bps(), psdu_bytes(42)), (1_080, 300_000_000, 64_846));
    assert_eq!(rate.ppdu_ns(64_846), 1_777_600);
    let timing = Timing::new(WifiBand::Ghz2_4, 64);
    assert_eq!(timing.block_ack_ns(rate.control), 38_000);
    assert_eq!((timing.aifs_ns(3), timing.aifs_ns(2), timing.eifs_extra_ns(rate.control)), (37_000, 28_000, 42_000));
}

/// A PPDU of 64 MPDUs: (16 + 8 × 98,814 + 12) / 3120 = 253.4, so 254 symbols of 3.6 us, preamble 44 us.
#[test]
fn the_airtime_of_802_11ac_by_hand() {
    let cell = cell(WifiStandard::Ac, 80, 400);
    let rate = Rate::new(&cell, 9, Some(2)).expect("a rate");
    assert_eq!((rate.bits_per_symbol, rate.encoders, psdu_bytes(64)), (3_120, 2, 98_814));
    assert_eq!((rate.ppdu_ns(98_814), rate.ppdu_ns(psdu_bytes(42))), (958_400, 645_200));
    let timing = Timing::new(WifiBand::Ghz5, 64);
    assert_eq!(timing.block_ack_ns(rate.control), 32_000);
    assert_eq!((timing.aifs_ns(3), timing.aifs_ns(2), timing.eifs_extra_ns(rate.control)), (43_000, 34_000, 48_000));
    assert_eq!(timing.beacon_ns, 224_000);
}

/// 6, 12 and 24 Mbit/s answer BPSK, QPSK and everything faster.
#[test]
fn block_acks_have_the_control_rate_of_their_data() {
    let of = |mcs| {
        let rate = Rate::new(&cell(WifiStandard::N, 20, 800), mcs, None).expect("a rate");
        Timing::new(WifiBand::Ghz5, 64).block_ack_ns(rate.control)
    };
    assert_eq!([0, 1, 2, 3, 7].map(of), [68_000, 44_000, 44_000, 32_000, 32_000]);
}

#[test]
fn the_largest_psdu_is_the_last_that_fits() {
    for (standard, mcs) in [(WifiStandard::N, 0), (WifiStandard::N, 7), (WifiStandard::Ac, 9), (WifiStandard::Ax, 11)] {
        let rate = Rate::new(&cell(standard, 40, 800), mcs, None).expect("a rate");
        for limit_ns in [100_000, 1_000_000, 5_484_000] {
            let bytes = rate.largest_psdu_bytes(limit_ns);
            assert!(rate.ppdu_ns(bytes) <= limit_ns && rate.ppdu_ns(bytes + 1) > limit_ns, "{mcs} {limit_ns} {bytes}");
        }
    }
}

#[test]
fn a_rate_that_does_not_exist_is_refused_with_its_remedy() {
    let refused =
        |cell: &WifiConfig, mcs, streams| Rate::new(cell, mcs, streams).expect_err("no such rate").to_string();
    let n = cell(WifiStandard::N, 40, 400);
    assert_eq!(refused(&n, 32, None), "mcs: is 32; give 0 to 31");
    assert_eq!(refused(&n, 15, Some(1)), "streams: is 1; MCS 15 of 802.11n has 2; leave it out");
    assert_eq!(refused(&cell(WifiStandard::N, 80, 400), 7, None), "width_mhz: is 80; 802.11n has 20 and 40");
    let ac = cell(WifiStandard::Ac, 80, 400);
    assert_eq!(refused(&ac, 10, None), "mcs: is 10; give 0 to 9");
    assert_eq!(refused(&ac, 5, Some(5)), "streams: is 5; give 1 to 4");
    assert_eq!(refused(&cell(WifiStandard::Ac, 20, 700), 5, None), "guard_interval_ns: is 700; give 400 or 800");
    let on_2_4 = WifiConfig { band: WifiBand::Ghz2_4, ..ac };
    assert!(refused(&on_2_4, 5, None).starts_with("band: is 2.4ghz"), "{}", refused(&on_2_4, 5, None));
}
