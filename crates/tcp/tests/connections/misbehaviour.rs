//! Receivers that break rules to get data faster (Savage et al. 1999), against a sender that behaves as Linux does.

use crate::support::{Fate, Sent, Wire, MS, MSS, RECEIVER, SENDER};
use fairlane_congestion_control::kernel::Reno;
use fairlane_tcp::receiver::ReceiverConfig;
use fairlane_tcp::segment::flags;
use fairlane_tcp::{Connection, ConnectionConfig, Misbehaviour, SenderConfig};
use fairlane_transport::Transport;

const RTT: u64 = 100 * MS;
const PACKETS: u64 = 400;

fn config(accecn: bool) -> ConnectionConfig {
    ConnectionConfig {
        accecn,
        timestamps: true,
        sender: SenderConfig { ecn: true, ..SenderConfig::default() },
        receiver: ReceiverConfig { ecn: true, ..ReceiverConfig::default() },
        ..ConnectionConfig::default()
    }
}

/// A transfer of some round trips to a receiver that breaks these rules.
fn transfer<F: FnMut(&Sent) -> Fate>(rules: Option<Misbehaviour>, accecn: bool, rtts: u64, fate: F) -> Wire<F> {
    let ends = [None, rules]
        .map(|misbehaviour| Connection::new(ConnectionConfig { misbehaviour, ..config(accecn) }, Box::new(Reno), 0));
    let mut wire = Wire::between(ends, RTT, fate);
    wire.write_packets(PACKETS);
    wire.run_for(rtts * RTT);
    wire
}

fn acks(wire: &Wire<impl FnMut(&Sent) -> Fate>) -> Vec<u64> {
    let from_receiver = wire.log.iter().filter(|(_, from, segment)| *from == RECEIVER && segment.ack > 1);
    from_receiver.map(|(_, _, segment)| segment.ack).collect()
}

/// Linux counts acknowledged packets, not ACKs (RFC 3465 counts bytes), and only those that are acknowledged whole.
#[test]
fn ack_division_gains_no_window() {
    let divided = Misbehaviour { ack_division: 10, ..Misbehaviour::default() };
    let (honest, cheated) =
        (transfer(None, false, 4, |_| Fate::Arrives), transfer(Some(divided), false, 4, |_| Fate::Arrives));
    assert_eq!(acks(&cheated).len(), 10 * acks(&honest).len());
    assert!(acks(&cheated).windows(2).all(|pair| pair[0] < pair[1]));
    assert_eq!(cheated.cwnd(), honest.cwnd());
    assert_eq!(cheated.delivered_packets(), honest.delivered_packets());
}

#[test]
fn optimistic_acks_add_data_in_flight_and_hide_losses() {
    let lossy = |sent: &Sent| if sent.packet().is_some_and(|it| it % 40 == 9) { Fate::Lost } else { Fate::Arrives };
    let optimistic = Misbehaviour { optimistic_ack_bytes: 5 * MSS as u32, ..Misbehaviour::default() };
    let (honest, cheated) = (transfer(None, false, 12, lossy), transfer(Some(optimistic), false, 12, lossy));
    let of = |wire: &Wire<_>| {
        let sock = &wire.ends[SENDER].sender.sock;
        (sock.total_retrans, sock.snd_cwnd, wire.ends[RECEIVER].delivered_bytes() / MSS)
    };
    let ((retransmitted, cwnd, _), (none, larger, delivered)) = (of(&honest), of(&cheated));
    assert!(retransmitted > 0 && none == 0, "{retransmitted} {none}");
    assert!(larger > 2 * cwnd, "{larger} {cwnd}");
    assert_eq!(delivered, PACKETS - PACKETS / 40, "lost data never arrives");
}

/// Beyond what was sent, Linux ignores ACKs and sends a challenge ACK (RFC 9293 section 3.10.7.4).
#[test]
fn acks_of_data_that_was_not_sent_gain_nothing() {
    let optimistic = Misbehaviour { optimistic_ack_bytes: 1 << 30, ..Misbehaviour::default() };
    let (honest, cheated) =
        (transfer(None, false, 5, |_| Fate::Arrives), transfer(Some(optimistic), false, 5, |_| Fate::Arrives));
    assert_eq!(cheated.delivered_packets(), honest.delivered_packets());
    assert_eq!(cheated.cwnd(), honest.cwnd());
}

#[test]
fn concealed_marks_reduce_no_window() {
    let conceals = Misbehaviour { conceals_ce: true, ..Misbehaviour::default() };
    for accecn in [false, true] {
        let marking = |sent: &Sent| if sent.packet() == Some(40) { Fate::Marked } else { Fate::Arrives };
        let (honest, cheated) = (transfer(None, accecn, 8, marking), transfer(Some(conceals), accecn, 8, marking));
        assert!(honest.ends[SENDER].sender.sock.delivered_ce > 0);
        assert_eq!(cheated.ends[SENDER].sender.sock.delivered_ce, 0);
        assert!(cheated.cwnd() > honest.cwnd());
        let echoes =
            |flag| cheated.log.iter().any(|(_, from, it)| *from == RECEIVER && it.flags & (flag | flags::SYN) == flag);
        assert!(accecn || !echoes(flags::ECE));
    }
}
