//! fq on a router: flow queueing by bytes, each flow paced to at most maxrate.
//!
//! ```text
//! packet → hash(flow) → queue → round robin, queues that were empty first → out, or not before the flow's next time
//! ```
//!
//! Parameters and details are those of Linux's fq where no packet belongs to a socket of the machine: the pacing rates
//! of sockets do not exist, and all packets have one priority. A lightly loaded queue is a plain FIFO.

mod rotation;

use fairlane_contract::FqConfig;

use self::rotation::Rotation;
use super::setup::QueueSetup;
use super::QueueDiscipline;
use crate::queue::buffer::{Buffer, List, PacketId};

pub(crate) struct Fq {
    limit_packets: u64,
    flow_limit_packets: u64,
    maxrate_bps: Option<u64>,
    low_rate_threshold_bps: u64,
    ce_threshold_ns: Option<u64>,
    rotation: Rotation,
    /// The fast path: a few packets while no flow has its own queue.
    direct: List,
    next_event_ns: Option<u64>,
}

/// Packets that Linux admits to the fast path at once.
const DIRECT_PACKETS: usize = 8;
/// The longest time for which Linux delays a packet.
const LONGEST_GAP_NS: u64 = 1_000_000_000;

impl Fq {
    pub fn new(config: &FqConfig, setup: &QueueSetup) -> Self {
        Self {
            limit_packets: config.limit_packets,
            flow_limit_packets: config.flow_limit_packets,
            maxrate_bps: config.maxrate_bps,
            low_rate_threshold_bps: config.low_rate_threshold_bps,
            ce_threshold_ns: config.ce_threshold_ns,
            rotation: Rotation::new(config, setup),
            direct: List::default(),
            next_event_ns: None,
        }
    }

    /// The earliest time of a flow's next frame, after one under a maxrate. None while the flow has credit: a quantum
    /// is paced as a whole.
    fn gap_ns(&mut self, slot: usize, frame_bytes: u32) -> Option<u64> {
        let rate_bps = self.maxrate_bps?;
        let paced_bytes = if rate_bps <= self.low_rate_threshold_bps {
            self.rotation.flow_mut(slot).credit_bytes = 0;
            u64::from(frame_bytes)
        } else {
            u64::from(frame_bytes).max(self.rotation.quantum_bytes())
        };
        if self.rotation.flow_mut(slot).credit_bytes > 0 {
            return None;
        }
        Some((paced_bytes * 8_000_000_000 / rate_bps).min(LONGEST_GAP_NS))
    }
}

impl QueueDiscipline for Fq {
    fn enqueue(&mut self, now_ns: u64, packet: PacketId, buffer: &mut Buffer) {
        if buffer.backlog().packets >= self.limit_packets {
            buffer.drop(packet);
            return;
        }
        let is_quiet = self.rotation.is_idle() && self.direct.len() < DIRECT_PACKETS;
        if is_quiet && self.maxrate_bps.is_none() {
            self.direct.push_back(packet, buffer);
            return;
        }
        let slot = self.rotation.slot_of(buffer.flow(packet));
        if self.rotation.flow_mut(slot).queue.len() as u64 >= self.flow_limit_packets {
            buffer.drop(packet);
            return;
        }
        self.rotation.push(now_ns, slot, packet, buffer);
    }

    fn dequeue(&mut self, now_ns: u64, buffer: &mut Buffer) -> Option<PacketId> {
        if let Some(packet) = self.direct.pop_front(buffer) {
            return Some(packet);
        }
        self.rotation.wake(now_ns);
        while let Some(served) = self.rotation.next_flow() {
            let flow = self.rotation.flow_mut(served.slot);
            let next_ns = flow.next_ns;
            if next_ns > now_ns && !flow.queue.is_empty() {
                self.rotation.throttle(served, next_ns);
                continue;
            }
            let Some(packet) = flow.queue.pop_front(buffer) else {
                self.rotation.retire(now_ns, served);
                continue;
            };
            let frame_bytes = buffer.frame_bytes(packet);
            flow.credit_bytes -= i64::from(frame_bytes);
            let due_ns = next_ns.max(buffer.enqueued_ns(packet));
            if self.ce_threshold_ns.is_some_and(|threshold_ns| now_ns - due_ns > threshold_ns) {
                buffer.mark(packet);
            }
            if let Some(gap_ns) = self.gap_ns(served.slot, frame_bytes) {
                // The lateness of this packet, up to half of the gap, is credited to the next one.
                let late_ns = if next_ns == 0 { 0 } else { now_ns - next_ns };
                self.rotation.flow_mut(served.slot).next_ns = now_ns + gap_ns - late_ns.min(gap_ns / 2);
            }
            return Some(packet);
        }
        self.next_event_ns = self.rotation.next_wakeup_ns();
        None
    }

    fn next_event_ns(&self) -> Option<u64> {
        self.next_event_ns
    }
}
