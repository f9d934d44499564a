//! Opening a connection.

use crate::support::variant::Variant;
use crate::support::{Fate, Sent, Wire, MS, RECEIVER, SENDER};
use fairlane_congestion_control::sock::PACING_UNLIMITED;
use fairlane_congestion_control::Callbacks;
use fairlane_tcp::ConnectionConfig;

const RTT: u64 = 100 * MS;

#[test]
fn the_handshake_measures_the_round_trip() {
    let wire = Wire::new(RTT, |_| Fate::Arrives);
    for end in &wire.ends {
        let rtt_us = end.sender.sock.srtt_us / 8;
        assert!((100_000..100_100).contains(&rtt_us), "{rtt_us}");
    }
}

#[test]
fn algorithms_see_time_outs_in_jiffies() {
    for (hz, rto_min, delack_max) in [(1000, 200, 200), (100, 20, 20), (250, 50, 50)] {
        let mut config = ConnectionConfig { timestamps: true, ..Default::default() };
        config.sender.jiffy_ns = 1_000_000_000 / hz;
        let wire = Wire::with(RTT, config, |_: &Sent| Fate::Arrives);
        let sock = &wire.ends[SENDER].sender.sock;
        assert_eq!((sock.icsk_rto_min, sock.icsk_delack_max), (rto_min, delack_max), "HZ {hz}");
        // A round trip of 100 ms, plus at least the minimum.
        let rto_ms = u64::from(sock.icsk_rto) * 1000 / hz;
        assert!((300..=310).contains(&rto_ms), "HZ {hz}: {rto_ms} ms");
    }
}

#[test]
fn a_retransmitted_syn_prevents_the_measurement() {
    // A duplicate SYN makes the listener answer twice; the ACK may be for either answer (Karn's rule).
    let mut syns = 0;
    let wire = Wire::new(RTT, move |sent: &Sent| {
        let is_syn = sent.segment.flags == fairlane_tcp::segment::flags::SYN;
        syns += u32::from(is_syn);
        if is_syn && syns == 1 {
            Fate::Twice
        } else {
            Fate::Arrives
        }
    });
    assert_eq!(wire.ends[crate::support::RECEIVER].sender.sock.srtt_us, 0);
    assert!(wire.ends[crate::support::SENDER].sender.sock.srtt_us > 0);
}

#[test]
fn only_the_passive_end_starts_with_a_pacing_rate() {
    let wire = Wire::new(RTT, |_| Fate::Arrives);
    assert_eq!(wire.ends[SENDER].sender.sock.sk_pacing_rate, PACING_UNLIMITED);
    // Twice the initial window per round trip.
    let rate = wire.ends[RECEIVER].sender.sock.sk_pacing_rate as f64;
    assert!((rate / (2.0 * 10.0 * 1448.0 / 0.1) - 1.0).abs() < 0.01, "{rate}");
}

#[test]
fn an_algorithm_that_sets_the_pacing_rate_keeps_its_first_one() {
    let algorithm = || -> Box<dyn fairlane_congestion_control::CongestionControl> {
        Box::new(Variant {
            callbacks: Callbacks { cong_control: true, ..Callbacks::default() },
            on_init: Some(|sock| sock.sk_pacing_rate = 123_456),
            ..Variant::default()
        })
    };
    let config = ConnectionConfig { timestamps: true, ..ConnectionConfig::default() };
    let wire = Wire::driven_by(algorithm, RTT, config, |_| Fate::Arrives);
    for end in &wire.ends {
        assert_eq!(end.sender.sock.sk_pacing_rate, 123_456);
    }
}
