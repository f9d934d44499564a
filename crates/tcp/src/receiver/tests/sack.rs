//! SACK blocks (RFC 2018), D-SACK (RFC 2883) and their compression.

use super::*;

#[test]
fn out_of_order_data_is_acknowledged_at_once() {
    let mut host = Host::settled(config());
    let ack = host.arrive(host.packet(1));
    assert_eq!(host.says(ack), (0, vec![(1, 2)]));
}

#[test]
fn the_most_recent_block_comes_first() {
    let mut host = Host::settled(ReceiverConfig { compressed_sack_packets: 0, ..config() });
    let steps = [
        (2, vec![(2, 3)]),
        (4, vec![(4, 5), (2, 3)]),
        (6, vec![(6, 7), (4, 5), (2, 3)]),
        // With timestamps there is room for 3 only.
        (8, vec![(8, 9), (6, 7), (4, 5)]),
        // A block that grows moves to the front.
        (5, vec![(4, 7), (8, 9), (2, 3)]),
        (3, vec![(2, 7), (8, 9)]),
    ];
    for (packet, blocks) in steps {
        let ack = host.arrive(host.packet(packet));
        assert_eq!(host.says(ack), (0, blocks), "after packet {packet}");
    }
}

#[test]
fn without_timestamps_four_blocks_fit() {
    let mut host = Host::settled(ReceiverConfig { timestamps: false, ..config() });
    let mut last = None;
    for packet in [2, 4, 6, 8, 10] {
        last = host.arrive(host.packet(packet));
    }
    assert_eq!(host.says(last), (0, vec![(10, 11), (8, 9), (6, 7), (4, 5)]));
}

#[test]
fn a_filled_hole_is_acknowledged_at_once() {
    let mut host = Host::settled(config());
    for packet in [1, 2, 4] {
        let _ = host.arrive(host.packet(packet));
    }
    let ack = host.arrive(host.packet(0));
    assert_eq!(host.says(ack), (3, vec![(4, 5)]));
    let ack = host.arrive(host.packet(3));
    assert_eq!(host.says(ack), (5, vec![]));
}

#[test]
fn without_sack_there_are_duplicate_acks_only() {
    let mut host = Host::settled(ReceiverConfig { sack: false, ..config() });
    for packet in 1..20 {
        let ack = host.arrive(host.packet(packet));
        assert_eq!(host.says(ack), (0, vec![]), "packet {packet}");
    }
    // Reported twice, and still without a block.
    let ack = host.arrive(host.packet(5));
    assert_eq!(host.says(ack), (0, vec![]));
}

/// RFC 2883 §4.1.1 and 4.1.2: a full duplicate below the cumulative ACK is reported once.
#[test]
fn dsack_for_data_received_twice() {
    let mut host = Host::settled(config());
    let _ = host.arrive(host.packet(0));
    let _ = host.arrive(host.packet(1));
    let ack = host.arrive(host.packet(0)).expect("duplicate");
    assert_eq!(ack.ack, host.offset(2));
    assert_eq!(ack.sack_blocks().collect::<Vec<_>>(), [(host.offset(0), host.offset(1))]);
    let ack = host.arrive(host.packet(2));
    assert_eq!(host.says(ack), (3, vec![]), "a duplicate brings quick ACKs, the D-SACK is gone");
}

/// RFC 2883 §4.1.3: a duplicate of data behind a hole; the second block contains it.
#[test]
fn dsack_for_a_duplicate_of_queued_data() {
    let mut host = Host::settled(config());
    for packet in [1, 2, 3] {
        let _ = host.arrive(host.packet(packet));
    }
    let duplicate = host.packet(2);
    host.now_ns += 2 * MS; // over the compression of duplicate ACKs
    let ack = host.arrive(duplicate).or_else(|| host.wait().1);
    assert_eq!(host.says(ack), (0, vec![(2, 3), (1, 4)]));
}

/// RFC 2883 §4.2.1 and 4.2.2: part of the segment had arrived before, below the cumulative ACK or above it.
#[test]
fn dsack_for_partial_duplicates() {
    let mut host = Host::settled(config());
    let _ = host.arrive(host.packet(0));
    let _ = host.arrive(host.packet(1));
    let ack = host.arrive(host.bytes(host.offset(1), 2 * MSS as u32)).or_else(|| Some(host.ack()));
    assert_eq!(host.says(ack), (3, vec![(1, 2)]), "the old part, then the new one is acknowledged");
    let _ = host.arrive(host.packet(5));
    let ack = host.arrive(host.bytes(host.offset(4), 3 * MSS as u32));
    assert_eq!(host.says(ack), (3, vec![(5, 6), (4, 7)]));
}

/// RFC 2883 §4.2.3: in-order data that overlaps queued data.
#[test]
fn dsack_when_in_order_data_covers_queued_data() {
    let mut host = Host::settled(config());
    let _ = host.arrive(host.packet(1));
    let ack = host.arrive(host.bytes(host.offset(0), 2 * MSS as u32));
    assert_eq!(host.says(ack), (2, vec![(1, 2)]));
    assert_eq!(host.receiver.out_of_order_bytes(), 0);
}

#[test]
fn after_three_duplicate_acks_further_ones_are_compressed() {
    let mut host = Host::settled(config());
    host.srtt_us = 10_000;
    host.receiver.rtt.eighths_us = 8 * 40_000;
    for packet in 1..=3 {
        assert!(host.arrive(host.packet(packet)).is_some(), "duplicate ACK {packet}");
    }
    let start_ns = host.now_ns;
    for packet in 4..=6 {
        assert_eq!(host.arrive(host.packet(packet)), None);
        host.now_ns += MS / 10;
    }
    let (fired_ns, ack) = host.wait();
    // A twentieth of the smaller RTT, 0.5 ms, and the slack of the timer.
    assert_eq!(fired_ns, start_ns + MS / 2 + MS / 10);
    assert_eq!(host.says(ack), (0, vec![(1, 7)]));
    assert_eq!(host.receiver.deadline_ns(), u64::MAX);
}

#[test]
fn the_part_of_the_rtt_is_a_setting() {
    for (percent, delay_ns) in [(5, MS / 10), (33, MS * 66 / 100), (100, MS)] {
        let mut host = Host::settled(ReceiverConfig { compressed_sack_rtt_percent: percent, ..config() });
        host.receiver.rtt.eighths_us = 8 * 2_000;
        (1..=3).for_each(|packet| assert!(host.arrive(host.packet(packet)).is_some()));
        let start_ns = host.now_ns;
        assert_eq!(host.arrive(host.packet(4)), None);
        assert_eq!(host.wait().0, start_ns + delay_ns + MS / 10, "{percent} % of 2 ms, at most 1 ms, and the slack");
    }
}

#[test]
fn compression_never_waits_longer_than_a_millisecond() {
    let mut host = Host::settled(config());
    host.receiver.rtt.eighths_us = 8 * 200_000;
    for packet in 1..=3 {
        assert!(host.arrive(host.packet(packet)).is_some());
    }
    assert_eq!(host.arrive(host.packet(4)), None);
    assert_eq!(host.receiver.deadline_ns(), host.now_ns + MS + MS / 10);
}

#[test]
fn at_most_44_duplicate_acks_are_suppressed() {
    let mut host = Host::settled(ReceiverConfig { rmem_initial_bytes: 1_000_000, ..config() });
    // The larger window is still growing, which causes quick ACKs; continue until it stops.
    let mut next = 1;
    while host.arrive(host.packet(next)).is_some() {
        next += 1;
        assert!(next < 400, "compression never starts");
    }
    let held = (next + 1..).position(|packet| host.arrive(host.packet(packet)).is_some());
    assert_eq!(held, Some(43));
}

#[test]
fn compression_can_be_switched_off() {
    let mut host = Host::settled(ReceiverConfig { compressed_sack_packets: 0, ..config() });
    for packet in 1..20 {
        assert!(host.arrive(host.packet(packet)).is_some());
    }
}

#[test]
fn each_advance_allows_three_duplicate_acks_again() {
    let mut host = Host::settled(config());
    for packet in [1, 2, 3] {
        assert!(host.arrive(host.packet(packet)).is_some());
    }
    assert_eq!(host.arrive(host.packet(5)), None);
    assert!(host.arrive(host.packet(0)).is_some(), "an advance that leaves a hole");
    assert!(host.arrive(host.packet(6)).is_some());
    assert!(host.arrive(host.packet(7)).is_some());
    assert_eq!(host.arrive(host.packet(8)), None);
}

#[test]
fn a_block_that_would_be_dropped_ends_the_compression() {
    let mut host = Host::settled(config());
    for packet in [1, 3, 5] {
        assert!(host.arrive(host.packet(packet)).is_some());
    }
    assert_eq!(host.arrive(host.packet(6)), None, "compressed");
    let ack = host.arrive(host.packet(8));
    assert_eq!(host.says(ack), (0, vec![(8, 9), (5, 7), (3, 4)]));
}
