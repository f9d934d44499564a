//! Thresholds of the mechanisms of RFC 9002 and RFC 9000, from both sides.

use super::pair::{Fate, Pair, Path, MS, SECOND};
use crate::QuicConfig;
use fairlane_congestion_control::sock::CaState;
use fairlane_transport::{Side, Transport};

/// The client's hello comes before, and the datagram that finishes the handshake.
const FIRST_DATA: u64 = 2;
const PACKET_BYTES: u64 = 1150;

fn fast(fate: impl FnMut(Side, u64) -> Fate + 'static) -> Path {
    Path { rate_bps: 1_000_000_000, queue_packets: 1000, fate: Box::new(fate), ..Path::default() }
}

/// RFC 9002 section 6.1.2: with two later packets acknowledged, a packet is lost 9/8 of an RTT of 40 ms after it was sent,
/// so one that is 4.9 ms late is not, and one that is 5.1 ms late is.
#[test]
fn the_time_threshold_is_an_eighth_of_the_round_trip_beyond_it() {
    for (late_ns, lost_packets) in [(4_900_000, 0), (5_100_000, 1)] {
        let fate = move |side, number| {
            if (side, number) == (Side::Sender, FIRST_DATA + 7) {
                Fate::IsLate(late_ns)
            } else {
                Fate::Arrives
            }
        };
        let mut pair = Pair::new(&QuicConfig::default(), fast(fate));
        pair.transfer(10 * PACKET_BYTES);
        pair.run(60 * SECOND, |pair| pair.ends[0].acknowledged_bytes() == 10 * PACKET_BYTES);
        let sample = pair.ends[0].sample();
        assert_eq!((sample.packets_marked_lost, sample.timeouts), (lost_packets, 0), "{late_ns} ns late");
    }
}

/// RFC 9002 section 6.2.1: the probe timeout doubles each time it expires without an acknowledgement.
#[test]
fn the_probe_timeout_doubles() {
    let mut pair = Pair::new(&QuicConfig::default(), fast(|_, _| Fate::Arrives));
    pair.write(1 << 40);
    pair.run_for(200 * MS);
    pair.set_fate(|_, _| Fate::IsLost);
    // Packets in the network arrive; all later ones are lost.
    pair.run_for(100 * MS);
    let before = pair.log.len();
    pair.run_for(20 * SECOND);
    let mut probes = pair.log[before..].iter().filter(|(_, side, _)| *side == Side::Sender).map(|(at, ..)| *at);
    let mut times_ns = probes.by_ref().collect::<Vec<_>>();
    times_ns.dedup();
    assert!(times_ns.len() >= 5, "{times_ns:?}");
    let waits_ns = times_ns.windows(2).map(|two| two[1] - two[0]).collect::<Vec<_>>();
    for two in waits_ns.windows(2) {
        assert!(two[1].abs_diff(2 * two[0]) <= 2, "{waits_ns:?}");
    }
}

/// RFC 9002 section 7.6: losses that span less than three probe timeouts are not persistent congestion.
#[test]
fn a_short_outage_is_not_persistent_congestion() {
    let config = QuicConfig::default();
    let mut pair = Pair::new(&config, fast(|_, _| Fate::Arrives));
    pair.write(1 << 40);
    pair.run_for(300 * MS);
    let before = pair.ends[0].sample().cwnd_packets;
    pair.set_fate(|side, _| if side == Side::Sender { Fate::IsLost } else { Fate::Arrives });
    pair.run_for(30 * MS);
    pair.set_fate(|_, _| Fate::Arrives);
    let mut smallest = u32::MAX;
    for _ in 0..1000 {
        pair.run_for(MS);
        smallest = smallest.min(pair.ends[0].sample().cwnd_packets);
        assert_ne!(pair.sender().congestion.sock.ca_state(), CaState::Loss);
    }
    assert!(pair.ends[0].sample().packets_marked_lost > 0);
    assert!(smallest >= before / 2, "{before} packets before, {smallest} after");
}

/// RFC 9000 section 13.4.2: if the path clears the ECN field, validation fails, and the sender stops using ECN.
#[test]
fn a_path_that_clears_the_ecn_field_ends_its_use() {
    let fate = |_, number| if number < 40 { Fate::IsBleached } else { Fate::IsMarked };
    let mut pair = Pair::new(&QuicConfig { ecn: true, ..QuicConfig::default() }, fast(fate));
    pair.transfer(300 * PACKET_BYTES);
    pair.run(60 * SECOND, |pair| pair.ends[0].acknowledged_bytes() == 300 * PACKET_BYTES);
    let sample = pair.ends[0].sample();
    assert_eq!((sample.marked_packets, sample.ssthresh_packets), (0, None));
}

/// RFC 9000 section 13.3: credit that a lost packet granted is granted again.
#[test]
fn lost_flow_control_credit_is_granted_again() {
    let config = QuicConfig { stream_window_bytes: 50_000, connection_window_bytes: 50_000, ..QuicConfig::default() };
    let fate = |side, number| {
        if side == Side::Receiver && number > 4 && number % 3 != 0 {
            Fate::IsLost
        } else {
            Fate::Arrives
        }
    };
    let mut pair = Pair::new(&config, fast(fate));
    pair.transfer(1_000_000);
    pair.run(120 * SECOND, |pair| pair.ends[0].acknowledged_bytes() == 1_000_000);
    assert_eq!(pair.delivered_bytes(), 1_000_000);
}
