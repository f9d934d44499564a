//! Data in DATAGRAM frames (RFC 9221): paced and counted as streams are, and never sent twice.

use super::pair::{Fate, Pair, Path, MS, SECOND};
use crate::QuicConfig;
use fairlane_transport::{Side, Transport};

fn unreliable() -> QuicConfig {
    QuicConfig { datagrams: true, ..QuicConfig::default() }
}

#[test]
fn without_loss_all_data_arrives() {
    let mut pair = Pair::new(&unreliable(), Path { rate_bps: 1_000_000_000, queue_packets: 1000, ..Path::default() });
    let packet_bytes = u64::from(unreliable().payload_bytes());
    pair.write(100 * packet_bytes);
    pair.run_for(SECOND);
    assert_eq!(pair.delivered_bytes(), 100 * packet_bytes);
    assert_eq!((pair.ends[0].unsent_bytes(), pair.ends[0].inflight_bytes()), (0, 0));
    let data = pair.log.iter().filter(|(_, side, bytes)| *side == Side::Sender && *bytes > 1000).count();
    assert!((100..=102).contains(&data), "{data} packets: each carries one full frame");
}

#[test]
fn lost_datagrams_are_not_retransmitted() {
    let fate = |side, number| if side == Side::Sender && number % 10 == 9 { Fate::IsLost } else { Fate::Arrives };
    let mut pair = Pair::new(&unreliable(), Path { fate: Box::new(fate), ..Path::default() });
    let bytes = 1000 * u64::from(unreliable().payload_bytes());
    pair.write(bytes);
    pair.run_for(60 * SECOND);
    let sample = pair.ends[0].sample();
    assert_eq!((sample.retransmits, pair.ends[0].unsent_bytes(), pair.ends[0].inflight_bytes()), (0, 0, 0));
    let lost_share = 1.0 - pair.delivered_bytes() as f64 / bytes as f64;
    assert!((0.08..0.12).contains(&lost_share), "{lost_share} of the data is lost");
    assert!(sample.packets_marked_lost >= 90, "{sample:?}");
}

#[test]
fn a_single_flow_fills_the_path() {
    let mut pair = Pair::new(&unreliable(), Path::default());
    pair.write(1 << 40);
    pair.run_for(10 * SECOND);
    let goodput_mbps = pair.delivered_bytes() as f64 * 8.0 / 10e6;
    assert!((8.5..9.6).contains(&goodput_mbps), "{goodput_mbps} Mbit/s");
    assert!(pair.ends[0].sample().srtt_ns >= 40 * MS);
}
