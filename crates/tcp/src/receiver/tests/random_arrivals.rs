//! Whatever arrives in whatever order, each byte is delivered once, and what is acknowledged is true.

use super::*;
use proptest::prelude::*;

/// A stream cut into segments of odd sizes, arriving in an order with repetitions and overlaps.
fn arrivals() -> impl Strategy<Value = (u64, Vec<(u64, u32)>)> {
    (2_000_u64..40_000).prop_flat_map(|total| {
        let segment = (0..total, 1_u32..3000).prop_map(move |(start, len)| (start, len.min((total - start) as u32)));
        (Just(total), prop::collection::vec(segment, 1..200))
    })
}

proptest! {
    #[test]
    fn each_byte_is_delivered_once((total, segments) in arrivals(), sack: bool, auto_read: bool, timestamps: bool) {
        let mut host = Host::new(ReceiverConfig { sack, auto_read, timestamps, rmem_initial_bytes: 1 << 20, ..config() });
        let mut received = vec![false; total as usize];
        let mut right_edge = host.receiver.right_edge();
        let whole = (0..total).step_by(1000).map(|start| (start, 1000.min(total - start) as u32));
        for (start, len) in segments.into_iter().chain(whole) {
            host.now_ns += 50_000;
            if host.receiver.next_deadline_ns().is_some_and(|deadline_ns| deadline_ns <= host.now_ns)
                && host.receiver.on_timer(host.now_ns) == AckNeed::Now
            {
                let ack = host.ack();
                check_ack(&host, &ack, &received);
            }
            let acceptable = FIRST_BYTE + start <= host.receiver.right_edge();
            if acceptable {
                received[start as usize..][..len as usize].fill(true);
            }
            if let Some(ack) = host.arrive(host.bytes(FIRST_BYTE + start, len)) {
                check_ack(&host, &ack, &received);
            }
            check_state(&host, &received);
            prop_assert!(host.receiver.right_edge() >= right_edge, "the right edge moved back");
            right_edge = host.receiver.right_edge();
        }
        prop_assert_eq!(host.receiver.delivered_bytes(), total);
        prop_assert_eq!(host.receiver.out_of_order_bytes(), 0);
    }
}

/// The queue holds exactly the bytes that arrived and are not contiguous.
fn check_state(host: &Host, received: &[bool]) {
    let contiguous = received.iter().take_while(|&&there| there).count() as u64;
    assert_eq!(host.receiver.delivered_bytes(), contiguous);
    let total = received.iter().filter(|&&there| there).count() as u64;
    assert_eq!(host.receiver.out_of_order_bytes(), total - contiguous);
    let ranges: Vec<_> = host.receiver.out_of_order.ranges().collect();
    assert!(ranges
        .iter()
        .all(|range| range.start < range.end && range.start > host.receiver.rcv_nxt()));
    assert!(
        ranges.windows(2).all(|pair| pair[0].end < pair[1].start),
        "sorted, neither overlapping nor touching"
    );
}

/// Every block tells of bytes that are there; beside a D-SACK all lie above the cumulative ACK.
fn check_ack(host: &Host, ack: &Segment, received: &[bool]) {
    assert_eq!(ack.ack, host.receiver.rcv_nxt());
    for (index, (start, end)) in ack.sack_blocks().enumerate() {
        assert!(start < end);
        assert!(index == 0 || start > ack.ack, "only a D-SACK may lie below");
        let bytes = &received[(start - FIRST_BYTE) as usize..(end - FIRST_BYTE) as usize];
        assert!(bytes.iter().all(|&there| there), "{start}..{end} has not arrived");
    }
    assert!(ack.sack_count == 0 || host.receiver.config.sack);
}
