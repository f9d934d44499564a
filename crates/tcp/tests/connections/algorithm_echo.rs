//! Algorithms that echo each congestion mark themselves (DCTCP, RFC 8257 section 3.2).

use crate::support::variant::Variant;
use crate::support::{Fate, Sent, Wire, MS, MSS, RECEIVER, SENDER};
use fairlane_congestion_control::sock::ECN_DEMAND_CWR;
use fairlane_congestion_control::{congestion_flag, CaEvent, Callbacks, CongestionControl, TcpSock};
use fairlane_tcp::segment::flags;
use fairlane_tcp::ConnectionConfig;

const RTT: u64 = 100 * MS;
const ACK_TIMER: u8 = 2;
const ACK_NOW: u8 = 16;

/// The receiver's state machine of RFC 8257 section 3.2, as a program would write it.
#[derive(Default)]
struct Echo {
    ce: bool,
    prior_rcv_nxt: u32,
}

impl Echo {
    fn on_event(&mut self, sock: &mut TcpSock, event: CaEvent) {
        let ce = match event {
            CaEvent::EcnIsCe => true,
            CaEvent::EcnNoCe => false,
            _ => return,
        };
        if ce != self.ce {
            if sock.icsk_ack_pending & ACK_TIMER != 0 {
                // As bpf_tcp_send_ack does.
                demand(sock, self.ce);
                sock.fairlane_ack_seq = self.prior_rcv_nxt;
                sock.fairlane_ack_ece = u8::from(self.ce);
                sock.fairlane_ack_asked = 1;
            }
            sock.icsk_ack_pending |= ACK_NOW;
        }
        self.prior_rcv_nxt = sock.rcv_nxt;
        self.ce = ce;
        demand(sock, ce);
    }
}

fn demand(sock: &mut TcpSock, ece: bool) {
    sock.ecn_flags = sock.ecn_flags & !ECN_DEMAND_CWR | if ece { ECN_DEMAND_CWR } else { 0 };
}

fn algorithm() -> Box<dyn CongestionControl> {
    let mut echo = Echo::default();
    Box::new(Variant {
        callbacks: Callbacks { cwnd_event: true, flags: congestion_flag::NEEDS_ECN, ..Callbacks::default() },
        on_event: Some(Box::new(move |sock, event| echo.on_event(sock, event))),
        ..Variant::default()
    })
}

fn run(marks: impl Fn(u64) -> bool) -> Vec<(u64, bool)> {
    let config = ConnectionConfig { timestamps: true, ..ConnectionConfig::default() };
    let mut wire = Wire::driven_by(algorithm, RTT, config, |sent: &Sent| match sent.packet() {
        Some(packet) if marks(packet) => Fate::Marked,
        _ => Fate::Arrives,
    });
    wire.write_packets(200);
    wire.run_for(30 * RTT);
    assert_eq!(wire.delivered_packets(), 200);
    assert_eq!(wire.ends[SENDER].sender.sock.total_retrans, 0);
    // The packets that each acknowledgement newly covers, and whether it echoes a mark.
    let mut covered = 1;
    let mut echoes = Vec::new();
    for (_, end, segment) in &wire.log {
        if *end == RECEIVER && segment.flags & flags::SYN == 0 {
            for packet in (covered - 1) / MSS..(segment.ack - 1) / MSS {
                echoes.push((packet, segment.flags & flags::ECE != 0));
            }
            covered = covered.max(segment.ack);
        }
    }
    echoes
}

#[test]
fn the_echo_tells_exactly_which_packets_were_marked() {
    // Runs of odd and even lengths, so that delayed ACKs are outstanding when the mark changes.
    for (start, end) in [(60, 61), (60, 63), (61, 90), (100, 102)] {
        let marked = |packet: u64| (start..end).contains(&packet);
        let echoes = run(marked);
        assert_eq!(echoes.len(), 200);
        for (packet, ece) in echoes {
            assert_eq!(ece, marked(packet), "packet {packet} of marks {start}..{end}");
        }
    }
}

#[test]
fn both_ends_agree_on_ecn_and_all_packets_are_capable() {
    let config = ConnectionConfig { timestamps: true, ..ConnectionConfig::default() };
    let mut wire = Wire::driven_by(algorithm, RTT, config, |_| Fate::Arrives);
    assert!(wire.ends.iter().all(|end| end.sender.uses_ecn()));
    wire.ends[SENDER].write(wire.now_ns, 10 * MSS);
    assert!(wire.ends[SENDER].take_outgoing().all(|outgoing| outgoing.ect));
}

#[test]
fn the_handshake_is_capable_before_anything_is_negotiated() {
    let config = ConnectionConfig { timestamps: true, ..ConnectionConfig::default() };
    let mut wire = Wire::driven_by(algorithm, RTT, config, |sent: &Sent| {
        if sent.segment.flags & flags::SYN != 0 {
            assert!(sent.is_ecn_capable, "{:?}", sent.segment.flags);
        }
        Fate::Arrives
    });
    wire.run_for(2 * RTT);
    assert!(wire.log.iter().filter(|(_, _, segment)| segment.flags & flags::SYN != 0).count() >= 2);
}
