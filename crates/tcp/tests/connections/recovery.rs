//! Loss detection and repair. Each test is one scenario on a wire with a 100 ms round trip.

use crate::support::{Fate, Sent, Wire, MS, MSS, RECEIVER, SENDER};
use fairlane_congestion_control::CaState;
use fairlane_tcp::receiver::EcnMark;
use fairlane_tcp::segment::flags;
use fairlane_tcp::Segment;
use fairlane_transport::Transport;

const RTT: u64 = 100 * MS;

fn lose(packet: u64, transmissions: u32) -> impl FnMut(&Sent) -> Fate {
    move |sent| {
        if sent.packet() == Some(packet) && sent.transmission <= transmissions {
            Fate::Lost
        } else {
            Fate::Arrives
        }
    }
}

/// All data was delivered, and no packet is in flight or marked lost.
fn assert_complete<F: FnMut(&Sent) -> Fate>(wire: &Wire<F>, packets: u64) {
    assert_eq!(wire.delivered_packets(), packets);
    let sock = &wire.ends[SENDER].sender.sock;
    assert_eq!((sock.packets_out, sock.sacked_out, sock.lost_out, sock.retrans_out), (0, 0, 0, 0));
}

#[test]
fn slow_start_doubles_the_window_each_round_trip() {
    let mut wire = Wire::new(RTT, |_| Fate::Arrives);
    wire.write_packets(1000);
    assert_eq!(wire.data_segments_sent(), 10); // RFC 6928
    let mut expected = 10;
    for _ in 0..4 {
        wire.run_for(RTT + 5 * MS);
        expected *= 2;
        // One packet fewer if its acknowledgement is delayed.
        assert!(
            (expected - expected / 20..=expected).contains(&wire.cwnd()),
            "{} where {expected} is due",
            wire.cwnd()
        );
    }
}

#[test]
fn one_lost_segment_is_retransmitted_after_one_round_trip_and_halves_the_window() {
    let mut wire = Wire::new(RTT, lose(12, 1));
    wire.write_packets(60);
    wire.run_for(20 * RTT);
    assert_complete(&wire, 60);
    let times = wire.transmissions_of(12);
    assert_eq!(times.len(), 2, "one retransmission, no more");
    assert!(times[1] - times[0] >= RTT && times[1] - times[0] < RTT + RTT / 2, "{times:?}");
    let sock = &wire.ends[SENDER].sender.sock;
    assert_eq!((sock.total_retrans, wire.ends[SENDER].sender.timeouts()), (1, 0));
    assert!(sock.snd_ssthresh < 20, "{}", sock.snd_ssthresh);
}

#[test]
fn a_lost_retransmission_is_found_without_a_timeout() {
    let mut wire = Wire::new(RTT, lose(12, 2));
    wire.write_packets(200);
    wire.run_for(20 * RTT);
    assert_complete(&wire, 200);
    assert_eq!(wire.transmissions_of(12).len(), 3);
    assert_eq!(wire.ends[SENDER].sender.timeouts(), 0, "RACK finds it (RFC 8985)");
}

#[test]
fn a_lost_tail_is_repaired_by_a_probe() {
    // The last of ten packets is lost, which no SACK reveals. A probe does, after two round trips and the time of a
    // delayed ACK.
    let mut wire = Wire::new(RTT, lose(9, 1));
    wire.write_packets(10);
    wire.run_for(20 * RTT);
    assert_complete(&wire, 10);
    assert_eq!(wire.ends[SENDER].sender.timeouts(), 0);
    let probe_ns = wire.transmissions_of(9)[1];
    let sent_ns = wire.transmissions_of(9)[0];
    assert!(probe_ns - sent_ns >= 2 * RTT && probe_ns - sent_ns < 5 * RTT, "{}", (probe_ns - sent_ns) / MS);
}

#[test]
fn reordering_within_the_window_is_not_loss() {
    // Every 20th packet is 10 ms late; the reordering window covers all but the first.
    let mut wire =
        Wire::new(
            RTT,
            |sent: &Sent| if sent.packet().is_some_and(|p| p % 20 == 19) { Fate::Late(10 * MS) } else { Fate::Arrives },
        );
    wire.write_packets(2000);
    wire.run_for(60 * RTT);
    assert_complete(&wire, 2000);
    let sock = &wire.ends[SENDER].sender.sock;
    assert!(sock.total_retrans <= 8, "{} needless retransmissions", sock.total_retrans);
    assert!(sock.reord_seen > 0);
}

#[test]
fn a_spurious_timeout_is_undone() {
    // From packet 30 on the path stalls for a second: packets are late and in order, and none is lost.
    let mut stalled_from = None;
    let mut stalled = 0;
    let mut wire = Wire::new(RTT, move |sent: &Sent| {
        if sent.packet() == Some(30) && stalled_from.is_none() {
            stalled_from = Some(sent.at_ns);
        }
        match stalled_from {
            Some(from_ns) if sent.at_ns < from_ns + 1000 * MS => {
                stalled += 1;
                Fate::Late(from_ns + 1000 * MS + stalled * MS / 10 - sent.at_ns)
            }
            _ => Fate::Arrives,
        }
    });
    wire.write_packets(60);
    wire.run_until(wire.now_ns + 2 * RTT);
    let before = wire.cwnd();
    wire.run_for(30 * RTT);
    assert_complete(&wire, 60);
    let sender = &wire.ends[SENDER].sender;
    assert!(sender.timeouts() >= 1);
    assert_eq!(sender.sock.ca_state(), CaState::Open);
    assert!(wire.cwnd() >= before, "the window is restored: {} before, {} after", before, wire.cwnd());
    assert!(sender.sock.snd_ssthresh > before, "and so is ssthresh: {}", sender.sock.snd_ssthresh);
}

#[test]
fn timeouts_back_off_exponentially() {
    // No packet after packet 5 arrives.
    let mut wire =
        Wire::new(RTT, |sent: &Sent| if sent.packet().is_some_and(|p| p >= 5) { Fate::Lost } else { Fate::Arrives });
    wire.write_packets(10);
    wire.run_for(100 * RTT);
    let times = wire.transmissions_of(5);
    let gaps: Vec<f64> = times.windows(2).map(|pair| (pair[1] - pair[0]) as f64 / MS as f64).collect();
    assert!(gaps.len() >= 4, "{gaps:?}");
    for pair in gaps[1..].windows(2) {
        let factor = pair[1] / pair[0];
        assert!((1.8..=2.3).contains(&factor), "doubles up to the timer's grain: {gaps:?}");
    }
    assert_eq!(wire.cwnd(), 1);
}

#[test]
fn lost_acknowledgements_do_no_harm() {
    let mut count = 0;
    let mut wire = Wire::new(RTT, move |sent: &Sent| {
        count += u32::from(sent.from == RECEIVER);
        if sent.from == RECEIVER && count % 2 == 0 {
            Fate::Lost
        } else {
            Fate::Arrives
        }
    });
    wire.write_packets(500);
    wire.run_for(60 * RTT);
    assert_complete(&wire, 500);
    assert!(wire.ends[SENDER].sender.sock.total_retrans <= 2, "{}", wire.ends[SENDER].sender.sock.total_retrans);
}

#[test]
fn duplicates_made_by_the_network_reduce_nothing() {
    let mut wire = Wire::new(RTT, |sent: &Sent| if sent.packet().is_some() { Fate::Twice } else { Fate::Arrives });
    wire.write_packets(200);
    wire.run_for(20 * RTT);
    assert_complete(&wire, 200);
    assert_eq!(wire.ends[SENDER].sender.sock.total_retrans, 0);
    assert_eq!(wire.ends[SENDER].sender.sock.ca_state(), CaState::Open);
}

/// A packet that is late by most of a round trip is retransmitted; the DSACK for the second copy reveals it (RFC 3708).
#[test]
fn a_needless_retransmission_is_a_spurious_loss() {
    let spurious_and_again = |fate: Fate| {
        let mut wire =
            Wire::new(
                RTT,
                move |sent: &Sent| {
                    if sent.packet() == Some(50) && sent.transmission == 1 {
                        fate
                    } else {
                        Fate::Arrives
                    }
                },
            );
        wire.write_packets(200);
        wire.run_for(20 * RTT);
        assert_complete(&wire, 200);
        let sample = wire.ends[SENDER].sample();
        (sample.spurious_losses, sample.retransmits)
    };
    assert_eq!(spurious_and_again(Fate::Late(RTT * 3 / 4)), (1, 1));
    assert_eq!(spurious_and_again(Fate::Lost), (0, 1));
}

#[test]
fn a_segment_that_is_retransmitted_twice_counts_once() {
    // Packet 50 is lost with its first retransmission, packet 60 once.
    let mut wire = Wire::new(RTT, |sent: &Sent| match (sent.packet(), sent.transmission) {
        (Some(50), 1 | 2) | (Some(60), 1) => Fate::Lost,
        _ => Fate::Arrives,
    });
    wire.write_packets(200);
    wire.run_for(40 * RTT);
    assert_complete(&wire, 200);
    let sample = wire.ends[SENDER].sample();
    assert_eq!((sample.retransmits, sample.segments_retransmitted), (3, Some(2)));
}

#[test]
fn half_of_a_window_lost_is_recovered_in_proportion() {
    // PRR: during recovery about one packet leaves for every two that arrive, without bursts or pauses.
    let mut wire = Wire::new(RTT, |sent: &Sent| {
        if sent.packet().is_some_and(|p| (70..110).contains(&p) && p % 2 == 0) && sent.transmission == 1 {
            Fate::Lost
        } else {
            Fate::Arrives
        }
    });
    wire.write_packets(600);
    wire.run_for(40 * RTT);
    assert_complete(&wire, 600);
    let sock = &wire.ends[SENDER].sender.sock;
    assert_eq!(sock.total_retrans, 20, "each lost packet is resent once");
    assert_eq!(wire.ends[SENDER].sender.timeouts(), 0);
}

#[test]
fn no_segment_exceeds_the_mtu_when_sack_blocks_ride_on_data() {
    // Both ends send, and each loses some of the other's packets.
    let mut serial = 0_u32;
    let mut wire = Wire::new(RTT, move |sent: &Sent| {
        serial += u32::from(sent.segment.len > 0);
        if sent.segment.len > 0 && serial.is_multiple_of(97) {
            Fate::Lost
        } else {
            Fate::Arrives
        }
    });
    for end in [SENDER, RECEIVER] {
        wire.write_packets_from(end, 2000);
    }
    wire.run_for(400 * RTT);
    for end in [SENDER, RECEIVER] {
        assert_eq!(wire.ends[end].receiver.delivered_bytes(), 2000 * MSS);
    }
    let with_blocks = |segment: &&Segment| segment.len > 0 && segment.sack_count > 0;
    let segments = || wire.log.iter().map(|(.., segment)| segment);
    assert!(segments().filter(with_blocks).count() > 20, "SACK blocks ride on data");
    let largest = segments().map(Segment::ip_bytes).max();
    assert_eq!(largest, Some(1500));
    // Segments are full: each block reduces the payload by its size.
    assert!(segments().filter(with_blocks).any(|segment| segment.ip_bytes() == 1500));
}

/// RFC 2018 section 4: an ACK that was overtaken may still report data first.
#[test]
fn new_sack_blocks_of_an_old_ack_count_as_delivered() {
    let mut wire = Wire::new(RTT, |sent| match sent.packet() {
        Some(5) if sent.transmission == 1 => Fate::Lost,
        None if sent.segment.sack_count > 0 => Fate::Lost,
        _ => Fate::Arrives,
    });
    wire.write_packets(10);
    wire.run_for(150 * MS);
    let (delivered, lost) = (wire.ends[SENDER].sender.sock.delivered, wire.ends[SENDER].sender.sock.lost);
    let mut overtaken = Segment::new(flags::ACK, 1, 0);
    overtaken.ack = 1 + 3 * MSS;
    overtaken.push_sack(1 + 7 * MSS, 1 + 9 * MSS);
    wire.ends[SENDER].on_segment(wire.now_ns, &overtaken, EcnMark::NotEct);
    let sock = &wire.ends[SENDER].sender.sock;
    assert_eq!((sock.delivered, sock.lost), (delivered + 2, lost));
    // They complete a sample of the delivery rate, which later samples start from.
    assert_eq!(sock.delivered_mstamp, wire.now_ns / 1000);
    assert_eq!(sock.rate_delivered, 5);
}
