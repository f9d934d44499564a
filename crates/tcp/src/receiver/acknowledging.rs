//! The decision to acknowledge, the content of ACKs, and the effect of the application's reading.

use super::ack_schedule::MAX_QUICK_ACKS;
use super::{rto_ns, sack_option_bytes, AckNeed, Receiver};
use crate::segment::{flags, Segment};

impl Receiver {
    /// The current deadline for [`Self::on_timer`]; `u64::MAX` for none. A call by an older value has no effect, so a
    /// caller need not cancel its wake-up when an ACK stops a timer.
    #[inline]
    pub fn deadline_ns(&self) -> u64 {
        self.acks.deadline_ns().min(self.compressed.deadline_ns())
    }

    /// Runs the delayed-ACK timer and the timer of compressed duplicate ACKs, if due.
    pub fn on_timer(&mut self, now_ns: u64) -> AckNeed {
        let compressed = self.compressed.deadline_ns() <= now_ns;
        let delayed = self.acks.on_timer(now_ns, rto_ns(self.srtt_us));
        need(compressed || delayed)
    }

    /// Writes the acknowledgement into an outgoing segment, data or pure ACK: `ack`, window, SACK and D-SACK blocks,
    /// echoed timestamp, ECE. The ACK counts as sent. The caller sets `tsval`.
    #[inline]
    pub fn fill_ack(&mut self, now_ns: u64, segment: &mut Segment) {
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
        if self.ecn.is_accurate {
            self.write_accecn(segment);
        }
        segment.window = if self.acks.out_of_memory {
            self.window.close(self.next);
            0
        } else if segment.flags & flags::SYN != 0 {
            self.window.offered // not scaled, therefore not rounded (RFC 7323 section 2.2)
        } else {
            let selected = self.select_window();
            self.window.offer(selected, self.next)
        };
        self.compressed.on_ack_sent();
        self.acks.on_ack_sent();
        self.acks_sent += 1;
        if std::mem::take(&mut self.reads_after_ack) {
            let readable = self.readable_bytes();
            self.update_due = readable > 0 && self.take(now_ns, readable);
        }
    }

    /// Whether all segments that leave now carry the same ACK: no part of it is sent only once or changed by sending
    /// it.
    #[inline]
    pub(crate) fn next_acks_are_alike(&self) -> bool {
        !self.reads_after_ack && !self.acks.out_of_memory && self.sack.is_empty() && !self.ecn.is_accurate
    }

    /// As [`fill_ack`](Self::fill_ack), for a segment that leaves right after `first`.
    #[inline]
    pub(crate) fn repeat_ack(&mut self, first: &Segment, segment: &mut Segment) {
        segment.ack = first.ack;
        segment.window = first.window;
        segment.flags |= first.flags & (flags::ACK | flags::ECE);
        segment.has_timestamps = first.has_timestamps;
        segment.tsecr = first.tsecr;
        self.acks_sent += 1;
    }

    /// Returns whether reading after the last ACK made another one due, and clears that state.
    #[inline]
    pub(crate) fn take_update_due(&mut self) -> bool {
        std::mem::take(&mut self.update_due)
    }

    /// The application reads up to `bytes` (when `auto_read` is off).
    pub fn read(&mut self, now_ns: u64, bytes: u64) -> AckNeed {
        let bytes = bytes.min(self.readable_bytes());
        need(bytes > 0 && self.take(now_ns, bytes))
    }

    /// This endpoint sent data, after [`Self::fill_ack`]. Early replies make the connection an interactive one, in
    /// which data carries the ACKs.
    pub fn on_data_sent(&mut self, now_ns: u64) {
        self.acks.on_data_sent(now_ns);
    }

    /// Decides about the ACK for an accepted segment, and lets the application read.
    #[inline]
    pub(super) fn check(&mut self, now_ns: u64, behind_a_hole: bool) -> AckNeed {
        let decided = self.decide(now_ns, behind_a_hole);
        if self.config.auto_read {
            if decided {
                // The ACK leaves before the application runs, so its window excludes the data that will be read.
                self.reads_after_ack = true;
                return AckNeed::Now;
            }
            let readable = self.readable_bytes();
            if readable > 0 && self.take(now_ns, readable) {
                return AckNeed::Now;
            }
        }
        need(decided)
    }

    #[inline]
    fn decide(&mut self, now_ns: u64, behind_a_hole: bool) -> bool {
        // RFC 5681 §4.2: at least every second full-sized segment, unless the window would shrink because the
        // application has not read yet; then its reading sends the ACK.
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

    /// The sender seems to be out of sync: acknowledges now, and the next segments one by one.
    pub(super) fn ack_quickly(&mut self, now_ns: u64) -> AckNeed {
        self.acks.enter_quick_mode(MAX_QUICK_ACKS, self.window.offered);
        self.acks.scheduled = true;
        need(self.decide(now_ns, true))
    }

    /// The application reads `bytes`; true if that makes an ACK due.
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
        if self.right_sizing.is_due(now_ns, &self.rtt) {
            let reach = self.out_of_order.reach(self.next);
            self.right_sizing.on_round(now_ns, self.read_up_to, &self.rtt, reach, &self.config, &mut self.window);
        }
        if self.acks.scheduled
            && (self.next - self.window.last_ack_sent > u64::from(self.acks.receive_mss)
                || (self.acks.ack_when_emptied() && self.window.used_bytes == 0))
        {
            return true;
        }
        // Announce a window that reading opened only if it at least doubles (RFC 9293 §3.8.6.2.2).
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

    pub(super) fn write_sack_blocks(&mut self, segment: &mut Segment) {
        // A retransmitted segment keeps its length and may have no room for blocks.
        let room_bytes = self.sent_mss.saturating_sub(segment.len);
        let most = self.max_sack_blocks();
        let fit = (1..=most).rev().find(|&blocks| sack_option_bytes(blocks) <= room_bytes);
        let Some(fit) = (if segment.len == 0 { Some(most) } else { fit }) else { return };
        for (start, end) in self.sack.iter().take(fit) {
            segment.push_sack(start, end);
        }
        self.sack.clear_duplicate();
    }

    /// RFC 2018 §3: 40 bytes of options hold 4 blocks, or 3 with a timestamp. RFC 9768 §3.2.3.3: an AccECN option has
    /// priority over the third.
    pub(super) fn max_sack_blocks(&self) -> usize {
        if self.accecn_option_bytes() > 0 {
            Segment::SACK_BLOCKS_WITH_ACCECN
        } else if self.config.timestamps {
            3
        } else {
            4
        }
    }
}

fn need(ack: bool) -> AckNeed {
    if ack {
        AckNeed::Now
    } else {
        AckNeed::None
    }
}
