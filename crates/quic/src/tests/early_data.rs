//! Resumed sessions (RFC 9001 section 4.6): data leaves before the handshake is over.

use super::pair::{Fate, Pair, Path, MS, SECOND};
use crate::QuicConfig;
use fairlane_transport::{Side, Transport};

const PACKET_BYTES: u64 = 1150;

fn resumed() -> QuicConfig {
    QuicConfig { zero_rtt: true, ..QuicConfig::default() }
}

fn fast(fate: impl FnMut(Side, u64) -> Fate + 'static) -> Path {
    Path { rate_bps: 1_000_000_000, fate: Box::new(fate), ..Path::default() }
}

#[test]
fn the_first_data_arrives_after_half_a_round_trip() {
    for (config, expected_ms) in [(resumed(), 20), (QuicConfig::default(), 60)] {
        let mut pair = Pair::new(&config, fast(|_, _| Fate::Arrives));
        pair.write(1000);
        pair.run(SECOND, |pair| pair.delivered_bytes() == 1000);
        assert_eq!(pair.now_ns / MS, expected_ms);
    }
}

/// RFC 9002 section 7.2: one initial window is sent before the first acknowledgement.
#[test]
fn early_data_is_one_initial_window() {
    let mut pair = Pair::new(&resumed(), fast(|_, _| Fate::Arrives));
    pair.write(1 << 30);
    pair.run_for(39 * MS);
    let sample = pair.ends[0].sample();
    let (sent, cwnd) = (pair.sender().congestion.streams.sent_bytes(), sample.cwnd_packets);
    assert_eq!((cwnd, sample.inflight_packets), (10, 10), "{sent} bytes are out");
    pair.run_for(2 * SECOND);
    let sample = pair.ends[0].sample();
    assert!(pair.delivered_bytes() > 10_000_000 && sample.timeouts == 0, "{sample:?}");
}

/// Packets that arrive before the client's hello cannot be read; they are lost, and retransmitted after the handshake.
#[test]
fn early_data_survives_the_loss_of_the_hello() {
    let lost: [fn(Side, u64) -> bool; 3] = [
        |side, number| side == Side::Sender && number == 0,
        |side, number| side == Side::Sender && (1..4).contains(&number),
        |side, number| side == Side::Receiver && number < 2,
    ];
    for is_lost in lost {
        let fate = move |side, number| if is_lost(side, number) { Fate::IsLost } else { Fate::Arrives };
        let mut pair = Pair::new(&resumed(), fast(fate));
        pair.transfer(100 * PACKET_BYTES);
        pair.run(60 * SECOND, |pair| pair.ends[0].acknowledged_bytes() == 100 * PACKET_BYTES);
        assert_eq!(pair.delivered_bytes(), 100 * PACKET_BYTES);
        assert!(pair.sender().failure.is_none());
    }
}

/// The handshake measures the RTT as without early data.
#[test]
fn the_round_trip_is_measured() {
    let mut pair = Pair::new(&resumed(), fast(|_, _| Fate::Arrives));
    pair.write(100 * PACKET_BYTES);
    pair.run_for(SECOND);
    let (ours, protocols) = (pair.ends[0].sample().srtt_ns, pair.sender().protocol_rtt_ns());
    assert!(ours.abs_diff(protocols) < MS && ours >= 40 * MS, "{ours} ns and {protocols} ns");
}
