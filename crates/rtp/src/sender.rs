//! The sending half: the queue of RTP packets, pacing, the packets in flight, and the evaluation of reports.

use crate::datagram::{Feedback, MediaPacket, MAX_PAYLOAD_BYTES, MSS_BYTES, REPORTED_PACKETS};
use crate::scream::{News, Scream, ScreamConfig};
use fairlane_engine::Histogram;
use fairlane_transport::TransportSample;
use std::collections::VecDeque;

/// The shortest time without reports after which nothing in flight is expected to be acknowledged (RFC 6298 section 2).
const MIN_TIMEOUT_NS: u64 = 1_000_000_000;
const MAX_TIMEOUT_NS: u64 = 60_000_000_000;
/// The shortest one-way delay of ten minutes is the delay without queues (RFC 6817 section 3.4.2, BASE_HISTORY).
const BASE_MINUTES: usize = 10;
const MINUTE_NS: u64 = 60_000_000_000;

#[derive(Debug)]
pub(crate) struct Sender {
    pub scream: Scream,
    queue: VecDeque<MediaPacket>,
    queued_bytes: u64,
    written_bytes: u64,
    next_number: u64,
    payload_bytes: u32,
    /// Sent and neither acknowledged nor lost, in order; also those below the highest acknowledged number.
    sent: VecDeque<Sent>,
    /// Bytes above the highest acknowledged number.
    in_flight_bytes: u64,
    acknowledged: Option<u64>,
    acknowledged_bytes: u64,
    /// A missing packet counts as lost this long after a later one was acknowledged.
    reordering_ns: u64,
    next_send_ns: u64,
    /// The last report, or the first packet after it.
    waiting_since_ns: u64,
    timeout_ns: u64,
    base_delays_ns: VecDeque<u64>,
    minute: u64,
    pub rtts: Histogram,
    pub sample: TransportSample,
}

#[derive(Clone, Copy, Debug)]
struct Sent {
    packet: MediaPacket,
    sent_ns: u64,
    /// When a later packet was acknowledged first.
    missed_ns: Option<u64>,
    is_lost: bool,
}

impl Sender {
    pub fn new(config: ScreamConfig, payload_bytes: u32) -> Self {
        Self {
            scream: Scream::new(config),
            queue: VecDeque::new(),
            queued_bytes: 0,
            written_bytes: 0,
            next_number: 0,
            payload_bytes: payload_bytes.min(MAX_PAYLOAD_BYTES),
            sent: VecDeque::new(),
            in_flight_bytes: 0,
            acknowledged: None,
            acknowledged_bytes: 0,
            reordering_ns: 0,
            next_send_ns: 0,
            waiting_since_ns: 0,
            timeout_ns: MIN_TIMEOUT_NS,
            base_delays_ns: VecDeque::new(),
            minute: 0,
            rtts: Histogram::default(),
            sample: TransportSample::default(),
        }
    }

    pub fn queued_bytes(&self) -> u64 {
        self.queued_bytes
    }

    pub fn in_flight_bytes(&self) -> u64 {
        self.in_flight_bytes
    }

    pub fn acknowledged_bytes(&self) -> u64 {
        self.acknowledged_bytes
    }

    /// Queues a frame.
    pub fn write(&mut self, bytes: u64) {
        self.written_bytes += bytes;
        self.queued_bytes += bytes;
        let packets = bytes.div_ceil(self.payload_bytes.into()) as u32;
        let first = self.next_number;
        let mut left = bytes;
        for number in first..first + u64::from(packets) {
            let payload_bytes = left.min(self.payload_bytes.into()) as u32;
            left -= u64::from(payload_bytes);
            self.queue.push_back(MediaPacket { number, first, packets, end_bytes: self.written_bytes, payload_bytes });
        }
        self.next_number += u64::from(packets);
    }

    /// The next packet, if window and pacing allow one now.
    pub fn next_packet(&mut self, now_ns: u64) -> Option<MediaPacket> {
        if self.next_send_ns > now_ns || !self.is_within_window() {
            return None;
        }
        let packet = self.queue.pop_front()?;
        self.queued_bytes -= u64::from(packet.payload_bytes);
        if self.in_flight_bytes == 0 {
            self.waiting_since_ns = now_ns;
        }
        self.in_flight_bytes += u64::from(packet.rtp_bytes());
        self.scream.on_sent(self.in_flight_bytes);
        self.sent.push_back(Sent { packet, sent_ns: now_ns, missed_ns: None, is_lost: false });
        let pace_ns = f64::from(packet.rtp_bytes()) * 8e9 / self.scream.pacing_bps();
        self.next_send_ns = self.next_send_ns.max(now_ns) + pace_ns as u64;
        Some(packet)
    }

    fn is_within_window(&self) -> bool {
        let Some(packet) = self.queue.front() else { return false };
        let needed_bytes = self.in_flight_bytes + u64::from(packet.rtp_bytes());
        needed_bytes <= self.scream.window_bytes() || self.in_flight_bytes == 0
    }

    /// When pacing allows the next packet, or reports have been missing for too long.
    pub fn deadline_ns(&self) -> u64 {
        let send_ns = if self.is_within_window() { self.next_send_ns } else { u64::MAX };
        let is_waiting = self.in_flight_bytes > 0;
        send_ns.min(if is_waiting { self.waiting_since_ns + self.timeout_ns } else { u64::MAX })
    }

    /// Without reports the window is the smallest, and one window is sent per timeout, which doubles.
    pub fn on_timer(&mut self, now_ns: u64) {
        if self.in_flight_bytes == 0 || self.waiting_since_ns + self.timeout_ns > now_ns {
            return;
        }
        self.sample.timeouts += 1;
        self.sample.packets_marked_lost += self.sent.iter().filter(|sent| !sent.is_lost).count() as u32;
        self.acknowledged = self.sent.back().map(|sent| sent.packet.number).max(self.acknowledged);
        self.sent.clear();
        self.in_flight_bytes = 0;
        self.timeout_ns = (2 * self.timeout_ns).min(MAX_TIMEOUT_NS);
        self.next_send_ns = now_ns;
        self.scream.on_timeout();
    }

    /// The session begins with a round trip.
    pub fn on_rtt(&mut self, rtt_ns: u64) {
        self.rtts.record((rtt_ns / 1_000) as u32);
        self.scream.on_rtt(rtt_ns as f64 / 1e9);
        let (srtt_ns, var_ns) = (self.sample.srtt_ns, self.sample.rttvar_ns);
        (self.sample.srtt_ns, self.sample.rttvar_ns) = if srtt_ns == 0 {
            (rtt_ns, rtt_ns / 2)
        } else {
            ((7 * srtt_ns + rtt_ns) / 8, (3 * var_ns + srtt_ns.abs_diff(rtt_ns)) / 4)
        };
        self.sample.min_rtt_ns = Some(self.sample.min_rtt_ns.map_or(rtt_ns, |min_ns| min_ns.min(rtt_ns)));
        self.timeout_ns = (self.sample.srtt_ns + 4 * self.sample.rttvar_ns).clamp(MIN_TIMEOUT_NS, MAX_TIMEOUT_NS);
    }

    pub fn on_feedback(&mut self, now_ns: u64, report: &Feedback) {
        let before = self.acknowledged;
        if before.is_some_and(|before| report.highest < before) {
            return; // overtaken by a later one
        }
        let mut news = News { in_flight_bytes: self.in_flight_bytes, now_s: now_ns as f64 / 1e9, ..News::default() };
        if let Some(highest) = self.sent.iter().find(|sent| sent.packet.number == report.highest).copied() {
            self.on_rtt((now_ns - highest.sent_ns).saturating_sub(report.held_ns).max(1));
            news.queue_delay_s = self.queue_delay_ns(now_ns, report.arrival_ns - highest.sent_ns) as f64 / 1e9;
        }
        self.waiting_since_ns = now_ns;
        self.acknowledged = Some(report.highest);
        let is_new = |number: u64| before.is_none_or(|before| number > before);
        let mut kept = VecDeque::with_capacity(self.sent.len());
        for mut sent in std::mem::take(&mut self.sent) {
            let number = sent.packet.number;
            if number > report.highest {
                kept.push_back(sent);
                continue;
            }
            let bytes = u64::from(sent.packet.rtp_bytes());
            if is_new(number) {
                self.in_flight_bytes -= bytes;
                news.bytes += bytes;
            }
            let back = report.highest - number;
            if back < REPORTED_PACKETS && report.arrived >> back & 1 != 0 {
                let is_marked = report.marked >> back & 1 != 0;
                self.acknowledge(now_ns, &sent, is_marked, &mut news);
                continue;
            }
            let missed_ns = *sent.missed_ns.get_or_insert(now_ns);
            if !sent.is_lost && (now_ns - missed_ns >= self.reordering_ns || back >= REPORTED_PACKETS) {
                sent.is_lost = true;
                news.is_loss = true;
                self.sample.packets_marked_lost += 1;
            }
            // Kept while a report may still show that it was only late.
            if back < REPORTED_PACKETS {
                kept.push_back(sent);
            }
        }
        self.sent = kept;
        self.scream.on_report(&news);
    }

    fn acknowledge(&mut self, now_ns: u64, sent: &Sent, is_marked: bool, news: &mut News) {
        news.packets += 1;
        self.sample.delivered_packets += 1;
        self.acknowledged_bytes += u64::from(sent.packet.payload_bytes);
        if is_marked {
            news.marked_packets += 1;
            news.marked_bytes += u64::from(sent.packet.rtp_bytes());
            self.sample.marked_packets += 1;
        }
        if let Some(missed_ns) = sent.missed_ns {
            // It was late by that much (as RACK's window, RFC 8985 section 6.2).
            self.reordering_ns = self.reordering_ns.max(now_ns - missed_ns).min(self.sample.srtt_ns);
            self.sample.spurious_losses += u32::from(sent.is_lost);
        }
    }

    /// The part of a one-way delay that is above the shortest of the last minutes.
    fn queue_delay_ns(&mut self, now_ns: u64, delay_ns: u64) -> u64 {
        if self.base_delays_ns.is_empty() || now_ns / MINUTE_NS > self.minute {
            self.minute = now_ns / MINUTE_NS;
            self.base_delays_ns.push_front(delay_ns);
            self.base_delays_ns.truncate(BASE_MINUTES);
        }
        self.base_delays_ns[0] = self.base_delays_ns[0].min(delay_ns);
        let base_ns = self.base_delays_ns.iter().copied().min().unwrap_or(delay_ns);
        delay_ns - base_ns
    }

    pub fn sample(&self) -> TransportSample {
        TransportSample {
            cwnd_packets: (self.scream.reference_window_bytes() / u64::from(MSS_BYTES)) as u32,
            inflight_packets: (self.in_flight_bytes / u64::from(MSS_BYTES)) as u32,
            pacing_rate_bytes_per_s: Some((self.scream.pacing_bps() / 8.0) as u64),
            rtt_samples: self.rtts.count(),
            rtt_sum_us: self.rtts.sum(),
            ..self.sample
        }
    }
}
