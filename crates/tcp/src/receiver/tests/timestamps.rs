//! The echoed timestamp, and PAWS (RFC 7323).

use super::*;

fn stamped(host: &Host, packet: u64, tsval: u32) -> Segment {
    Segment { tsval, ..host.packet(packet) }
}

/// RFC 7323 §4.3, the case of delayed ACKs: the earlier segment is echoed.
#[test]
fn a_delayed_ack_echoes_the_first_of_two() {
    let mut host = Host::settled(config());
    assert_eq!(host.arrive(stamped(&host, 0, 500)), None);
    assert_eq!(host.arrive(stamped(&host, 1, 501)).expect("ACK").tsecr, 500);
}

/// RFC 7323 §4.3, the case of a hole: the last segment that advanced the window is echoed, until the
/// one that fills the hole.
#[test]
fn behind_a_hole_the_echo_stays() {
    let mut host = Host::settled(config());
    let _ = host.arrive(stamped(&host, 0, 500));
    host.ack();
    assert_eq!(host.arrive(stamped(&host, 2, 502)).expect("ACK").tsecr, 500);
    assert_eq!(host.arrive(stamped(&host, 3, 503)).expect("ACK").tsecr, 500);
    assert_eq!(host.arrive(stamped(&host, 1, 510)).expect("ACK").tsecr, 510);
}

/// RFC 7323 §5: PAWS. One millisecond of disorder is accepted, more is not.
#[test]
fn a_segment_older_than_the_echo_is_dropped() {
    let mut host = Host::settled(config());
    let _ = host.arrive(stamped(&host, 0, 500));
    host.ack();
    let ack = host.arrive(stamped(&host, 1, 498));
    assert_eq!(host.says(ack), (1, vec![]));
    assert_eq!(host.receiver.counters().rejected_segments, 1);
    let _ = host.arrive(stamped(&host, 1, 499));
    assert_eq!(host.receiver.rcv_nxt(), host.offset(2));
}

#[test]
fn without_the_option_nothing_is_echoed() {
    let mut host = Host::settled(ReceiverConfig { timestamps: false, ..config() });
    let ack = host.arrive(host.packet(1)).expect("ACK");
    assert!(!ack.has_timestamps);
}
