//! The queues of a tin: assignment of flows to queues, and round robin.
//!
//! A flow may use any of the eight queues of its set, so two flows share one only if the set is full. A queue with
//! packets is sparse until it has used its quantum, then bulk; an empty one whose AQM is not at rest decays.

use crate::queue::buffer::{Buffer, List, PacketId};

pub(super) struct Tin {
    queues: Vec<Queue>,
    ends: [Ends; 3],
    quantum_bytes: i64,
}

pub(super) struct Queue {
    pub packets: List,
    pub cobalt: super::cobalt::State,
    list: ListKind,
    deficit_bytes: i64,
    /// Hash of the queue's flow, even after it left.
    tag: u32,
    before: u32,
    next: u32,
}

/// The list that a queue is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ListKind {
    Sparse = 0,
    Bulk = 1,
    Decaying = 2,
    None = 3,
}

#[derive(Clone, Copy)]
struct Ends {
    head: u32,
    tail: u32,
}

const QUEUES: u32 = 1_024;
const WAYS: u32 = 8;
const NONE: u32 = u32::MAX;

impl Tin {
    pub fn new(quantum_bytes: u64) -> Self {
        let queue = || Queue {
            packets: List::default(),
            cobalt: super::cobalt::State::default(),
            list: ListKind::None,
            deficit_bytes: 0,
            tag: 0,
            before: NONE,
            next: NONE,
        };
        Self {
            queues: std::iter::repeat_with(queue).take(QUEUES as usize).collect(),
            ends: [Ends { head: NONE, tail: NONE }; 3],
            quantum_bytes: quantum_bytes as i64,
        }
    }

    /// The queue of a flow: its own if it has one, else a free one of its set, else another flow's.
    pub fn slot_of(&mut self, hash: u32) -> usize {
        let home = hash % QUEUES;
        let set = home - home % WAYS;
        let ways = (0..WAYS).map(|way| (set + (home + way) % WAYS) as usize);
        let own = ways.clone().find(|&slot| self.queues[slot].tag == hash);
        let free = || ways.clone().find(|&slot| self.queues[slot].list == ListKind::None);
        let slot = own.or_else(free).unwrap_or(home as usize);
        self.queues[slot].tag = hash;
        slot
    }

    pub fn queue_mut(&mut self, slot: usize) -> &mut Queue {
        &mut self.queues[slot]
    }

    pub fn push(&mut self, slot: usize, packet: PacketId, buffer: &mut Buffer) {
        let queue = &mut self.queues[slot];
        queue.packets.push_back(packet, buffer);
        if matches!(queue.list, ListKind::None | ListKind::Decaying) {
            queue.deficit_bytes = self.quantum_bytes;
            self.move_to(slot, ListKind::Sparse);
        }
    }

    /// The list to serve: sparse before bulk; decaying queues if both are empty, or first on request.
    pub fn first_list(&self, decaying_first: bool) -> ListKind {
        let is_used = |list: ListKind| self.ends[list as usize].head != NONE;
        if decaying_first && is_used(ListKind::Decaying) {
            return ListKind::Decaying;
        }
        [ListKind::Sparse, ListKind::Bulk].into_iter().find(|&list| is_used(list)).unwrap_or(ListKind::Decaying)
    }

    /// The head of a list; none if it has used its quantum, got a new one and moved to the end of the bulk list.
    pub fn next_queue(&mut self, list: ListKind) -> Option<usize> {
        let slot = self.ends[list as usize].head as usize;
        let queue = &mut self.queues[slot];
        if queue.deficit_bytes > 0 {
            return Some(slot);
        }
        queue.deficit_bytes += self.quantum_bytes;
        self.move_to(slot, ListKind::Bulk);
        None
    }

    pub fn charge(&mut self, slot: usize, frame_bytes: u32) {
        self.queues[slot].deficit_bytes -= i64::from(frame_bytes);
    }

    /// The queue with the most bytes, the first of equals.
    pub fn fattest(&mut self) -> &mut Queue {
        self.queues.iter_mut().rev().max_by_key(|queue| queue.packets.bytes()).expect("there are queues")
    }

    /// Moves a queue from its list to the end of another.
    pub fn move_to(&mut self, slot: usize, list: ListKind) {
        let Queue { before, next, list: from, .. } = self.queues[slot];
        if from != ListKind::None {
            match before {
                NONE => self.ends[from as usize].head = next,
                before => self.queues[before as usize].next = next,
            }
            match next {
                NONE => self.ends[from as usize].tail = before,
                next => self.queues[next as usize].before = before,
            }
        }
        self.queues[slot].list = list;
        self.queues[slot].next = NONE;
        if list != ListKind::None {
            let last = std::mem::replace(&mut self.ends[list as usize].tail, slot as u32);
            self.queues[slot].before = last;
            match last {
                NONE => self.ends[list as usize].head = slot as u32,
                last => self.queues[last as usize].next = slot as u32,
            }
        }
    }
}
