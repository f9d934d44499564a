//! Merging of arriving segments.

use super::*;

const INTERVAL_NS: u64 = 25_000;

fn packet(number: u64) -> Segment {
    Segment {
        seq: FIRST_BYTE + number * MSS,
        len: MSS as u32,
        flags: flags::ACK,
        has_timestamps: true,
        ..Segment::default()
    }
}

/// What came out, as (first packet, packets merged).
fn shape(flush: Flush) -> Vec<(u64, u8)> {
    flush.map(|(segment, _)| ((segment.seq - FIRST_BYTE) / MSS, segment.merged.max(1))).collect()
}

/// A merger that has just interrupted for packet 0 at time 0.
fn busy() -> Gro {
    let mut gro = Gro::new(INTERVAL_NS);
    assert_eq!(shape(gro.push(0, &packet(0), EcnMark::NotEct)), [(0, 1)], "after a pause nothing waits");
    gro
}

#[test]
fn what_arrives_within_the_interval_is_merged() {
    let mut gro = busy();
    for number in 1..=5 {
        assert_eq!(shape(gro.push(number * 1000, &packet(number), EcnMark::NotEct)), []);
    }
    assert_eq!(gro.deadline_ns(), Some(INTERVAL_NS));
    assert_eq!(shape(gro.on_timer(INTERVAL_NS)), [(1, 5)]);
    assert_eq!(gro.deadline_ns(), None);
}

#[test]
fn at_a_low_rate_nothing_is_merged_or_delayed() {
    let mut gro = Gro::new(INTERVAL_NS);
    for number in 0..5 {
        assert_eq!(shape(gro.push(number * 120_000, &packet(number), EcnMark::NotEct)), [(number, 1)]);
    }
}

#[test]
fn push_gaps_marks_and_timestamps_end_a_batch() {
    let mut gro = busy();
    let push = |number| Segment { flags: flags::ACK | flags::PSH, ..packet(number) };
    assert_eq!(shape(gro.push(1, &packet(1), EcnMark::Ect)), []);
    assert_eq!(shape(gro.push(2, &push(2), EcnMark::Ect)), [(1, 2)], "PSH is part of its batch");
    assert_eq!(shape(gro.push(3, &packet(3), EcnMark::Ect)), []);
    assert_eq!(shape(gro.push(4, &packet(5), EcnMark::Ect)), [(3, 1)], "gap");
    assert_eq!(shape(gro.push(5, &packet(6), EcnMark::Ce)), [(5, 1)], "mark");
    assert_eq!(shape(gro.push(6, &Segment { tsval: 1, ..packet(7) }, EcnMark::Ce)), [(6, 1)], "timestamp");
    let ack = Segment { len: 0, ..packet(8) };
    assert_eq!(gro.push(7, &ack, EcnMark::NotEct).count(), 2, "a pure ACK passes, after the data");
}

#[test]
fn a_batch_fits_into_an_ip_packet() {
    let mut gro = busy();
    let largest = (1..200)
        .filter_map(|number| gro.push(number, &packet(number), EcnMark::NotEct).next())
        .map(|(segment, _)| segment.merged)
        .max();
    assert_eq!(largest, Some(45));
}

#[test]
fn every_byte_comes_out_once_and_in_order() {
    let mut gro = Gro::new(INTERVAL_NS);
    let mut next = FIRST_BYTE;
    let mut take = |flush: Flush| {
        for (segment, _) in flush {
            assert_eq!(segment.seq, next);
            next = segment.end_seq();
        }
    };
    for number in 0..1000 {
        let now_ns = number * 700 + (number % 7) * 90;
        if gro.deadline_ns().is_some_and(|deadline_ns| deadline_ns <= now_ns && number % 3 == 0) {
            take(gro.on_timer(now_ns));
        }
        let flags = if number % 11 == 0 { flags::ACK | flags::PSH } else { flags::ACK };
        take(gro.push(now_ns, &Segment { flags, ..packet(number) }, EcnMark::NotEct));
    }
    take(gro.on_timer(u64::MAX / 2));
    assert_eq!(next, FIRST_BYTE + 1000 * MSS);
}
