//! For any arrivals in any order, each byte is delivered once and acknowledgements are correct.

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
            if host.receiver.deadline_ns() <= host.now_ns
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

/// One step: the segment within the window that the sender sends, its length, and the bytes that the application reads
/// then.
fn steps() -> impl Strategy<Value = Vec<(u64, u32, u64)>> {
    prop::collection::vec((0_u64..40_000, prop_oneof![1_u32..40, 1_u32..1448], 0_u64..3000), 1..1500)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    /// A small buffer and small segments, so that queued data has to be dropped.
    #[test]
    fn an_overflowing_buffer_recovers_all_data(steps in steps()) {
        let mut host = Host::new(ReceiverConfig {
            auto_read: false, rmem_initial_bytes: 16_384, rmem_max_bytes: 32_768, ..config()
        });
        let total = 40_000;
        for (position, len, read_bytes) in steps {
            host.now_ns += 10_000;
            let window = host.receiver.right_edge().saturating_sub(host.receiver.rcv_nxt()).max(1);
            let seq = host.receiver.rcv_nxt() + position % window;
            if seq + u64::from(len) <= FIRST_BYTE + total {
                let _ = host.arrive(host.bytes(seq, len));
            }
            host.ack();
            if host.receiver.read(host.now_ns, read_bytes) == AckNeed::Now {
                host.ack();
            }
            check_memory(&host);
        }
        for _ in 0..2000 {
            let len = (FIRST_BYTE + total - host.receiver.rcv_nxt()).min(MSS) as u32;
            if len > 0 {
                let _ = host.arrive(host.bytes(host.receiver.rcv_nxt(), len));
            }
            let _ = host.receiver.read(host.now_ns, u64::MAX);
            host.ack();
            check_memory(&host);
        }
        prop_assert_eq!(host.receiver.delivered_bytes(), total);
        prop_assert_eq!(host.receiver.window.used_bytes, 0);
    }
}

fn check_memory(host: &Host) {
    let receiver = &host.receiver;
    assert_eq!(receiver.window.used_bytes, receiver.readable_memory_bytes + receiver.out_of_order.memory_bytes());
    assert_eq!(receiver.out_of_order_bytes() == 0, receiver.out_of_order.is_empty());
    let one_segment = memory::segment_memory_bytes(MSS as u32, 1);
    assert!(
        receiver.window.used_bytes <= receiver.buffer_bytes() + one_segment,
        "the buffer overflows by more than one segment"
    );
    for (start, end) in receiver.sack.iter() {
        let queued = receiver.out_of_order.ranges().any(|range| range.start <= start && end <= range.end);
        assert!(
            queued || start < receiver.rcv_nxt() || receiver.sack.len() == 1,
            "{start}..{end} is reported but not queued"
        );
    }
}

/// The queue holds exactly the bytes that arrived and are not contiguous.
fn check_state(host: &Host, received: &[bool]) {
    let contiguous = received.iter().take_while(|&&there| there).count() as u64;
    assert_eq!(host.receiver.delivered_bytes(), contiguous);
    let total = received.iter().filter(|&&there| there).count() as u64;
    assert_eq!(host.receiver.out_of_order_bytes(), total - contiguous);
    let ranges: Vec<_> = host.receiver.out_of_order.ranges().collect();
    assert!(ranges.iter().all(|range| range.start < range.end && range.start > host.receiver.rcv_nxt()));
    assert!(ranges.windows(2).all(|pair| pair[0].end < pair[1].start), "sorted, neither overlapping nor touching");
}

/// Every block covers received bytes; all but a D-SACK lie above the cumulative ACK.
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
