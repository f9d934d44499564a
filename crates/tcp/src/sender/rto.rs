//! The retransmission timeout (RFC 6298) and recovery from it, F-RTO (RFC 5682).

use super::ack_info::{meaning::*, AckInfo, Retransmit};
use super::scoreboard::{LOST, RETRANSMISSION_OUT, SACKED};
use super::timers::TimerKind;
use super::{rtt, Sender, INITIAL_REORDERING_PACKETS, MAX_RTO_US};
use fairlane_congestion_control::sock::CaState;
use fairlane_congestion_control::CaEvent;

impl Sender {
    /// Recomputes the timeout from the RTT estimate, without backoff, in whole jiffies.
    #[inline]
    pub(super) fn update_rto(&mut self) {
        let jiffy_us = (self.config.jiffy_ns / 1000) as u32;
        let jiffies = rtt::rto_us(&self.sock).div_ceil(jiffy_us);
        self.sock.icsk_rto = jiffies;
        self.sock.icsk_backoff = 0;
        self.rto_us = u64::from(jiffies) * u64::from(jiffy_us);
    }

    /// Time left until the oldest segment's timeout, in us; not positive when it is overdue.
    pub(super) fn rto_remaining_us(&self) -> i64 {
        let sent_us = self.board.head_sent_us().unwrap_or(self.sock.tcp_mstamp);
        (sent_us + self.rto_us) as i64 - self.sock.tcp_mstamp as i64
    }

    /// Restarts the retransmission timer, or stops it when nothing is in flight (RFC 6298 section 5).
    pub(super) fn rearm_rto(&mut self) {
        if self.sock.packets_out == 0 {
            self.timer.kind = TimerKind::Off;
            return;
        }
        let delay_us = match self.timer.kind {
            // These timers started when the head was sent: the RTO counts from then, too.
            TimerKind::LossProbe | TimerKind::Reordering => self.rto_remaining_us().max(1) as u64,
            _ => self.rto_us,
        };
        self.set_timer(TimerKind::Retransmission, delay_us * 1000);
    }

    pub(super) fn on_retransmission_timeout(&mut self) {
        if self.sock.packets_out == 0 {
            return;
        }
        self.timeouts += 1;
        self.enter_loss();
        self.sock.icsk_retransmits = self.sock.icsk_retransmits.saturating_add(1);
        self.retransmit_head();
        // Back off exponentially (RFC 6298 section 5.5).
        self.sock.icsk_backoff = self.sock.icsk_backoff.saturating_add(1);
        self.rto_us = (self.rto_us * 2).min(MAX_RTO_US);
        self.sock.icsk_rto = (self.rto_us * 1000 / self.config.jiffy_ns) as u32;
        self.set_timer(TimerKind::Retransmission, self.rto_us * 1000);
    }

    /// Enters the Loss state: marks outstanding data lost and restarts slow start from one packet.
    fn enter_loss(&mut self) {
        let new_recovery = self.sock.ca_state() < CaState::Recovery;
        self.mark_lost_on_timeout();
        let state = self.sock.ca_state();
        // Once per window of data.
        if state <= CaState::Disorder
            || self.high_seq <= self.snd_una
            || (state == CaState::Loss && self.sock.icsk_retransmits == 0)
        {
            self.sock.prior_ssthresh = self.current_ssthresh();
            self.sock.prior_cwnd = self.sock.snd_cwnd;
            self.sock.snd_ssthresh = self.algorithm.ssthresh(&mut self.sock);
            self.cwnd_event(CaEvent::Loss);
            self.init_undo();
        }
        self.sock.snd_cwnd = self.sock.packets_in_flight() + 1;
        self.sock.snd_cwnd_cnt = 0;
        self.sock.snd_cwnd_stamp = self.jiffies;
        // Three SACKs did not prevent the timeout: the degree of reordering was overestimated.
        if self.sock.ca_state() <= CaState::Disorder && self.sock.sacked_out >= INITIAL_REORDERING_PACKETS {
            self.sock.reordering = self.sock.reordering.min(INITIAL_REORDERING_PACKETS);
        }
        self.set_ca_state(CaState::Loss);
        self.set_recovery_point();
        self.tlp_high_seq = None;
        self.queue_cwr();
        // F-RTO step 1: only when no recovery was in progress, or the head timed out again.
        self.sock.frto = u8::from(self.config.forward_rto && (new_recovery || self.sock.icsk_retransmits > 0));
    }

    /// Marks segments lost on a timeout, except those sent within the last RTT, which may still arrive (RFC 8985
    /// section 6.3).
    fn mark_lost_on_timeout(&mut self) {
        let head = self.board.first();
        let reneged = self.board.head().is_some_and(|segment| segment.has(SACKED));
        if reneged {
            // The receiver dropped data that it had SACKed (RFC 2018 section 8): forget all SACKs.
            self.sock.sacked_out = 0;
            self.sock.is_sack_reneg = 1;
            self.sack_frontier = head;
            self.known_blocks = [(0, 0); 4];
        } else if !self.config.sack {
            self.forget_duplicate_acks();
        }
        for number in head..self.board.end() {
            if reneged {
                self.board.clear(number, SACKED);
            } else if number != head {
                let age_us = self.sock.tcp_mstamp.saturating_sub(self.board.get(number).sent_us);
                if age_us < u64::from(self.sock.rack_rtt_us) {
                    continue;
                }
            }
            self.mark_lost(number);
        }
    }

    /// Processes an acknowledgement in the Loss state.
    pub(super) fn process_loss(&mut self, info: &mut AckInfo) {
        let recovered = self.snd_una >= self.high_seq;
        if info.bits & ADVANCED != 0 && self.try_undo_loss(false) {
            return;
        }
        if self.sock.frto != 0 {
            // Step 3.b: data that was never retransmitted is acknowledged, so the timeout was spurious.
            if info.bits & ORIGINAL_ACKED != 0 && self.try_undo_loss(true) {
                return;
            }
            if self.snd_nxt > self.high_seq {
                if info.bits & DATA_SACKED != 0 || info.duplicate {
                    self.sock.frto = 0; // step 3.a: the loss was real
                }
            } else if info.bits & ADVANCED != 0 && !recovered {
                self.set_recovery_point();
                // Step 2.b: send new data and wait for its acknowledgements.
                if self.write_seq > self.snd_nxt && self.window_end > self.snd_nxt {
                    info.retransmit = Retransmit::NewData;
                    return;
                }
                self.sock.frto = 0;
            }
        }
        if recovered {
            self.try_undo_recovery();
            return;
        }
        if !self.config.sack {
            if self.snd_nxt > self.high_seq && info.duplicate {
                // F-RTO's new data arrived: it counts as a duplicate ACK.
                self.count_duplicate_ack(info.bits & ECE != 0);
            } else if info.bits & ADVANCED != 0 {
                self.forget_duplicate_acks();
            }
        }
        info.retransmit = Retransmit::Lost;
    }

    /// Clears all loss marks.
    pub(super) fn unmark_lost(&mut self) {
        for number in self.board.first()..self.board.end() {
            self.board.clear(number, LOST);
        }
        self.sock.lost_out = 0;
        self.retransmit_hint = self.board.first();
        self.rack.restart(self.board.first());
        debug_assert!(
            self.sock.retrans_out == 0
                || (self.board.first()..self.board.end()).any(|n| self.board.has(n, RETRANSMISSION_OUT))
        );
    }
}
