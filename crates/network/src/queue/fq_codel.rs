//! FQ-CoDel (RFC 8290): flow queueing, with CoDel in each queue.
//!
//! ```text
//! packet → hash(flow) → queue → round robin by bytes, queues that were empty first → CoDel of the queue → out
//! over the total limit: the longest queue loses half of its packets, at most one batch
//! ```
//!
//! Parameters and details are those of Linux's fq_codel.

use fairlane_contract::FqCodelConfig;

use super::codel::{Law, State};
use super::flows::{Flows, MEMORY_OVERHEAD_BYTES};
use super::setup::{time, zero, Fault, QueueSetup};
use super::QueueDiscipline;
use crate::queue::buffer::{Buffer, PacketId};
use crate::Ecn;

pub(super) fn fault(config: &FqCodelConfig) -> Option<Fault> {
    zero("limit_packets", config.limit_packets)
        .or(zero("memory_limit_bytes", config.memory_limit_bytes))
        .or(time("target_ns", config.target_ns))
        .or(time("interval_ns", config.interval_ns))
        .or(queues(config.flows))
        .or(quantum(config.quantum_bytes))
        .or((config.drop_batch_packets == 0).then_some(("drop_batch_packets", "is 0", "use 1 or more (Linux: 64)")))
}

/// Numbers of queues that Linux accepts.
pub(super) fn queues(flows: u32) -> Option<Fault> {
    (!(1..=65_536).contains(&flows)).then_some(("flows", "is out of range", "give 1 to 65536 queues (Linux: 1024)"))
}

/// Rejects a quantum so small that the round robin would be unbounded, or too large for its integer type.
pub(super) fn quantum(quantum_bytes: Option<u32>) -> Option<Fault> {
    let is_wrong = quantum_bytes.is_some_and(|bytes| !(256..=1 << 20).contains(&bytes));
    is_wrong.then_some(("quantum_bytes", "is out of range", "give 256 to 1048576, or leave it out for one full frame"))
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

    /// Drops half of the longest queue, at most one batch: searching for it is too expensive for each packet.
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
            // CoDel counts each drop as a separate signal.
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
        let mut total = buffer.backlog();
        total.add(buffer.frame_bytes(packet));
        let memory_bytes = total.bytes + total.packets * MEMORY_OVERHEAD_BYTES;
        if total.packets > self.limit_packets || memory_bytes > self.memory_limit_bytes {
            self.drop_batch(buffer);
        }
    }

    fn dequeue(&mut self, now_ns: u64, buffer: &mut Buffer) -> Option<PacketId> {
        loop {
            let served = self.flows.next_queue()?;
            let slot = &mut self.flows.slots[served.slot];
            match self.law.dequeue(&mut slot.state, now_ns, &mut slot.queue, buffer) {
                Some(packet) => {
                    self.flows.charge(served, buffer.frame_bytes(packet));
                    return Some(packet);
                }
                None => self.flows.retire(served),
            }
        }
    }
}
