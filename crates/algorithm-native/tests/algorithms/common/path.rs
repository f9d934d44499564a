//! One paced flow over one bottleneck, packet by packet: enough of a network to show BBR's laws.

use super::{Flow, MSS};
use fairlane_congestion_control::RateSample;
use std::collections::VecDeque;

/// A link of a fixed rate with an unbounded queue, and a delay.
pub struct Path {
    pub flow: Flow,
    pub service_us: f64,
    pub delay_us: f64,
    now_us: f64,
    free_at_us: f64,
    next_send_us: f64,
    in_flight: VecDeque<Packet>,
    /// Mean pacing rate over bottleneck rate, and the window, at each ACK.
    pub trace: Vec<Step>,
    /// The number of arriving packets to lose.
    pub drop_next: u32,
}

#[derive(Clone, Copy)]
struct Packet {
    sent_us: f64,
    arrives_us: f64,
    lost: bool,
    delivered: u32,
    delivered_us: f64,
    first_sent_us: f64,
}

#[derive(Clone, Copy, Debug)]
pub struct Step {
    pub at_s: f64,
    /// Pacing rate as a multiple of the bottleneck's rate.
    pub gain: f64,
    pub cwnd: u32,
    pub in_flight: u32,
}

impl Path {
    pub fn new(flow: Flow, mbps: f64, delay_us: f64) -> Self {
        let service_us = f64::from(MSS) * 8.0 / mbps;
        Self {
            flow,
            service_us,
            delay_us,
            now_us: 0.0,
            free_at_us: 0.0,
            next_send_us: 0.0,
            in_flight: VecDeque::new(),
            trace: Vec::new(),
            drop_next: 0,
        }
    }

    pub fn bdp(&self) -> f64 {
        self.delay_us / self.service_us
    }

    /// Goes on until this time.
    pub fn run_to(&mut self, end_s: f64) {
        while self.now_us < end_s * 1e6 {
            let can_send = (self.in_flight.len() as u32) < self.flow.sock.snd_cwnd;
            let ack_us = self.in_flight.front().map_or(f64::INFINITY, |packet| packet.arrives_us);
            if can_send && self.next_send_us.max(self.now_us) <= ack_us {
                self.now_us = self.now_us.max(self.next_send_us);
                self.send();
            } else {
                self.now_us = ack_us;
                self.acknowledge();
            }
        }
    }

    fn send(&mut self) {
        let sock = &mut self.flow.sock;
        if self.in_flight.is_empty() {
            sock.first_tx_mstamp = self.now_us as u64;
            sock.delivered_mstamp = self.now_us as u64;
        }
        self.free_at_us = self.free_at_us.max(self.now_us) + self.service_us;
        let lost = self.drop_next > 0;
        self.drop_next -= u32::from(lost);
        self.in_flight.push_back(Packet {
            sent_us: self.now_us,
            arrives_us: self.free_at_us + self.delay_us,
            lost,
            delivered: sock.delivered,
            delivered_us: sock.delivered_mstamp as f64,
            first_sent_us: sock.first_tx_mstamp as f64,
        });
        sock.packets_out = self.in_flight.len() as u32;
        self.next_send_us = self.now_us + f64::from(MSS) * 1e6 / sock.sk_pacing_rate as f64;
    }

    fn acknowledge(&mut self) {
        let packet = self.in_flight.pop_front().expect("something is in flight");
        let prior_in_flight = self.in_flight.len() as u32 + 1;
        let sock = &mut self.flow.sock;
        sock.tcp_mstamp = self.now_us as u64;
        sock.tcp_clock_cache = (self.now_us * 1e3) as u64;
        sock.tcp_wstamp_ns = (self.next_send_us * 1e3) as u64;
        sock.packets_out = self.in_flight.len() as u32;
        let rtt_us = self.now_us - packet.sent_us;
        if packet.lost {
            sock.lost += 1;
        } else {
            sock.delivered += 1;
            sock.delivered_mstamp = self.now_us as u64;
        }
        sock.first_tx_mstamp = packet.sent_us as u64;
        sock.srtt_us = (rtt_us as u32) << 3;
        let interval_us = (self.now_us - packet.delivered_us).max(packet.sent_us - packet.first_sent_us);
        let limited = sock.app_limited != 0 && packet.delivered < sock.app_limited;
        if sock.app_limited != 0 && sock.delivered > sock.app_limited {
            sock.app_limited = 0;
        }
        let sample = RateSample {
            prior_delivered: packet.delivered,
            delivered: (sock.delivered - packet.delivered) as i32,
            interval_us: interval_us as i64,
            rtt_us: if packet.lost { -1 } else { rtt_us as i64 },
            losses: i32::from(packet.lost),
            acked_sacked: u32::from(!packet.lost),
            prior_in_flight,
            is_app_limited: u8::from(limited),
            ..RateSample::default()
        };
        self.flow.sample(&sample);
        let sock = &self.flow.sock;
        self.trace.push(Step {
            at_s: self.now_us / 1e6,
            gain: sock.sk_pacing_rate as f64 * self.service_us / (f64::from(MSS) * 1e6),
            cwnd: sock.snd_cwnd,
            in_flight: sock.packets_out,
        });
    }

    /// The steps of a part of the run.
    pub fn between(&self, from_s: f64, to_s: f64) -> Vec<Step> {
        self.trace.iter().copied().filter(|step| step.at_s >= from_s && step.at_s < to_s).collect()
    }
}
