//! FQ-CoDel (RFC 8290): flows hashed into queues that take turns, CoDel in each of them.
//!
//! ```text
//! packet → hash(flow) → queue → round robin by bytes, queues that were empty first → CoDel of the queue → out
//! too much in all queues together: the fattest loses half of its packets, at most a batch
//! ```
//!
//! Parameters and details are those of Linux's fq_codel.

use serde::Deserialize;

use super::codel::{CodelConfig, Law, State};
use super::config::{time, zero, Fault, QueueSetup};
use super::flows::{Flows, MEMORY_OVERHEAD_BYTES};
use super::QueueDiscipline;
use crate::buffer::{Buffer, PacketId};
use crate::Ecn;

/// As `tc qdisc add ... fq_codel`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct FqCodelConfig {
    pub limit_packets: u64,
    /// Number of queues; flows that hash to the same one share it.
    pub flows: u32,
    pub target_ns: u64,
    pub interval_ns: u64,
    /// What a queue may send in its turn; absent means a full frame.
    pub quantum_bytes: Option<u32>,
    pub ecn: bool,
    /// Mark every packet that waited longer than this, whatever the law says ...
    pub ce_threshold_ns: Option<u64>,
    /// ... of those that say they are scalable (ECT(1), RFC 9331) if this is set, as by tc's
    /// `ce_threshold_selector 0x1/0x3`; CE counts as ECT(1) only if it came as such.
    pub ce_threshold_ect1_only: bool,
    /// What the kernel may use for all packets, their descriptors included.
    pub memory_limit_bytes: u64,
    /// Most packets dropped at once when the queue overflows.
    pub drop_batch_packets: u32,
}

impl Default for FqCodelConfig {
    fn default() -> Self {
        let CodelConfig { target_ns, interval_ns, .. } = CodelConfig::default();
        Self {
            limit_packets: 10_240,
            flows: 1_024,
            target_ns,
            interval_ns,
            quantum_bytes: None,
            ecn: true,
            ce_threshold_ns: None,
            ce_threshold_ect1_only: false,
            memory_limit_bytes: 32 << 20,
            drop_batch_packets: 64,
        }
    }
}

impl FqCodelConfig {
    pub(super) fn fault(&self) -> Option<Fault> {
        zero("limit_packets", self.limit_packets)
            .or(zero("memory_limit_bytes", self.memory_limit_bytes))
            .or(time("target_ns", self.target_ns))
            .or(time("interval_ns", self.interval_ns))
            .or(queues(self.flows))
            .or(quantum(self.quantum_bytes))
            .or((self.drop_batch_packets == 0).then_some(("drop_batch_packets", "is 0; use 1 or more (Linux: 64)")))
    }
}

/// What Linux accepts as a number of queues.
pub(super) fn queues(flows: u32) -> Option<Fault> {
    (!(1..=65_536).contains(&flows)).then_some(("flows", "must be 1 to 65536, the number of queues (Linux: 1024)"))
}

/// A quantum so small that queues would go round for ever, or too large for its integer.
pub(super) fn quantum(quantum_bytes: Option<u32>) -> Option<Fault> {
    let is_wrong = quantum_bytes.is_some_and(|bytes| !(256..=1 << 20).contains(&bytes));
    is_wrong.then_some(("quantum_bytes", "must be 256 to 1048576; leave it out for one full frame"))
}

pub(crate) struct FqCodel {
    flows: Flows<State>,
    law: Law,
    limit_packets: u64,
    memory_limit_bytes: u64,
    drop_batch_packets: u32,
}

impl FqCodel {
    pub fn new(config: &FqCodelConfig, setup: &QueueSetup) -> Self {
        let law = Law {
            target_ns: config.target_ns,
            interval_ns: config.interval_ns,
            ecn: config.ecn,
            mtu_frame_bytes: setup.mtu_frame_bytes,
            ce_threshold_ns: config.ce_threshold_ns,
            ce_threshold_applies: if config.ce_threshold_ect1_only { |ecn| ecn == Ecn::Ect1 } else { |_| true },
        };
        let quantum_bytes = config.quantum_bytes.unwrap_or(setup.mtu_frame_bytes);
        Self {
            flows: Flows::new(config.flows, quantum_bytes, &mut setup.random("fq_codel hash")),
            law,
            limit_packets: config.limit_packets,
            memory_limit_bytes: config.memory_limit_bytes,
            drop_batch_packets: config.drop_batch_packets,
        }
    }

    /// Halves the fattest queue, at most by a batch: looking for it costs too much to do it for each packet.
    #[cold]
    fn drop_batch(&mut self, buffer: &mut Buffer) {
        let fattest = self.flows.fattest();
        let slot = &mut self.flows.slots[fattest];
        let half_bytes = slot.queue.bytes() / 2;
        let mut dropped_bytes = 0;
        for _ in 0..self.drop_batch_packets {
            let Some(packet) = slot.queue.pop_front(buffer) else { break };
            dropped_bytes += u64::from(buffer.frame_bytes(packet));
            buffer.drop(packet);
            // CoDel takes each of them for a signal of its own.
            slot.state.count = slot.state.count.wrapping_add(1);
            if dropped_bytes >= half_bytes {
                break;
            }
        }
    }
}

impl QueueDiscipline for FqCodel {
    fn enqueue(&mut self, _now_ns: u64, packet: PacketId, buffer: &mut Buffer) {
        let slot = self.flows.slot_of(buffer.flow(packet));
        self.flows.push(slot, packet, buffer);
        let mut held = buffer.backlog();
        held.add(buffer.frame_bytes(packet));
        let memory_bytes = held.bytes + held.packets * MEMORY_OVERHEAD_BYTES;
        if held.packets > self.limit_packets || memory_bytes > self.memory_limit_bytes {
            self.drop_batch(buffer);
        }
    }

    fn dequeue(&mut self, now_ns: u64, buffer: &mut Buffer) -> Option<PacketId> {
        loop {
            let turn = self.flows.turn()?;
            let slot = &mut self.flows.slots[turn.slot];
            match self.law.dequeue(&mut slot.state, now_ns, &mut slot.queue, buffer) {
                Some(packet) => {
                    self.flows.charge(turn, buffer.frame_bytes(packet));
                    return Some(packet);
                }
                None => self.flows.retire(turn),
            }
        }
    }
}
