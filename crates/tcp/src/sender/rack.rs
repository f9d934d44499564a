//! RACK: loss detection by time (RFC 8985).
//!
//! A segment is lost when one that was sent later has been delivered, and a reordering window has passed
//! beyond the round-trip time of that delivery. Segments are examined in the order of their last
//! transmission. Originals leave in sequence order and retransmissions keep a list of their own, so that
//! no list of all segments has to be kept sorted.

use super::delivery_rate::sent_after;
use super::scoreboard::{SegmentNumber, SentSegment, EVER_RETRANSMITTED, LOST, RETRANSMISSION_OUT, SACKED};
use super::timers::TimerKind;
use super::{Sender, INITIAL_REORDERING_PACKETS};
use fairlane_congestion_control::sock::{CaState, TcpSock};

/// Recoveries that a widened reordering window lasts without another D-SACK (RFC 8985 section 6.2 step 4).
const REORDERING_WINDOW_PERSIST: u8 = 16;
/// Allowance for timer coarseness when the reordering timer is set (Linux's `TCP_TIMEOUT_MIN_US`).
pub(super) const TIMEOUT_MARGIN_US: u64 = 2_000;

impl Sender {
    /// A segment was delivered: the most recently sent one sets RACK's clock (RFC 8985 section 6.2 step 2).
    #[inline]
    pub(super) fn rack_advance(&mut self, retransmitted: bool, end_seq: u64, sent_us: u64) {
        let sock = &mut self.sock;
        let rtt_us = sock.tcp_mstamp.saturating_sub(sent_us) as u32;
        // Delivered quicker than any RTT: the ACK is for the original, not for the retransmission.
        if retransmitted && rtt_us < sock.min_rtt_us() {
            return;
        }
        sock.rack_advanced = 1;
        sock.rack_rtt_us = rtt_us;
        if sent_after(sent_us, sock.rack_mstamp, end_seq as u32, sock.rack_end_seq) {
            sock.rack_mstamp = sent_us;
            sock.rack_end_seq = end_seq as u32;
        }
    }

    /// Adapts the reordering window to D-SACKs, at most once per round trip (RFC 8985 section 6.2 step 4).
    pub(super) fn update_reordering_window(&mut self, prior_delivered: u32) {
        let sock = &mut self.sock;
        // Not valid without a sample of this round trip.
        if prior_delivered == 0 {
            return;
        }
        if (prior_delivered.wrapping_sub(sock.rack_last_delivered) as i32) < 0 {
            sock.rack_dsack_seen = 0;
        }
        if sock.rack_dsack_seen != 0 {
            sock.rack_reo_wnd_steps = sock.rack_reo_wnd_steps.saturating_add(1);
            sock.rack_dsack_seen = 0;
            sock.rack_last_delivered = sock.delivered;
            sock.rack_reo_wnd_persist = REORDERING_WINDOW_PERSIST;
        } else if sock.rack_reo_wnd_persist == 0 {
            sock.rack_reo_wnd_steps = 1;
        }
    }

    /// A recovery was undone: keep the wide window for longer.
    pub(super) fn prolong_reordering_window(&mut self) {
        self.sock.rack_reo_wnd_persist = (self.sock.rack_reo_wnd_persist + 1).min(REORDERING_WINDOW_PERSIST);
    }

    /// Marks what RACK considers lost; returns whether the reordering timer was set for suspected losses only.
    pub(super) fn rack_mark_lost(&mut self) -> bool {
        if self.sock.rack_advanced == 0 {
            return false;
        }
        self.sock.rack_advanced = 0;
        let suspect_us = self.rack_detect_loss();
        if suspect_us > 0 {
            self.set_timer(TimerKind::Reordering, (suspect_us + TIMEOUT_MARGIN_US) * 1000);
        }
        suspect_us > 0
    }

    /// Examines segments in order of transmission; returns how long to wait for the suspects, in us (0: none).
    pub(super) fn rack_detect_loss(&mut self) -> u64 {
        let window_us = reordering_window_us(&self.sock);
        let mut wait_us = 0;
        // Originals: transmission order is sequence order.
        let mut number = self.rack_hint.max(self.board.first());
        let mut all_settled = true;
        while number < self.board.end() {
            let segment = self.board.get(number);
            let settled = segment.flags & (SACKED | LOST | EVER_RETRANSMITTED) != 0;
            if !settled {
                match self.rack_verdict(&segment, window_us) {
                    Verdict::NotYet => break,
                    Verdict::Lost => self.mark_lost(number),
                    Verdict::Suspect { remaining_us } => {
                        wait_us = wait_us.max(remaining_us);
                        all_settled = false;
                    }
                }
            }
            number += 1;
            if all_settled {
                self.rack_hint = number;
                self.board.fetch_one(number + 2);
            }
        }
        // Retransmissions, in the order they left; entries that were overtaken by events are dropped.
        let mut at = 0;
        while at < self.retransmitted.len() {
            let (number, sent_us) = self.retransmitted[at];
            let current = self.board.contains(number) && {
                let segment = self.board.get(number);
                segment.sent_us == sent_us
                    && !segment.has(SACKED)
                    && (segment.has(RETRANSMISSION_OUT) || !segment.has(LOST))
            };
            if current {
                match self.rack_verdict(&self.board.get(number), window_us) {
                    Verdict::NotYet => break,
                    Verdict::Lost => self.mark_lost(number),
                    Verdict::Suspect { remaining_us } => {
                        wait_us = wait_us.max(remaining_us);
                        at += 1;
                        continue;
                    }
                }
            }
            if at == 0 {
                self.retransmitted.pop_front();
            } else {
                at += 1;
            }
        }
        wait_us
    }

    fn rack_verdict(&self, segment: &SentSegment, window_us: u64) -> Verdict {
        let sock = &self.sock;
        if !sent_after(sock.rack_mstamp, segment.sent_us, sock.rack_end_seq, segment.end_seq() as u32) {
            return Verdict::NotYet;
        }
        let age_us = sock.tcp_mstamp.saturating_sub(segment.sent_us);
        let limit_us = u64::from(sock.rack_rtt_us) + window_us;
        if age_us >= limit_us {
            Verdict::Lost
        } else {
            Verdict::Suspect { remaining_us: limit_us - age_us }
        }
    }

    /// Marks a segment lost; a lost retransmission counts again (RFC 8985 handles both alike).
    pub(super) fn mark_lost(&mut self, number: SegmentNumber) {
        if self.board.has(number, SACKED) {
            return;
        }
        if self.board.has(number, LOST) {
            if self.board.has(number, RETRANSMISSION_OUT) {
                self.board.clear(number, RETRANSMISSION_OUT);
                self.sock.retrans_out -= 1;
                self.sock.lost += 1;
            }
        } else {
            self.board.raise(number, LOST);
            self.sock.lost_out += 1;
            self.sock.lost += 1;
        }
        self.retransmit_hint = self.retransmit_hint.min(number);
    }

    /// The reordering timer fired: the suspects are lost now.
    pub(super) fn on_reordering_timeout(&mut self) {
        let before = self.sock.packets_in_flight();
        self.rack_detect_loss();
        if before != self.sock.packets_in_flight() {
            if self.sock.ca_state() != CaState::Recovery {
                self.enter_recovery(false);
                if !self.callbacks.cong_control {
                    self.reduce_cwnd(1, 0, 0);
                }
            }
            self.retransmit_lost();
        }
        if self.timer.kind != TimerKind::Retransmission {
            self.rearm_rto();
        }
    }
}

enum Verdict {
    /// Nothing sent after it was delivered yet.
    NotYet,
    Lost,
    Suspect {
        remaining_us: u64,
    },
}

/// How long to wait for reordered packets (RFC 8985 section 6.2 step 4).
fn reordering_window_us(sock: &TcpSock) -> u64 {
    if sock.reord_seen == 0 {
        // No reordering so far: when recovery runs, or three SACKs accuse, do not wait.
        if sock.ca_state() >= CaState::Recovery || sock.sacked_out >= sock.reordering.max(INITIAL_REORDERING_PACKETS) {
            return 0;
        }
    }
    (u64::from(sock.min_rtt_us()) / 4 * u64::from(sock.rack_reo_wnd_steps)).min(u64::from(sock.srtt_us >> 3))
}
