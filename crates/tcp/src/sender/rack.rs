//! RACK: loss detection by time (RFC 8985).
//!
//! A segment is lost when one that was sent later has been delivered, and a reordering window has passed beyond the
//! round-trip time of that delivery. Segments are examined in the order of their last transmission. Originals leave in
//! sequence order and retransmissions have a list of their own, so no list of all segments has to be sorted.

use super::delivery_rate::sent_after;
use super::scoreboard::{Scoreboard, SegmentNumber, SentSegment, EVER_RETRANSMITTED, LOST, RETRANSMISSION_OUT, SACKED};
use super::timers::TimerKind;
use super::{Sender, INITIAL_REORDERING_PACKETS};
use fairlane_congestion_control::sock::{CaState, TcpSock};
use fairlane_engine::trim;
use std::collections::VecDeque;

/// Recoveries that a widened reordering window lasts without another D-SACK (RFC 8985 section 6.2 step 4).
const REORDERING_WINDOW_PERSIST: u8 = 16;
/// Allowance for timer coarseness when the reordering timer is set (Linux's `TCP_TIMEOUT_MIN_US`).
pub(super) const TIMEOUT_MARGIN_US: u64 = 2_000;

/// The search for lost original transmissions.
///
/// Only its position is here. Delivery times and the reordering window are fields of [`TcpSock`], where algorithms may
/// read them; [`Retransmissions`] lies in the cache line that sending writes.
#[derive(Debug, Default)]
#[repr(transparent)]
pub(super) struct Rack {
    first_unsettled: SegmentNumber,
}

/// Retransmissions in the order of transmission, each with its time in us. Some may be outdated.
#[derive(Debug, Default)]
#[repr(transparent)]
pub(super) struct Retransmissions(VecDeque<(SegmentNumber, u64)>);

impl Retransmissions {
    pub fn push(&mut self, number: SegmentNumber, sent_us: u64) {
        self.0.push_back((number, sent_us));
    }

    pub fn latest(&self) -> Option<(SegmentNumber, u64)> {
        self.0.back().copied()
    }

    /// Frees memory that a severe loss episode needed.
    pub fn trim(&mut self) {
        trim(&mut self.0);
    }
}

impl Rack {
    /// First original transmission that is neither settled nor known to be lost.
    #[inline]
    pub fn first_unsettled(&self) -> SegmentNumber {
        self.first_unsettled
    }

    /// The scoreboard starts at `first` now.
    #[inline]
    pub fn on_acknowledged(&mut self, first: SegmentNumber) {
        self.first_unsettled = self.first_unsettled.max(first);
    }

    /// Loss marks were cleared: searches again from the start of the scoreboard, which is `first`.
    pub fn restart(&mut self, first: SegmentNumber) {
        self.first_unsettled = first;
    }

    /// Marks lost segments, in the order of transmission (RFC 8985 section 6.2 step 5). Returns the time until the last
    /// suspect counts as lost, in us; 0 without suspects.
    pub fn detect_loss(
        &mut self,
        retransmissions: &mut Retransmissions,
        board: &mut Scoreboard,
        sock: &mut TcpSock,
        retransmit_hint: &mut SegmentNumber,
    ) -> u64 {
        let window_us = reordering_window_us(sock);
        let mut wait_us = 0;
        // Originals: transmission order is sequence order.
        let mut number = self.first_unsettled.max(board.first());
        let mut all_settled = true;
        while number < board.end() {
            let segment = board.get(number);
            let settled = segment.flags & (SACKED | LOST | EVER_RETRANSMITTED) != 0;
            if !settled {
                match verdict(sock, &segment, window_us) {
                    Verdict::NotYet => break,
                    Verdict::Lost => board.mark_lost(number, sock, retransmit_hint),
                    Verdict::Suspect { remaining_us } => {
                        wait_us = wait_us.max(remaining_us);
                        all_settled = false;
                    }
                }
            }
            number += 1;
            if all_settled {
                self.first_unsettled = number;
                board.prefetch([number + 2]);
            }
        }
        // An outdated retransmission is dropped when it is the oldest.
        let retransmissions = &mut retransmissions.0;
        let mut at = 0;
        while at < retransmissions.len() {
            let (number, sent_us) = retransmissions[at];
            let current = board.contains(number) && {
                let segment = board.get(number);
                segment.sent_us == sent_us
                    && !segment.has(SACKED)
                    && (segment.has(RETRANSMISSION_OUT) || !segment.has(LOST))
            };
            if current {
                match verdict(sock, &board.get(number), window_us) {
                    Verdict::NotYet => break,
                    Verdict::Lost => board.mark_lost(number, sock, retransmit_hint),
                    Verdict::Suspect { remaining_us } => {
                        wait_us = wait_us.max(remaining_us);
                        at += 1;
                        continue;
                    }
                }
            }
            if at == 0 {
                retransmissions.pop_front();
            } else {
                at += 1;
            }
        }
        wait_us
    }
}

impl Sender {
    /// After an acknowledgement: marks losses; returns whether the reordering timer was set for suspects.
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

    fn rack_detect_loss(&mut self) -> u64 {
        let hint = &mut self.retransmit_hint;
        self.rack.detect_loss(&mut self.retransmissions, &mut self.board, &mut self.sock, hint)
    }

    /// The reordering timer fired: marks the suspects lost and retransmits them.
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

/// A segment was delivered: the most recently sent one sets RACK's clock (RFC 8985 section 6.2 step 2).
#[inline]
pub(super) fn on_delivered(sock: &mut TcpSock, retransmitted: bool, end_seq: u64, sent_us: u64) {
    let rtt_us = sock.tcp_mstamp.saturating_sub(sent_us) as u32;
    // Faster than any RTT: the ACK is for the original, not for the retransmission.
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
pub(super) fn adapt_window(sock: &mut TcpSock, prior_delivered: u32) {
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

/// A recovery was undone by D-SACK: the wide window lasts for one more recovery.
pub(super) fn prolong_window(sock: &mut TcpSock) {
    sock.rack_reo_wnd_persist = (sock.rack_reo_wnd_persist + 1).min(REORDERING_WINDOW_PERSIST);
}

/// A recovery ended without undo: the wide window lasts for one recovery less.
pub(super) fn shorten_window(sock: &mut TcpSock) {
    sock.rack_reo_wnd_persist = sock.rack_reo_wnd_persist.saturating_sub(1);
}

enum Verdict {
    /// No segment sent later was delivered yet.
    NotYet,
    Lost,
    Suspect {
        remaining_us: u64,
    },
}

fn verdict(sock: &TcpSock, segment: &SentSegment, window_us: u64) -> Verdict {
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

/// Wait for reordered packets (RFC 8985 section 6.2 step 4).
fn reordering_window_us(sock: &TcpSock) -> u64 {
    if sock.reord_seen == 0 {
        // Without reordering so far, do not wait during recovery or after three SACKs.
        if sock.ca_state() >= CaState::Recovery || sock.sacked_out >= sock.reordering.max(INITIAL_REORDERING_PACKETS) {
            return 0;
        }
    }
    (u64::from(sock.min_rtt_us()) / 4 * u64::from(sock.rack_reo_wnd_steps)).min(u64::from(sock.srtt_us >> 3))
}
