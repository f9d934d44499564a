//! Quick ACKs, every second segment, and the delayed-ACK timer (RFC 5681 §4.2).

use super::*;

#[test]
fn the_first_segments_are_acknowledged_one_by_one() {
    let mut host = Host::new(config());
    let quick = (0..).take_while(|&packet| host.arrive(host.packet(packet)).is_some()).count();
    // 6 while the window grows (each growth is announced), then the 16 of a new connection.
    assert_eq!(quick, 6 + 16);
    let later: Vec<bool> = (23..29).map(|packet| host.arrive(host.packet(packet)).is_some()).collect();
    assert_eq!(later, [true, false, true, false, true, false]);
}

#[test]
fn two_segments_make_one_ack() {
    let mut host = Host::settled(config());
    for packet in [0, 2, 4] {
        assert_eq!(host.arrive(host.packet(packet)), None);
        let ack = host.arrive(host.packet(packet + 1)).expect("second segment");
        assert_eq!(ack.ack, host.offset(packet + 2));
        assert_eq!(host.receiver.deadline_ns(), u64::MAX, "the ACK stops the timer");
    }
}

#[test]
fn a_single_segment_waits_for_the_jiffy_grid() {
    let mut host = Host::settled(config());
    // 4 jiffies (40 ms) from 3 ms past a tick; a timer never fires before the end of its jiffy.
    host.now_ns += 3 * MS;
    assert_eq!(host.arrive(host.packet(0)), None);
    let (fired_ns, ack) = host.wait();
    assert_eq!(fired_ns, 100 * MS + 50 * MS);
    assert_eq!(ack.expect("delayed ACK").ack, host.offset(1));
    assert_eq!(host.receiver.deadline_ns(), u64::MAX);
}

#[test]
fn at_hz_1000_the_delayed_ack_takes_40_ms() {
    let mut host = Host::settled(ReceiverConfig { jiffy_ns: MS, ..config() });
    host.now_ns += MS / 2;
    assert_eq!(host.arrive(host.packet(0)), None);
    assert_eq!(host.wait().0, 100 * MS + 41 * MS);
}

#[test]
fn a_slow_sender_makes_the_timer_longer_up_to_200_ms() {
    let mut host = Host::settled(config());
    let mut delays_ms = Vec::new();
    for packet in 0..6 {
        assert_eq!(host.arrive(host.packet(packet)), None);
        let start_ns = host.now_ns;
        let (fired_ns, ack) = host.wait();
        assert!(ack.is_some());
        delays_ms.push((fired_ns - start_ns) / MS);
        host.now_ns = start_ns + 250 * MS;
    }
    // Each timeout doubles the estimate, up to 10 ms below the minimum RTO (200 ms); the timer wheel adds a jiffy.
    assert_eq!(delays_ms, [50, 90, 170, 200, 200, 200]);
}

#[test]
fn an_ack_does_not_wait_for_a_timer_about_to_expire() {
    let mut host = Host::settled(config());
    host.receiver.config.auto_read = false; // reading would acknowledge small segments
    assert_eq!(host.arrive(host.bytes(host.offset(0), 100)), None);
    host.now_ns += 35 * MS; // a quarter of 40 ms or less remains
    assert!(host.arrive(host.bytes(host.offset(0) + 100, 100)).is_some());
}

#[test]
fn a_full_sized_segment_with_push_is_acknowledged_when_the_application_has_read_it() {
    let mut host = Host::settled(config());
    let segment = Segment { flags: flags::ACK | flags::PSH, ..host.packet(0) };
    assert!(host.arrive(segment).is_some());
}

#[test]
fn on_an_interactive_connection_the_push_waits_for_a_reply() {
    let mut host = Host::settled(config());
    let question = Segment { flags: flags::ACK | flags::PSH, ..host.packet(0) };
    assert!(host.arrive(question).is_some());
    host.ack(); // the reply carries one
    host.receiver.on_data_sent(host.now_ns);
    let question = Segment { flags: flags::ACK | flags::PSH, ..host.packet(1) };
    assert_eq!(host.arrive(question), None);
    let (_, ack) = host.wait();
    assert_eq!(ack.expect("no reply came in time").ack, host.offset(2));
}

#[test]
fn an_idle_time_above_the_rto_restarts_quick_acks() {
    let mut host = Host::settled(config());
    host.now_ns += 2000 * MS;
    for packet in 0..5 {
        assert!(host.arrive(host.packet(packet)).is_some(), "packet {packet}");
    }
}

#[test]
fn one_ack_for_a_merged_batch() {
    let mut host = Host::settled(ReceiverConfig { offload: true, ..config() });
    let batch = Segment { len: 20 * MSS as u32, merged: 20, ..host.packet(0) };
    let ack = host.arrive(batch).expect("more than one segment");
    assert_eq!(ack.ack, host.offset(20));
}

#[test]
fn a_fin_is_acknowledged_late_unless_this_end_has_closed_too() {
    let mut host = Host::settled(config());
    let fin = Segment { flags: flags::ACK | flags::FIN, ..host.bytes(host.offset(0), 100) };
    let mut closed = Host::settled(config());
    closed.receiver.set_closing();
    closed.arrive(fin).expect("the end of the connection");
    assert_eq!(host.arrive(fin), None, "the application's own FIN may carry it");
    let (_, ack) = host.wait();
    let ack = ack.expect("the application keeps its direction open");
    assert_eq!(ack.ack, host.offset(0) + 101, "the FIN takes an offset");
    assert!(host.receiver.is_finished());
    assert_eq!(host.receiver.delivered_bytes(), host.offset(0) - FIRST_BYTE + 100);
}
