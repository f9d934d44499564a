//! Keeps the packets of a queue, and its counters.
//!
//! A queue discipline never sees a packet: it gets a [`PacketId`], keeps it in a [`List`], and reads size, flow and age
//! from the buffer. The buffer counts packets that are admitted, dropped and marked, and their delays, so that no
//! discipline has to. Lists are chained through the buffer's nodes: any number of flows share one allocation.

mod list;

pub use self::list::List;
use super::delays::Delays;
use crate::packet::{Acknowledgement, Ecn};

/// Identifies a packet while it is queued.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PacketId(u32);

/// A number of packets and of their bytes: queued now, or so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Backlog {
    pub packets: u64,
    pub bytes: u64,
}

impl Backlog {
    #[inline]
    pub fn add(&mut self, frame_bytes: u32) {
        self.packets += 1;
        self.bytes += u64::from(frame_bytes);
    }

    #[inline]
    pub(crate) fn remove(&mut self, frame_bytes: u32) {
        self.packets -= 1;
        self.bytes -= u64::from(frame_bytes);
    }
}

/// Counters of a queue.
#[derive(Clone, Debug, Default)]
pub struct QueueStats {
    pub dropped_packets: u64,
    pub dropped_bytes: u64,
    pub marked_packets: u64,
    pub marked_bytes: u64,
    pub delays: Delays,
}

#[derive(Debug)]
pub struct Buffer {
    nodes: Vec<Node>,
    /// The first free node.
    free: u32,
    /// The packet that is being enqueued; it does not count as backlog yet.
    arriving: Option<PacketId>,
    backlog: Backlog,
    admitted: Backlog,
    dequeued: Backlog,
    now_ns: u64,
    /// Sum of bytes × time over departures, minus the same over arrivals. With bytes × now over the backlog added, it
    /// is the integral of the backlog. Wraps below zero in between.
    byte_ns: u128,
    stats: QueueStats,
    /// Dropped since the last `take_dropped`.
    dropped: Vec<PacketId>,
    /// By index of the packet; empty unless the discipline reads them.
    acknowledgements: Vec<Option<Acknowledgement>>,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    enqueued_ns: u64,
    next: u32,
    frame_bytes: u32,
    flow: u32,
    ecn: Ecn,
}

const NONE: u32 = u32::MAX;

impl Buffer {
    pub(crate) fn new() -> Self {
        Self {
            nodes: Vec::new(),
            free: NONE,
            arriving: None,
            backlog: Backlog::default(),
            admitted: Backlog::default(),
            dequeued: Backlog::default(),
            now_ns: 0,
            byte_ns: 0,
            stats: QueueStats::default(),
            dropped: Vec::new(),
            acknowledgements: Vec::new(),
        }
    }

    /// All queued packets: in the lists of the discipline, or dequeued and not transmitted yet. A packet that is being
    /// enqueued does not count.
    #[inline]
    pub fn backlog(&self) -> Backlog {
        self.backlog
    }

    #[inline]
    pub fn frame_bytes(&self, packet: PacketId) -> u32 {
        self.node(packet).frame_bytes
    }

    /// The connection of a packet, as its addresses and ports would tell.
    #[inline]
    pub fn flow(&self, packet: PacketId) -> u32 {
        self.node(packet).flow
    }

    #[inline]
    pub fn ecn(&self, packet: PacketId) -> Ecn {
        self.node(packet).ecn
    }

    /// Changes the codepoint of a packet that leaves, outside the discipline's counters of marks.
    pub(crate) fn set_ecn(&mut self, packet: PacketId, ecn: Ecn) {
        self.nodes[packet.0 as usize].ecn = ecn;
    }

    #[inline]
    pub fn enqueued_ns(&self, packet: PacketId) -> u64 {
        self.node(packet).enqueued_ns
    }

    /// The acknowledgement in the TCP header of a packet, for a discipline that reads them.
    pub fn acknowledgement(&self, packet: PacketId) -> Option<&Acknowledgement> {
        self.acknowledgements.get(packet.index()).and_then(Option::as_ref)
    }

    pub(crate) fn set_acknowledgement(&mut self, packet: PacketId, acknowledgement: Option<Acknowledgement>) {
        if packet.index() >= self.acknowledgements.len() {
            self.acknowledgements.resize(packet.index() + 1, None);
        }
        self.acknowledgements[packet.index()] = acknowledgement;
    }

    /// Drops a packet, which must not be in a list any more.
    pub fn drop(&mut self, packet: PacketId) {
        let frame_bytes = self.frame_bytes(packet);
        self.dropped.push(packet);
        self.stats.dropped_packets += 1;
        self.stats.dropped_bytes += u64::from(frame_bytes);
        if self.arriving == Some(packet) {
            self.arriving = None;
        } else {
            self.leave_queue(frame_bytes);
        }
        self.release(packet);
    }

    /// Marks a packet with Congestion Experienced (RFC 3168 §5) if it is ECN-capable; true if it is marked now.
    pub fn mark(&mut self, packet: PacketId) -> bool {
        let node = &mut self.nodes[packet.0 as usize];
        match node.ecn {
            Ecn::NotEct => return false,
            Ecn::Ce => return true,
            Ecn::Ect0 | Ecn::Ect1 => node.ecn = Ecn::Ce,
        }
        self.stats.marked_packets += 1;
        self.stats.marked_bytes += u64::from(node.frame_bytes);
        true
    }

    /// Sets the present time.
    #[inline]
    pub(crate) fn set_now(&mut self, now_ns: u64) {
        debug_assert!(now_ns >= self.now_ns, "time runs backwards in a queue");
        self.now_ns = now_ns;
    }

    #[inline]
    pub(crate) fn arrive(&mut self, frame_bytes: u32, flow: u32, ecn: Ecn) -> PacketId {
        let node = Node { enqueued_ns: self.now_ns, next: NONE, frame_bytes, flow, ecn };
        let packet = PacketId(self.free);
        if self.free == NONE {
            self.nodes.push(node);
            let packet = PacketId(self.nodes.len() as u32 - 1);
            self.arriving = Some(packet);
            return packet;
        }
        self.free = self.node(packet).next;
        self.nodes[packet.0 as usize] = node;
        self.arriving = Some(packet);
        packet
    }

    /// Ends the enqueueing of a packet; true if the discipline has not dropped it.
    #[inline]
    pub(crate) fn admit(&mut self) -> bool {
        let Some(packet) = self.arriving.take() else { return false };
        let frame_bytes = self.frame_bytes(packet);
        self.backlog.add(frame_bytes);
        self.admitted.add(frame_bytes);
        self.byte_ns = self.byte_ns.wrapping_sub(u128::from(self.now_ns) * u128::from(frame_bytes));
        true
    }

    /// Removes a packet that the transmitter takes.
    #[inline]
    pub(crate) fn dequeue(&mut self, packet: PacketId) {
        let Node { frame_bytes, enqueued_ns, .. } = *self.node(packet);
        self.stats.delays.add(self.now_ns - enqueued_ns);
        self.dequeued.add(frame_bytes);
        self.leave_queue(frame_bytes);
        self.release(packet);
    }

    #[inline]
    fn release(&mut self, packet: PacketId) {
        self.nodes[packet.0 as usize].next = self.free;
        self.free = packet.0;
    }

    pub(crate) fn admitted(&self) -> Backlog {
        self.admitted
    }

    pub(crate) fn dequeued(&self) -> Backlog {
        self.dequeued
    }

    pub(crate) fn stats(&self) -> &QueueStats {
        &self.stats
    }

    /// A dropped packet that was not returned before. Must be called before the next packet arrives.
    #[inline]
    pub(crate) fn take_dropped(&mut self) -> Option<PacketId> {
        self.dropped.pop()
    }

    pub(crate) fn restart_delays(&mut self) {
        self.stats.delays.restart();
    }

    /// Integral of the backlog in bytes × nanoseconds up to `now_ns`.
    pub(crate) fn backlog_byte_ns(&self, now_ns: u64) -> u128 {
        self.byte_ns.wrapping_add(u128::from(now_ns) * u128::from(self.backlog.bytes))
    }

    #[inline]
    fn leave_queue(&mut self, frame_bytes: u32) {
        self.backlog.remove(frame_bytes);
        self.byte_ns = self.byte_ns.wrapping_add(u128::from(self.now_ns) * u128::from(frame_bytes));
    }

    #[inline]
    fn node(&self, packet: PacketId) -> &Node {
        &self.nodes[packet.0 as usize]
    }
}

impl PacketId {
    /// Indexes stay small: the buffer reuses free nodes before it grows.
    #[inline]
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}
