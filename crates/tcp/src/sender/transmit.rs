//! Transmission of new data, limited by windows, pacing and the host.

use super::scoreboard::{SentSegment, BURST_START, CONTROL, PUSH};
use super::timers::TimerKind;
use super::{delivery_rate, Outgoing, Sender};
use crate::segment::{flags, timestamp_ms, Segment};
use fairlane_congestion_control::{proportional_rate_reduction, CaEvent};
use fairlane_transport::SendLimit;

/// Limit of one attempt to send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Push {
    /// As much as the limits allow.
    All,
    /// One burst, at once: the application is still writing.
    One,
    /// One burst, regardless of the window: a tail loss probe.
    Probe,
}

impl Sender {
    /// Sends as much new data as windows, pacing and the host allow; returns whether anything went out.
    pub(super) fn push(&mut self) -> bool {
        if self.write_seq == self.snd_nxt {
            self.set_limit(self.limit_without_sending());
            return false;
        }
        let has_sent = self.write_new(Push::All);
        if self.sock.packets_out == 0 && self.timer.kind == TimerKind::Off && self.write_seq > self.snd_nxt {
            self.start_window_probes();
        }
        has_sent
    }

    /// After a delay by pacing or by the host's queue: sends retransmissions before new data, which would delay them again
    /// (`tcp_tsq_write`).
    #[inline]
    pub(super) fn resume_sending(&mut self) {
        if self.sock.lost_out > self.sock.retrans_out && self.sock.snd_cwnd > self.sock.packets_in_flight() {
            self.retransmit_lost();
        }
        self.push();
        self.check_invariants();
    }

    /// Sends one burst beyond the congestion window as a tail loss probe; returns whether anything went out.
    pub(super) fn write_probe(&mut self) -> bool {
        self.write_new(Push::Probe)
    }

    /// There is unsent data and the peer's window has room for it.
    pub(super) fn can_send_new(&self) -> bool {
        let sendable_end = self.sendable_end();
        sendable_end > self.snd_nxt && self.snd_nxt + self.next_len(sendable_end) <= self.window_end
    }

    /// End of the data that was written and fits into the send buffer.
    #[inline]
    fn sendable_end(&self) -> u64 {
        self.write_seq.min(self.snd_una + self.send_buffer_bytes)
    }

    /// Length of the next segment in sequence space, of the data up to `queue_end`. The last segment carries the FIN
    /// even if it is full.
    #[inline]
    pub(super) fn next_len(&self, queue_end: u64) -> u64 {
        let mss = u64::from(self.current_mss());
        let queued = queue_end - self.snd_nxt;
        if queued == mss + 1 && self.fin_pending && queue_end == self.write_seq {
            queued
        } else {
            queued.min(mss)
        }
    }

    pub(super) fn write_new(&mut self, push: Push) -> bool {
        let mss = u64::from(self.current_mss());
        let mut burst_limit = None;
        let mut sent_packets = 0;
        let mut cwnd_limited = false;
        let will_probe = push != Push::Probe && self.probes_tail();
        let mut limit = loop {
            let sendable_end = self.sendable_end();
            if sendable_end <= self.snd_nxt {
                break SendLimit::SendBuffer;
            }
            let room = self.sock.snd_cwnd.saturating_sub(self.sock.packets_in_flight());
            // With a full window, the next acknowledgement tries again. A pacing timer would find nothing to send.
            if room == 0 && push != Push::Probe {
                break SendLimit::CongestionWindow;
            }
            if self.pacing_delays() {
                break SendLimit::Pacing;
            }
            // At most half the window at once, to keep the ACK clock running.
            let quota = room.min(self.sock.snd_cwnd >> 1).max(1);
            // Computed at most once, and only when data may be sent: most ACKs of a paced flow release nothing.
            let burst_limit = *burst_limit.get_or_insert_with(|| self.burst_segments());
            if self.write_queue.needs_buffer(self.snd_nxt) {
                let bytes = self.buffer_limit();
                self.write_queue.begin_buffer(self.snd_nxt, bytes);
            }
            self.write_queue.fill_up(self.snd_nxt, u64::from(quota.min(burst_limit)) * mss, sendable_end);
            let buffer_end = self.write_queue.buffer_end(self.snd_nxt, sendable_end);
            let queue_end = buffer_end.min(self.snd_nxt + u64::from(self.sock.sk_gso_max_size));
            let next_len = self.next_len(queue_end);
            if self.snd_nxt + next_len > self.window_end {
                break SendLimit::ReceiveWindow;
            }
            if queue_end - self.snd_nxt <= mss {
                let is_last = queue_end == sendable_end;
                if next_len < mss && push == Push::All && is_last && self.nagle_delays(next_len) {
                    break SendLimit::Application;
                }
            } else if push == Push::All {
                if let Some(limit) = self.defers_burst(queue_end, burst_limit) {
                    cwnd_limited = limit == SendLimit::CongestionWindow;
                    break limit;
                }
            }
            if self.host_queue_is_full(burst_limit, false) {
                if self.host_refuses {
                    self.enter_cwr(); // the host is the bottleneck, and congested
                }
                break self.host_limit();
            }
            sent_packets += self.send_burst(quota.min(burst_limit), queue_end, will_probe);
            if push != Push::All {
                break self.limit; // another attempt follows, or the probe ignored the limit
            }
        };
        let in_flight = self.sock.packets_in_flight();
        cwnd_limited |= in_flight >= self.sock.snd_cwnd;
        if sent_packets > 0 {
            proportional_rate_reduction::on_sent(&mut self.sock, sent_packets);
            if push != Push::Probe {
                self.schedule_loss_probe(false);
            }
        }
        if sent_packets > 0 || cwnd_limited {
            self.validate_cwnd(cwnd_limited);
        }
        if limit == SendLimit::SendBuffer {
            limit = self.limit_at_end_of_data();
        }
        self.set_limit(limit);
        sent_packets > 0
    }

    /// Nagle's algorithm with Minshall's change: delays a small segment while another small one is unacknowledged.
    fn nagle_delays(&self, len: u64) -> bool {
        let is_tail_with_fin = self.fin_pending && self.snd_nxt + len == self.write_seq;
        if self.corked && !is_tail_with_fin {
            return true; // RFC 9293 section 3.9.1: the user will push later
        }
        self.config.nagle && !is_tail_with_fin && self.sock.packets_out > 0 && self.small_segment_end > self.snd_una
    }

    /// Sends up to `segments` segments with one departure time; returns how many. With `will_probe` the caller sets the
    /// timer.
    fn send_burst(&mut self, segments: u32, queue_end: u64, will_probe: bool) -> u32 {
        let mss = u64::from(self.current_mss());
        let prior_wstamp_ns = self.sock.tcp_wstamp_ns;
        let departure_ns = self.departure_ns();
        let prior_packets = self.sock.packets_out;
        self.begin_sending();
        let start = self.snd_nxt;
        let mut sent = self.full_segments(queue_end).min(segments);
        if sent > 0 {
            self.send_new_segments(sent, mss as u32, departure_ns, false);
        }
        while sent < segments && self.snd_nxt < queue_end {
            let len = self.next_len(queue_end);
            if self.snd_nxt + len > self.window_end || (len < mss && sent > 0 && self.nagle_delays(len)) {
                break;
            }
            self.send_new_segments(1, len as u32, departure_ns, sent > 0);
            sent += 1;
        }
        self.end_burst(sent);
        self.write_queue.on_sent(self.snd_nxt);
        self.pace_next(prior_wstamp_ns, self.snd_nxt - start);
        if !will_probe && (prior_packets == 0 || self.timer.kind == TimerKind::LossProbe) {
            self.rearm_rto();
        }
        sent
    }

    /// Number of full segments up to `queue_end` that fit into the peer's window. 0 if a FIN follows, because the last
    /// one may be longer.
    #[inline]
    fn full_segments(&self, queue_end: u64) -> u32 {
        let sendable = queue_end.min(self.window_end).saturating_sub(self.snd_nxt);
        if self.fin_pending {
            0
        } else {
            (sendable / u64::from(self.current_mss())) as u32
        }
    }

    /// Before new data or a retransmission: records the time, and reports to the algorithm if nothing is in flight.
    pub(super) fn begin_sending(&mut self) {
        if self.sock.packets_in_flight() == 0 {
            self.cwnd_event(CaEvent::TxStart);
        }
        self.sock.lsndtime = self.jiffies;
    }

    /// Sends `count` new segments of `len` sequence numbers each, which start or continue a burst. Several of them are
    /// from one buffer and not followed by a FIN.
    pub(super) fn send_new_segments(&mut self, count: u32, len: u32, departure_ns: u64, continues_burst: bool) {
        // All of them have the same departure time and delivered count.
        let sent_us = self.board.stamp_us(departure_ns / 1000);
        let mut record = SentSegment { seq: self.snd_nxt, len, sent_us, ..SentSegment::default() };
        delivery_rate::on_sent(&mut self.sock, &mut record);
        let end = record.seq + u64::from(count) * u64::from(len);
        let is_fin = self.fin_pending && end == self.write_seq;
        debug_assert!(count == 1 || !self.fin_pending);
        record.flags |= if is_fin { CONTROL } else { 0 };
        // Only the last one can end a buffer.
        let ends_buffer = self.write_queue.pushes(end - u64::from(is_fin), self.write_seq) && len > u32::from(is_fin);
        let first_flags = if continues_burst { 0 } else { BURST_START };
        self.board.push_run(&record, count, first_flags, if ends_buffer { PUSH } else { 0 });

        let first = segment_of(&record, self.take_cwr());
        let ect = self.sends_ecn_capable();
        let next_flags = first.flags & !flags::CWR;
        self.out.extend((0..count).map(|number| {
            let mut datagram = first;
            datagram.seq += u64::from(number) * u64::from(len);
            if number > 0 {
                datagram.flags = next_flags;
            }
            Outgoing { datagram, departure_ns, ect, continues_burst: continues_burst || number > 0 }
        }));
        if let Some(last) = self.out.last_mut().filter(|_| ends_buffer) {
            last.datagram.flags |= flags::PSH;
        }

        if len < self.current_mss() {
            self.small_segment_end = end;
        }
        self.sock.packets_out += count;
        self.snd_nxt = end;
        self.sock.snd_nxt = end as u32;
        self.count_sent(count, u64::from(count) * u64::from(len) - u64::from(is_fin));
    }

    /// Sets PSH on the segment that was sent last, and on its retransmissions.
    pub(super) fn push_last_segment(&mut self) {
        self.board.raise(self.board.end() - 1, PUSH);
        if let Some(last) = self.out.last_mut() {
            last.datagram.flags |= flags::PSH;
        }
    }

    /// Sets PSH on the last segment of a burst of several, so that the receiver's GRO does not wait for more (Linux
    /// since 4.20).
    #[inline]
    pub(super) fn end_burst(&mut self, segments: u32) {
        if segments > 1 {
            if let Some(last) = self.out.last_mut() {
                last.datagram.flags |= flags::PSH;
            }
        }
    }

    /// Transmits a retransmission. Usually only new data is ECN-capable (RFC 3168 section 6.1.5).
    pub(super) fn transmit_again(&mut self, record: &SentSegment, departure_ns: u64, continues_burst: bool) {
        let datagram = segment_of(record, false);
        self.count_sent(1, u64::from(datagram.len));
        let ect = self.sends_all_ecn_capable();
        self.out.push(Outgoing { datagram, departure_ns, ect, continues_burst });
    }

    #[inline]
    fn count_sent(&mut self, segments: u32, payload_bytes: u64) {
        self.sock.segs_out += segments;
        self.sock.data_segs_out += segments;
        self.sock.bytes_sent += payload_bytes;
        if self.counts_host_queue {
            self.host_queue_bytes += payload_bytes;
        }
    }
}

/// The segment of a record.
#[inline]
fn segment_of(record: &SentSegment, cwr: bool) -> Segment {
    let is_fin = record.has(CONTROL);
    Segment {
        seq: record.seq,
        len: record.len - u32::from(is_fin),
        flags: flags::ACK
            | if record.has(PUSH) { flags::PSH } else { 0 }
            | if is_fin { flags::FIN } else { 0 }
            | if cwr { flags::CWR } else { 0 },
        tsval: timestamp_ms(record.sent_us * 1000),
        ..Segment::default()
    }
}
