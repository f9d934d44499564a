//! PIE (RFC 8033): drops arriving packets with a probability that a controller adjusts to meet a target delay.
//!
//! ```text
//! every tupdate:   probability += alpha × (delay − target) + beta × (delay − delay before)
//! on arrival:      nothing in the first 150 ms of congestion, nor while the queue is short; else drop at random
//! ```
//!
//! Parameters and details are those of Linux's pie. The controller is in `controller.rs`, shared with `fq_pie`.

mod controller;

use fairlane_contract::PieConfig;
use fairlane_engine::RandomStream;

pub(super) use self::controller::{Controller, Departure, State, MAX_PROBABILITY};
use super::setup::QueueSetup;
use super::ticks::TickTimer;
use super::QueueDiscipline;
use crate::queue::buffer::{Buffer, List, PacketId};

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
