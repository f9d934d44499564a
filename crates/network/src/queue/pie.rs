//! PIE (RFC 8033): drops newcomers with a probability that a controller moves until packets wait as long as they should.
//!
//! ```text
//! every tupdate:   probability += alpha × (delay − target) + beta × (delay − delay before)
//! on arrival:      nothing in the first 150 ms of congestion, nor while the queue is short; else drop at random
//! ```
//!
//! Parameters and details are those of Linux's pie; the controller is in `controller.rs`, for `fq_pie` has it as well.

mod controller;

use fairlane_engine::{RandomStream, NS_PER_MS};
use serde::Deserialize;

pub(super) use self::controller::{Controller, Departure, State, MAX_PROBABILITY};
use super::config::{time, zero, Fault, QueueSetup};
use super::ticks::TickTimer;
use super::QueueDiscipline;
use crate::buffer::{Buffer, List, PacketId};

/// As `tc qdisc add ... pie`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PieConfig {
    pub limit_packets: u64,
    /// Waiting time that the controller aims at.
    pub target_ns: u64,
    /// Time between two steps of the controller, before it is rounded to ticks.
    pub tupdate_ns: u64,
    /// Weight of the distance to the target, in sixteenths per second.
    pub alpha: u32,
    /// Weight of the trend, in sixteenths per second.
    pub beta: u32,
    pub ecn: bool,
    /// Small packets are dropped less.
    pub bytemode: bool,
    /// Waiting times from the backlog and an estimated rate, in place of time stamps.
    pub dq_rate_estimator: bool,
}

impl Default for PieConfig {
    fn default() -> Self {
        Self {
            limit_packets: 1_000,
            target_ns: 15 * NS_PER_MS,
            tupdate_ns: 15 * NS_PER_MS,
            alpha: 2,
            beta: 20,
            ecn: false,
            bytemode: false,
            dq_rate_estimator: false,
        }
    }
}

impl PieConfig {
    pub(super) fn fault(&self) -> Option<Fault> {
        zero("limit_packets", self.limit_packets)
            .or(time("target_ns", self.target_ns))
            .or(time("tupdate_ns", self.tupdate_ns))
            .or(weight("alpha", self.alpha))
            .or(weight("beta", self.beta))
    }
}

/// Linux takes 0 to 32, that is 0 to 2 per second.
pub(super) fn weight(key: &'static str, sixteenths: u32) -> Option<Fault> {
    (sixteenths > 32).then_some((key, "is above 32; give 0 to 32 sixteenths per second"))
}

pub(crate) struct Pie {
    queue: List,
    limit_packets: u64,
    ecn: bool,
    controller: Controller,
    state: State,
    timer: TickTimer,
    random: RandomStream,
}

impl Pie {
    pub fn new(config: &PieConfig, setup: &QueueSetup) -> Self {
        Self {
            queue: List::default(),
            limit_packets: config.limit_packets,
            ecn: config.ecn,
            controller: Controller {
                target_ns: config.target_ns,
                alpha: config.alpha,
                beta: config.beta,
                bytemode: config.bytemode,
                dq_rate_estimator: config.dq_rate_estimator,
                mtu_frame_bytes: setup.mtu_frame_bytes,
            },
            state: State::default(),
            timer: TickTimer::new(config.tupdate_ns, setup.ticks_per_s),
            random: setup.random("pie"),
        }
    }

    fn catch_up(&mut self, now_ns: u64, buffer: &Buffer) {
        while self.timer.fires(now_ns) {
            self.controller.update(&mut self.state, buffer.backlog().bytes);
        }
    }
}

impl QueueDiscipline for Pie {
    fn enqueue(&mut self, now_ns: u64, packet: PacketId, buffer: &mut Buffer) {
        self.catch_up(now_ns, buffer);
        let backlog = buffer.backlog();
        let is_full = backlog.packets >= self.limit_packets;
        let frame_bytes = buffer.frame_bytes(packet);
        let is_early =
            !is_full && self.controller.drops_early(&mut self.state, backlog.bytes, frame_bytes, &mut self.random);
        // Marks only while drops are rare (RFC 8033 §5.1).
        let may_mark = is_early && self.ecn && self.state.probability <= MAX_PROBABILITY / 10;
        if is_full || (is_early && !(may_mark && buffer.mark(packet))) {
            self.state.forget_luck();
            buffer.drop(packet);
        } else {
            self.queue.push_back(packet, buffer);
        }
    }

    fn dequeue(&mut self, now_ns: u64, buffer: &mut Buffer) -> Option<PacketId> {
        self.catch_up(now_ns, buffer);
        let packet = self.queue.pop_front(buffer)?;
        let frame_bytes = buffer.frame_bytes(packet);
        let left_bytes = buffer.backlog().bytes - u64::from(frame_bytes);
        let delay_ns = now_ns - buffer.enqueued_ns(packet);
        self.controller.on_dequeue(&mut self.state, now_ns, Departure { delay_ns, frame_bytes, left_bytes });
        Some(packet)
    }
}
