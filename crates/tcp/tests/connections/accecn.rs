//! Accurate ECN feedback end to end (RFC 9768).

use crate::support::{Fate, Sent, Wire, MS, MSS, RECEIVER, SENDER};
use fairlane_congestion_control::kernel::Reno;
use fairlane_tcp::accecn::ace;
use fairlane_tcp::receiver::ReceiverConfig;
use fairlane_tcp::segment::flags;
use fairlane_tcp::{Connection, ConnectionConfig, Segment, SenderConfig};

const RTT: u64 = 100 * MS;

fn config(accecn: bool) -> ConnectionConfig {
    ConnectionConfig {
        timestamps: true,
        accecn,
        sender: SenderConfig { ecn: true, ..SenderConfig::default() },
        receiver: ReceiverConfig { ecn: true, ..ReceiverConfig::default() },
        gro_interval_ns: None,
        misbehaviour: None,
    }
}

fn wire<F: FnMut(&Sent) -> Fate>(client: bool, server: bool, fate: F) -> Wire<F> {
    let ends = [client, server].map(|accecn| Connection::new(config(accecn), Box::new(Reno), 0));
    Wire::between(ends, RTT, fate)
}

/// (AE, CWR, ECE) of the SYN, the SYN-ACK, and the ACK of it.
fn handshake<F>(wire: &Wire<F>) -> [u8; 3] {
    [0, 1, 2].map(|at| ace::field(wire.log[at].2.flags))
}

fn marked_every(nth: u64) -> impl FnMut(&Sent) -> Fate {
    move |sent| match sent.packet() {
        Some(packet) if packet % nth == 0 => Fate::Marked,
        _ => Fate::Arrives,
    }
}

#[test]
fn the_handshake_selects_the_best_common_feedback() {
    // SYN and SYN-ACK are not ECN-capable, so SYN-ACK (Table 2) and third ACK (Table 3) have (0,1,0).
    for (client, server, expected) in [
        (true, true, [0b111, 0b010, 0b010]),
        (true, false, [0b111, 0b001, 0b000]),
        (false, true, [0b011, 0b001, 0b000]),
        (false, false, [0b011, 0b001, 0b000]),
    ] {
        let mut wire = wire(client, server, |_| Fate::Arrives);
        assert_eq!(handshake(&wire), expected, "client {client}, server {server}");
        let is_accurate = client && server;
        for end in &wire.ends {
            assert_eq!(end.sender.accecn_bytes().is_some(), is_accurate);
        }
        let has_option = |at: usize| wire.log[at].2.has_accecn_option();
        assert_eq!([has_option(0), has_option(1), has_option(2)], [false, is_accurate, is_accurate]);
        wire.write_packets(20);
        wire.run_for(5 * RTT);
        assert_eq!(wire.delivered_packets(), 20);
    }
}

#[test]
fn every_mark_is_counted_in_packets_and_bytes() {
    for nth in [1, 2, 3, 7, 40] {
        let mut wire = wire(true, true, marked_every(nth));
        wire.write_packets(400);
        wire.run_for(200 * RTT);
        assert_eq!(wire.delivered_packets(), 400);
        let sender = &wire.ends[SENDER].sender;
        let marked = 400_u64.div_ceil(nth);
        assert_eq!(u64::from(sender.sock.delivered_ce), marked, "every {nth}th");
        let bytes = sender.accecn_bytes().expect("was agreed on");
        assert_eq!(u64::from(bytes.ce), marked * MSS);
        assert_eq!(u64::from(bytes.ect0) - 1, (400 - marked) * MSS);
        assert_eq!(bytes.ect1, 1);
    }
}

#[test]
fn marks_reduce_the_window_once_per_round_trip_and_cwr_is_not_sent() {
    let mut wire = wire(true, true, |sent: &Sent| match sent.packet() {
        Some(packet) if (40..60).contains(&packet) => Fate::Marked,
        _ => Fate::Arrives,
    });
    wire.write_packets(300);
    wire.run_for(20 * RTT);
    let sock = &wire.ends[SENDER].sender.sock;
    assert_eq!((sock.total_retrans, sock.delivered_ce), (0, 20));
    // As with classic ECN (ecn.rs): Reno halves a window of 50 to 80 packets.
    assert!((25..=40).contains(&sock.snd_ssthresh), "{}", sock.snd_ssthresh);
    // RFC 9768 section 3.1.5: the sender's flags are its own counter, which is still at its initial value.
    let of_data = wire.log.iter().filter(|(_, from, segment)| *from == SENDER && segment.len > 0);
    assert!(of_data.into_iter().all(|(_, _, segment)| ace::field(segment.flags) == 5));
}

#[test]
fn lost_acks_lose_no_mark() {
    // All of 100 packets are marked, and nine of ten ACKs are lost: the 3-bit field wraps more than once between two
    // that arrive.
    let large_window = || {
        let sender = SenderConfig { initial_cwnd_packets: 100, ..config(true).sender };
        Connection::new(ConnectionConfig { sender, ..config(true) }, Box::new(Reno), 0)
    };
    let mut acks = 0;
    let mut wire = Wire::between([large_window(), large_window()], RTT, move |sent: &Sent| {
        if sent.packet().is_some() {
            return Fate::Marked;
        }
        acks += u32::from(sent.from == RECEIVER && sent.segment.ack > 1);
        if sent.from == RECEIVER && acks < 60 && acks % 10 != 0 {
            Fate::Lost
        } else {
            Fate::Arrives
        }
    });
    wire.write_packets(100);
    wire.run_for(10 * RTT);
    assert_eq!(wire.delivered_packets(), 100);
    let sock = &wire.ends[SENDER].sender.sock;
    assert_eq!((sock.total_retrans, sock.delivered_ce), (0, 100));
}

#[test]
fn sack_blocks_and_the_option_share_the_header() {
    let mut wire = wire(true, true, |sent: &Sent| match sent.packet() {
        Some(12 | 15 | 18) if sent.transmission == 1 => Fate::Lost,
        Some(16 | 20 | 23) => Fate::Marked,
        _ => Fate::Arrives,
    });
    wire.write_packets(100);
    wire.run_for(30 * RTT);
    assert_eq!(wire.delivered_packets(), 100);
    let acks: Vec<&Segment> = wire.log.iter().filter(|(_, from, _)| *from == RECEIVER).map(|(.., ack)| ack).collect();
    assert!(acks.iter().all(|ack| ack.ip_bytes() <= 80), "40 bytes of options");
    assert!(acks.iter().any(|ack| ack.sack_count == 2 && ack.has_accecn_option()));
    let sock = &wire.ends[SENDER].sender.sock;
    assert_eq!((sock.total_retrans, sock.delivered_ce), (3, 3));
}

#[test]
fn all_packets_after_the_handshake_are_ecn_capable() {
    let mut wire = wire(true, true, marked_every(1_000_000));
    let before = wire.ecn_capable;
    wire.write_packets(50);
    wire.run_for(5 * RTT);
    let after_syns = wire.log.iter().filter(|(_, _, segment)| segment.flags & flags::SYN == 0).count() as u64;
    assert!(before <= 1, "SYN and SYN-ACK are not");
    assert_eq!(wire.ecn_capable, after_syns, "data, retransmissions and ACKs");
}

/// RFC 9768 section 3.1.4.1: the first retransmission of a SYN still asks, the second does not.
#[test]
fn a_syn_that_is_not_answered_gives_up() {
    let mut client = Connection::new(config(true), Box::new(Reno), 0);
    client.connect(0);
    let mut asked = Vec::new();
    for _ in 0..4 {
        asked.extend(client.take_outgoing().map(|outgoing| ace::field(outgoing.datagram.flags)));
        client.on_timer(client.deadline_ns());
    }
    assert_eq!(asked, [0b111, 0b111, 0, 0]);
}

/// RFC 9768 sections 3.2.3.2.2 and 3.1.5: a SYN-ACK is retransmitted without the option, then without ECN, after which
/// the server sends no ECT but still gives feedback.
#[test]
fn a_syn_ack_that_is_not_acknowledged_gives_up() {
    let mut server = Connection::new(config(true), Box::new(Reno), 0);
    server.listen();
    let syn = Segment { flags: ace::with_field(flags::SYN, 0b111), window: 65_535, ..Segment::default() };
    server.on_segment(0, &syn, false.into());
    let mut sent = Vec::new();
    for _ in 0..3 {
        let describe = |segment: &Segment| (ace::field(segment.flags), segment.has_accecn_option());
        sent.extend(server.take_outgoing().map(|outgoing| describe(&outgoing.datagram)));
        server.on_timer(server.deadline_ns());
    }
    assert_eq!(sent, [(0b100, true), (0b100, false), (0b000, false)]);
    let _ = server.take_outgoing();
    let now_ns = 20_000 * MS;
    let ack =
        Segment { seq: 1, ack: 1, window: 65_535, flags: ace::with_field(flags::ACK, 0b010), ..Segment::default() };
    server.on_segment(now_ns, &ack, false.into());
    assert!(server.is_established());
    server.write(now_ns, 1_000);
    let data = server.take_outgoing().next().expect("data leaves");
    assert!(!data.ect);
    assert_eq!(ace::field(data.datagram.flags), 5);
}

/// Table 4, note 1: a field of zero on the ACK of the SYN-ACK.
#[test]
fn a_zeroed_handshake_turns_ecn_off_for_the_server_alone() {
    let mut seen = 0;
    let mut wire = wire(true, true, move |sent: &Sent| {
        seen += 1;
        if seen == 3 {
            Fate::Altered(Segment { flags: flags::ACK, ..*sent.segment })
        } else {
            Fate::Arrives
        }
    });
    wire.write_packets_from(RECEIVER, 5);
    wire.write_packets(5);
    let is_capable: Vec<bool> =
        wire.ends.each_ref().map(|end| end.sender.sock.ecn_flags & 16 != 0).into_iter().collect();
    assert_eq!(is_capable, [true, false]);
    wire.run_for(5 * RTT);
    assert_eq!(wire.delivered_packets(), 5);
}
