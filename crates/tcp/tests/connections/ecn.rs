//! Explicit congestion notification end to end (RFC 3168).

use crate::support::{Fate, Sent, Wire, MS, RECEIVER, SENDER};
use fairlane_tcp::receiver::ReceiverConfig;
use fairlane_tcp::segment::flags;
use fairlane_tcp::{ConnectionConfig, SenderConfig};

const RTT: u64 = 100 * MS;

fn config() -> ConnectionConfig {
    ConnectionConfig {
        accecn: false,
        timestamps: true,
        sender: SenderConfig { ecn: true, ..SenderConfig::default() },
        receiver: ReceiverConfig { ecn: true, ..ReceiverConfig::default() },
        gro_interval_ns: None,
        misbehaviour: None,
    }
}

#[test]
fn one_mark_is_echoed_until_the_window_was_reduced_and_loses_nothing() {
    let mut wire =
        Wire::with(RTT, config(), |sent: &Sent| if sent.packet() == Some(40) { Fate::Marked } else { Fate::Arrives });
    wire.write_packets(300);
    wire.run_for(20 * RTT);
    assert_eq!(wire.delivered_packets(), 300);
    let sock = &wire.ends[SENDER].sender.sock;
    assert_eq!(sock.total_retrans, 0);
    assert!(sock.delivered_ce > 0);
    // The window at the echo was between 50 and 80 packets; Reno halves it.
    assert!((25..=40).contains(&sock.snd_ssthresh), "{}", sock.snd_ssthresh);
    let with = |from: usize, flag: u8| {
        wire.log
            .iter()
            .filter(move |(_, end, segment)| *end == from && segment.flags & (flag | flags::SYN) == flag)
            .collect::<Vec<_>>()
    };
    let echoes = with(RECEIVER, flags::ECE);
    let answers = with(SENDER, flags::CWR);
    assert_eq!(answers.len(), 1, "CWR goes out once, on new data");
    assert!(!echoes.is_empty());
    let last_echo_ns = echoes[echoes.len() - 1].0;
    assert!(last_echo_ns < answers[0].0 + RTT, "the echo ends when CWR arrives");
}

#[test]
fn a_round_trip_of_marks_is_one_reduction() {
    let mut wire = Wire::with(RTT, config(), |sent: &Sent| match sent.packet() {
        Some(packet) if (40..60).contains(&packet) => Fate::Marked,
        _ => Fate::Arrives,
    });
    wire.write_packets(300);
    wire.run_for(20 * RTT);
    let sock = &wire.ends[SENDER].sender.sock;
    assert!((25..=40).contains(&sock.snd_ssthresh), "{} after 20 marks in one flight", sock.snd_ssthresh);
}
