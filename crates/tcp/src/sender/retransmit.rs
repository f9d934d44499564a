//! Retransmission of lost segments, oldest first, and of single segments on timeouts and probes.

use super::scoreboard::{SegmentNumber, BURST_START, EVER_RETRANSMITTED, LOST, RETRANSMISSION_OUT, SACKED};
use super::timers::TimerKind;
use super::{delivery_rate, undo, Sender};
use crate::segment::timestamp_ms;
use fairlane_congestion_control::proportional_rate_reduction;

impl Sender {
    /// Segments that were sent in different bursts stay in different bursts.
    fn split_burst_before(&mut self, number: SegmentNumber) {
        if number < self.board.end() {
            self.board.raise(number, BURST_START);
        }
    }

    /// Marks a segment lost, unless it is SACKed.
    pub(super) fn mark_lost(&mut self, number: SegmentNumber) {
        self.board.mark_lost(number, &mut self.sock, &mut self.retransmit_hint);
    }

    /// Retransmits lost segments, oldest first, as far as the window allows.
    pub(super) fn retransmit_lost(&mut self) {
        if self.sock.packets_out == 0 {
            return;
        }
        let burst_limit = self.burst_segments();
        let mut rearm = false;
        let mut number = self.retransmit_hint.max(self.board.first());
        while number < self.board.end() {
            if self.sock.retrans_out >= self.sock.lost_out {
                break;
            }
            let segment = self.board.get(number);
            let waits = segment.has(LOST) && segment.flags & (SACKED | RETRANSMISSION_OUT) == 0;
            if !waits {
                number += 1;
                continue;
            }
            self.retransmit_hint = number;
            if self.sock.packets_in_flight() >= self.sock.snd_cwnd
                || self.pacing_delays()
                || self.host_queue_is_full(burst_limit, true)
            {
                break;
            }
            let room = (self.sock.snd_cwnd - self.sock.packets_in_flight()).min(burst_limit);
            let prior_wstamp_ns = self.sock.tcp_wstamp_ns;
            let departure_ns = self.departure_ns();
            let mut bytes = 0;
            let mut sent = 0;
            for _ in 0..room {
                if number == self.board.first() && self.timer.kind != TimerKind::Reordering {
                    rearm = true;
                }
                bytes += self.resend_lost(number, departure_ns, sent > 0);
                sent += 1;
                proportional_rate_reduction::on_sent(&mut self.sock, 1);
                number += 1;
                let next_waits = number < self.board.end() && {
                    let next = self.board.get(number);
                    next.flags & (LOST | SACKED | RETRANSMISSION_OUT | BURST_START) == LOST
                };
                if !next_waits {
                    break;
                }
            }
            self.end_burst(sent);
            self.split_burst_before(number);
            self.retransmit_hint = number;
            self.board.prefetch([number + 2]);
            self.pace_next(prior_wstamp_ns, bytes);
        }
        if rearm {
            self.set_timer(TimerKind::Retransmission, self.rto_us * 1000);
        }
    }

    /// The timeout retransmits the oldest segment, regardless of the window.
    pub(super) fn retransmit_head(&mut self) {
        let number = self.board.first();
        if self.board.has(number, RETRANSMISSION_OUT) {
            // Its earlier retransmission counts as lost.
            self.board.clear(number, RETRANSMISSION_OUT);
            self.sock.retrans_out -= 1;
        }
        let prior_wstamp_ns = self.sock.tcp_wstamp_ns;
        let departure_ns = self.departure_ns();
        let bytes = self.resend_lost(number, departure_ns, false);
        self.split_burst_before(number + 1);
        self.pace_next(prior_wstamp_ns, bytes);
    }

    /// A tail loss probe retransmits the last segment. It does not count as a retransmission in flight, where it would
    /// delay those of lost segments.
    pub(super) fn retransmit_probe(&mut self) {
        let number = self.board.end() - 1;
        let prior_wstamp_ns = self.sock.tcp_wstamp_ns;
        let departure_ns = self.departure_ns();
        self.split_burst_before(number);
        self.begin_sending();
        let bytes = self.resend(number, departure_ns, false);
        self.pace_next(prior_wstamp_ns, bytes);
    }

    fn resend_lost(&mut self, number: SegmentNumber, departure_ns: u64, continues_burst: bool) -> u64 {
        self.begin_sending();
        self.board.raise(number, RETRANSMISSION_OUT);
        let sock = &mut self.sock;
        sock.retrans_out += 1;
        if sock.retrans_stamp == 0 {
            sock.retrans_stamp = timestamp_ms(departure_ns).max(1);
        }
        undo::on_retransmission(sock);
        self.resend(number, departure_ns, continues_burst)
    }

    /// Time stamp of a retransmission (see [`Scoreboard::stamp_us`](super::scoreboard::Scoreboard::stamp_us)).
    fn stamp_again_us(&self, number: SegmentNumber, departure_us: u64) -> u64 {
        let stamp_us = self.board.stamp_us(departure_us);
        let newest = self.board.end() - 1;
        let follows_higher = (number < newest && self.board.get(newest).sent_us == stamp_us)
            || self.retransmissions.latest().is_some_and(|(latest, sent_us)| latest > number && sent_us == stamp_us);
        stamp_us + u64::from(follows_higher)
    }

    fn resend(&mut self, number: SegmentNumber, departure_ns: u64, continues_burst: bool) -> u64 {
        let sent_us = self.stamp_again_us(number, departure_ns / 1000);
        let sock = &mut self.sock;
        let mut record = self.board.get(number);
        record.sent_us = sent_us;
        delivery_rate::on_sent(sock, &mut record);
        self.segments_retransmitted += u32::from(!record.has(EVER_RETRANSMITTED));
        record.flags |= EVER_RETRANSMITTED;
        self.board.set(number, &record);
        sock.total_retrans += 1;
        sock.bytes_retrans += u64::from(record.len);
        self.retransmissions.push(number, record.sent_us);
        self.transmit_again(&record, departure_ns, continues_burst);
        u64::from(record.len)
    }
}
