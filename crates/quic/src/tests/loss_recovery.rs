//! Loss detection and congestion control of RFC 9002, case by case.

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

fn transfer(config: &QuicConfig, path: Path, bytes: u64) -> Pair {
    let mut pair = Pair::new(config, path);
    pair.transfer(bytes);
    pair.run(60 * SECOND, |pair| pair.ends[0].acknowledged_bytes() == bytes);
    assert_eq!(pair.delivered_bytes(), bytes);
    pair
}

#[test]
fn nothing_is_lost_on_a_clean_path() {
    let pair = transfer(&QuicConfig::default(), fast(|_, _| Fate::Arrives), 300 * PACKET_BYTES);
    let sample = pair.ends[0].sample();
    assert_eq!((sample.packets_marked_lost, sample.retransmits, sample.timeouts), (0, 0, 0));
    assert_eq!(sample.ssthresh_packets, None);
}

/// Section 6.1.1: three later packets were acknowledged.
#[test]
fn the_packet_threshold_finds_a_loss() {
    let fate = |side, number| {
        if (side, number) == (Side::Sender, FIRST_DATA + 4) {
            Fate::IsLost
        } else {
            Fate::Arrives
        }
    };
    let pair = transfer(&QuicConfig::default(), fast(fate), 60 * PACKET_BYTES);
    let sample = pair.ends[0].sample();
    assert_eq!((sample.packets_marked_lost, sample.retransmits, sample.timeouts), (1, 1, 0));
    assert_eq!(pair.sender().congestion.spurious_losses, 0);
    // Section 7.3.2: half the window (Reno), and out of recovery again.
    assert!(sample.ssthresh_packets.is_some());
    assert_eq!(pair.sender().congestion.sock.ca_state(), CaState::Open);
}

/// Section 6.1.2: 9/8 of an RTT passed, and a later packet was acknowledged, but not three.
#[test]
fn the_time_threshold_finds_a_loss() {
    let fate = |side, number| {
        if (side, number) == (Side::Sender, FIRST_DATA + 8) {
            Fate::IsLost
        } else {
            Fate::Arrives
        }
    };
    let pair = transfer(&QuicConfig::default(), fast(fate), 10 * PACKET_BYTES);
    let sample = pair.ends[0].sample();
    assert_eq!((sample.packets_marked_lost, sample.retransmits, sample.timeouts), (1, 1, 0));
}

/// Section 6.2: no later packet reveals the loss of the last one.
#[test]
fn a_probe_timeout_finds_a_lost_tail() {
    let fate = |side, number| {
        if side == Side::Sender && (FIRST_DATA + 9..FIRST_DATA + 12).contains(&number) {
            Fate::IsLost
        } else {
            Fate::Arrives
        }
    };
    let pair = transfer(&QuicConfig::default(), fast(fate), 12 * PACKET_BYTES);
    let sample = pair.ends[0].sample();
    assert!(sample.timeouts >= 1, "{sample:?}");
    assert!(sample.cwnd_packets > 2, "section 6.2.4: a probe timeout alone does not reduce the window");
}

/// Section 7.6: all packets were lost for more than three probe timeouts.
#[test]
fn persistent_congestion_collapses_the_window() {
    let config = QuicConfig::default();
    let mut pair = Pair::new(&config, fast(|_, _| Fate::Arrives));
    pair.write(1 << 40);
    pair.run_for(SECOND);
    let before = pair.ends[0].sample();
    assert!(before.cwnd_packets > 100);
    pair.set_fate(|side, _| if side == Side::Sender { Fate::IsLost } else { Fate::Arrives });
    pair.run_for(3 * SECOND);
    let timeouts = pair.ends[0].sample().timeouts;
    assert!(timeouts >= 3, "{timeouts}");
    pair.set_fate(|_, _| Fate::Arrives);
    let mut smallest = u32::MAX;
    for _ in 0..4000 {
        pair.run_for(MS);
        smallest = smallest.min(pair.ends[0].sample().cwnd_packets);
    }
    // The acknowledgement that reveals it covers both probes, which opens the window by two.
    let expected = config.minimum_cwnd_packets..=config.minimum_cwnd_packets + 2;
    assert!(expected.contains(&smallest), "{smallest}");
    assert!(pair.delivered_bytes() > 0 && pair.ends[0].sample().cwnd_packets > 2, "it goes on");
}

/// Section 7.1: a mark is a congestion event without a loss.
#[test]
fn a_mark_reduces_the_window() {
    let fate = |side, number| {
        if (side, number) == (Side::Sender, FIRST_DATA + 20) {
            Fate::IsMarked
        } else {
            Fate::Arrives
        }
    };
    let pair = transfer(&QuicConfig { ecn: true, ..QuicConfig::default() }, fast(fate), 100 * PACKET_BYTES);
    let sample = pair.ends[0].sample();
    assert_eq!((sample.marked_packets, sample.packets_marked_lost, sample.retransmits), (1, 0, 0));
    assert!(sample.ssthresh_packets.is_some());
    let pair = transfer(&QuicConfig::default(), fast(fate), 100 * PACKET_BYTES);
    assert_eq!(pair.ends[0].sample().ssthresh_packets, None, "without ECN nothing can be marked");
}

/// Section 7.3.2: losses of one round trip are one congestion event.
#[test]
fn a_recovery_period_reduces_the_window_once() {
    let fate = |side, number| {
        if side == Side::Sender && (40..48).contains(&number) {
            Fate::IsLost
        } else {
            Fate::Arrives
        }
    };
    let mut pair = Pair::new(&QuicConfig::default(), fast(fate));
    pair.transfer(200 * PACKET_BYTES);
    let mut reductions = 0;
    let mut last = None;
    pair.run(60 * SECOND, |pair| pair.ends[0].sample().packets_marked_lost > 0);
    while pair.ends[0].acknowledged_bytes() < 200 * PACKET_BYTES {
        pair.run_for(MS / 10);
        let threshold = pair.ends[0].sample().ssthresh_packets;
        reductions += u32::from(threshold != last);
        last = threshold;
    }
    assert_eq!((reductions, pair.ends[0].sample().packets_marked_lost), (1, 8));
}

/// A late packet is declared lost, and counted as a spurious loss when it is acknowledged.
#[test]
fn spurious_losses_are_counted() {
    let fate = |side, number| {
        if (side, number) == (Side::Sender, FIRST_DATA + 4) {
            Fate::IsLate(10 * MS)
        } else {
            Fate::Arrives
        }
    };
    let pair = transfer(&QuicConfig::default(), fast(fate), 60 * PACKET_BYTES);
    let sample = pair.ends[0].sample();
    assert_eq!((sample.packets_marked_lost, sample.spurious_losses), (1, 1));
    let tolerant = QuicConfig { packet_threshold: 100, time_threshold_permille: 2000, ..QuicConfig::default() };
    let pair = transfer(&tolerant, fast(fate), 60 * PACKET_BYTES);
    assert_eq!(pair.ends[0].sample().packets_marked_lost, 0);
}

/// Section 5: our estimate, which algorithms see, is quinn-proto's, which its timers use.
#[test]
fn both_estimates_of_the_rtt_agree() {
    let fate = |_, number| if number % 50 == 7 { Fate::IsLost } else { Fate::Arrives };
    let mut pair = Pair::new(&QuicConfig::default(), Path { fate: Box::new(fate), ..Path::default() });
    pair.write(1 << 40);
    for _ in 0..100 {
        pair.run_for(100 * MS);
        let (ours, protocols) = (pair.ends[0].sample().srtt_ns, pair.sender().protocol_rtt_ns());
        assert!(ours.abs_diff(protocols) < 2_000, "{ours} ns and {protocols} ns");
    }
}

#[test]
fn packets_are_spread_over_the_round_trip() {
    let path = || Path { queue_packets: 1000, ..Path::default() };
    let longest_burst = |pacing, ack_every_packets| {
        let mut pair = Pair::new(&QuicConfig { pacing, ack_every_packets, ..QuicConfig::default() }, path());
        pair.write(1 << 40);
        pair.run_for(SECOND);
        let times = pair.log.iter().filter(|(_, side, _)| *side == Side::Sender).map(|(at_ns, ..)| *at_ns);
        let times = times.collect::<Vec<_>>();
        times.chunk_by(|a, b| a == b).map(<[u64]>::len).max().unwrap()
    };
    // The end of the handshake leaves with the first window.
    assert_eq!(longest_burst(true, 30), 1 + 10, "section 7.7: no burst is larger than the initial window");
    assert!(longest_burst(false, 30) > 20, "an acknowledgement releases what it covers");
}

/// A queue that overflows in slow start loses every second packet of a large window.
#[test]
fn thousands_of_gaps_are_filled() {
    let mut pair = Pair::new(&QuicConfig::default(), fast(|_, _| Fate::Arrives));
    pair.write(1 << 40);
    pair.run_for(3 * SECOND);
    let sample = pair.ends[0].sample();
    assert!(sample.packets_marked_lost > 1500, "{sample:?}");
    let delivered_bytes = pair.delivered_bytes();
    assert!(delivered_bytes > 100_000_000, "{delivered_bytes} bytes");
}
