//! Behaviour of a connection over a simple path.

use super::pair::{Fate, Pair, Path, MS, SECOND};
use crate::QuicConfig;
use fairlane_transport::{Side, Transport};

const MEGABYTE: u64 = 1_000_000;

#[test]
fn a_single_flow_fills_the_path() {
    let mut pair = Pair::new(&QuicConfig::default(), Path::default());
    pair.write(1 << 40);
    pair.run_for(20 * SECOND);
    // 1200 bytes of UDP payload carry about 1165 of data in 1228 of IP.
    let goodput_mbps = pair.delivered_bytes() as f64 * 8.0 / 20e6;
    assert!((8.8..9.6).contains(&goodput_mbps), "{goodput_mbps} Mbit/s");
    let sample = pair.ends[0].sample();
    assert!(sample.retransmits > 0, "the queue holds 40 packets only");
    assert_eq!(sample.timeouts, 0);
    assert!(sample.srtt_ns >= 40 * MS, "{}", sample.srtt_ns);
    assert!(sample.min_rtt_ns.unwrap() >= 40 * MS);
}

#[test]
fn the_first_data_arrives_after_a_round_trip_and_a_half() {
    let mut pair = Pair::new(&QuicConfig::default(), Path { rate_bps: 1_000_000_000, ..Path::default() });
    pair.write(1000);
    pair.run(SECOND, |pair| pair.delivered_bytes() == 1000);
    assert_eq!(pair.now_ns / MS, 60);
}

#[test]
fn every_byte_arrives_once_over_any_network() {
    let fates: [fn(Side, u64) -> Fate; 5] = [
        |_, number| if number % 10 == 7 { Fate::IsLost } else { Fate::Arrives },
        |_, number| if number % 3 == 0 { Fate::ArrivesTwice } else { Fate::Arrives },
        |_, number| if number % 7 == 0 { Fate::IsLate(30 * MS) } else { Fate::Arrives },
        |side, number| if side == Side::Receiver && number % 2 == 0 { Fate::IsLost } else { Fate::Arrives },
        |_, number| if (5..25).contains(&number) { Fate::IsLost } else { Fate::Arrives },
    ];
    for fate in fates {
        let mut pair = Pair::new(&QuicConfig::default(), Path { fate: Box::new(fate), ..Path::default() });
        pair.transfer(MEGABYTE);
        pair.run(120 * SECOND, |pair| pair.ends[0].acknowledged_bytes() == MEGABYTE);
        assert_eq!(pair.delivered_bytes(), MEGABYTE);
        assert_eq!((pair.ends[0].unsent_bytes(), pair.ends[0].inflight_bytes()), (0, 0));
    }
}

#[test]
fn the_same_seed_gives_the_same_packets() {
    let log = || {
        let mut pair = Pair::new(&QuicConfig::default(), Path::default());
        pair.write(1 << 40);
        pair.run_for(5 * SECOND);
        pair.log
    };
    assert_eq!(log(), log());
}

/// The endpoint does not call quinn-proto while no acknowledgement is due; a missed one would leave with a later
/// packet.
#[test]
fn a_receiver_acknowledges_at_the_requested_rate() {
    for (every, ratio) in [(1, 0.98..1.05), (2, 0.48..0.55), (10, 0.09..0.2)] {
        let config = QuicConfig { ack_every_packets: every, ..QuicConfig::default() };
        let mut pair = Pair::new(&config, Path { queue_packets: 1000, ..Path::default() });
        pair.write(2 * MEGABYTE);
        pair.run_for(3 * SECOND);
        let count = |side| pair.log.iter().filter(|packet| packet.1 == side).count() as f64;
        let measured = count(Side::Receiver) / count(Side::Sender);
        assert!(ratio.contains(&measured), "every {every}: {measured}");
    }
}
