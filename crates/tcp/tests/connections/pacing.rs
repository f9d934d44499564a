//! TCP's own pacing: an algorithm sets a rate, and the sender waits between bursts. Each test is one scenario on a wire
//! with a 100 ms round trip.

use crate::support::variant::Variant;
use crate::support::{Fate, Sent, Wire, MS, MSS, SENDER};
use fairlane_congestion_control::sock::SK_PACING_NEEDED;
use fairlane_congestion_control::{Callbacks, CongestionControl};
use fairlane_tcp::ConnectionConfig;

const RTT: u64 = 100 * MS;
/// A packet each millisecond.
const RATE_BYTES_PER_S: u64 = 1_000 * MSS;
const BURST_PACKETS: usize = 2;
/// Packets sent together before pacing begins.
const UNPACED_PACKETS: usize = 10;

/// Keeps its window and its rate constant.
fn steady(cwnd_packets: u32, fate: impl FnMut(&Sent) -> Fate) -> Wire<impl FnMut(&Sent) -> Fate> {
    let algorithm = || -> Box<dyn CongestionControl> {
        Box::new(Variant {
            callbacks: Callbacks { cong_control: true, ..Callbacks::default() },
            on_init: Some(|sock| {
                sock.sk_pacing_status = SK_PACING_NEEDED;
                sock.sk_pacing_rate = RATE_BYTES_PER_S;
            }),
            ..Variant::default()
        })
    };
    let config = ConnectionConfig { timestamps: true, ..ConnectionConfig::default() };
    let mut wire = Wire::driven_by(algorithm, RTT, config, fate);
    wire.ends[SENDER].sender.sock.snd_cwnd = cwnd_packets;
    wire
}

#[test]
fn bursts_leave_at_the_rate_of_the_algorithm() {
    let mut wire = steady(1_000, |_| Fate::Arrives);
    let begin_ns = wire.now_ns;
    wire.write_packets(500);
    assert!(wire.data_segments_sent() <= UNPACED_PACKETS + BURST_PACKETS);
    wire.run_until(begin_ns + 30 * MS);
    let paced = wire.data_segments_sent() - UNPACED_PACKETS;
    assert!((30 - BURST_PACKETS..=30 + BURST_PACKETS).contains(&paced), "{paced} in 30 ms");
}

#[test]
fn a_full_window_waits_for_an_acknowledgement_and_not_for_a_wake_up() {
    let mut wire = steady(20, |_| Fate::Arrives);
    let begin_ns = wire.now_ns;
    wire.write_packets(500);
    while wire.data_segments_sent() < 20 {
        wire.run_for(MS / 10);
    }
    let deadline_ns = wire.ends[SENDER].deadline_ns();
    assert!(deadline_ns > begin_ns + RTT, "nothing can be sent before {RTT} ns, yet it wakes up at {deadline_ns}");
    wire.run_until(begin_ns + 10 * RTT);
    // One window per round trip, although the rate allows a hundred packets.
    let delivered = wire.delivered_packets();
    assert!((160..=200).contains(&delivered), "{delivered} in ten round trips");
}

#[test]
fn losses_detected_by_a_timer_are_repaired_at_that_rate() {
    // Only the first packet of the first flight arrives: only timeouts detect the losses.
    let mut wire = steady(20, |sent| match sent.packet() {
        Some(1..=19) if sent.transmission == 1 => Fate::Lost,
        _ => Fate::Arrives,
    });
    wire.write_packets(40);
    wire.run_for(50 * RTT);
    assert_eq!(wire.delivered_packets(), 40);
    let mut resent: Vec<u64> = (1..20).filter_map(|packet| wire.transmissions_of(packet).get(1).copied()).collect();
    resent.sort_unstable();
    assert_eq!(resent.len(), 19);
    let within_5_ms = |&begin: &u64| resent.iter().filter(|&&at| (begin..begin + 5 * MS).contains(&at)).count();
    let densest = resent.iter().map(within_5_ms).max().unwrap_or(0);
    assert!(densest <= 5 + 2 * BURST_PACKETS, "{densest} packets in 5 ms");
}

/// Stamped with its turn in the pacing, it would measure less than the round trip.
#[test]
fn a_timeout_between_paced_bursts_resends_at_once() {
    let mut wire = steady(100, |sent| match sent.packet() {
        Some(14..24) if sent.transmission <= 2 => Fate::Lost,
        _ => Fate::Arrives,
    });
    wire.ends[SENDER].sender.sock.sk_pacing_rate = 30 * MSS; // a burst each 67 ms
    wire.write_packets(60);
    wire.run_for(100 * RTT);
    assert_eq!(wire.delivered_packets(), 60);
    let sender = &wire.ends[SENDER].sender;
    assert!(sender.timeouts() > 0);
    assert!(u64::from(sender.sock.min_rtt_us()) * 1_000 >= RTT, "{} us", sender.sock.min_rtt_us());
}
