//! The receiving half of a TCP endpoint: takes segments, says when to acknowledge and with what.
//!
//! What belongs here: reassembly, SACK and D-SACK blocks, delayed and quick ACKs, ACK compression, the
//! receive window with its autotuning, the echo of timestamps and of ECN marks, and GRO, which merges
//! segments before TCP sees them. What does not: building segments, and payload (bytes are only
//! counted). `Receiver` holds the connection together; each file beside it is one mechanism.
//!
//! Sequence numbers are 64-bit stream offsets, so nothing wraps. A call that returns [`AckNeed::Now`]
//! expects [`Receiver::fill_ack`] at the same instant, for a pure ACK or for data that leaves anyway.

mod ack_schedule;
mod compressed_sack;
mod config;
mod ecn;
mod gro;
mod memory;
mod out_of_order;
mod right_sizing;
mod sack_blocks;
mod timestamps;
mod window;

#[cfg(test)]
mod tests;

pub use config::ReceiverConfig;
pub use ecn::EcnMark;
pub use gro::{Flush, Gro};
pub use timestamps::timestamp_ms;

use crate::segment::{flags, Segment};
use ack_schedule::{AckSchedule, DEFAULT_MSS, MAX_QUICK_ACKS};
use compressed_sack::CompressedSack;
use ecn::{EcnEcho, QUICK_ACKS_AFTER_MARK};
use out_of_order::{OutOfOrderQueue, Range};
use right_sizing::{ReceiverRtt, RightSizing};
use sack_blocks::SackBlocks;
use timestamps::Timestamps;
use window::Window;

/// Whether an acknowledgement must leave at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum AckNeed {
    None,
    Now,
}

/// What arrived that was of no use, for the statistics.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReceiverCounters {
    /// Segments that brought no new byte.
    pub duplicate_segments: u64,
    /// Segments that came behind a hole.
    pub out_of_order_segments: u64,
    /// Segments beyond the window, too old by their timestamp, or without room.
    pub rejected_segments: u64,
    pub acks_sent: u64,
}

/// The receiving half of one connection, from the end of the handshake on.
#[derive(Clone, Debug)]
pub struct Receiver {
    /// Next byte expected.
    next: u64,
    /// Next byte that the application will read.
    read_up_to: u64,
    /// Memory of what waits for the application.
    readable_memory_bytes: u32,
    window: Window,
    acks: AckSchedule,
    timestamps: Timestamps,
    rtt: ReceiverRtt,
    right_sizing: RightSizing,
    ecn: EcnEcho,
    out_of_order: OutOfOrderQueue,
    sack: SackBlocks,
    compressed: CompressedSack,
    /// Offset after the FIN, once one was seen.
    end_of_stream: Option<u64>,
    /// Smoothed RTT of this endpoint's sending half in microseconds, 0 for none.
    srtt_us: u32,
    last_rejection_ns: Option<u64>,
    /// Payload and packets of the last segment, and its memory: mostly the next one is alike.
    last_cost: (u32, u8, u32),
    counters: ReceiverCounters,
    config: ReceiverConfig,
}

impl Receiver {
    /// A receiver whose handshake ended at `now_ns`; the first payload byte has offset 1.
    pub fn new(config: ReceiverConfig, now_ns: u64) -> Self {
        let advertised_mss = config.advertised_mss();
        let window = Window::new(
            config.rmem_initial_bytes,
            config.rmem_max_bytes,
            config.window_scale,
            config.mss,
            advertised_mss,
            FIRST_BYTE,
        );
        let receive_mss = config.mss.min(window.offered / 2).clamp(1, DEFAULT_MSS);
        Self {
            next: FIRST_BYTE,
            read_up_to: FIRST_BYTE,
            readable_memory_bytes: 0,
            right_sizing: RightSizing::new(now_ns, FIRST_BYTE, &window, advertised_mss),
            window,
            acks: AckSchedule::new(config.jiffy_ns, config.pingpong_threshold, receive_mss),
            timestamps: Timestamps::default(),
            rtt: ReceiverRtt::default(),
            ecn: EcnEcho::default(),
            out_of_order: OutOfOrderQueue::new(),
            sack: SackBlocks::default(),
            compressed: CompressedSack::new(
                config.compressed_sack_packets,
                config.compressed_sack_delay_ns,
                config.compressed_sack_slack_ns,
            ),
            end_of_stream: None,
            srtt_us: 0,
            last_rejection_ns: None,
            last_cost: (0, 0, 0),
            counters: ReceiverCounters::default(),
            config,
        }
    }

    /// Handles an arriving segment (after GRO), with payload, FIN, or neither: a pure ACK still brings a
    /// timestamp and may be a window probe. `mark` is its ECN mark, or a bool for CE; `srtt_us` is 8
    /// times the smoothed RTT of this endpoint's sending half, as `TcpSock` has it, 0 for none.
    #[inline]
    pub fn on_data(&mut self, now_ns: u64, segment: &Segment, mark: impl Into<EcnMark>, srtt_us: u32) -> AckNeed {
        self.srtt_us = srtt_us / 8;
        let end = segment.end_seq();
        let occupies = end > segment.seq;
        if occupies && segment.has_timestamps && self.timestamps.is_too_old(segment) {
            return self.reject(now_ns, segment);
        }
        // RFC 9293 §3.10.7.4: acceptable if it ends at or behind the last ACK and starts in the window.
        let remaining = self.window.remaining(self.next);
        if end < self.window.last_ack_sent || segment.seq > self.next + u64::from(remaining) {
            return self.reject(now_ns, segment);
        }
        if segment.has_timestamps {
            self.timestamps.on_segment(segment, self.window.last_ack_sent);
            let full_sized = end - segment.seq >= u64::from(self.acks.receive_mss);
            self.rtt.on_echo(timestamp_ms(now_ns), segment.tsecr, full_sized);
        }
        if !occupies {
            return AckNeed::None;
        }
        // RFC 3168 §6.1.3: the sender has reacted. Its window may be tiny, so the ACK does not wait.
        if segment.flags & flags::CWR != 0 {
            self.ecn.demand_cwr = false;
            self.acks.now = true;
        }
        self.sack.clear_duplicate();
        let mark = mark.into();
        if segment.seq == self.next && remaining > 0 {
            self.on_in_order(now_ns, segment, mark, end)
        } else {
            self.on_other(now_ns, segment, mark, end, remaining)
        }
    }

    /// The peer's SYN: its timestamp is the first to be echoed (RFC 7323 §3.2).
    pub fn on_syn(&mut self, segment: &Segment) {
        if segment.has_timestamps {
            self.timestamps.on_segment(segment, self.window.last_ack_sent);
        }
    }

    /// The earliest time at which [`Self::on_timer`] has something to do. It only ever moves to a later
    /// time or away when an ACK is sent, so a caller may wake up by an old value: that does no harm.
    #[inline]
    pub fn next_deadline_ns(&self) -> Option<u64> {
        match (self.acks.deadline_ns(), self.compressed.deadline_ns()) {
            (Some(delayed), Some(compressed)) => Some(delayed.min(compressed)),
            (delayed, compressed) => delayed.or(compressed),
        }
    }

    /// The delayed-ACK timer or the one of held-back duplicate ACKs may have run out.
    pub fn on_timer(&mut self, now_ns: u64) -> AckNeed {
        let compressed = self
            .compressed
            .deadline_ns()
            .is_some_and(|deadline_ns| deadline_ns <= now_ns);
        let delayed = self.acks.on_timer(now_ns, rto_ns(self.srtt_us));
        need(compressed || delayed)
    }

    /// Writes all that acknowledges into an outgoing segment, data or pure ACK: `ack`, window, SACK and
    /// D-SACK blocks, echoed timestamp, ECE. The ACK counts as sent. `tsval` is the sender's business.
    #[inline]
    pub fn fill_ack(&mut self, _now_ns: u64, segment: &mut Segment) {
        segment.ack = self.next;
        segment.flags |= flags::ACK;
        if self.config.ecn && self.ecn.demand_cwr {
            segment.flags |= flags::ECE;
        }
        if self.config.timestamps {
            segment.has_timestamps = true;
            segment.tsecr = self.timestamps.echo();
        }
        segment.sack_count = 0;
        if !self.sack.is_empty() {
            self.write_sack_blocks(segment);
        }
        segment.window = if self.acks.out_of_memory {
            self.window.close(self.next);
            0
        } else {
            let selected = self.select_window();
            self.window.offer(selected, self.next)
        };
        self.compressed.on_ack_sent();
        self.acks.on_ack_sent();
        self.counters.acks_sent += 1;
    }

    /// The application reads up to `bytes` (when `auto_read` is off).
    pub fn read(&mut self, now_ns: u64, bytes: u64) -> AckNeed {
        let bytes = bytes.min(self.readable_bytes());
        need(bytes > 0 && self.take(now_ns, bytes))
    }

    /// This endpoint sent data, and [`Self::fill_ack`] was called for it: a reply that soon makes the
    /// connection an interactive one, in which data carries the ACKs.
    pub fn on_data_sent(&mut self, now_ns: u64) {
        self.acks.on_data_sent(now_ns);
    }

    /// Next byte expected, that is the cumulative acknowledgement.
    #[inline]
    pub fn rcv_nxt(&self) -> u64 {
        self.next
    }

    /// Bytes that arrived in order, read or not.
    #[inline]
    pub fn delivered_bytes(&self) -> u64 {
        self.next - FIRST_BYTE - u64::from(self.is_finished())
    }

    /// Bytes that wait for the application.
    #[inline]
    pub fn readable_bytes(&self) -> u64 {
        self.next - u64::from(self.is_finished()) - self.read_up_to
    }

    /// Bytes that wait behind a hole.
    pub fn out_of_order_bytes(&self) -> u64 {
        self.out_of_order.bytes()
    }

    /// The peer's FIN and everything before it has arrived.
    #[inline]
    pub fn is_finished(&self) -> bool {
        self.end_of_stream == Some(self.next)
    }

    /// The window of the last ACK sent, in bytes.
    pub fn offered_window_bytes(&self) -> u32 {
        self.window.offered
    }

    /// Right edge of the window: no byte from here on may be sent.
    pub fn right_edge(&self) -> u64 {
        self.window.last_ack_sent + u64::from(self.window.offered)
    }

    /// Receive buffer as it is now, in memory (`sk_rcvbuf`).
    pub fn buffer_bytes(&self) -> u32 {
        self.window.buffer_bytes
    }

    /// The receiver's own estimate of the RTT (`rcv_rtt_us`, 0 for none).
    pub fn receiver_rtt_us(&self) -> u32 {
        (self.rtt.eighths_us / 8) as u32
    }

    /// SACK blocks that the next outgoing segment will carry; data has that much less room.
    pub fn sack_blocks_waiting(&self) -> usize {
        if self.config.sack {
            self.sack.len().min(self.max_sack_blocks())
        } else {
            0
        }
    }

    pub fn counters(&self) -> ReceiverCounters {
        self.counters
    }

    /// ECE is set on ACKs at present.
    pub fn echoes_congestion(&self) -> bool {
        self.ecn.demand_cwr
    }

    /// For algorithms with an echo of their own (DCTCP, RFC 8257 §3.2), which call it per segment,
    /// before [`Self::on_data`].
    pub fn set_echo(&mut self, echo: bool) {
        self.ecn.demand_cwr = echo;
    }

    /// The next decision is to acknowledge at once (as above: the mark has changed).
    pub fn demand_ack_now(&mut self) {
        self.acks.now = true;
    }

    /// An ACK is owed, now or later: false once any segment has carried it. After [`AckNeed::Now`] a
    /// caller may first send data, and ask here whether a pure ACK is still to follow.
    #[inline]
    pub fn owes_ack(&self) -> bool {
        self.acks.scheduled
    }

    /// An ACK waits for its timer; DCTCP sends it before it changes the echo.
    pub fn delayed_ack_armed(&self) -> bool {
        self.acks.delayed_ack_armed()
    }

    #[inline]
    fn on_in_order(&mut self, now_ns: u64, segment: &Segment, mark: EcnMark, end: u64) -> AckNeed {
        let memory_bytes = self.memory_of(segment);
        if self.window.is_overcommitted() && !self.make_room(segment.seq) {
            self.acks.out_of_memory = true;
            self.acks.now = true;
            if self.readable_bytes() > 0 {
                self.counters.rejected_segments += 1;
                return AckNeed::Now;
            }
        }
        self.readable_memory_bytes += memory_bytes;
        self.window.used_bytes += memory_bytes;
        self.next = end;
        if segment.len > 0 {
            self.learn(now_ns, segment, mark, memory_bytes);
        }
        if segment.flags & flags::FIN != 0 {
            self.end_of_stream = Some(end);
        }
        let behind_a_hole = !self.out_of_order.is_empty();
        if behind_a_hole {
            self.take_from_out_of_order();
        }
        if self.end_of_stream.is_some() && self.is_finished() {
            // An application that reads the end of the stream closes at once, and that carries the ACK.
            self.acks.now = true;
            self.acks.enter_interactive();
        }
        self.check(now_ns, behind_a_hole)
    }

    /// Everything but the next byte expected with room for it.
    fn on_other(&mut self, now_ns: u64, segment: &Segment, mark: EcnMark, end: u64, remaining: u32) -> AckNeed {
        if end <= self.next {
            self.sack_duplicate(Range {
                start: segment.seq,
                end,
            });
            self.counters.duplicate_segments += 1;
            return self.ack_quickly(now_ns);
        }
        if segment.seq < self.next {
            self.sack_duplicate(Range {
                start: segment.seq,
                end: self.next,
            });
        }
        // With a closed window this is a probe (RFC 9293 §3.8.6.1).
        if remaining == 0 || segment.seq >= self.next + u64::from(remaining) {
            self.counters.rejected_segments += 1;
            return self.ack_quickly(now_ns);
        }
        if segment.seq < self.next {
            return self.on_in_order(now_ns, segment, mark, end);
        }
        self.on_out_of_order(now_ns, segment, mark, end)
    }

    fn on_out_of_order(&mut self, now_ns: u64, segment: &Segment, mark: EcnMark, end: u64) -> AckNeed {
        self.counters.out_of_order_segments += 1;
        if self.ecn.on_data(mark) {
            self.acks.enter_quick_mode(QUICK_ACKS_AFTER_MARK, self.window.offered);
        }
        if self.window.is_overcommitted() && !self.make_room(segment.seq) {
            self.counters.rejected_segments += 1;
            return AckNeed::None;
        }
        self.acks.scheduled = true;
        if segment.flags & flags::FIN != 0 {
            self.end_of_stream = Some(end);
        }
        let memory_bytes = self.memory_of(segment);
        let range = Range {
            start: segment.seq,
            end,
        };
        let known_bytes = self.out_of_order.bytes();
        let overlap = self.out_of_order.insert(range, memory_bytes);
        self.window.used_bytes = self.readable_memory_bytes + self.out_of_order.memory_bytes();
        if let Some(overlap) = overlap {
            self.sack_duplicate(overlap);
        }
        if self.out_of_order.bytes() == known_bytes {
            self.counters.duplicate_segments += 1;
        } else if self.config.sack && self.window.grow(segment.len, memory_bytes, self.acks.receive_mss) {
            self.acks.quick |= 1;
        }
        if self.config.sack {
            let place = self.sack.touch(range);
            // An ACK is only sure to carry the first blocks. One that would drop further back while it
            // waits to be told has to go first; here it goes in the ACK of this segment.
            if place >= BLOCKS_SURE_TO_FIT && self.compressed.is_holding() {
                return AckNeed::Now;
            }
        }
        self.check(now_ns, true)
    }

    /// What every new in-order data segment teaches: sizes, timing, congestion, and how well it fills
    /// its memory.
    #[inline]
    fn learn(&mut self, now_ns: u64, segment: &Segment, mark: EcnMark, memory_bytes: u32) {
        let packets = u32::from(segment.merged.max(1));
        let packet_bytes = if packets == 1 {
            segment.len
        } else {
            segment.len.div_ceil(packets)
        };
        let push = segment.flags & flags::PSH != 0;
        if self
            .acks
            .measure_segment(packet_bytes, push, self.config.advertised_mss())
            && self.window.learn_ratio(segment.len, memory_bytes)
        {
            self.right_sizing.space = self.right_sizing.space.min(self.window.clamp);
        }
        self.rtt.on_in_order_data(now_ns, self.next, self.window.offered);
        let srtt_us = self.srtt_us;
        self.acks
            .on_in_order_data(now_ns, self.window.offered, || rto_ns(srtt_us));
        if self.ecn.on_data(mark) {
            self.acks.enter_quick_mode(QUICK_ACKS_AFTER_MARK, self.window.offered);
        }
        if segment.len >= MINIMUM_GROWTH_BYTES && self.window.grow(segment.len, memory_bytes, self.acks.receive_mss) {
            self.acks.quick |= 1;
        }
    }

    /// A hole was filled, perhaps not the last one.
    fn take_from_out_of_order(&mut self) {
        let (next, memory_bytes, overlap) = self.out_of_order.advance(self.next);
        self.next = next;
        self.readable_memory_bytes += memory_bytes;
        if let Some(overlap) = overlap {
            if self.config.sack {
                self.sack.extend_duplicate(overlap);
            }
        }
        if self.out_of_order.is_empty() {
            // RFC 5681 §4.2: an ACK at once when a segment fills a gap.
            self.acks.now = true;
            self.sack.clear();
        } else {
            self.sack.acknowledge(next);
        }
    }

    /// Decides about the ACK for a segment that was taken in, and lets the application read.
    #[inline]
    fn check(&mut self, now_ns: u64, behind_a_hole: bool) -> AckNeed {
        let decided = self.decide(now_ns, behind_a_hole);
        if self.config.auto_read {
            let readable = self.readable_bytes();
            if readable > 0 && self.take(now_ns, readable) {
                return AckNeed::Now;
            }
        }
        need(decided)
    }

    #[inline]
    fn decide(&mut self, now_ns: u64, behind_a_hole: bool) -> bool {
        // RFC 5681 §4.2: at least every second full-sized segment, unless the window would be told too
        // small before the application has read; then its reading sends the ACK.
        let unacknowledged = self.next - self.window.last_ack_sent;
        if unacknowledged > u64::from(self.acks.receive_mss)
            && (self.readable_bytes() == 0 || self.select_window() >= self.window.offered)
        {
            return true;
        }
        if self.acks.now || self.acks.in_quick_mode() {
            return true;
        }
        if !behind_a_hole || self.out_of_order.is_empty() {
            return self.acks.delay(now_ns, self.srtt_us);
        }
        // RFC 5681 §4.2: out of order, a duplicate ACK at once; several of them may be compressed.
        if !self.config.sack {
            return true;
        }
        let receiver_rtt_us = self.rtt.eighths_us / 8;
        let rtt_us = match u64::from(self.srtt_us) {
            0 => receiver_rtt_us,
            srtt_us => srtt_us.min(receiver_rtt_us),
        };
        self.compressed.send_now(now_ns, self.next, rtt_us)
    }

    /// The application takes `bytes`; true if that calls for an ACK.
    #[inline]
    fn take(&mut self, now_ns: u64, bytes: u64) -> bool {
        let readable = self.readable_bytes();
        let freed = if bytes == readable {
            self.readable_memory_bytes
        } else {
            (u64::from(self.readable_memory_bytes) * bytes / readable) as u32
        };
        self.readable_memory_bytes -= freed;
        self.window.used_bytes = self.readable_memory_bytes + self.out_of_order.memory_bytes();
        self.read_up_to += bytes;
        let grow = self.config.autotune.then(|| self.config.advertised_mss());
        self.right_sizing
            .on_read(now_ns, self.read_up_to, &self.rtt, grow, &mut self.window);
        if self.acks.scheduled
            && (self.next - self.window.last_ack_sent > u64::from(self.acks.receive_mss)
                || (self.acks.ack_when_emptied() && self.window.used_bytes == 0))
        {
            return true;
        }
        // Tell of a window that reading has opened, but only if it at least doubles (RFC 9293 §3.8.6.2.2).
        let remaining = self.window.remaining(self.next);
        if 2 * u64::from(remaining) <= u64::from(self.window.clamp) && !self.is_finished() {
            let selected = self.select_window();
            return selected > 0 && u64::from(selected) >= 2 * u64::from(remaining);
        }
        false
    }

    #[inline]
    fn select_window(&mut self) -> u32 {
        let (selected, crowded) = self.window.select(self.acks.receive_mss);
        if crowded {
            self.acks.quick = 0;
        }
        selected
    }

    /// RFC 9293 §3.10.7.4: an unacceptable segment is dropped and answered by an ACK. Without payload it
    /// may be an answer itself, so two hosts in disagreement are kept from a storm.
    #[cold]
    fn reject(&mut self, now_ns: u64, segment: &Segment) -> AckNeed {
        self.counters.rejected_segments += 1;
        if segment.end_seq() == segment.seq {
            if self
                .last_rejection_ns
                .is_some_and(|last_ns| now_ns - last_ns < REJECTION_INTERVAL_NS)
            {
                return AckNeed::None;
            }
            self.last_rejection_ns = Some(now_ns);
        } else if segment.seq < self.next {
            self.acks.enter_quick_mode(MAX_QUICK_ACKS, self.window.offered);
            self.sack_duplicate(Range {
                start: segment.seq,
                end: segment.end_seq().min(self.next),
            });
        }
        AckNeed::Now
    }

    /// The sender seems to be out of step: acknowledge now, and the coming segments one by one.
    fn ack_quickly(&mut self, now_ns: u64) -> AckNeed {
        self.acks.enter_quick_mode(MAX_QUICK_ACKS, self.window.offered);
        self.acks.scheduled = true;
        need(self.decide(now_ns, true))
    }

    fn sack_duplicate(&mut self, range: Range) {
        if self.config.sack {
            self.sack.set_duplicate(range);
        }
    }

    /// The queues take more memory than they may. First the buffer grows, then data is copied together,
    /// then out-of-order data is dropped from the top, down to the segment that needs the room.
    #[cold]
    fn make_room(&mut self, floor: u64) -> bool {
        self.acks.quick = 0;
        self.window.on_overcommit();
        if !self.window.is_overcommitted() {
            return true;
        }
        let dense = memory::collapsed_memory_bytes(self.readable_bytes() as u32);
        self.readable_memory_bytes = self.readable_memory_bytes.min(dense);
        self.out_of_order
            .collapse(memory::collapsed_memory_bytes(self.out_of_order.bytes() as u32));
        self.window.used_bytes = self.readable_memory_bytes + self.out_of_order.memory_bytes();
        let portion = self.window.buffer_bytes / 8;
        while self.window.is_overcommitted() && self.out_of_order.drop_highest(floor, portion, self.acks.receive_mss) {
            // What was SACKed may be gone; RFC 2018 §8 allows that, and the sender must not be misled further.
            self.sack.clear();
            self.window.used_bytes = self.readable_memory_bytes + self.out_of_order.memory_bytes();
        }
        !self.window.is_overcommitted()
    }

    #[inline]
    fn memory_of(&mut self, segment: &Segment) -> u32 {
        if (self.last_cost.0, self.last_cost.1) != (segment.len, segment.merged) {
            self.last_cost = (
                segment.len,
                segment.merged,
                memory::segment_memory_bytes(segment.len, segment.merged),
            );
        }
        self.last_cost.2
    }

    fn write_sack_blocks(&mut self, segment: &mut Segment) {
        for (start, end) in self.sack.iter().take(self.max_sack_blocks()) {
            segment.push_sack(start, end);
        }
        self.sack.clear_duplicate();
    }

    /// RFC 2018 §3: 40 bytes of options hold 4 blocks, or 3 beside a timestamp.
    fn max_sack_blocks(&self) -> usize {
        if self.config.timestamps {
            3
        } else {
            4
        }
    }
}

#[inline]
fn need(ack: bool) -> AckNeed {
    if ack {
        AckNeed::Now
    } else {
        AckNeed::None
    }
}

/// The retransmission time-out that this endpoint would use: in steady state RTT + 200 ms, and a second
/// before the first sample (RFC 6298 §2.1). The estimators here only ask whether a gap was long.
fn rto_ns(srtt_us: u32) -> u64 {
    match u64::from(srtt_us) {
        0 => 1_000_000_000,
        srtt_us => srtt_us * 1000 + 200_000_000,
    }
}

/// Offset 0 is the SYN.
const FIRST_BYTE: u64 = 1;
/// Blocks that an ACK has room for even beside a timestamp and a D-SACK.
const BLOCKS_SURE_TO_FIT: usize = 2;
/// Smaller segments say nothing about how well the buffer is filled.
const MINIMUM_GROWTH_BYTES: u32 = 128;
/// Least distance of answers to unacceptable segments without payload (`tcp_invalid_ratelimit`).
const REJECTION_INTERVAL_NS: u64 = 500_000_000;
