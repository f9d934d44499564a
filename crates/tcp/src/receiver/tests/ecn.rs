//! ECN echo (RFC 3168 §6.1.3).

use super::*;

fn ecn_host() -> Host {
    let mut host = Host::settled(ReceiverConfig { ecn: true, ..config() });
    // Four ECN-capable segments, acknowledged, so that ECT was seen.
    for packet in 0..4 {
        let _ = host.arrive_marked(host.packet(packet), EcnMark::Ect0);
    }
    host.first += 4;
    host
}

fn echoes(ack: Option<Segment>) -> Option<bool> {
    ack.map(|ack| ack.flags & flags::ECE != 0)
}

#[test]
fn a_mark_is_echoed_until_the_sender_has_reacted() {
    let mut host = ecn_host();
    assert_eq!(echoes(host.arrive_marked(host.packet(0), EcnMark::Ce)), Some(true), "at once");
    assert_eq!(echoes(host.arrive_marked(host.packet(1), EcnMark::Ect0)), Some(true), "second quick ACK");
    assert_eq!(echoes(host.arrive_marked(host.packet(2), EcnMark::Ect0)), None, "delayed again");
    assert_eq!(echoes(host.arrive_marked(host.packet(3), EcnMark::Ect0)), Some(true));
    let cwr = Segment { flags: flags::ACK | flags::CWR, ..host.packet(4) };
    assert_eq!(echoes(host.arrive_marked(cwr, EcnMark::Ect0)), Some(false), "CWR is acknowledged at once");
}

#[test]
fn a_mark_on_the_segment_with_cwr_restarts_the_echo() {
    let mut host = ecn_host();
    let _ = host.arrive_marked(host.packet(0), EcnMark::Ce);
    let cwr = Segment { flags: flags::ACK | flags::CWR, ..host.packet(1) };
    assert_eq!(echoes(host.arrive_marked(cwr, EcnMark::Ce)), Some(true));
}

#[test]
fn a_segment_without_ect_counts_as_a_retransmission() {
    let mut host = ecn_host();
    assert!(host.arrive_marked(host.packet(0), EcnMark::NotEct).is_some());
    assert!(host.arrive_marked(host.packet(1), EcnMark::NotEct).is_some());
}

#[test]
fn without_ecn_nothing_is_echoed() {
    let mut host = Host::settled(config());
    assert_eq!(host.arrive_marked(host.packet(0), EcnMark::Ce), None, "and no quick ACK either");
    assert_eq!(echoes(host.arrive_marked(host.packet(1), EcnMark::Ce)), Some(false));
}

#[test]
fn a_bool_converts_to_a_mark() {
    assert_eq!((EcnMark::from(true), EcnMark::from(false)), (EcnMark::Ce, EcnMark::Ect0));
}
