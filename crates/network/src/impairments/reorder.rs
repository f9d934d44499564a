//! The packets on a wire where one may overtake another, in the order of their arrival.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use crate::Packet;

pub(crate) struct Reorder<P> {
    flying: BinaryHeap<Reverse<Flying<P>>>,
    launched: u64,
    landed: Option<Packet<P>>,
}

struct Flying<P> {
    arrival_ns: u64,
    /// Packets that arrive together arrive in the order in which they left.
    serial: u64,
    packet: Packet<P>,
}

impl<P> Reorder<P> {
    pub fn new() -> Self {
        Self { flying: BinaryHeap::new(), launched: 0, landed: None }
    }

    pub fn launch(&mut self, arrival_ns: u64, packet: Packet<P>) {
        self.flying.push(Reverse(Flying { arrival_ns, serial: self.launched, packet }));
        self.launched += 1;
    }

    pub fn next_arrival_ns(&self) -> Option<u64> {
        self.flying.peek().map(|Reverse(flying)| flying.arrival_ns)
    }

    /// Takes the packet that arrives next off the wire, which must not be empty.
    pub fn land(&mut self) {
        self.landed = self.flying.pop().map(|Reverse(flying)| flying.packet);
    }

    /// What landed last.
    pub fn landed(&self) -> &Packet<P> {
        self.landed.as_ref().expect("a packet landed")
    }

    pub fn len(&self) -> u64 {
        self.flying.len() as u64
    }
}

impl<P> Ord for Flying<P> {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.arrival_ns, self.serial).cmp(&(other.arrival_ns, other.serial))
    }
}

impl<P> PartialOrd for Flying<P> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<P> PartialEq for Flying<P> {
    fn eq(&self, other: &Self) -> bool {
        self.serial == other.serial
    }
}

impl<P> Eq for Flying<P> {}
