//! What a link needs from the place that holds its packets.

mod counters;
mod discipline_store;
mod fifo_ring;
mod ring;
mod station_queue;

use fairlane_engine::prefetch;

pub(crate) use self::counters::{station_stats, Counters, Wire};
pub(crate) use self::discipline_store::DisciplineStore;
pub(crate) use self::fifo_ring::FifoRing;
pub(crate) use self::ring::Ring;
pub(crate) use self::station_queue::StationQueue;
use crate::packet::Packet;
use crate::queue::{Backlog, QueueStats};
use crate::transmitter::Waiting;

/// A packet in a store's ring.
#[derive(Clone, Copy, Debug)]
struct Record<P> {
    /// Time of arrival on the wire, of enqueueing before.
    time_ns: u64,
    packet: Packet<P>,
}

/// Records are prefetched this many packets before they are needed.
const RECORDS_AHEAD: u64 = 4;

impl<P: Copy> Ring<Record<P>> {
    /// Prefetches the record that will be needed [`RECORDS_AHEAD`] packets after number `next`.
    #[inline]
    fn prefetch_after(&self, next: u64) {
        if let Some(record) = self.place(next + RECORDS_AHEAD) {
            prefetch(&record.time_ns);
            prefetch(&record.packet.path);
            prefetch(&record.packet.payload);
        }
    }
}

/// The packets inside a link: those that wait, and those on the wire in order of arrival.
pub(crate) trait Store<P: Copy> {
    /// Whether an arriving packet may leave before a packet that waits for its time.
    const MAY_HOLD_BACK: bool;

    /// Takes a packet into the queue; false if it was refused.
    fn push(&mut self, now_ns: u64, frame_bytes: u32, packet: &Packet<P>, hop: u16) -> bool;

    /// For a store that never holds back: whether a frame gets into the empty queue; if not, it counts as dropped.
    fn admits_when_empty(&mut self, path: u32, frame_bytes: u32) -> bool;

    /// Takes a packet through the empty queue to the wire, after [`admits_when_empty`](Self::admits_when_empty).
    fn bypass(&mut self, arrival_ns: u64, frame_bytes: u32, packet: &Packet<P>, hop: u16);

    /// The frame that goes next, unless nothing waits or nothing can be chosen before `now_ns` ends; the
    /// transmitter takes none before `free_ns`.
    fn head(&mut self, now_ns: u64, free_ns: u64) -> Option<Waiting>;

    /// When to call [`head`](Self::head) again after it gave nothing although packets wait.
    fn next_choice_ns(&self, free_ns: u64) -> Option<u64>;

    /// Moves the head to the wire.
    fn transmit(&mut self, start_ns: u64, arrival_ns: u64, frame_bytes: u32);

    /// Takes the head out, for a wire that another component owns.
    fn take(&mut self, start_ns: u64, frame_bytes: u32) -> Packet<P>;

    fn next_arrival_ns(&self) -> Option<u64>;

    /// Takes the packet that arrives next off the wire, which must not be empty.
    fn deliver(&mut self);

    /// The path of the packet that lands after `ahead` others, if it is on the wire already.
    fn upcoming_path(&self, ahead: u64) -> Option<u32>;

    /// What delivered last.
    fn delivered(&self) -> &Packet<P>;

    /// Where that lies.
    fn delivered_slot(&self) -> u32;

    /// What lies at a place that [`delivered_slot`](Self::delivered_slot) gave, as long as no packet has entered since.
    fn delivered_at(&self, place: u32) -> &Packet<P>;

    fn backlog(&self) -> Backlog;

    /// All that the queue admitted so far.
    fn enqueued(&self) -> Backlog;

    /// All that the transmitter took so far.
    fn dequeued(&self) -> Backlog;

    fn last_dequeued_bytes(&self) -> u32;

    fn on_wire(&self) -> u64;

    /// Integral of the waiting bytes over time, up to `now_ns`.
    fn backlog_byte_ns(&self, now_ns: u64) -> u128;

    fn queue_stats(&self) -> &QueueStats;

    /// Packets of a path that the queue dropped.
    fn dropped_of_path(&self, path: u32) -> u64;

    /// The longest delay and their distribution are looked for anew from here.
    fn restart_delays(&mut self);
}
