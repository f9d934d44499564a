//! The fast store: a drop-tail FIFO and the wire behind it in one ring.
//!
//! ```text
//!   head            cursor             tail
//!    |  on the wire   |     waiting      |
//!    |  arrival times |  enqueue times   |
//! ```
//!
//! The start of a transmission moves the cursor past one packet and replaces its enqueue time by its arrival time; the
//! packet itself is written once and read once.

use super::counters::PathLosses;
use super::{Popped, Record, Ring, Store};
use crate::packet::{Ecn, Packet};
use crate::queue::{Backlog, Limits, QueueStats};
use crate::transmitter::Waiting;
use fairlane_contract::LinkConfig;
use fairlane_engine::prefetch;

/// The fields that every packet uses come first.
#[repr(C)]
pub(crate) struct FifoRing<P> {
    ring: Ring<Record<P>>,
    cursor: u64,
    waiting_bytes: u64,
    enqueued_bytes: u64,
    limits: Limits,
    last_dequeued_bytes: u32,
    overhead_bytes: u32,
    /// Sum of bytes × start of transmission over dequeued packets, minus the sum of bytes × enqueue time over all
    /// packets. With bytes × now over queued packets added, it is the integral of the backlog. Wraps below zero in
    /// between.
    byte_ns: u128,
    stats: QueueStats,
    losses: PathLosses,
}

impl<P: Copy> FifoRing<P> {
    pub fn new(config: &LinkConfig) -> Self {
        Self {
            ring: Ring::new(),
            cursor: 0,
            waiting_bytes: 0,
            enqueued_bytes: 0,
            last_dequeued_bytes: 0,
            limits: Limits::new(&config.queue),
            overhead_bytes: config.frame_overhead_bytes(),
            byte_ns: 0,
            stats: QueueStats::default(),
            losses: PathLosses::default(),
        }
    }

    pub fn limits(&self) -> Limits {
        self.limits
    }

    #[cold]
    fn drop(&mut self, path: u32, frame_bytes: u32) {
        self.losses.add(path);
        self.stats.dropped_packets += 1;
        self.stats.dropped_bytes += u64::from(frame_bytes);
    }

    #[inline]
    fn append(&mut self, time_ns: u64, packet: &Packet<P>, hop: u16) {
        // Written in place, the hop last: a temporary copy would be read back in words of other sizes than it was
        // written in, which stalls the processor's store buffer.
        let record = self.ring.extend(|| Record { time_ns, packet: *packet });
        record.packet = *packet;
        record.packet.hop = hop;
        record.time_ns = time_ns;
        self.ring.prefetch_after(self.ring.tail());
    }

    /// Updates the counters for the start of the head's transmission; returns its slot.
    #[inline(always)] // of its two callers one is on the way of every packet
    fn dequeue(&mut self, start_ns: u64, frame_bytes: u32) -> u64 {
        let slot = self.cursor;
        self.stats.delays.add(start_ns - self.ring.get(slot).time_ns);
        self.byte_ns = self.byte_ns.wrapping_add(u128::from(start_ns) * u128::from(frame_bytes));
        self.waiting_bytes -= u64::from(frame_bytes);
        self.last_dequeued_bytes = frame_bytes;
        self.cursor += 1;
        self.ring.prefetch_after(self.cursor);
        slot
    }
}

impl<P: Copy> Store<P> for FifoRing<P> {
    const MAY_HOLD_BACK: bool = false;

    #[inline]
    fn push(&mut self, now_ns: u64, frame_bytes: u32, packet: &Packet<P>, hop: u16) -> bool {
        if !self.limits.admit(self.backlog(), frame_bytes) {
            self.drop(packet.path, frame_bytes);
            return false;
        }
        self.waiting_bytes += u64::from(frame_bytes);
        self.enqueued_bytes += u64::from(frame_bytes);
        self.byte_ns = self.byte_ns.wrapping_sub(u128::from(now_ns) * u128::from(frame_bytes));
        self.append(now_ns, packet, hop);
        true
    }

    #[inline]
    fn admits_when_empty(&mut self, path: u32, frame_bytes: u32) -> bool {
        let admitted = self.limits.admit(Backlog::default(), frame_bytes);
        if !admitted {
            self.drop(path, frame_bytes);
        }
        admitted
    }

    #[inline]
    fn bypass(&mut self, arrival_ns: u64, frame_bytes: u32, packet: &Packet<P>, hop: u16) {
        debug_assert_eq!(self.cursor, self.ring.tail(), "the queue is not empty");
        self.enqueued_bytes += u64::from(frame_bytes);
        self.last_dequeued_bytes = frame_bytes;
        self.stats.delays.add(0);
        self.append(arrival_ns, packet, hop);
        self.cursor += 1;
    }

    #[inline]
    fn head(&mut self, _now_ns: u64, free_ns: u64) -> Option<Waiting> {
        if self.cursor == self.ring.tail() {
            return None;
        }
        let record = self.ring.get(self.cursor);
        let frame_bytes = record.packet.ip_bytes + self.overhead_bytes;
        Some(Waiting { ready_ns: record.time_ns, free_ns, frame_bytes })
    }

    fn next_choice_ns(&self, _free_ns: u64) -> Option<u64> {
        None // the head of a FIFO is always known
    }

    fn change_ecn_of_head(&mut self, change: impl FnOnce(Ecn, Ecn) -> Ecn) {
        let ecn = &mut self.ring.get_mut(self.cursor).packet.ecn;
        *ecn = change(*ecn, *ecn);
    }

    #[inline(always)] // on the way of every packet, and called once
    fn transmit(&mut self, start_ns: u64, arrival_ns: u64, frame_bytes: u32) {
        let slot = self.dequeue(start_ns, frame_bytes);
        self.ring.get_mut(slot).time_ns = arrival_ns;
    }

    fn take(&mut self, start_ns: u64, frame_bytes: u32) -> Packet<P> {
        let slot = self.dequeue(start_ns, frame_bytes);
        debug_assert_eq!(slot, self.ring.head(), "a wire kept elsewhere leaves none here");
        self.ring.pop_front();
        self.ring.last_popped().packet
    }

    #[inline]
    fn next_arrival_ns(&self) -> Option<u64> {
        let head = self.ring.head();
        (head < self.cursor).then(|| self.ring.get(head).time_ns)
    }

    #[inline]
    fn deliver(&mut self) {
        debug_assert!(self.ring.head() < self.cursor, "nothing is on the wire");
        self.ring.pop_front();
        self.ring.prefetch_after(self.ring.head());
    }

    #[inline]
    fn upcoming_path(&self, ahead: u64) -> Option<u32> {
        let number = self.ring.head() + ahead;
        (number < self.cursor).then(|| self.ring.get(number).packet.path)
    }

    #[inline]
    fn delivered(&self) -> &Packet<P> {
        &self.ring.last_popped().packet
    }

    #[inline]
    fn delivered_slot(&self) -> u32 {
        (self.ring.head() - 1) as u32
    }

    #[inline]
    fn delivered_slots(&self) -> Popped<'_, Record<P>> {
        self.ring.popped()
    }

    #[inline]
    fn backlog(&self) -> Backlog {
        Backlog { packets: self.ring.tail() - self.cursor, bytes: self.waiting_bytes }
    }

    fn enqueued(&self) -> Backlog {
        Backlog { packets: self.ring.tail(), bytes: self.enqueued_bytes }
    }

    fn dequeued(&self) -> Backlog {
        Backlog { packets: self.cursor, bytes: self.enqueued_bytes - self.waiting_bytes }
    }

    fn last_dequeued_bytes(&self) -> u32 {
        self.last_dequeued_bytes
    }

    fn on_wire(&self) -> u64 {
        self.cursor - self.ring.head()
    }

    fn backlog_byte_ns(&self, now_ns: u64) -> u128 {
        self.byte_ns.wrapping_add(u128::from(now_ns) * u128::from(self.waiting_bytes))
    }

    fn queue_stats(&self) -> &QueueStats {
        &self.stats
    }

    fn dropped_of_path(&self, path: u32) -> u64 {
        self.losses.of(path)
    }

    fn set_limits(&mut self, limits: Limits) -> bool {
        self.limits = limits;
        true
    }

    fn move_last(&mut self, arrival_ns: u64) -> u64 {
        let last = self.cursor.wrapping_sub(1);
        let before_ns = if self.cursor - self.ring.head() > 1 { self.ring.get(last - 1).time_ns } else { 0 };
        let arrival_ns = arrival_ns.max(before_ns);
        if self.cursor > self.ring.head() {
            self.ring.get_mut(last).time_ns = arrival_ns;
        }
        arrival_ns
    }

    fn restart_delays(&mut self) {
        self.stats.delays.restart();
    }

    #[inline]
    fn prefetch(&self) {
        prefetch(&self.ring);
        prefetch(&self.limits);
    }

    #[inline]
    fn prefetch_records(&self) {
        self.ring.prefetch_number(self.ring.head());
        self.ring.prefetch_number(self.ring.tail());
    }
}
