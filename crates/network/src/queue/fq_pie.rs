//! FQ-PIE: flow queueing as in FQ-CoDel, with PIE in each queue.
//!
//! Parameters and details are those of Linux's fq_pie, except `memory_limit`: Linux counts the excess but drops no
//! packet.

use fairlane_contract::FqPieConfig;
use fairlane_engine::RandomStream;

use super::flows::Flows;
use super::pie::{Controller, Departure, State, MAX_PROBABILITY};
use super::setup::QueueSetup;
use super::ticks::TickTimer;
use super::QueueDiscipline;
use crate::queue::buffer::{Buffer, PacketId};

pub(crate) struct FqPie {
    flows: Flows<Flow>,
    /// Queues whose controller is not at rest.
    awake: Vec<u32>,
    limit_packets: u64,
    /// None: drop, never mark.
    highest_mark: Option<u64>,
    controller: Controller,
    timer: TickTimer,
    random: RandomStream,
}

#[derive(Default)]
struct Flow {
    pie: State,
    is_awake: bool,
}

impl FqPie {
    pub fn new(config: &FqPieConfig, setup: &QueueSetup) -> Self {
        let quantum_bytes = config.quantum_bytes.unwrap_or(setup.mtu_frame_bytes);
        Self {
            flows: Flows::new(config.flows, quantum_bytes, &mut setup.random("fq_pie hash")),
            awake: Vec::new(),
            limit_packets: config.limit_packets,
            highest_mark: config.ecn.then(|| MAX_PROBABILITY / 100 * u64::from(config.ecn_prob)),
            controller: Controller {
                target_ns: config.target_ns,
                alpha: config.alpha,
                beta: config.beta,
                bytemode: config.bytemode,
                dq_rate_estimator: config.dq_rate_estimator,
                mtu_frame_bytes: setup.mtu_frame_bytes,
            },
            timer: TickTimer::new(config.tupdate_ns, setup.ticks_per_s),
            random: setup.random("fq_pie"),
        }
    }

    #[inline]
    fn catch_up(&mut self, now_ns: u64) {
        while self.timer.fires(now_ns) {
            self.update();
        }
    }

    /// Updates all controllers. A controller at rest whose queue is empty is skipped from then on.
    fn update(&mut self) {
        let (slots, controller) = (&mut self.flows.slots, &self.controller);
        self.awake.retain(|&slot| {
            let slot = &mut slots[slot as usize];
            let before = slot.state.pie.clone();
            controller.update(&mut slot.state.pie, slot.queue.bytes());
            slot.state.is_awake = !slot.queue.is_empty() || slot.state.pie != before;
            slot.state.is_awake
        });
    }
}

impl QueueDiscipline for FqPie {
    fn enqueue(&mut self, now_ns: u64, packet: PacketId, buffer: &mut Buffer) {
        self.catch_up(now_ns);
        let slot = self.flows.slot_of(buffer.flow(packet));
        let entry = &mut self.flows.slots[slot];
        if !entry.state.is_awake {
            entry.state.is_awake = true;
            self.awake.push(slot as u32);
        }
        let pie = &mut entry.state.pie;
        let (backlog_bytes, frame_bytes) = (entry.queue.bytes(), buffer.frame_bytes(packet));
        let is_full = buffer.backlog().packets >= self.limit_packets;
        let is_early = !is_full && self.controller.drops_early(pie, backlog_bytes, frame_bytes, &mut self.random);
        let may_mark = is_early && self.highest_mark.is_some_and(|highest| pie.probability <= highest);
        if is_full || (is_early && !(may_mark && buffer.mark(packet))) {
            pie.forget_luck();
            buffer.drop(packet);
        } else {
            self.flows.push(slot, packet, buffer);
        }
    }

    fn dequeue(&mut self, now_ns: u64, buffer: &mut Buffer) -> Option<PacketId> {
        self.catch_up(now_ns);
        loop {
            let served = self.flows.next_queue()?;
            let slot = &mut self.flows.slots[served.slot];
            let Some(packet) = slot.queue.pop_front(buffer) else {
                self.flows.retire(served);
                continue;
            };
            let frame_bytes = buffer.frame_bytes(packet);
            let delay_ns = now_ns - buffer.enqueued_ns(packet);
            let departure = Departure { delay_ns, frame_bytes, left_bytes: slot.queue.bytes() };
            self.controller.on_dequeue(&mut slot.state.pie, now_ns, departure);
            self.flows.charge(served, frame_bytes);
            return Some(packet);
        }
    }
}
