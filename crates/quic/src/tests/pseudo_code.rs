//! Parts of RFC 9002's pseudo-code that only the handshake or the packet records show.

use super::pair::{Fate, Pair, Path, MS, SECOND};
use crate::{QuicConfig, HEADER_BYTES};
use fairlane_congestion_control::sock::{CaState, INFINITE_SSTHRESH};
use fairlane_transport::{Side, Transport};

const PACKET_BYTES: u64 = 1150;
const HELLO_BYTES: u64 = 1200;

fn fast(fate: impl FnMut(Side, u64) -> Fate + 'static) -> Path {
    Path { rate_bps: 1_000_000_000, queue_packets: 1000, fate: Box::new(fate), ..Path::default() }
}

/// Departure times and UDP payloads of one side's datagrams.
fn sent_by(pair: &Pair, side: Side) -> Vec<(u64, u64)> {
    let mine = pair.log.iter().filter(|(_, from, _)| *from == side);
    mine.map(|&(at_ns, _, ip_bytes)| (at_ns, u64::from(ip_bytes - HEADER_BYTES))).collect()
}

/// A.2, A.4, B.1 and B.3: constants and the initial state of a connection.
#[test]
fn constants_and_initial_state() {
    let config = QuicConfig::default();
    assert_eq!((config.packet_threshold, config.time_threshold_permille), (3, 9 * 1000 / 8));
    assert_eq!((config.initial_rtt_ns / MS, config.persistent_congestion_threshold), (333, 3));
    assert_eq!((config.initial_cwnd_packets, config.minimum_cwnd_packets), (10, 2));
    let pair = Pair::new(&config, fast(|_, _| Fate::Arrives));
    let sock = &pair.sender().congestion.sock;
    assert_eq!((sock.snd_cwnd, sock.snd_ssthresh, sock.srtt_us), (10, INFINITE_SSTHRESH, 0));
    assert_eq!((sock.packets_in_flight(), sock.ca_state()), (0, CaState::Open));
}

/// A.5 OnPacketSent: the probe timeout counts from the ack-eliciting packet that was sent last.
#[test]
fn the_last_packet_restarts_the_probe_timeout() {
    let mut pair = Pair::new(&QuicConfig::default(), fast(|_, _| Fate::Arrives));
    pair.write(PACKET_BYTES);
    pair.run_for(SECOND);
    pair.set_fate(|_, _| Fate::IsLost);
    let first_ns = pair.now_ns;
    pair.write(PACKET_BYTES);
    let after_first_ns = pair.ends[0].deadline_ns();
    pair.run_for(10 * MS);
    pair.write(PACKET_BYTES);
    assert_eq!(pair.ends[0].deadline_ns(), after_first_ns + 10 * MS, "the first packet left at {first_ns}");
}

/// A.5 and B.4: acknowledgements are not in flight: they arm no timer and count against no window.
#[test]
fn acknowledgements_are_not_in_flight() {
    let mut pair = Pair::new(&QuicConfig::default(), fast(|_, _| Fate::Arrives));
    pair.write(100 * PACKET_BYTES);
    pair.run_for(5 * SECOND);
    assert!(sent_by(&pair, Side::Receiver).len() > 40);
    assert_eq!(pair.ends[1].sample().inflight_packets, 0);
    assert_eq!(pair.ends.each_ref().map(Transport::deadline_ns), [u64::MAX; 2], "nothing is out, so no timer runs");
}

/// A.6 and A.8: a server sends at most three times what it has received until the client's address is validated, sets
/// no timer while this limit blocks it, and continues when a datagram arrives.
#[test]
fn a_server_sends_three_times_what_it_received() {
    let mut pair = Pair::new(
        &QuicConfig::default(),
        fast(|side, number| if side == Side::Sender && number > 0 { Fate::IsLost } else { Fate::Arrives }),
    );
    pair.run_for(60 * SECOND);
    let bytes: u64 = sent_by(&pair, Side::Receiver).iter().map(|(_, bytes)| bytes).sum();
    assert!((2 * HELLO_BYTES..=3 * HELLO_BYTES).contains(&bytes), "{bytes} bytes");
    assert!(!pair.ends[1].is_established());
    assert_eq!(pair.ends[1].deadline_ns(), u64::MAX, "it cannot send anything, so no timer runs");
    pair.set_fate(|_, _| Fate::Arrives);
    pair.run(300 * SECOND, |pair| pair.ends[1].is_established());
    assert!(pair.ends[1].is_established());
}

/// A.8: before the first RTT sample the timeout is kInitialRtt + 4 * kInitialRtt / 2, without max_ack_delay, which the other
/// packet number spaces do not use; and it doubles.
#[test]
fn the_first_probe_timeout_is_three_initial_round_trips() {
    let mut pair = Pair::new(&QuicConfig::default(), fast(|_, _| Fate::IsLost));
    pair.run_for(10 * SECOND);
    let mut times_ns = sent_by(&pair, Side::Sender).iter().map(|(at_ns, _)| *at_ns).collect::<Vec<_>>();
    times_ns.dedup();
    let third = SECOND / 3;
    let expected = [0, 3, 3 + 6, 3 + 6 + 12].map(|thirds| thirds * third);
    for (time_ns, expected_ns) in times_ns.iter().zip(expected) {
        assert!(time_ns.abs_diff(expected_ns) < 100, "{times_ns:?}");
    }
    assert_eq!(times_ns.len(), 4);
}

/// A.8, A.9 and section 6.2.2.1: a client probes before its address is validated even if nothing of it is in flight, because
/// the server may have used up its limit.
#[test]
fn a_client_without_anything_in_flight_probes_during_the_handshake() {
    // The first datagram of the server acknowledges the client's; all others are lost, as long as the client is silent.
    let fate =
        |side, number| if side == Side::Receiver && (1..3).contains(&number) { Fate::IsLost } else { Fate::Arrives };
    let mut pair = Pair::new(&QuicConfig::default(), fast(fate));
    pair.run_for(100 * MS);
    assert_eq!(pair.ends[0].inflight_bytes(), 0);
    assert!(!pair.ends[0].is_established());
    assert!(pair.ends[0].deadline_ns() < u64::MAX, "the client waits with a timer");
    pair.run(10 * SECOND, |pair| pair.ends[0].is_established());
    assert!(pair.ends[0].is_established());
}

/// A.11 and B.9 OnPacketNumberSpaceDiscarded: handshake packets without acknowledgement are removed from the flight
/// together with their keys; they are not lost, and no window is reduced.
#[test]
fn discarded_keys_remove_their_packets_from_the_flight() {
    // The server's acknowledgement of the client's last handshake message arrives late and out of order.
    let fate = |side, number| if side == Side::Receiver && number == 2 { Fate::IsLate(35 * MS) } else { Fate::Arrives };
    let mut pair = Pair::new(&QuicConfig::default(), fast(fate));
    pair.run_for(3 * SECOND);
    assert!(pair.ends.iter().all(Transport::is_established));
    for end in &pair.ends {
        let sample = end.sample();
        assert_eq!((sample.inflight_packets, sample.packets_marked_lost, sample.ssthresh_packets), (0, 0, None));
    }
    assert_eq!(pair.ends.each_ref().map(Transport::deadline_ns), [u64::MAX; 2]);
}

/// B.4 OnPacketSentCC: sent packets count against the window, and a full window blocks all others.
#[test]
fn no_packet_is_sent_beyond_the_window() {
    for pacing in [true, false] {
        let mut pair = Pair::new(&QuicConfig { pacing, ..QuicConfig::default() }, Path::default());
        pair.write(1 << 40);
        pair.run_for(100 * MS);
        let mut full = 0;
        for _ in 0..20_000 {
            let before = pair.ends[0].sample();
            pair.run_for(MS / 4);
            let after = pair.ends[0].sample();
            let window = after.cwnd_packets.max(before.cwnd_packets);
            let is_new = after.inflight_packets > before.inflight_packets;
            assert!(!is_new || after.inflight_packets <= window, "{before:?}, {after:?}");
            full += u32::from(after.inflight_packets == after.cwnd_packets);
        }
        assert!(full > 1000, "the window was the limit {full} times");
    }
}
