//! Kernel memory of received segments, as opposed to their payload.
//!
//! A receive buffer is counted in memory. The window that fits into it depends on how well packets fill the driver's
//! buffers, so a receiver needs a model of those buffers.

/// Memory of one segment, which may be several wire packets merged by GRO.
///
/// Alone, a packet of a 1500-byte MTU sits in one 2 KiB allocation (frame, headroom and the trailing bookkeeping fit).
/// A packet larger than a page uses several whole pages. GRO attaches further packets as fragments of half a page each,
/// or of whole pages if they are larger.
pub(super) fn segment_memory_bytes(payload_bytes: u32, packets: u8) -> u32 {
    let packets = u32::from(packets.max(1));
    let frame_bytes = payload_bytes.div_ceil(packets) + HEADERS_BYTES;
    let linear_bytes = frame_bytes + HEADROOM_BYTES + SHARED_INFO_BYTES;
    if packets == 1 && linear_bytes <= PAGE_BYTES {
        return SK_BUFF_BYTES + linear_bytes.next_power_of_two().max(SMALL_HEAD_BYTES);
    }
    let fragment_bytes =
        if frame_bytes <= PAGE_BYTES / 2 { PAGE_BYTES / 2 } else { frame_bytes.next_multiple_of(PAGE_BYTES) };
    SK_BUFF_BYTES + SMALL_HEAD_BYTES + packets * fragment_bytes
}

/// Memory of `payload_bytes` after the kernel has copied them into densely filled pages (`tcp_collapse`), which it does
/// when the buffer overflows with little payload.
pub(super) fn collapsed_memory_bytes(payload_bytes: u32) -> u32 {
    payload_bytes.div_ceil(PAGE_BYTES - SHARED_INFO_BYTES).saturating_mul(PAGE_BYTES + SK_BUFF_BYTES)
}

/// Window per buffer in 256ths, before the first segment gives the true ratio: half since Linux 6.10
/// (`TCP_DEFAULT_SCALING_RATIO`), so that a connection starts with a window of 64 KiB.
pub(super) const INITIAL_SCALING_RATIO: u8 = 128;

const PAGE_BYTES: u32 = 4096;
/// `struct sk_buff`, aligned to a cache line, on a 64-bit machine.
const SK_BUFF_BYTES: u32 = 256;
/// `struct skb_shared_info`, aligned.
const SHARED_INFO_BYTES: u32 = 320;
/// Headroom that drivers leave in front of a frame.
const HEADROOM_BYTES: u32 = 64;
/// Ethernet, IPv4, TCP with timestamps.
const HEADERS_BYTES: u32 = 14 + 20 + 32;
/// Smallest head that the network stack allocates.
const SMALL_HEAD_BYTES: u32 = 704;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_of_usual_packets() {
        assert_eq!(segment_memory_bytes(1448, 1), 2304, "MTU 1500");
        assert_eq!(segment_memory_bytes(100, 1), 256 + 1024, "a small one");
        assert_eq!(segment_memory_bytes(8948, 1), 256 + 704 + 3 * 4096, "MTU 9000");
        assert_eq!(segment_memory_bytes(10 * 1448, 10), 256 + 704 + 10 * 2048, "merged by GRO");
    }
}
