//! Storage for the packets inside a link or a station: those in the queue, and those on the wire.

mod counters;
mod discipline_store;
mod fifo_ring;
mod ring;
mod station_queue;

use fairlane_engine::prefetch;

pub(crate) use self::counters::{station_stats, Counters, Wire};
pub(crate) use self::discipline_store::DisciplineStore;
pub(crate) use self::fifo_ring::FifoRing;
pub(crate) use self::ring::{Popped, Ring};
pub(crate) use self::station_queue::StationQueue;
use crate::packet::{Ecn, Packet};
use crate::packet_log::StationLog;
use crate::queue::{Backlog, Limits, QueueStats};
use crate::transmitter::Waiting;

/// A packet in a store's ring.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Record<P> {
    /// Arrival time on the wire, enqueue time in the queue.
    time_ns: u64,
    pub packet: Packet<P>,
}

impl<P: Copy> Record<P> {
    #[inline]
    pub fn new(time_ns: u64, packet: &Packet<P>) -> Self {
        Self { time_ns, packet: *packet }
    }
}

/// Records are prefetched this many packets before they are needed.
const RECORDS_AHEAD: u64 = 4;

impl<P: Copy> Ring<Record<P>> {
    /// Prefetches the record that will be needed [`RECORDS_AHEAD`] packets after number `next`.
    #[inline]
    fn prefetch_after(&self, next: u64) {
        self.prefetch_number(next + RECORDS_AHEAD);
    }

    #[inline]
    fn prefetch_number(&self, number: u64) {
        if let Some(record) = self.place(number) {
            prefetch(&record.time_ns);
            prefetch(&record.packet.path);
            prefetch(&record.packet.payload);
        }
    }
}

/// Packets in the queue, and packets on the wire in order of arrival.
pub(crate) trait Store<P: Copy> {
    /// Whether a packet may be dequeued before others that the discipline delays.
    const MAY_HOLD_BACK: bool;

    /// Enqueues a packet; false if it was dropped.
    fn push(&mut self, now_ns: u64, frame_bytes: u32, packet: &Packet<P>, hop: u16) -> bool;

    /// For a store that never delays packets: whether a frame fits into the empty queue. If not, it is counted as
    /// dropped.
    fn admits_when_empty(&mut self, path: u32, frame_bytes: u32) -> bool;

    /// Puts a packet directly on the wire, after [`admits_when_empty`](Self::admits_when_empty).
    fn bypass(&mut self, arrival_ns: u64, frame_bytes: u32, packet: &Packet<P>, hop: u16);

    /// The next frame to transmit; none if the queue is empty or the discipline cannot choose one by `now_ns`. The
    /// transmitter is free from `free_ns` on.
    fn head(&mut self, now_ns: u64, free_ns: u64) -> Option<Waiting>;

    /// When to call [`head`](Self::head) again after it returned none although packets are queued.
    fn next_choice_ns(&self, free_ns: u64) -> Option<u64>;

    /// Changes the ECN field of the head; `change` gets the field with which it came, and that which the queue left.
    fn change_ecn_of_head(&mut self, change: impl FnOnce(Ecn, Ecn) -> Ecn);

    /// Moves the head from the queue to the wire.
    fn transmit(&mut self, start_ns: u64, arrival_ns: u64, frame_bytes: u32);

    /// Removes the head, for a wire that another component owns.
    fn take(&mut self, start_ns: u64, frame_bytes: u32) -> Packet<P>;

    fn next_arrival_ns(&self) -> Option<u64>;

    /// Takes the next arriving packet off the wire, which must not be empty.
    fn deliver(&mut self);

    /// Takes the next packet off the wire if it arrives by `now_ns`.
    fn deliver_by(&mut self, now_ns: u64) -> bool {
        let has_arrived = self.next_arrival_ns().is_some_and(|arrival_ns| arrival_ns <= now_ns);
        if has_arrived {
            self.deliver();
        }
        has_arrived
    }

    /// The path of the packet that arrives after `ahead` others, if it is on the wire already.
    fn upcoming_path(&self, ahead: u64) -> Option<u32>;

    /// The packet delivered last.
    fn delivered(&self) -> &Packet<P>;

    /// Its slot.
    fn delivered_slot(&self) -> u32;

    /// The slots returned by [`delivered_slot`](Self::delivered_slot), until the next packet is enqueued.
    fn delivered_slots(&self) -> Popped<'_, Record<P>>;

    fn backlog(&self) -> Backlog;

    /// All packets that the queue has admitted.
    fn enqueued(&self) -> Backlog;

    /// All packets that the transmitter has taken.
    fn dequeued(&self) -> Backlog;

    fn last_dequeued_bytes(&self) -> u32;

    fn on_wire(&self) -> u64;

    /// Integral of the backlog's bytes over time, up to `now_ns`.
    fn backlog_byte_ns(&self, now_ns: u64) -> u128;

    fn queue_stats(&self) -> &QueueStats;

    /// Packets of a path that the queue dropped.
    fn dropped_of_path(&self, path: u32) -> u64;

    /// Restarts the longest delay and the distribution of delays.
    fn restart_delays(&mut self);

    /// Prefetches the fields that every packet uses.
    fn prefetch(&self) {}

    /// Prefetches the records of the next packets, once the fields are in the cache.
    fn prefetch_records(&self) {}

    /// Gives the queue other limits; false if it has none. Packets beyond them stay.
    fn set_limits(&mut self, limits: Limits) -> bool;

    /// Lets the packet that was transmitted last arrive at this time, or together with the one before; returns its
    /// arrival.
    fn move_last(&mut self, arrival_ns: u64) -> u64;

    /// Records the steps of packets from now on, if this store does.
    fn record(&mut self, log: StationLog<P>) {
        let _ = log;
    }

    /// Records that the wire lost a packet.
    fn note_lost(&self, now_ns: u64, packet: &Packet<P>) {
        let _ = (now_ns, packet);
    }
}
