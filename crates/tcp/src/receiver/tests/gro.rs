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

/// Segments that GRO delivers when a segment arrives.
fn push(gro: &mut Gro, now_ns: u64, segment: &Segment, mark: EcnMark) -> Vec<Segment> {
    let mut out = Vec::new();
    gro.push(now_ns, segment, mark, |segment, _| out.push(*segment));
    out
}

fn on_timer(gro: &mut Gro, now_ns: u64) -> Vec<Segment> {
    let mut out = Vec::new();
    gro.on_timer(now_ns, |segment, _| out.push(*segment));
    out
}

/// Delivered segments as (first packet, packets merged).
fn shape(out: Vec<Segment>) -> Vec<(u64, u8)> {
    out.iter().map(|segment| ((segment.seq - FIRST_BYTE) / MSS, segment.merged.max(1))).collect()
}

/// A merger that has just interrupted for packet 0 at time 0.
fn busy() -> Gro {
    let mut gro = Gro::new(INTERVAL_NS);
    assert_eq!(shape(push(&mut gro, 0, &packet(0), EcnMark::NotEct)), [(0, 1)], "after a pause nothing waits");
    gro
}

#[test]
fn arrivals_within_the_interval_are_merged() {
    let mut gro = busy();
    for number in 1..=5 {
        assert_eq!(shape(push(&mut gro, number * 1000, &packet(number), EcnMark::NotEct)), []);
    }
    assert_eq!(gro.deadline_ns(), INTERVAL_NS);
    assert_eq!(shape(on_timer(&mut gro, INTERVAL_NS)), [(1, 5)]);
    assert_eq!(gro.deadline_ns(), u64::MAX);
}

#[test]
fn at_a_low_rate_nothing_is_merged_or_delayed() {
    let mut gro = Gro::new(INTERVAL_NS);
    for number in 0..5 {
        assert_eq!(shape(push(&mut gro, number * 120_000, &packet(number), EcnMark::NotEct)), [(number, 1)]);
    }
}

#[test]
fn push_gaps_marks_and_timestamps_end_a_batch() {
    let mut gro = busy();
    let last = |number| Segment { flags: flags::ACK | flags::PSH, ..packet(number) };
    assert_eq!(shape(push(&mut gro, 1, &packet(1), EcnMark::Ect0)), []);
    assert_eq!(shape(push(&mut gro, 2, &last(2), EcnMark::Ect0)), [(1, 2)], "PSH is part of its batch");
    assert_eq!(shape(push(&mut gro, 3, &packet(3), EcnMark::Ect0)), []);
    assert_eq!(shape(push(&mut gro, 4, &packet(5), EcnMark::Ect0)), [(3, 1)], "gap");
    assert_eq!(shape(push(&mut gro, 5, &packet(6), EcnMark::Ce)), [(5, 1)], "mark");
    assert_eq!(shape(push(&mut gro, 6, &Segment { tsval: 1, ..packet(7) }, EcnMark::Ce)), [(6, 1)], "timestamp");
    let ack = Segment { len: 0, ..packet(8) };
    assert_eq!(push(&mut gro, 7, &ack, EcnMark::NotEct).len(), 2, "a pure ACK passes, after the data");
}

#[test]
fn a_batch_fits_into_an_ip_packet() {
    let mut gro = busy();
    let largest = (1..200)
        .flat_map(|number| push(&mut gro, number, &packet(number), EcnMark::NotEct))
        .map(|segment| segment.merged)
        .max();
    assert_eq!(largest, Some(45));
}

#[test]
fn every_byte_comes_out_once_and_in_order() {
    let mut gro = Gro::new(INTERVAL_NS);
    let mut next = FIRST_BYTE;
    let mut take = |out: Vec<Segment>| {
        for segment in out {
            assert_eq!(segment.seq, next);
            next = segment.end_seq();
        }
    };
    for number in 0..1000 {
        let now_ns = number * 700 + (number % 7) * 90;
        if gro.deadline_ns() <= now_ns && number % 3 == 0 {
            take(on_timer(&mut gro, now_ns));
        }
        let flags = if number % 11 == 0 { flags::ACK | flags::PSH } else { flags::ACK };
        take(push(&mut gro, now_ns, &Segment { flags, ..packet(number) }, EcnMark::NotEct));
    }
    take(on_timer(&mut gro, u64::MAX / 2));
    assert_eq!(next, FIRST_BYTE + 1000 * MSS);
}
