//! The flows of fq: two round-robin lists of those that may send, and the throttled ones.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use crate::queue::buffer::{Buffer, List, PacketId};
use crate::queue::flows::hash;
use crate::queue::setup::QueueSetup;
use fairlane_contract::FqConfig;

pub(super) struct Rotation {
    flows: Vec<Flow>,
    new: VecDeque<u32>,
    old: VecDeque<u32>,
    /// Throttled flows, by the time at which they may transmit.
    throttled: BinaryHeap<Reverse<(u64, u32)>>,
    quantum_bytes: i64,
    refill_delay_ns: u64,
    perturbation: u64,
}

pub(super) struct Flow {
    pub queue: List,
    pub credit_bytes: i64,
    /// The earliest time of its next frame; 0 if it has not sent under a maxrate yet.
    pub next_ns: u64,
    /// Since when it has been in neither list.
    silent_since_ns: Option<u64>,
}

/// The flow to serve.
#[derive(Clone, Copy)]
pub(super) struct Served {
    pub slot: usize,
    is_new: bool,
}

impl Rotation {
    pub fn new(config: &FqConfig, setup: &QueueSetup) -> Self {
        let initial_bytes = config.initial_quantum_bytes.unwrap_or(10 * setup.mtu_frame_bytes);
        let flow = || Flow {
            queue: List::default(),
            credit_bytes: i64::from(initial_bytes),
            next_ns: 0,
            silent_since_ns: Some(0),
        };
        Self {
            flows: std::iter::repeat_with(flow).take(config.orphan_mask as usize + 1).collect(),
            new: VecDeque::new(),
            old: VecDeque::new(),
            throttled: BinaryHeap::new(),
            quantum_bytes: config.quantum_bytes.unwrap_or(2 * setup.mtu_frame_bytes).into(),
            refill_delay_ns: config.refill_delay_ns,
            perturbation: setup.random("fq hash").next_u64(),
        }
    }

    pub fn slot_of(&self, flow: u32) -> usize {
        let hash = hash(flow, self.perturbation) >> 32;
        ((hash * self.flows.len() as u64) >> 32) as usize
    }

    pub fn flow_mut(&mut self, slot: usize) -> &mut Flow {
        &mut self.flows[slot]
    }

    pub fn quantum_bytes(&self) -> u64 {
        self.quantum_bytes.unsigned_abs()
    }

    /// No flow may send now.
    pub fn is_idle(&self) -> bool {
        self.new.is_empty() && self.old.is_empty()
    }

    pub fn push(&mut self, now_ns: u64, slot: usize, packet: PacketId, buffer: &mut Buffer) {
        let flow = &mut self.flows[slot];
        flow.queue.push_back(packet, buffer);
        if let Some(since_ns) = flow.silent_since_ns.take() {
            if now_ns - since_ns > self.refill_delay_ns {
                flow.credit_bytes = flow.credit_bytes.max(self.quantum_bytes);
            }
            self.new.push_back(slot as u32);
        }
    }

    /// The first flow that has credit left.
    pub fn next_flow(&mut self) -> Option<Served> {
        loop {
            let is_new = !self.new.is_empty();
            let head = *if is_new { self.new.front() } else { self.old.front() }?;
            let flow = &mut self.flows[head as usize];
            if flow.credit_bytes > 0 {
                return Some(Served { slot: head as usize, is_new });
            }
            flow.credit_bytes += self.quantum_bytes;
            self.detach(is_new);
            self.old.push_back(head);
        }
    }

    /// The served flow has no packets; a new one passes through the old list first.
    pub fn retire(&mut self, now_ns: u64, served: Served) {
        self.detach(served.is_new);
        if served.is_new && !self.old.is_empty() {
            self.old.push_back(served.slot as u32);
        } else {
            self.flows[served.slot].silent_since_ns = Some(now_ns);
        }
    }

    /// The served flow is throttled.
    pub fn throttle(&mut self, served: Served, until_ns: u64) {
        self.detach(served.is_new);
        self.throttled.push(Reverse((until_ns, served.slot as u32)));
    }

    /// Returns throttled flows to their list when they may transmit.
    pub fn wake(&mut self, now_ns: u64) {
        while let Some(&Reverse((until_ns, slot))) = self.throttled.peek() {
            if until_ns > now_ns {
                break;
            }
            self.throttled.pop();
            self.old.push_back(slot);
        }
    }

    pub fn next_wakeup_ns(&self) -> Option<u64> {
        self.throttled.peek().map(|&Reverse((until_ns, _))| until_ns)
    }

    fn detach(&mut self, is_new: bool) {
        let list = if is_new { &mut self.new } else { &mut self.old };
        list.pop_front();
    }
}
