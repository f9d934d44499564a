//! Selective acknowledgements (RFC 2018, RFC 6675) and D-SACK (RFC 2883).

use super::ack_info::{meaning::*, AckInfo};
use super::scoreboard::{SegmentNumber, EVER_RETRANSMITTED, LOST, RETRANSMISSION_OUT, SACKED};
use super::{delivery_rate, rack, Sender};
use crate::segment::{Segment, MAX_SACK_BLOCKS};
use fairlane_congestion_control::sock::CaState;

impl Sender {
    /// The end of the highest SACKed data, or `snd_una` when nothing is SACKed.
    pub(super) fn sack_frontier_seq(&self) -> u64 {
        if self.sock.sacked_out > 0 && self.sack_frontier > self.board.first() {
            self.board.end_seq(self.sack_frontier - 1)
        } else {
            self.snd_una
        }
    }

    /// Marks segments that the SACK blocks of `segment` cover.
    pub(super) fn process_sack_blocks(&mut self, segment: &Segment, info: &mut AckInfo) {
        // An ACK older than a window does not describe the current scoreboard.
        if segment.ack + u64::from(self.sock.max_window) < info.prior_snd_una {
            return;
        }
        let mut blocks = [(0_u64, 0_u64); MAX_SACK_BLOCKS];
        let mut count = 0;
        for block in segment.sack_blocks() {
            blocks[count] = block;
            count += 1;
        }
        let first_is_duplicate = self.check_dsack(segment.ack, &blocks[..count], info);
        if self.sock.packets_out == 0 {
            return;
        }
        if first_is_duplicate && blocks[0].1 > info.prior_snd_una {
            self.mark_duplicate_range(blocks[0], info);
        }
        let new_blocks = &mut blocks[usize::from(first_is_duplicate)..count];
        new_blocks.sort_unstable();
        let mut known = [(0, 0); MAX_SACK_BLOCKS];
        for (slot, &mut (start, end)) in known.iter_mut().zip(new_blocks.iter_mut()) {
            // A block must lie within the outstanding data; any other is stale or forged.
            if start >= end || start <= self.snd_una || end > self.snd_nxt {
                continue;
            }
            self.mark_block(start, end, info);
            *slot = (start, end);
        }
        self.known_blocks = known;
        if self.sock.ca_state() != CaState::Loss || self.undo.is_possible() {
            self.note_reordering(info.reordered_from);
        }
    }

    /// Recognises a D-SACK: a first block below the cumulative ACK, or inside the second block (RFC 2883 section 4).
    fn check_dsack(&mut self, ack: u64, blocks: &[(u64, u64)], info: &mut AckInfo) -> bool {
        let Some(&(start, end)) = blocks.first() else { return false };
        let duplicate = start < ack
            || blocks.get(1).is_some_and(|&(second_start, second_end)| end <= second_end && start >= second_start);
        if !duplicate || start >= end {
            return false;
        }
        let bytes = end - start;
        if bytes > u64::from(self.sock.max_window) {
            return true; // not plausible, but formally a D-SACK
        }
        let packets = (bytes.div_ceil(u64::from(self.sock.mss_cache)) as u32).max(1);
        if packets == 1 && self.tlp_high_seq == Some(end) {
            info.bits |= DSACK_OF_PROBE;
        }
        self.sock.dsack_dups += packets;
        // More duplicates than retransmissions: the network duplicated packets.
        if self.sock.dsack_dups > self.sock.total_retrans {
            return true;
        }
        if self.sock.reord_seen > 0 && info.bits & DSACK_OF_PROBE == 0 {
            self.sock.rack_dsack_seen = 1;
        }
        info.bits |= DSACK;
        info.sack_delivered += packets;
        if end <= info.prior_snd_una {
            self.undo.on_duplicates(&mut self.sock, end, packets);
        }
        true
    }

    /// A D-SACK for data that was outstanding when it arrived. Data that the same segment acknowledges only counts as a
    /// duplicate; the retransmission of the rest is no longer in flight.
    fn mark_duplicate_range(&mut self, (start, end): (u64, u64), info: &mut AckInfo) {
        let mut number = self.board.find(start.max(info.prior_snd_una), self.sock.mss_cache);
        while number < self.board.end() && self.board.end_seq(number) <= end {
            let segment = self.board.get(number);
            if segment.has(EVER_RETRANSMITTED) {
                self.undo.on_duplicates(&mut self.sock, segment.end_seq(), 1);
                if segment.has(SACKED) {
                    info.reordered_from = info.reordered_from.min(segment.seq);
                }
            }
            if segment.end_seq() <= self.snd_una {
                number += 1;
                continue;
            }
            if !segment.has(SACKED) {
                self.mark_sacked(number, info);
            }
            if self.board.has(number, RETRANSMISSION_OUT) {
                self.board.clear(number, RETRANSMISSION_OUT);
                self.sock.retrans_out -= 1;
            }
            number += 1;
        }
    }

    /// Marks one block, skipping ranges that the previous acknowledgement marked already.
    fn mark_block(&mut self, start: u64, end: u64, info: &mut AckInfo) {
        let known = self.known_blocks;
        let mut seq = start;
        let mut number = None;
        'walk: while seq < end {
            for (known_start, known_end) in known {
                if known_start <= seq && seq < known_end {
                    seq = known_end;
                    number = None;
                    continue 'walk;
                }
            }
            let at = number.unwrap_or_else(|| self.board.find(seq, self.sock.mss_cache));
            if at >= self.board.end() {
                return;
            }
            let segment = self.board.get(at);
            let segment_end = segment.end_seq();
            if segment_end > end {
                return; // partly covered: it may not be complete
            }
            if segment.seq >= start && !segment.has(SACKED) {
                self.mark_sacked(at, info);
            }
            seq = segment_end;
            number = Some(at + 1);
        }
    }

    /// One segment is newly SACKed.
    fn mark_sacked(&mut self, number: SegmentNumber, info: &mut AckInfo) {
        let mut segment = self.board.get(number);
        rack::on_delivered(&mut self.sock, segment.has(EVER_RETRANSMITTED), segment.end_seq(), segment.sent_us);
        let mut flags = segment.flags;
        if segment.has(RETRANSMISSION_OUT) {
            // Unless it was marked lost, its retransmission still counts as in flight.
            if segment.has(LOST) {
                flags &= !(LOST | RETRANSMISSION_OUT);
                self.sock.lost_out -= 1;
                self.sock.retrans_out -= 1;
            }
        } else {
            if !segment.has(EVER_RETRANSMITTED) {
                // An original that arrives after later ones: reordering.
                if number < self.sack_frontier {
                    info.reordered_from = info.reordered_from.min(segment.seq);
                }
                if segment.end_seq() <= self.high_seq {
                    info.bits |= ORIGINAL_ACKED;
                }
                info.first_sacked_us = info.first_sacked_us.or(Some(segment.sent_us));
                info.last_sacked_us = segment.sent_us;
            }
            if segment.has(LOST) {
                flags &= !LOST;
                self.sock.lost_out -= 1;
            }
        }
        flags |= SACKED;
        info.bits |= DATA_SACKED;
        info.sack_delivered += 1;
        self.sock.sacked_out += 1;
        self.sack_frontier = self.sack_frontier.max(number + 1);
        segment.flags = flags;
        delivery_rate::on_delivered(&mut self.sock, &mut segment, &mut info.rate);
        self.board.set(number, &segment);
    }

    /// Records the degree of reordering, for RACK's reordering window and for window growth.
    pub(super) fn note_reordering(&mut self, low_seq: u64) {
        let frontier = self.sack_frontier_seq();
        if low_seq >= frontier {
            return;
        }
        let mss = u64::from(self.sock.mss_cache);
        let distance = frontier - low_seq;
        if distance > u64::from(self.sock.reordering) * mss {
            self.sock.reordering = (distance.div_ceil(mss) as u32).min(self.config.max_reordering_packets);
        }
        self.sock.reord_seen += 1;
    }
}
