//! Processing of one acknowledgement, in the order of Linux's `tcp_ack`: delivery, RTT, losses, and then window and
//! pacing rate.

use super::{Congestion, LostPacket, LIFETIME_NS};
use crate::frames::Ack;
use crate::in_flight::SentPacket;
use fairlane_congestion_control::{ack_event, delivery_rate, proportional_rate_reduction, AckSample, RateSample};

/// Findings of quinn-proto and of the tap about a datagram or a timer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct News<'a> {
    /// Send times of packets that were acknowledged.
    pub acknowledged: &'a [u64],
    pub losses: &'a [PacketsLost],
    /// The peer reported more CE marks, which quinn-proto accepted as valid.
    pub is_marked: bool,
    pub acks: &'a [Ack],
}

/// Packets that were declared lost together: those that were sent up to this time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PacketsLost {
    pub sent_ns: u64,
    pub bytes: u64,
    pub is_persistent_congestion: bool,
}

impl Congestion {
    pub fn on_news(&mut self, now_ns: u64, news: News) {
        self.refresh_clock(now_ns);
        let prior_delivered = self.sock.delivered;
        let prior_lost = self.sock.lost;
        let mut rate =
            RateSample { prior_in_flight: self.sock.packets_in_flight(), rtt_us: -1, ..RateSample::default() };
        let mut latest: Option<SentPacket> = None;
        for &sent_ns in news.acknowledged {
            let Some(packet) = self.in_flight.acknowledge(sent_ns) else { continue };
            self.on_delivered(&packet, &mut rate);
            if latest.as_ref().is_none_or(|latest| packet.sent_ns > latest.sent_ns) {
                latest = Some(packet);
            }
        }
        let delivered = self.sock.delivered.wrapping_sub(prior_delivered);
        self.count_marks(news.acks, delivered);
        self.count_spurious_losses(now_ns, news.acks);
        self.mirror_sequence_space();
        if !self.is_started {
            // A server may send control frames before the handshake is over; they are not reported to the algorithm.
            for loss in news.losses {
                self.on_lost(now_ns, loss);
            }
            return;
        }
        if self.callbacks.in_ack_event && delivered > 0 {
            let ece = if news.is_marked { ack_event::ECE } else { 0 };
            self.algorithm.in_ack_event(&mut self.sock, ack_event::SLOWPATH | ece);
        }
        if let Some(latest) = &latest {
            self.measure(now_ns, latest, news.acks, &mut rate);
            if self.callbacks.pkts_acked {
                let sample = AckSample {
                    pkts_acked: delivered,
                    rtt_us: rate.rtt_us as i32,
                    in_flight: self.sock.mss_cache * self.sock.delivered.wrapping_sub(rate.prior_delivered),
                };
                self.algorithm.pkts_acked(&mut self.sock, &sample);
            }
            self.leave_recovery(latest, !news.losses.is_empty());
        }
        let mut largest_lost_seq = None;
        let mut is_persistent_congestion = false;
        for loss in news.losses {
            largest_lost_seq = largest_lost_seq.max(self.on_lost(now_ns, loss));
            is_persistent_congestion |= loss.is_persistent_congestion;
        }
        self.mirror_sequence_space();
        self.react(largest_lost_seq, is_persistent_congestion, news.is_marked, latest.as_ref());
        let lost = self.sock.lost.wrapping_sub(prior_lost);
        if delivered == 0 && lost == 0 {
            return;
        }
        delivery_rate::complete(&mut self.sock, delivered, lost, &mut rate);
        self.control(delivered, lost, &rate);
    }

    /// Counts a packet as delivered and updates the delivery-rate sample; the packet that was sent last counts.
    fn on_delivered(&mut self, packet: &SentPacket, rate: &mut RateSample) {
        let sock = &mut self.sock;
        sock.packets_out -= 1;
        sock.delivered = sock.delivered.wrapping_add(1);
        sock.segs_in += 1;
        for range in packet.packet.ranges() {
            sock.bytes_acked += self.streams.on_acknowledged(range);
        }
        sock.bytes_acked += self.streams.on_datagram_acknowledged(packet.packet.datagram_bytes);
        let sent_us = packet.sent_ns / 1000;
        let is_newer = (packet.end_seq as u32).wrapping_sub(rate.last_end_seq) as i32 > 0;
        if rate.prior_delivered == 0 || is_newer {
            rate.prior_delivered = packet.delivered;
            rate.prior_delivered_ce = packet.delivered_ce;
            rate.prior_mstamp = packet.delivered_us;
            rate.is_app_limited = u8::from(packet.is_app_limited);
            rate.is_retrans = u8::from(packet.is_retransmission);
            rate.last_end_seq = packet.end_seq as u32;
            sock.first_tx_mstamp = sent_us;
            rate.interval_us = sent_us.saturating_sub(packet.first_tx_us) as i64;
        }
    }

    /// Measures the RTT if the acknowledgement is the first for its largest packet (RFC 9002 section 5.1).
    fn measure(&mut self, now_ns: u64, latest: &SentPacket, acks: &[Ack], rate: &mut RateSample) {
        let Some(ack) = acks.iter().find(|ack| ack.largest == latest.packet.number) else { return };
        let max_ack_delay_ns = u64::from(self.config.max_ack_delay_us) * 1000;
        let ack_delay_ns = ack.delay.saturating_mul(1000 << ACK_DELAY_EXPONENT).min(max_ack_delay_ns);
        let rtt_us = self.measure_rtt(now_ns.saturating_sub(latest.sent_ns), ack_delay_ns);
        rate.rtt_us = rtt_us.into();
        self.rtts.record(rtt_us);
    }

    /// Updates all estimates with a measurement; returns it in microseconds, without the peer's delay.
    pub(super) fn measure_rtt(&mut self, latest_ns: u64, ack_delay_ns: u64) -> u32 {
        let rtt_us = (self.rtt.update(latest_ns, ack_delay_ns) / 1000).max(1) as u32;
        self.sock.update_min_rtt(rtt_us, self.jiffies, self.min_rtt_window);
        let probe_timeout_ns = self.rtt.probe_timeout_ns(u64::from(self.config.max_ack_delay_us) * 1000);
        let sock = &mut self.sock;
        sock.srtt_us = ((self.rtt.smoothed_ns / 125) as u32).max(1); // times 8
        sock.mdev_us = (self.rtt.variation_ns / 250) as u32; // times 4
        sock.mdev_max_us = sock.mdev_us;
        sock.rttvar_us = sock.mdev_us;
        sock.icsk_rto = probe_timeout_ns.div_ceil(sock.fairlane_jiffy_ns) as u32;
        rtt_us
    }

    fn count_marks(&mut self, acks: &[Ack], delivered: u32) {
        let reported = acks.iter().filter_map(|ack| ack.ce).max().unwrap_or(0);
        let marked = reported.saturating_sub(self.ce_packets).min(delivered.into());
        self.ce_packets += marked;
        self.sock.delivered_ce = self.sock.delivered_ce.wrapping_add(marked as u32);
    }

    /// Finds spurious losses: packets in the ranges of an acknowledgement that were declared lost.
    fn count_spurious_losses(&mut self, now_ns: u64, acks: &[Ack]) {
        for ack in acks {
            let mut ranges = ack.ranges.iter();
            let mut range = ranges.next();
            // Both lists are in descending order, so a range that was passed needs no second comparison.
            for packet in self.lost.iter_mut().rev().take_while(|packet| packet.settled_ns > now_ns) {
                while range.is_some_and(|(first, _)| first > packet.number) {
                    range = ranges.next();
                }
                let Some((_, last)) = range else { break };
                if !packet.is_settled && packet.number <= last {
                    packet.is_settled = true;
                    self.spurious_losses += 1;
                }
            }
        }
    }

    /// Removes lost packets; returns the start of the last one.
    fn on_lost(&mut self, now_ns: u64, loss: &PacketsLost) -> Option<u64> {
        let settled_ns = now_ns + 3 * self.rtt.probe_timeout_ns(u64::from(self.config.max_ack_delay_us) * 1000);
        let mut last_seq = None;
        let mut count = 0;
        for packet in self.in_flight.lose(loss.sent_ns, loss.bytes)? {
            last_seq = Some(packet.seq());
            count += 1;
            self.streams.on_datagram_lost(packet.packet.datagram_bytes);
            if let Some(log) = &mut self.lost_for_log {
                log.push(packet.packet.number);
            }
            self.lost.push_back(LostPacket {
                number: packet.packet.number,
                settled_ns,
                expires_ns: now_ns + LIFETIME_NS,
                is_settled: false,
                datagram: packet.datagram,
            });
        }
        self.sock.packets_out -= count;
        self.sock.lost = self.sock.lost.wrapping_add(count);
        last_seq
    }

    /// Sets window and pacing rate: by the algorithm's `cong_control`, by the reduction in progress, or by
    /// `cong_avoid`.
    fn control(&mut self, delivered: u32, lost: u32, rate: &RateSample) {
        let ack = self.sock.snd_una;
        if self.callbacks.cong_control {
            if delivered > 0 {
                self.algorithm.cong_control(&mut self.sock, ack, 0, rate);
            }
            return;
        }
        if self.sock.in_cwnd_reduction() {
            if self.config.proportional_rate_reduction {
                // Without an acknowledgement, the timer may send one packet, as in Linux.
                proportional_rate_reduction::on_ack(&mut self.sock, delivered.max(1), lost, delivered > 0);
            }
        } else if delivered > 0 {
            self.algorithm.cong_avoid(&mut self.sock, ack, delivered);
            self.sock.snd_cwnd_stamp = self.jiffies;
        }
        self.update_pacing_rate();
    }
}

/// The default of the transport parameter (RFC 9000 section 18.2), which quinn-proto does not change.
const ACK_DELAY_EXPONENT: u32 = 3;
