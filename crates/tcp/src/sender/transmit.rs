//! Sending: new data as the windows allow, lost data first.

use super::scoreboard::{
    SegmentNumber, SentSegment, CONTROL, EVER_RETRANSMITTED, LOST, PUSH, RETRANSMISSION_OUT, SACKED,
};
use super::timers::TimerKind;
use super::tso::CwndLimited;
use super::{delivery_rate, Outgoing, Sender};
use crate::congestion_control::CaEvent;
use crate::segment::{flags, Segment};
use crate::sock::SK_PACING_FQ;

/// Shortest wait before the first window probe.
const MIN_WINDOW_PROBE_DELAY_US: u64 = 200_000;

impl Sender {
    /// Sends as much new data as windows, pacing and the host allow.
    pub(super) fn push(&mut self) {
        if self.write_seq == self.snd_nxt {
            return;
        }
        self.write_new(false);
        if self.sock.packets_out == 0 && self.timer.kind == TimerKind::Off && self.write_seq > self.snd_nxt {
            // The peer's window is shut: probe it, or it may stay shut for ever (RFC 9293 section 3.8.6.1).
            let delay_us = self.rto_us.max(MIN_WINDOW_PROBE_DELAY_US);
            self.set_timer(TimerKind::WindowProbe, delay_us * 1000);
        }
    }

    /// Sends one burst beyond the congestion window as a tail loss probe; returns whether anything went out.
    pub(super) fn write_probe(&mut self) -> bool {
        self.write_new(true)
    }

    /// There is data that was never sent and the peer's window has room for it.
    pub(super) fn can_send_new(&self) -> bool {
        self.sendable_end() > self.snd_nxt && self.snd_nxt + self.next_len() <= self.window_end
    }

    /// End of what may be sent: written by the application and within the send buffer.
    #[inline]
    fn sendable_end(&self) -> u64 {
        self.write_seq.min(self.snd_una + self.send_buffer_bytes)
    }

    /// Sequence numbers that the next segment takes.
    #[inline]
    fn next_len(&self) -> u64 {
        (self.sendable_end() - self.snd_nxt).min(u64::from(self.sock.mss_cache))
    }

    fn write_new(&mut self, probe: bool) -> bool {
        let mss = u64::from(self.sock.mss_cache);
        let burst_limit = self.burst_segments();
        let mut sent_packets = 0;
        let mut cwnd_limited = false;
        loop {
            let sendable_end = self.sendable_end();
            if sendable_end <= self.snd_nxt || self.pacing_holds() {
                break;
            }
            let in_flight = self.sock.packets_in_flight();
            let mut quota = if in_flight >= self.sock.snd_cwnd {
                0
            } else {
                // Never more than half the window at once, so that the ACK clock keeps ticking.
                (self.sock.snd_cwnd - in_flight).min((self.sock.snd_cwnd >> 1).max(1))
            };
            if quota == 0 {
                if !probe {
                    break;
                }
                quota = 1;
            }
            let next_len = (sendable_end - self.snd_nxt).min(mss);
            if self.snd_nxt + next_len > self.window_end {
                break; // limited by the receiver
            }
            let queued = (sendable_end - self.snd_nxt).min(u64::from(self.sock.sk_gso_max_size));
            if queued <= mss {
                if next_len < mss && !probe && self.nagle_holds(next_len) {
                    break;
                }
            } else if !probe {
                if let Some(CwndLimited(by_cwnd)) = self.defers_burst(queued, burst_limit) {
                    cwnd_limited |= by_cwnd;
                    break;
                }
            }
            if self.host_queue_is_full() {
                break;
            }
            sent_packets += self.send_burst(quota.min(burst_limit), queued);
            if probe {
                break;
            }
        }
        let in_flight = self.sock.packets_in_flight();
        cwnd_limited |= in_flight >= self.sock.snd_cwnd;
        if sent_packets > 0 {
            if self.sock.in_cwnd_reduction() {
                self.sock.prr_out += sent_packets;
            }
            if !probe {
                self.schedule_loss_probe(false);
            }
        }
        if sent_packets > 0 || cwnd_limited {
            self.validate_cwnd(cwnd_limited);
        }
        sent_packets > 0
    }

    /// Nagle's rule as Minshall amended it: hold a small segment while another small one is unacknowledged.
    fn nagle_holds(&self, len: u64) -> bool {
        let is_tail_with_fin = self.fin_pending && self.snd_nxt + len == self.write_seq;
        self.config.nagle && !is_tail_with_fin && self.sock.packets_out > 0 && self.small_segment_end > self.snd_una
    }

    /// TCP small queues: no more than about a millisecond of this connection may wait in the host's own queue.
    fn host_queue_is_full(&self) -> bool {
        if self.sock.sk_pacing_status != SK_PACING_FQ {
            return false;
        }
        let allowance = (self.sock.sk_pacing_rate >> self.sock.sk_pacing_shift).max(2 * u64::from(self.sock.mss_cache));
        self.host_queue_bytes > allowance
    }

    /// Sends up to `segments` segments that share one departure time; returns how many.
    fn send_burst(&mut self, segments: u32, queued_bytes: u64) -> u32 {
        let mss = u64::from(self.sock.mss_cache);
        let prior_wstamp_ns = self.sock.tcp_wstamp_ns;
        let departure_ns = self.departure_ns();
        let prior_packets = self.sock.packets_out;
        if prior_packets == 0 {
            self.cwnd_event(CaEvent::TxStart);
        }
        let start = self.snd_nxt;
        let queue_end = start + queued_bytes;
        let mut sent = 0;
        while sent < segments && self.snd_nxt < queue_end {
            let len = (queue_end - self.snd_nxt).min(mss);
            if self.snd_nxt + len > self.window_end || (len < mss && sent > 0 && self.nagle_holds(len)) {
                break;
            }
            self.send_new_segment(len as u32, departure_ns);
            sent += 1;
        }
        self.sock.lsndtime = self.jiffies;
        self.pace_next(prior_wstamp_ns, self.snd_nxt - start);
        if prior_packets == 0 || self.timer.kind == TimerKind::LossProbe {
            self.rearm_rto();
        }
        sent
    }

    fn send_new_segment(&mut self, len: u32, departure_ns: u64) {
        let seq = self.snd_nxt;
        let end = seq + u64::from(len);
        let mut record = SentSegment { seq, len, sent_us: departure_ns / 1000, ..SentSegment::default() };
        if self.fin_pending && end == self.write_seq {
            record.flags |= CONTROL;
        }
        // The last byte of an application write ends the segment's batch.
        if end > self.next_push_seq || end == self.write_seq {
            record.flags |= PUSH;
            while end > self.next_push_seq {
                self.next_push_seq += self.config.write_bytes;
            }
        }
        if len < self.sock.mss_cache {
            self.small_segment_end = end;
        }
        delivery_rate::on_sent(&mut self.sock, &mut record);
        self.board.push(&record);
        self.sock.packets_out += 1;
        self.snd_nxt = end;
        self.sock.snd_nxt = end as u32;
        let cwr = self.take_cwr();
        self.emit(&record, departure_ns, cwr, true);
    }

    /// Retransmits what is held lost, oldest first, as far as the window goes.
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
            if self.pacing_holds() || self.sock.packets_in_flight() >= self.sock.snd_cwnd || self.host_queue_is_full() {
                break;
            }
            let room = (self.sock.snd_cwnd - self.sock.packets_in_flight()).min(burst_limit);
            let prior_wstamp_ns = self.sock.tcp_wstamp_ns;
            let departure_ns = self.departure_ns();
            let mut bytes = 0;
            for _ in 0..room {
                if number == self.board.first() && self.timer.kind != TimerKind::Reordering {
                    rearm = true;
                }
                bytes += self.resend(number, departure_ns);
                if self.sock.in_cwnd_reduction() {
                    self.sock.prr_out += 1;
                }
                number += 1;
                let next_waits = number < self.board.end() && {
                    let next = self.board.get(number);
                    next.has(LOST) && next.flags & (SACKED | RETRANSMISSION_OUT) == 0
                };
                if !next_waits {
                    break;
                }
            }
            self.retransmit_hint = number;
            self.pace_next(prior_wstamp_ns, bytes);
        }
        if rearm {
            self.set_timer(TimerKind::Retransmission, self.rto_us * 1000);
        }
    }

    /// Sends one segment once more, window or not (time-out, tail loss probe).
    pub(super) fn retransmit_segment(&mut self, number: SegmentNumber) -> bool {
        if self.board.has(number, RETRANSMISSION_OUT) {
            // Its earlier copy is given up.
            self.board.clear(number, RETRANSMISSION_OUT);
            self.sock.retrans_out -= 1;
        }
        let prior_wstamp_ns = self.sock.tcp_wstamp_ns;
        let departure_ns = self.departure_ns();
        let bytes = self.resend(number, departure_ns);
        self.pace_next(prior_wstamp_ns, bytes);
        true
    }

    fn resend(&mut self, number: SegmentNumber, departure_ns: u64) -> u64 {
        let sock = &mut self.sock;
        let mut record = self.board.get(number);
        record.sent_us = departure_ns / 1000;
        delivery_rate::on_sent(sock, &mut record);
        record.flags |= RETRANSMISSION_OUT | EVER_RETRANSMITTED;
        self.board.set(number, &record);
        sock.retrans_out += 1;
        sock.total_retrans += 1;
        sock.bytes_retrans += u64::from(record.len);
        if sock.retrans_stamp == 0 {
            sock.retrans_stamp = ((departure_ns / 1_000_000) as u32).max(1);
        }
        sock.undo_retrans = sock.undo_retrans.max(0) + 1;
        self.retransmitted.push_back((number, record.sent_us));
        self.emit(&record, departure_ns, false, false);
        u64::from(record.len)
    }

    /// Hands a segment to the host. Only new data is sent ECN-capable (RFC 3168 section 6.1.5).
    fn emit(&mut self, record: &SentSegment, departure_ns: u64, cwr: bool, new: bool) {
        let is_fin = record.has(CONTROL);
        let payload = record.len - u32::from(is_fin);
        let segment = Segment {
            seq: record.seq,
            len: payload,
            flags: flags::ACK
                | if record.has(PUSH) { flags::PSH } else { 0 }
                | if is_fin { flags::FIN } else { 0 }
                | if cwr { flags::CWR } else { 0 },
            tsval: (departure_ns / 1_000_000) as u32,
            ..Segment::default()
        };
        self.sock.segs_out += 1;
        self.sock.data_segs_out += 1;
        self.sock.bytes_sent += u64::from(payload);
        if self.sock.sk_pacing_status == SK_PACING_FQ {
            self.host_queue_bytes += u64::from(payload);
        }
        let ect = new && self.ecn_enabled();
        self.out.push(Outgoing { segment, departure_ns, ect });
    }

    /// The peer's window has been shut for too long: asks for its state with a segment it must answer.
    pub(super) fn send_window_probe(&mut self) {
        if self.sock.packets_out > 0 || self.write_seq == self.snd_nxt {
            return;
        }
        if self.window_end > self.snd_nxt {
            // A little room: send what fits (silly as it is, it makes progress).
            let len = (self.window_end - self.snd_nxt).min(self.next_len()) as u32;
            let departure_ns = self.departure_ns();
            self.send_new_segment(len, departure_ns);
            self.rearm_rto();
            return;
        }
        // One old sequence number, no payload: out of window, so that the receiver answers.
        let segment =
            Segment { seq: self.snd_una - 1, flags: flags::ACK, tsval: self.timestamp_ms(), ..Segment::default() };
        self.out.push(Outgoing { segment, departure_ns: self.sock.tcp_clock_cache, ect: false });
        self.sock.icsk_backoff = self.sock.icsk_backoff.saturating_add(1);
        let delay_us =
            (self.rto_us.max(MIN_WINDOW_PROBE_DELAY_US) << self.sock.icsk_backoff.min(16)).min(super::MAX_RTO_US);
        self.set_timer(TimerKind::WindowProbe, delay_us * 1000);
    }

    /// An acknowledgement while nothing is out: if the window opened, the probing ends.
    pub(super) fn on_window_probe_ack(&mut self) {
        if self.timer.kind == TimerKind::WindowProbe && self.window_end > self.snd_nxt {
            self.timer.kind = TimerKind::Off;
            self.sock.icsk_backoff = 0;
        }
    }
}
