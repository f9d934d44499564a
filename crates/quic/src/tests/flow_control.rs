//! Flow control (RFC 9000 section 4) and acknowledgements (section 13.2).

use super::pair::{Pair, Path, MS, SECOND};
use crate::{Crypto, QuicConfig};
use fairlane_congestion_control::kernel::Reno;
use fairlane_transport::{Side, Transport};
use quinn_proto::{ConnectionError, TransportErrorCode};

fn fast() -> Path {
    Path { rate_bps: 1_000_000_000, queue_packets: 10_000, ..Path::default() }
}

#[test]
fn no_more_is_sent_than_the_peer_allows() {
    for (stream_window_bytes, connection_window_bytes) in [(100_000, 1 << 20), (1 << 20, 100_000)] {
        let config = QuicConfig { stream_window_bytes, connection_window_bytes, ..QuicConfig::default() };
        let mut pair = Pair::new(&config, fast());
        pair.write(1 << 40);
        let mut largest = 0;
        for _ in 0..2000 {
            pair.run_for(MS);
            largest = largest.max(pair.ends[0].inflight_bytes());
            assert!(pair.ends[0].sample().receive_window_bytes <= Some(connection_window_bytes));
        }
        assert!(largest <= 100_000, "{largest} bytes");
        // At most a window per round trip of 40 ms, and at least half of one: quinn-proto moves the limit in steps.
        let windows = pair.delivered_bytes() as f64 / 100_000.0 / (2000.0 / 40.0);
        assert!((0.5..=1.01).contains(&windows), "{windows} windows per round trip");
    }
}

/// Section 4.1: a receiver ends the connection with FLOW_CONTROL_ERROR when its peer exceeds a limit. The client uses
/// its own settings as remembered parameters of the server, so its early data, one packet, ignores the server's current
/// limits.
#[test]
fn a_peer_that_exceeds_a_limit_is_rejected() {
    let eager = QuicConfig { zero_rtt: true, ..QuicConfig::default() };
    let narrow_stream = QuicConfig { stream_window_bytes: 1_000, ..eager.clone() };
    let narrow_connection = QuicConfig { connection_window_bytes: 1_000, ..eager.clone() };
    for (receiver, bytes, is_refused) in [
        (&narrow_stream, 1_000, false),
        (&narrow_stream, 1_001, true),
        (&narrow_connection, 1_000, false),
        (&narrow_connection, 1_001, true),
    ] {
        let mut pair = Pair::of([&eager, receiver], fast(), &Crypto::null(true), || Box::new(Reno));
        pair.transfer(bytes);
        pair.run(SECOND, |pair| pair.ends[1].endpoint().failure.is_some() || pair.delivered_bytes() == bytes);
        match &pair.ends[1].endpoint().failure {
            Some(ConnectionError::TransportError(error)) => {
                assert_eq!((is_refused, error.code), (true, TransportErrorCode::FLOW_CONTROL_ERROR));
            }
            other => assert!(!is_refused && other.is_none(), "{bytes} bytes: {other:?}"),
        }
    }
}

/// Section 4.1: a sender that flow control limits reports the limit.
#[test]
fn a_blocked_sender_reports_it() {
    for (stream_window_bytes, connection_window_bytes, is_stream) in [(50_000, 1 << 20, true), (1 << 20, 50_000, false)]
    {
        let config = QuicConfig { stream_window_bytes, connection_window_bytes, ..QuicConfig::default() };
        let mut pair = Pair::new(&config, fast());
        pair.write(1 << 40);
        pair.run_for(SECOND);
        let (connection, stream) = pair.sender().blocked_frames();
        assert_eq!((connection > 0, stream > 0), (!is_stream, is_stream), "{connection}, {stream}");
    }
    let mut pair = Pair::new(&QuicConfig::default(), Path::default());
    pair.write(1 << 40);
    pair.run_for(SECOND);
    assert_eq!(pair.sender().blocked_frames(), (0, 0));
}

/// Section 4.6: a sender opens no more streams than its peer allows, and the rest of the data shares those.
#[test]
fn no_more_streams_are_opened_than_the_peer_allows() {
    let [five, two] = [5, 2].map(|streams| QuicConfig { streams, ..QuicConfig::default() });
    let mut pair = Pair::of([&five, &two], Path::default(), &Crypto::null(false), || Box::new(Reno));
    pair.transfer(1_000_000);
    pair.run(60 * SECOND, |pair| pair.ends[0].acknowledged_bytes() == 1_000_000);
    assert_eq!((pair.delivered_bytes(), pair.ends[1].endpoint().received_streams()), (1_000_000, 2));
}

#[test]
fn several_streams_share_a_connection() {
    let config = QuicConfig { streams: 5, ..QuicConfig::default() };
    let mut pair = Pair::new(&config, Path::default());
    pair.transfer(3_000_000);
    pair.run(60 * SECOND, |pair| pair.ends[0].acknowledged_bytes() == 3_000_000);
    assert_eq!(pair.delivered_bytes(), 3_000_000);
}

/// Acknowledgements per data packet.
fn acknowledgement_share(ack_every_packets: u32) -> f64 {
    let mut pair = Pair::new(&QuicConfig { ack_every_packets, ..QuicConfig::default() }, fast());
    pair.transfer(5_000_000);
    pair.run(60 * SECOND, |pair| pair.ends[0].acknowledged_bytes() == 5_000_000);
    let count = |side| pair.log.iter().filter(|(_, from, _)| *from == side).count() as f64;
    count(Side::Receiver) / count(Side::Sender)
}

#[test]
fn the_receiver_acknowledges_every_second_or_every_tenth_packet() {
    let (second, tenth) = (acknowledgement_share(2), acknowledgement_share(10));
    assert!((0.48..0.55).contains(&second), "{second}");
    assert!((0.1..0.2).contains(&tenth), "{tenth}");
}

/// Section 13.2.1: a single packet is acknowledged within max_ack_delay.
#[test]
fn the_ack_of_a_single_packet_is_delayed() {
    let mut pair = Pair::new(&QuicConfig::default(), fast());
    pair.run_for(SECOND);
    pair.write(100);
    pair.run(2 * SECOND, |pair| pair.ends[0].acknowledged_bytes() == 100);
    assert_eq!(pair.now_ns / MS, 1000 + 40 + 25);
}
