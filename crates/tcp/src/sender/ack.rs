//! Processing of an arriving acknowledgement: scoreboard, RTT, recovery, window, and the sending that follows.

use super::ack_info::{meaning::*, AckInfo, Retransmit};
use super::acknowledged::Removed;
use super::scoreboard::SACKED;
use super::{delivery_rate, rack, rtt, Sender};
use crate::segment::{flags, timestamp_ms, Segment};
use fairlane_congestion_control::sock::CaState;
use fairlane_congestion_control::{ack_event, AckSample};

impl Sender {
    /// Whether an acknowledgement is acceptable: not beyond `snd_nxt`, and at most the peer's largest window below
    /// `snd_una` (RFC 5961 section 5.2).
    #[inline]
    pub(crate) fn accepts_ack(&self, ack: u64) -> bool {
        ack.wrapping_sub(self.snd_una) <= self.snd_nxt - self.snd_una || self.is_late_ack(ack)
    }

    #[cold]
    fn is_late_ack(&self, ack: u64) -> bool {
        ack < self.snd_una && self.snd_una - ack <= u64::from(self.sock.max_window).min(self.sock.bytes_acked)
    }

    /// Processes the acknowledgement of an arriving segment that passed [`accepts_ack`](Self::accepts_ack), then sends
    /// as much as it allows.
    pub fn on_ack(&mut self, now_ns: u64, segment: &Segment) {
        self.refresh_clock(now_ns);
        self.sock.segs_in += 1;
        self.echoed_tsval = segment.has_timestamps.then_some(segment.tsecr);
        self.sock.rx_opt_saw_tstamp = segment.has_timestamps.into();
        if segment.has_timestamps {
            self.sock.rx_opt_rcv_tsval = segment.tsval;
            self.sock.rx_opt_rcv_tsecr = segment.tsecr;
        }
        if segment.ack < self.snd_una {
            self.on_old_ack(segment);
            return;
        }
        let mut info = AckInfo::new(self, if segment.len > 0 { DATA } else { 0 });
        let had_nothing_out = self.sock.packets_out == 0;
        let prior_delivered = self.sock.delivered;
        let prior_lost = self.sock.lost;

        if segment.ack > self.snd_una {
            info.bits |= ADVANCED;
            self.sock.icsk_retransmits = 0;
        }
        let mut events = if self.is_predicted(segment) { 0 } else { ack_event::SLOWPATH };
        info.bits |= self.update_window(segment);
        if segment.ack > self.snd_una {
            self.sock.bytes_acked += segment.ack - self.snd_una;
            self.snd_una = segment.ack;
            self.mirror_sequence_space();
        }
        if segment.sack_count > 0 && self.config.sack {
            self.process_sack_blocks(segment, &mut info);
        }
        // With AccECN the flags are a counter, which is decoded once the number of acknowledged packets is known.
        let has_accecn = self.uses_accecn();
        if segment.flags & flags::ECE != 0 && self.ecn_enabled() {
            info.bits |= ECE;
            events |= ack_event::ECE;
        }
        if info.sack_delivered > 0 {
            self.count_delivered(info.sack_delivered, info.bits & ECE != 0);
        }
        if !has_accecn {
            self.call_in_ack_event(events, &info);
        }

        if had_nothing_out {
            if has_accecn {
                self.process_accecn(segment, prior_delivered, events, &mut info);
            }
            self.on_ack_with_nothing_out(&mut info);
            return;
        }
        self.clean_scoreboard(&mut info);
        if has_accecn {
            self.process_accecn(segment, prior_delivered, events, &mut info);
        }
        rack::adapt_window(&mut self.sock, info.rate.prior_delivered);
        if self.tlp_high_seq.is_some() {
            self.process_tail_loss_probe_ack(segment.ack, &info);
        }
        let is_dubious = self.is_dubious(info.bits);
        if is_dubious {
            info.duplicate = info.bits & (ADVANCED | NOT_DUPLICATE | DSACK) == 0;
            self.run_recovery(&mut info);
        }
        // After recovery, because RACK may have armed its own timer and cleared the bit. New data sent below sets the
        // probe timer itself.
        let sets_timer = info.bits & SET_TIMER != 0;
        let may_wait = !is_dubious && self.sock.packets_out > 0 && self.probes_tail();
        if sets_timer && !may_wait {
            self.set_loss_timer();
        }
        let delivered = self.sock.delivered.wrapping_sub(prior_delivered);
        let lost = self.sock.lost.wrapping_sub(prior_lost);
        info.rate.is_ack_delayed = u8::from(info.bits & MAYBE_DELAYED != 0);
        delivery_rate::complete(&mut self.sock, delivered, lost, &mut info.rate);
        self.control_congestion(segment.ack, delivered, lost, &info);
        let has_sent = self.send_after_ack(info.retransmit);
        if sets_timer && may_wait && !has_sent {
            self.set_loss_timer();
        }
        self.check_invariants();
    }

    #[inline]
    pub(super) fn call_in_ack_event(&mut self, mut events: u32, info: &AckInfo) {
        if self.callbacks.in_ack_event {
            if info.bits & WINDOW_UPDATE != 0 {
                events |= ack_event::WIN_UPDATE;
            }
            self.algorithm.in_ack_event(&mut self.sock, events);
        }
    }

    /// Header prediction: new data is acknowledged, and all other fields are as in the last ACK.
    #[inline]
    fn is_predicted(&self, segment: &Segment) -> bool {
        segment.ack > self.snd_una
            && segment.window == self.sock.snd_wnd
            && segment.sack_count == 0
            && (segment.flags & flags::ECE == 0 || self.uses_accecn())
    }

    /// An ACK below `snd_una` can still carry new SACK blocks (RFC 2018 section 4).
    fn on_old_ack(&mut self, segment: &Segment) {
        if segment.sack_count == 0 || self.sock.packets_out == 0 || !self.config.sack {
            return;
        }
        let prior_delivered = self.sock.delivered;
        let prior_lost = self.sock.lost;
        let mut info = AckInfo::new(self, 0);
        self.process_sack_blocks(segment, &mut info);
        if info.sack_delivered > 0 {
            self.count_delivered(info.sack_delivered, false);
        }
        self.run_recovery(&mut info);
        let delivered = self.sock.delivered.wrapping_sub(prior_delivered);
        let lost = self.sock.lost.wrapping_sub(prior_lost);
        if delivered > 0 || lost > 0 {
            delivery_rate::complete(&mut self.sock, delivered, lost, &mut info.rate);
        }
        self.send_after_ack(info.retransmit);
        self.check_invariants();
    }

    /// Nothing was in flight: the ACK can only open the window or report a duplicate (D-SACK).
    fn on_ack_with_nothing_out(&mut self, info: &mut AckInfo) {
        if info.bits & DSACK != 0 {
            self.run_recovery(info);
        }
        self.on_window_probe_ack();
        if self.tlp_high_seq.is_some() {
            let ack = self.snd_una;
            self.process_tail_loss_probe_ack(ack, info);
        }
        self.push();
        self.check_invariants();
    }

    /// Updates the send window, unless the segment is older than that of the last update (RFC 9293 section 3.10.7.4).
    /// One of the same age may only open the window further or close it.
    fn update_window(&mut self, segment: &Segment) -> u32 {
        let reopens = segment.seq == self.snd_wl1 && (segment.window > self.sock.snd_wnd || segment.window == 0);
        if segment.ack <= self.snd_una && segment.seq <= self.snd_wl1 && !reopens {
            return 0;
        }
        self.snd_wl1 = segment.seq;
        self.window_end = segment.ack + u64::from(segment.window);
        if segment.window != self.sock.snd_wnd {
            self.sock.snd_wnd = segment.window;
            if self.write_seq > self.snd_nxt {
                self.restart_after_idle(); // it may have been closed for long
            }
            self.sock.max_window = self.sock.max_window.max(segment.window);
        }
        WINDOW_UPDATE
    }

    pub(super) fn count_delivered(&mut self, packets: u32, ece: bool) {
        self.sock.delivered = self.sock.delivered.wrapping_add(packets);
        if ece {
            self.sock.delivered_ce = self.sock.delivered_ce.wrapping_add(packets);
        }
    }

    /// Removes cumulatively acknowledged segments from the scoreboard and measures the RTT.
    fn clean_scoreboard(&mut self, info: &mut AckInfo) {
        let now_us = self.sock.tcp_mstamp;
        let ece = info.bits & ECE != 0;
        let prior_sacked = self.sock.sacked_out;
        let Removed { packets: acked_packets, first_sent_us, last_sent_us, reordered_from, partial } =
            self.remove_acknowledged(ece, info);
        let first = self.board.first();
        self.sack_frontier = self.sack_frontier.max(first);
        self.retransmit_hint = self.retransmit_hint.max(first);
        self.rack.on_acknowledged(first);
        if !self.board.is_empty() && self.board.has(first, SACKED) {
            info.bits |= RENEGED;
        }
        if acked_packets > 0 {
            info.bits |= DATA_ACKED;
        }

        let since = |sent_us: u64| now_us.saturating_sub(sent_us) as i64;
        let mut rtt_us = -1;
        let mut algorithm_rtt_us = -1;
        if let (Some(first_us), 0) = (first_sent_us, info.bits & RETRANSMITTED_DATA_ACKED) {
            rtt_us = since(first_us);
            algorithm_rtt_us = since(last_sent_us);
            // A single small segment, and nothing else, is acknowledged: typical of a delayed ACK.
            let runt = self.snd_una - info.prior_snd_una < u64::from(self.sock.mss_cache);
            if acked_packets == 1
                && !partial
                && prior_sacked == 0
                && runt
                && info.rate.prior_delivered.wrapping_add(1) == self.sock.delivered
                && info.bits & ALERT == 0
            {
                info.bits |= MAYBE_DELAYED;
            }
        }
        let mut sack_rtt_us = -1;
        if let Some(first_us) = info.first_sacked_us {
            sack_rtt_us = since(first_us);
            algorithm_rtt_us = since(info.last_sacked_us);
        }
        let measured = self.measure_rtt(info, rtt_us, sack_rtt_us, algorithm_rtt_us);

        if info.bits & DATA_ACKED != 0 {
            info.bits |= SET_TIMER;
            if !self.config.sack {
                self.settle_duplicate_acks(acked_packets, ece);
                if info.bits & RETRANSMITTED_DATA_ACKED != 0 {
                    info.bits &= !ORIGINAL_ACKED; // without SACK it is unknown which copy arrived
                }
            } else if reordered_from < info.prior_frontier_seq {
                // An original transmission filled a hole: it was reordered, not lost.
                self.note_reordering(reordered_from);
            }
        } else if measured && sack_rtt_us >= 0 {
            // Do not postpone the timeout if SACKs only cover data older than the head's last transmission.
            if let Some(head) = self.board.head() {
                if sack_rtt_us > since(head.sent_us) {
                    info.bits |= SET_TIMER;
                }
            }
        }
        if self.callbacks.pkts_acked {
            let sample = AckSample {
                pkts_acked: acked_packets,
                rtt_us: info.rate.rtt_us as i32,
                in_flight: self.sock.mss_cache * self.sock.delivered.wrapping_sub(info.rate.prior_delivered),
            };
            self.algorithm.pkts_acked(&mut self.sock, &sample);
        }
    }

    /// Updates the RTT estimators; returns whether there was a measurement. Karn's rule excludes retransmissions,
    /// unless timestamps tell which transmission was acknowledged (RFC 7323 section 4).
    fn measure_rtt(&mut self, info: &mut AckInfo, cumulative_us: i64, sack_us: i64, algorithm_us: i64) -> bool {
        let bits = info.bits;
        let mut rtt_us = if cumulative_us < 0 { sack_us } else { cumulative_us };
        let mut algorithm_us = algorithm_us;
        if rtt_us < 0 && bits & DATA_ACKED != 0 {
            if let Some(echoed) = self.echoed_tsval.filter(|&echoed| echoed != 0) {
                let delta_ms = timestamp_ms(self.sock.tcp_clock_cache).wrapping_sub(echoed);
                if delta_ms < i32::MAX as u32 / 1000 {
                    rtt_us = i64::from(delta_ms.max(1)) * 1000;
                    algorithm_us = rtt_us;
                }
            }
        }
        info.rate.rtt_us = algorithm_us;
        if rtt_us < 0 {
            return false;
        }
        self.rtt_samples.record(algorithm_us as u32);
        let maybe_delayed = bits & MAYBE_DELAYED != 0 && algorithm_us > i64::from(self.sock.min_rtt_us());
        if !maybe_delayed {
            self.sock.update_min_rtt(algorithm_us as u32, self.jiffies, self.min_rtt_window);
        }
        rtt::update_smoothed(&mut self.sock, rtt_us, self.config.rto_min_us);
        self.update_rto();
        true
    }

    /// Whether this ACK may change the state of recovery.
    #[inline]
    fn is_dubious(&self, bits: u32) -> bool {
        bits & NOT_DUPLICATE == 0 || bits & ALERT != 0 || self.sock.ca_state() != CaState::Open
    }

    /// Sets window and pacing rate: by the algorithm's `cong_control`, by PRR during a reduction, or by `cong_avoid`.
    fn control_congestion(&mut self, ack: u64, delivered: u32, lost: u32, info: &AckInfo) {
        let bits = info.bits;
        if self.callbacks.cong_control {
            self.algorithm.cong_control(&mut self.sock, ack as u32, bits as i32, &info.rate);
            return;
        }
        if self.sock.in_cwnd_reduction() {
            self.reduce_cwnd(delivered, lost, bits);
        } else {
            // If the path reorders, SACKed data counts as progress too.
            let progress =
                if self.sock.reordering > super::INITIAL_REORDERING_PACKETS { FORWARD_PROGRESS } else { DATA_ACKED };
            if bits & progress != 0 {
                self.algorithm.cong_avoid(&mut self.sock, ack as u32, delivered);
                self.sock.snd_cwnd_stamp = self.jiffies;
            }
        }
        self.update_pacing_rate();
    }

    /// Returns whether new data went out last.
    fn send_after_ack(&mut self, retransmit: Retransmit) -> bool {
        if self.memory.is_some() {
            self.settle_memory();
        }
        match retransmit {
            Retransmit::Nothing => {}
            Retransmit::NewData => {
                self.push();
                if self.snd_nxt <= self.high_seq {
                    self.sock.frto = 0; // no new data could be sent: fall back to retransmission
                    self.retransmit_lost();
                }
            }
            Retransmit::Lost => self.retransmit_lost(),
        }
        self.push()
    }

    /// Debug and test builds check after every event that the scoreboard's counters match its records.
    #[inline]
    pub(super) fn check_invariants(&self) {
        #[cfg(debug_assertions)]
        {
            use super::scoreboard::{LOST, RETRANSMISSION_OUT};
            let (mut sacked, mut lost, mut retransmitted) = (0, 0, 0);
            for number in self.board.first()..self.board.end() {
                let segment = self.board.get(number);
                sacked += u32::from(segment.has(SACKED));
                lost += u32::from(segment.has(LOST));
                retransmitted += u32::from(segment.has(RETRANSMISSION_OUT));
                assert!(!(segment.has(SACKED) && segment.has(LOST)), "segment {number} is both SACKed and lost");
            }
            assert_eq!(self.sock.packets_out as u64, self.board.end() - self.board.first(), "packets_out");
            if !self.config.sack {
                sacked = self.sock.sacked_out; // counts duplicate ACKs, which name no segment
                assert!(sacked + lost <= self.sock.packets_out, "sacked_out");
            }
            assert_eq!(
                (self.sock.sacked_out, self.sock.lost_out, self.sock.retrans_out),
                (sacked, lost, retransmitted),
                "scoreboard counts"
            );
            if let Some(head) = self.board.head() {
                assert_eq!(head.seq, self.snd_una, "the oldest segment starts at snd_una");
            } else {
                assert_eq!(self.snd_una, self.snd_nxt);
            }
        }
    }
}
