//! SCReAMv2, Self-Clocked Rate Adaptation for Multimedia (draft-johansson-ccwg-rfc8298bis-screamv2).
//!
//! ```text
//!   window     grows by 1 MSS per RTT and up to 2 % of itself, more slowly near the window of the last congestion
//!   loss       window x 0.7;   classic CE: x 0.8;   L4S: less half of the averaged share of marks
//!   delay      above half of the target, as marks: less up to half of the window at the target
//!   bitrate    window / smoothed RTT
//! ```
//!
//! Deviations: the draft's names are kept with units; frames have the size of the target bitrate, so the factor for large
//! frames is 1; the history of queuing delays has a sample per RTT; after [`Scream::on_timeout`] the window is the
//! smallest, where the draft has a lowest rate without feedback. The limit of the window at the highest bitrate, and
//! compensation for clock drift and for encoders, which the draft leaves to the implementation, are absent.
//!
//! Only basic operations of `f64` are used, which give the same bits on every machine.

use crate::datagram::MSS_BYTES;
use std::collections::VecDeque;

const MSS: f64 = MSS_BYTES as f64;
const QDELAY_TARGET_LO_S: f64 = 0.06;
const QDELAY_TARGET_HI_S: f64 = 0.4;
const MIN_REF_WND: f64 = 3_000.0;
const BETA_LOSS: f64 = 0.7;
const BETA_ECN: f64 = 0.8;
const RATE_PACE_MIN_BPS: f64 = 50_000.0;
const REF_WND_OVERHEAD: f64 = 1.5;
const L4S_AVG_G: f64 = 1.0 / 16.0;
const QDELAY_AVG_G: f64 = 1.0 / 4.0;
const POST_CONGESTION_DELAY_S: f64 = 4.0;
const MUL_INCREASE_FACTOR: f64 = 0.02;
const VIRTUAL_RTT_S: f64 = 0.025;
const PACKET_PACING_HEADROOM: f64 = 1.5;
const BYTES_IN_FLIGHT_HEAD_ROOM: f64 = 2.0;
const BYTES_IN_FLIGHT_LIMIT: f64 = 0.9;
const BYTES_IN_FLIGHT_LIMIT_COMPENSATION: f64 = 1.5;
/// Least time between two updates of the inflection point.
const INFLECTION_INTERVAL_S: f64 = 0.25;
/// After this time without congestion the window may be far above the bytes in flight.
const LONG_WITHOUT_CONGESTION_S: f64 = 5.0;
/// Samples of the queuing delay of which the variance and the mean are taken.
const VARIANCE_SAMPLES: usize = 200;
const MEAN_SAMPLES: usize = 50;
/// Weight of one RTT in the share of RTTs with losses.
const LOSS_EVENT_G: f64 = 0.01;

/// Limits of the bitrate, and the kind of marks.
#[derive(Clone, Copy, Debug)]
pub struct ScreamConfig {
    pub least_bps: u64,
    pub most_bps: u64,
    /// Packets are sent with ECT(1), and marks are those of an L4S queue.
    pub is_l4s: bool,
}

/// The news of one report.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct News {
    pub now_s: f64,
    pub queue_delay_s: f64,
    /// Up to the highest packet, lost ones included.
    pub bytes: u64,
    pub marked_bytes: u64,
    pub packets: u32,
    pub marked_packets: u32,
    pub is_loss: bool,
    /// Before the report.
    pub in_flight_bytes: u64,
}

#[derive(Debug)]
pub(crate) struct Scream {
    config: ScreamConfig,
    ref_wnd: f64,
    /// The window at the last congestion.
    ref_wnd_i: f64,
    inflection_s: f64,
    last_congestion_s: f64,
    smoothed_rtt_s: f64,
    qdelay_avg_s: f64,
    qdelay_avg_at_s: f64,
    qdelay_target_s: f64,
    l4s_alpha: f64,
    l4s_alpha_at_s: f64,
    last_mark_s: f64,
    packets: u32,
    marked_packets: u32,
    /// The most bytes in flight in this round trip, and in the one before.
    max_in_flight: [f64; 2],
    round_s: f64,
    has_lost_in_round: bool,
    loss_event_rate: f64,
    /// Queuing delays relative to the lowest target, the latest first.
    delays: VecDeque<f64>,
    target_bps: f64,
}

impl Scream {
    pub fn new(config: ScreamConfig) -> Self {
        let long_ago_s = -1e9;
        Self {
            config,
            ref_wnd: MIN_REF_WND,
            ref_wnd_i: 1.0,
            inflection_s: long_ago_s,
            last_congestion_s: long_ago_s,
            smoothed_rtt_s: 0.0,
            qdelay_avg_s: 0.0,
            qdelay_avg_at_s: 0.0,
            qdelay_target_s: QDELAY_TARGET_LO_S,
            l4s_alpha: 0.0,
            l4s_alpha_at_s: 0.0,
            last_mark_s: long_ago_s,
            packets: 0,
            marked_packets: 0,
            max_in_flight: [0.0; 2],
            round_s: 0.0,
            has_lost_in_round: false,
            loss_event_rate: 0.0,
            delays: VecDeque::new(),
            target_bps: config.least_bps as f64,
        }
    }

    /// The first call has the time of the connectivity check.
    pub fn on_rtt(&mut self, rtt_s: f64) {
        let is_first = self.smoothed_rtt_s == 0.0;
        // RFC 6298 section 2.
        self.smoothed_rtt_s = if is_first { rtt_s } else { self.smoothed_rtt_s + (rtt_s - self.smoothed_rtt_s) / 8.0 };
        if is_first {
            self.update_target(0.0);
        }
    }

    pub fn on_sent(&mut self, in_flight_bytes: u64) {
        self.max_in_flight[0] = self.max_in_flight[0].max(in_flight_bytes as f64);
    }

    pub fn on_report(&mut self, news: &News) {
        let in_flight_ratio = news.in_flight_bytes as f64 / self.ref_wnd;
        self.average(news);
        self.react(news);
        self.grow(news);
        self.end_round(news);
        self.update_target(in_flight_ratio);
    }

    /// No report arrived for long.
    pub fn on_timeout(&mut self) {
        self.ref_wnd = MIN_REF_WND;
        self.update_target(0.0);
    }

    /// Bytes that may be in flight.
    pub fn window_bytes(&self) -> u64 {
        (self.ref_wnd * REF_WND_OVERHEAD) as u64
    }

    pub fn reference_window_bytes(&self) -> u64 {
        self.ref_wnd as u64
    }

    /// Bitrate of the encoder, RTP headers included.
    pub fn target_bps(&self) -> u64 {
        self.target_bps as u64
    }

    pub fn pacing_bps(&self) -> f64 {
        self.target_bps.max(RATE_PACE_MIN_BPS) * PACKET_PACING_HEADROOM
    }

    fn ref_wnd_ratio(&self) -> f64 {
        (MSS / self.ref_wnd).min(1.0)
    }

    fn is_l4s_active(&self, now_s: f64) -> bool {
        self.config.is_l4s && now_s - self.last_mark_s < POST_CONGESTION_DELAY_S
    }

    fn average(&mut self, news: &News) {
        self.packets += news.packets;
        self.marked_packets += news.marked_packets;
        if news.marked_packets > 0 {
            self.last_mark_s = news.now_s;
        }
        if self.packets > 0 && news.now_s - self.l4s_alpha_at_s >= self.smoothed_rtt_s.min(0.01) {
            let share = f64::from(self.marked_packets) / f64::from(self.packets);
            self.l4s_alpha += L4S_AVG_G * (share - self.l4s_alpha);
            self.l4s_alpha_at_s = news.now_s;
            (self.packets, self.marked_packets) = (0, 0);
        }
        if news.now_s - self.qdelay_avg_at_s >= self.smoothed_rtt_s {
            let step_s = news.queue_delay_s - self.qdelay_avg_s;
            self.qdelay_avg_s += if step_s < 0.0 { step_s } else { QDELAY_AVG_G * step_s };
            self.qdelay_avg_at_s = news.now_s;
        }
    }

    /// Reduces the window, at most once per round trip.
    fn react(&mut self, news: &News) {
        self.has_lost_in_round |= news.is_loss;
        if news.now_s - self.last_congestion_s < self.smoothed_rtt_s.min(VIRTUAL_RTT_S) {
            return;
        }
        let is_marked = news.marked_packets > 0;
        let half_target_s = self.qdelay_target_s / 2.0;
        // An L4S queue in steady state marks two packets per round trip; with fewer marks the delay counts.
        let expected_alpha = 2.0 / self.target_bps * MSS * 8.0 / self.smoothed_rtt_s;
        let is_delayed =
            news.queue_delay_s > half_target_s && (self.l4s_alpha < expected_alpha || !self.is_l4s_active(news.now_s));
        if !(news.is_loss || is_marked || is_delayed) {
            return;
        }
        if news.now_s - self.inflection_s > INFLECTION_INTERVAL_S {
            self.inflection_s = news.now_s;
            self.ref_wnd_i = self.ref_wnd;
        }
        if news.is_loss {
            self.ref_wnd *= BETA_LOSS;
        }
        if is_marked {
            self.ref_wnd *= if self.config.is_l4s { 1.0 - self.l4s_backoff(news.now_s) } else { BETA_ECN };
        }
        if is_delayed {
            let alpha = ((self.qdelay_avg_s - half_target_s) / half_target_s).clamp(0.0, 1.0);
            self.ref_wnd *= 1.0 - alpha / 2.0;
        }
        self.ref_wnd = self.ref_wnd.max(MIN_REF_WND);
        self.last_congestion_s = news.now_s;
    }

    fn l4s_backoff(&mut self, now_s: f64) -> f64 {
        let backoff = self.l4s_alpha / 2.0 * (1.0 - 2.0 * self.ref_wnd_ratio()).max(0.8);
        if now_s - self.last_congestion_s <= LONG_WITHOUT_CONGESTION_S {
            return backoff;
        }
        self.ref_wnd = self.ref_wnd.min(self.max_in_flight[1].max(MIN_REF_WND));
        self.l4s_alpha = 0.25;
        backoff.max(0.25)
    }

    fn grow(&mut self, news: &News) {
        let ratio = self.ref_wnd_ratio();
        let since_congestion = ((news.now_s - self.last_congestion_s) / POST_CONGESTION_DELAY_S).clamp(0.0, 1.0);
        let short_rtt = (self.smoothed_rtt_s / VIRTUAL_RTT_S).min(1.0);
        let least = if self.is_l4s_active(news.now_s) { (0.02 / ratio).clamp(0.1, 1.0) } else { 0.1 };
        let distance = 4.0 * (self.ref_wnd - self.ref_wnd_i) / self.ref_wnd_i;
        let near_inflection = (distance * distance).clamp(least, 1.0);
        let multiplicative = MUL_INCREASE_FACTOR * self.ref_wnd / MSS * since_congestion * near_inflection;
        let unmarked_bytes = news.bytes.saturating_sub(news.marked_bytes) as f64;
        let increment = unmarked_bytes * ratio * short_rtt * short_rtt * near_inflection * (1.0 + multiplicative);
        let most = MSS + self.max_in_flight[0].max(self.max_in_flight[1]) * BYTES_IN_FLIGHT_HEAD_ROOM;
        if self.ref_wnd + increment <= most {
            self.ref_wnd += increment;
        }
    }

    /// Once per round trip: bytes in flight, the share of round trips with losses, and the target of the delay.
    fn end_round(&mut self, news: &News) {
        if news.now_s - self.round_s < self.smoothed_rtt_s {
            return;
        }
        self.round_s = news.now_s;
        self.max_in_flight = [news.in_flight_bytes as f64, self.max_in_flight[0]];
        let has_lost = f64::from(u8::from(std::mem::take(&mut self.has_lost_in_round)));
        self.loss_event_rate += LOSS_EVENT_G * (has_lost - self.loss_event_rate);
        self.delays.push_front(news.queue_delay_s / QDELAY_TARGET_LO_S);
        self.delays.truncate(VARIANCE_SAMPLES);
        self.adjust_delay_target();
    }

    /// Flows that fill the queue would starve this one at a constant target.
    fn adjust_delay_target(&mut self) {
        let mean_of = |count: usize| {
            let count = count.min(self.delays.len());
            self.delays.iter().take(count).sum::<f64>() / count as f64
        };
        let mean = mean_of(VARIANCE_SAMPLES);
        let squares: f64 = self.delays.iter().map(|delay| (delay - mean) * (delay - mean)).sum();
        let variance = squares / self.delays.len() as f64;
        let proposed_s = (mean_of(MEAN_SAMPLES) + variance.sqrt()) * QDELAY_TARGET_LO_S;
        let target_s = if self.loss_event_rate > 0.002 {
            1.5 * proposed_s
        } else if variance < 0.2 {
            proposed_s
        } else if proposed_s < QDELAY_TARGET_LO_S {
            proposed_s.max(self.qdelay_target_s * 0.5)
        } else {
            self.qdelay_target_s * 0.9
        };
        self.qdelay_target_s = target_s.clamp(QDELAY_TARGET_LO_S, QDELAY_TARGET_HI_S);
    }

    fn update_target(&mut self, in_flight_ratio: f64) {
        let mut scale = 1.0;
        if !self.is_l4s_active(self.round_s) && in_flight_ratio > BYTES_IN_FLIGHT_LIMIT {
            scale /= (in_flight_ratio / BYTES_IN_FLIGHT_LIMIT).min(BYTES_IN_FLIGHT_LIMIT_COMPENSATION);
        }
        scale *= 1.0 - (self.ref_wnd_ratio() - 0.1).clamp(0.0, 0.8);
        let (least, most) = (self.config.least_bps as f64, self.config.most_bps as f64);
        self.target_bps = (scale * 8.0 * self.ref_wnd / self.smoothed_rtt_s).clamp(least, most);
    }
}
