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
use super::setup::QueueSetup;
use super::QueueDiscipline;
use crate::queue::buffer::{Buffer, PacketId};
use crate::Ecn;

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
