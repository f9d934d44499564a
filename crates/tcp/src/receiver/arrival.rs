//! Processing of an arriving segment: acceptability, new data, and updates of the estimators (RFC 9293 §3.10.7.4).

use super::ack_schedule::MAX_QUICK_ACKS;
use super::ecn::QUICK_ACKS_AFTER_MARK;
use super::out_of_order::Range;
use super::{memory, rto_ns, AckNeed, EcnMark, Receiver};
use crate::segment::{flags, timestamp_ms, Segment};

impl Receiver {
    /// The peer's SYN arrives: its timestamp is the first to be echoed (RFC 7323 §3.2).
    pub fn on_syn(&mut self, segment: &Segment) {
        if segment.has_timestamps {
            self.timestamps.on_segment(segment, self.window.last_ack_sent);
        }
    }

    /// Handles an arriving segment (after GRO), with payload, FIN, or neither: a pure ACK still has a timestamp and may
    /// be a window probe. `mark` is its ECN mark, or a bool for CE; `srtt_us` is 8 times the smoothed RTT of this
    /// endpoint's sending half, as `TcpSock` has it, 0 for none.
    #[inline]
    pub fn on_data(&mut self, now_ns: u64, segment: &Segment, mark: impl Into<EcnMark>, srtt_us: u32) -> AckNeed {
        self.srtt_us = srtt_us / 8;
        let end = segment.end_seq();
        let occupies = end > segment.seq;
        if occupies && segment.has_timestamps && self.timestamps.is_too_old(segment) {
            return self.reject(now_ns, segment);
        }
        // RFC 9293 §3.10.7.4: acceptable if it ends at or after the last ACK and starts in the window.
        let remaining = self.window.remaining(self.next);
        if end < self.window.last_ack_sent || segment.seq > self.next + u64::from(remaining) {
            return self.reject(now_ns, segment);
        }
        if segment.has_timestamps {
            self.timestamps.on_segment(segment, self.window.last_ack_sent);
            let full_sized = end - segment.seq >= u64::from(self.acks.receive_mss);
            let prompt = self.config.prompt_rtt;
            self.rtt.on_echo(timestamp_ms(now_ns), segment.tsecr, full_sized, prompt);
        }
        let mark = mark.into();
        if self.ecn.is_accurate {
            self.count_mark(segment, mark);
        }
        if !occupies {
            // Enough pure ACKs were marked to be acknowledged (RFC 9768 §3.2.2.5.1).
            return if self.ecn.is_accurate && self.acks.now { AckNeed::Now } else { AckNeed::None };
        }
        // RFC 3168 §6.1.3: the sender has reacted. Its window may be tiny, so the ACK does not wait.
        if segment.flags & flags::CWR != 0 && !self.ecn.is_accurate {
            // An algorithm that echoes marks itself has already decided.
            self.ecn.demand_cwr &= self.ecn.by_algorithm;
            self.acks.now = true;
        }
        self.sack.clear_duplicate();
        // A FIN needs no room and is accepted with a closed window, too.
        if segment.seq == self.next && (remaining > 0 || segment.len == 0) {
            self.on_in_order(now_ns, segment, mark, end)
        } else {
            self.on_other(now_ns, segment, mark, end, remaining)
        }
    }

    #[inline]
    fn on_in_order(&mut self, now_ns: u64, segment: &Segment, mark: EcnMark, end: u64) -> AckNeed {
        let memory_bytes = self.memory_of(segment);
        if self.window.is_overcommitted() && !self.make_room(segment.seq) {
            self.acks.out_of_memory = true;
            self.acks.now = true;
            if self.readable_bytes() > 0 && segment.len > 0 {
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
            self.end_of_stream = end;
        }
        let behind_a_hole = !self.out_of_order.is_empty();
        if behind_a_hole {
            self.take_from_out_of_order();
        }
        if self.is_finished() {
            // An application that reads the end of the stream closes at once, and its FIN carries the ACK. If it has
            // closed before, the ACK is sent now.
            self.acks.enter_interactive();
            self.acks.now |= self.closing;
            self.sack.clear();
            self.sack.clear_duplicate();
        }
        self.check(now_ns, behind_a_hole)
    }

    /// Handles every segment except in-order data within the window.
    fn on_other(&mut self, now_ns: u64, segment: &Segment, mark: EcnMark, end: u64, remaining: u32) -> AckNeed {
        if end <= self.next {
            self.sack_duplicate(Range { start: segment.seq, end });
            self.counters.duplicate_segments += 1;
            return self.ack_quickly(now_ns);
        }
        if segment.seq < self.next {
            self.sack_duplicate(Range { start: segment.seq, end: self.next });
        }
        // With a closed window, this is a window probe (RFC 9293 §3.8.6.1).
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
        if self.config.ecn && self.ecn.on_data(mark) {
            self.acks.enter_quick_mode(QUICK_ACKS_AFTER_MARK, self.window.offered);
        }
        if self.window.is_overcommitted() && !self.make_room(segment.seq) {
            self.counters.rejected_segments += 1;
            return AckNeed::None;
        }
        self.acks.scheduled = true;
        if segment.flags & flags::FIN != 0 {
            self.end_of_stream = end;
        }
        let memory_bytes = self.memory_of(segment);
        let range = Range { start: segment.seq, end };
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
        if self.config.prompt_right_sizing {
            let reach = self.out_of_order.reach(self.next);
            self.right_sizing.on_out_of_order(&self.rtt, reach, &self.config, &mut self.window);
        }
        if self.config.sack {
            let index = self.sack.touch(range);
            // An ACK is only sure to carry the first blocks. A block that would move further back while its ACK is
            // compressed must be sent before; here the ACK of this segment carries it.
            if index >= BLOCKS_SURE_TO_FIT && self.compressed.is_delaying() {
                return AckNeed::Now;
            }
        }
        self.check(now_ns, true)
    }

    /// Updates the estimators with a new in-order data segment: segment size, timing, and payload per memory.
    #[inline]
    fn learn(&mut self, now_ns: u64, segment: &Segment, mark: EcnMark, memory_bytes: u32) {
        let packets = u32::from(segment.merged.max(1));
        let packet_bytes = if packets == 1 { segment.len } else { segment.len.div_ceil(packets) };
        let push = segment.flags & flags::PSH != 0;
        if self.acks.measure_segment(packet_bytes, push, self.window.advertised_mss)
            && self.config.adv_win_scale.is_none()
            && self.window.learn_ratio(segment.len, memory_bytes, !self.config.prompt_rtt)
        {
            self.right_sizing.space = self.right_sizing.space.min(self.window.clamp);
        }
        self.rtt.on_in_order_data(now_ns, self.next, self.window.offered);
        let srtt_us = self.srtt_us;
        self.acks.on_in_order_data(now_ns, self.window.offered, || rto_ns(srtt_us));
        if self.config.ecn && self.ecn.on_data(mark) {
            self.acks.enter_quick_mode(QUICK_ACKS_AFTER_MARK, self.window.offered);
        }
        if segment.len >= MINIMUM_GROWTH_BYTES && self.window.grow(segment.len, memory_bytes, self.acks.receive_mss) {
            self.acks.quick |= 1;
        }
    }

    /// A hole was filled: delivers the data behind it.
    fn take_from_out_of_order(&mut self) {
        let (next, memory_bytes, overlap) = self.out_of_order.advance(self.next);
        self.next = next;
        self.readable_memory_bytes += memory_bytes;
        if let Some(overlap) = overlap {
            if self.config.sack && self.config.duplicate_sack {
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

    /// RFC 9293 §3.10.7.4: an unacceptable segment is dropped and answered by an ACK, with a rate limit for segments
    /// without payload, which may be answers.
    #[cold]
    fn reject(&mut self, now_ns: u64, segment: &Segment) -> AckNeed {
        self.counters.rejected_segments += 1;
        if segment.end_seq() == segment.seq {
            if !self.may_challenge(now_ns) {
                return AckNeed::None;
            }
        } else if segment.seq < self.next {
            self.acks.enter_quick_mode(MAX_QUICK_ACKS, self.window.offered);
            self.sack_duplicate(Range { start: segment.seq, end: segment.end_seq().min(self.next) });
        }
        AckNeed::Now
    }

    /// Rate limit of ACKs for unacceptable segments, which prevents ACK loops between two hosts.
    pub(crate) fn may_challenge(&mut self, now_ns: u64) -> bool {
        let recent = self.last_rejection_ns.is_some_and(|last_ns| now_ns - last_ns < REJECTION_INTERVAL_NS);
        if !recent {
            self.last_rejection_ns = Some(now_ns);
        }
        !recent
    }

    /// The queues exceed the buffer: enlarges the buffer, then collapses data into dense pages, then drops the highest
    /// out-of-order data, down to the segment that needs the room.
    #[cold]
    fn make_room(&mut self, floor: u64) -> bool {
        self.acks.quick = 0;
        self.window.on_overcommit();
        if !self.window.is_overcommitted() {
            return true;
        }
        let dense = memory::collapsed_memory_bytes(self.readable_bytes() as u32);
        self.readable_memory_bytes = self.readable_memory_bytes.min(dense);
        self.out_of_order.collapse(memory::collapsed_memory_bytes(self.out_of_order.bytes() as u32));
        self.window.used_bytes = self.readable_memory_bytes + self.out_of_order.memory_bytes();
        let portion = self.window.buffer_bytes / 8;
        while self.window.is_overcommitted() && self.out_of_order.drop_highest(floor, portion, self.acks.receive_mss) {
            // SACKed data may have been dropped, which RFC 2018 §8 allows; its blocks are not repeated.
            self.sack.clear();
            self.window.used_bytes = self.readable_memory_bytes + self.out_of_order.memory_bytes();
        }
        !self.window.is_overcommitted()
    }

    #[inline]
    fn memory_of(&mut self, segment: &Segment) -> u32 {
        if (self.last_cost.0, self.last_cost.1) != (segment.len, segment.merged) {
            self.last_cost = (segment.len, segment.merged, memory::segment_memory_bytes(segment.len, segment.merged));
        }
        self.last_cost.2
    }

    pub(super) fn sack_duplicate(&mut self, range: Range) {
        if self.config.sack && self.config.duplicate_sack {
            self.sack.set_duplicate(range);
        }
    }
}

/// Blocks that fit into an ACK with a timestamp and a D-SACK.
const BLOCKS_SURE_TO_FIT: usize = 2;
/// Smaller segments do not show how well the buffer is filled.
const MINIMUM_GROWTH_BYTES: u32 = 128;
/// Minimum interval of answers to unacceptable segments without payload (`tcp_invalid_ratelimit`).
const REJECTION_INTERVAL_NS: u64 = 500_000_000;
