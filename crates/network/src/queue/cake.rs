//! The core of CAKE (Høiland-Jørgensen, Täht and Morton 2018): one tin of flow queues, each with COBALT.
//!
//! ```text
//! packet → set-associative hash → queue → round robin, sparse queues first → COBALT of the queue → shaper → out
//! ```
//!
//! Like Linux's cake with `besteffort flows`: each flow has its own hosts, so host isolation is flow isolation. Not
//! implemented: tins by DSCP, ingress mode. `cobalt.rs` is the AQM, `tin.rs` the queues and their round robin, `ack_filter.rs`
//! drops redundant ACKs, `framing.rs` has the bytes of a packet on the shaped link.

mod ack_filter;
mod cobalt;
mod framing;
mod tin;

use fairlane_contract::CakeConfig;
use fairlane_engine::{RandomStream, NS_PER_SEC};

use self::ack_filter::AckFilter;
use self::cobalt::Cobalt;
pub(super) use self::framing::fault;
use self::framing::Framing;
use self::tin::{ListKind, Tin};
use super::flows::{hash, MEMORY_OVERHEAD_BYTES};
use super::setup::QueueSetup;
use super::QueueDiscipline;
use crate::queue::buffer::{Buffer, PacketId};
use crate::transmitter::ExactRate;

fn memory_limit_bytes(config: &CakeConfig, setup: &QueueSetup, interval_ns: u64) -> u64 {
    let packets = LIMIT_PACKETS * u64::from(setup.mtu_frame_bytes);
    let Some(rate_bps) = config.bandwidth_bps else { return config.memlimit_bytes.unwrap_or(packets) };
    let four_intervals = u128::from(rate_bps) / 2 * u128::from(interval_ns) / u128::from(NS_PER_SEC);
    config.memlimit_bytes.unwrap_or((four_intervals as u64).max(LEAST_MEMORY_BYTES).min(packets))
}

const LIMIT_PACKETS: u64 = 10_240;
const LEAST_MEMORY_BYTES: u64 = 4 << 20;
/// The quantum of a slow link is smaller than a full frame, down to this.
const QUANTUM_BYTES: std::ops::RangeInclusive<u64> = 300..=1_514;

pub(crate) struct Cake {
    tin: Tin,
    cobalt: Cobalt,
    memory_limit_bytes: u64,
    perturbation: u64,
    random: RandomStream,
    framing: Framing,
    ack_filter: AckFilter,
    shaper: Option<Shaper>,
}

/// Sends each frame no earlier than the transmission time of the previous one allows.
struct Shaper {
    rate: ExactRate,
    next_ns: u64,
}

impl Cake {
    pub fn new(config: &CakeConfig, setup: &QueueSetup) -> Self {
        let cobalt = Cobalt::new(config.rtt_ns, config.bandwidth_bps, setup.mtu_frame_bytes);
        let quantum_bytes = config.bandwidth_bps.map_or(*QUANTUM_BYTES.end(), |rate_bps| {
            (rate_bps / 8 / 4_096).clamp(*QUANTUM_BYTES.start(), *QUANTUM_BYTES.end())
        });
        Self {
            tin: Tin::new(quantum_bytes),
            memory_limit_bytes: memory_limit_bytes(config, setup, config.rtt_ns),
            cobalt,
            perturbation: setup.random("cake hash").next_u64(),
            random: setup.random("cake"),
            ack_filter: match (config.ack_filter_aggressive, config.ack_filter) {
                (true, _) => AckFilter::Aggressive,
                (false, true) => AckFilter::Conservative,
                (false, false) => AckFilter::Off,
            },
            framing: Framing::new(config, setup.overhead_bytes),
            shaper: config.bandwidth_bps.map(|rate_bps| Shaper { rate: ExactRate::new(rate_bps), next_ns: 0 }),
        }
    }

    /// Drops from the head of the longest queue, one packet at a time, and informs its BLUE.
    #[cold]
    fn shrink(&mut self, now_ns: u64, mut memory_bytes: u64, buffer: &mut Buffer) {
        while memory_bytes > self.memory_limit_bytes {
            let queue = self.tin.fattest();
            let Some(packet) = queue.packets.pop_front(buffer) else { break };
            memory_bytes -= u64::from(buffer.frame_bytes(packet)) + MEMORY_OVERHEAD_BYTES;
            self.cobalt.on_overflow(&mut queue.cobalt, now_ns);
            buffer.drop(packet);
        }
    }

    /// Dequeues a packet of a queue, after the drops of its AQM.
    fn serve(&mut self, slot: usize, now_ns: u64, buffer: &mut Buffer) -> Option<PacketId> {
        let queue = self.tin.queue_mut(slot);
        loop {
            let packet = queue.packets.pop_front(buffer)?;
            let delay_ns = now_ns - buffer.enqueued_ns(packet);
            let verdict = self.cobalt.judge(&mut queue.cobalt, now_ns, delay_ns, &mut self.random);
            let is_marked = verdict.signals && buffer.mark(packet);
            let is_doomed = verdict.drops || (verdict.signals && !is_marked);
            self.cobalt.settle(&mut queue.cobalt, now_ns, is_doomed);
            // The last packet of a queue is never dropped.
            if !is_doomed || queue.packets.is_empty() {
                return Some(packet);
            }
            buffer.drop(packet);
        }
    }
}

impl QueueDiscipline for Cake {
    fn enqueue(&mut self, now_ns: u64, packet: PacketId, buffer: &mut Buffer) {
        let mut backlog = buffer.backlog();
        if let Some(shaper) = self.shaper.as_mut().filter(|shaper| backlog.packets == 0 && shaper.next_ns < now_ns) {
            shaper.next_ns = now_ns;
            shaper.rate.restart();
        }
        let slot = self.tin.slot_of((hash(buffer.flow(packet), self.perturbation) >> 32) as u32);
        self.tin.push(slot, packet, buffer);
        backlog.add(buffer.frame_bytes(packet));
        if self.ack_filter != AckFilter::Off {
            let queue = self.tin.queue_mut(slot);
            if let Some(redundant) = self.ack_filter.redundant(&queue.packets, packet, buffer) {
                queue.packets.remove(redundant, buffer);
                backlog.remove(buffer.frame_bytes(redundant));
                buffer.drop(redundant);
            }
        }
        let memory_bytes = backlog.bytes + backlog.packets * MEMORY_OVERHEAD_BYTES;
        if memory_bytes > self.memory_limit_bytes {
            self.shrink(now_ns, memory_bytes, buffer);
        }
    }

    fn dequeue(&mut self, now_ns: u64, buffer: &mut Buffer) -> Option<PacketId> {
        if self.shaper.as_ref().is_some_and(|shaper| shaper.next_ns > now_ns) {
            return None;
        }
        // For each packet, one decaying queue is served too, so that its AQM can come to rest.
        let mut list = self.tin.first_list(true);
        while buffer.backlog().packets > 0 {
            let Some(slot) = self.tin.next_queue(list) else {
                list = self.tin.first_list(false);
                continue;
            };
            let Some(packet) = self.serve(slot, now_ns, buffer) else {
                let cobalt = &mut self.tin.queue_mut(slot).cobalt;
                self.cobalt.on_empty(cobalt, now_ns);
                let next = if cobalt.is_at_rest(now_ns) { ListKind::None } else { ListKind::Decaying };
                self.tin.move_to(slot, next);
                list = self.tin.first_list(false);
                continue;
            };
            let frame_bytes = self.framing.bytes(buffer.frame_bytes(packet));
            self.tin.charge(slot, frame_bytes);
            if let Some(shaper) = &mut self.shaper {
                shaper.next_ns += shaper.rate.advance(frame_bytes);
            }
            return Some(packet);
        }
        None
    }

    fn reads_acknowledgements(&self) -> bool {
        self.ack_filter != AckFilter::Off
    }

    fn next_event_ns(&self) -> Option<u64> {
        self.shaper.as_ref().map(|shaper| shaper.next_ns)
    }
}
