//! Flow queueing: hashing into queues, and deficit round robin that serves sparse flows first (RFC 8290 §4).
//!
//! A queue with packets is in one of two lists, new and old. New queues, which were empty before, are served first; a
//! queue that has used its quantum, or is empty, moves to the end of the old list. `T` is a discipline's state per
//! queue.

use fairlane_engine::RandomStream;

use crate::queue::buffer::{Buffer, List, PacketId};

pub(super) struct Flows<T> {
    pub slots: Vec<Slot<T>>,
    new: Chain,
    old: Chain,
    quantum_bytes: i32,
    perturbation: u64,
}

/// Packets of many flows alternate, so each touches another slot: one cache line, with CoDel's state.
#[repr(align(64))]
pub(super) struct Slot<T> {
    pub queue: List,
    pub state: T,
    /// Bytes left of its quantum.
    deficit_bytes: i32,
    /// The next queue in its list: `NONE` at the end, `OUTSIDE` if it is in no list.
    next: u32,
}

/// A chain of queues, served from the head.
#[derive(Clone, Copy)]
struct Chain {
    head: u32,
    tail: u32,
}

const NONE: u32 = u32::MAX;
const OUTSIDE: u32 = u32::MAX - 1;

/// The queue to serve.
#[derive(Clone, Copy)]
pub(super) struct Served {
    pub slot: usize,
    is_new: bool,
}

impl<T: Default> Flows<T> {
    pub fn new(count: u32, quantum_bytes: u32, random: &mut RandomStream) -> Self {
        let slot = || Slot { queue: List::default(), state: T::default(), deficit_bytes: 0, next: OUTSIDE };
        let empty = Chain { head: NONE, tail: NONE };
        let slots = std::iter::repeat_with(slot).take(count as usize).collect();
        Self { slots, new: empty, old: empty, quantum_bytes: quantum_bytes as i32, perturbation: random.next_u64() }
    }

    /// The queue of a flow. Flows whose hashes collide share one, as in the kernel: the hash is random but fixed.
    #[inline]
    pub fn slot_of(&self, flow: u32) -> usize {
        let hash = hash(flow, self.perturbation) >> 32;
        ((hash * self.slots.len() as u64) >> 32) as usize
    }

    /// Appends a packet to a queue; a queue that was in no list joins the new ones.
    #[inline]
    pub fn push(&mut self, slot: usize, packet: PacketId, buffer: &mut Buffer) {
        let entry = &mut self.slots[slot];
        entry.queue.push_back(packet, buffer);
        if entry.next == OUTSIDE {
            entry.deficit_bytes = self.quantum_bytes;
            self.append(slot as u32, false);
        }
    }

    /// The queue to serve: the first one with quantum left.
    #[inline]
    pub fn next_queue(&mut self) -> Option<Served> {
        loop {
            let is_new = self.new.head != NONE;
            let head = if is_new { self.new.head } else { self.old.head };
            if head == NONE {
                return None;
            }
            let entry = &mut self.slots[head as usize];
            if entry.deficit_bytes > 0 {
                return Some(Served { slot: head as usize, is_new });
            }
            entry.deficit_bytes += self.quantum_bytes;
            self.detach(is_new);
            self.append(head, true);
        }
    }

    /// Charges a queue for a frame that it sent.
    #[inline]
    pub fn charge(&mut self, served: Served, frame_bytes: u32) {
        self.slots[served.slot].deficit_bytes -= frame_bytes as i32;
    }

    /// The queue was empty. A new queue must pass through the old list before it counts as new again, or a flow could
    /// starve the others with one packet at a time (RFC 8290 §4.2).
    #[inline]
    pub fn retire(&mut self, served: Served) {
        self.detach(served.is_new);
        if served.is_new && self.old.head != NONE {
            self.append(served.slot as u32, true);
        } else {
            self.slots[served.slot].next = OUTSIDE;
        }
    }

    /// The queue with the most bytes, the first of equals.
    pub fn fattest(&self) -> usize {
        let fattest = (0..self.slots.len()).rev().max_by_key(|&slot| self.slots[slot].queue.bytes());
        fattest.expect("there is at least one queue")
    }

    fn append(&mut self, slot: u32, to_old: bool) {
        let chain = if to_old { &mut self.old } else { &mut self.new };
        let last = std::mem::replace(&mut chain.tail, slot);
        if last == NONE {
            chain.head = slot;
        } else {
            self.slots[last as usize].next = slot;
        }
        self.slots[slot as usize].next = NONE;
    }

    /// Removes the head of its list.
    fn detach(&mut self, from_new: bool) {
        let chain = if from_new { &mut self.new } else { &mut self.old };
        chain.head = self.slots[chain.head as usize].next;
        if chain.head == NONE {
            chain.tail = NONE;
        }
    }
}

/// Hashes a flow's number to 64 bits (the finaliser of SplitMix64), keyed by the perturbation: it stands in for the
/// kernel's keyed hash of addresses and ports.
#[inline]
pub(super) fn hash(flow: u32, perturbation: u64) -> u64 {
    let mut z = u64::from(flow).wrapping_add(0x9e37_79b9_7f4a_7c15) ^ perturbation;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Memory that the kernel counts for a packet in addition to its bytes: descriptor and head room. A packet of 1500
/// bytes takes 2304, as with most network cards.
pub(super) const MEMORY_OVERHEAD_BYTES: u64 = 790;
