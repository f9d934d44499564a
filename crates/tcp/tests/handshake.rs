//! Opening a connection.

mod support;

use support::{Fate, Sent, Wire, MS};

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
fn a_repeated_syn_spoils_the_measurement() {
    // A second copy of the SYN makes the listener answer twice; the ACK may be for either answer (Karn's rule).
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
    assert_eq!(wire.ends[support::RECEIVER].sender.sock.srtt_us, 0);
    assert!(wire.ends[support::SENDER].sender.sock.srtt_us > 0);
}
