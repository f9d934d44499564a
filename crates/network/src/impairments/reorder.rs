//! A wire on which packets can overtake each other.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use crate::packet::Packet;

pub(crate) struct Reorder<P> {
    in_flight: BinaryHeap<Reverse<InFlight<P>>>,
    transmitted: u64,
    delivered: Option<Packet<P>>,
}

struct InFlight<P> {
    arrival_ns: u64,
    /// Packets with the same arrival time keep their order of transmission.
    serial: u64,
    packet: Packet<P>,
}

impl<P> Reorder<P> {
    pub fn new() -> Self {
        Self { in_flight: BinaryHeap::new(), transmitted: 0, delivered: None }
    }

    pub fn transmit(&mut self, arrival_ns: u64, packet: Packet<P>) {
        self.in_flight.push(Reverse(InFlight { arrival_ns, serial: self.transmitted, packet }));
        self.transmitted += 1;
    }

    pub fn next_arrival_ns(&self) -> Option<u64> {
        self.in_flight.peek().map(|Reverse(first)| first.arrival_ns)
    }

    /// Takes the next arriving packet off the wire, which must not be empty.
    pub fn deliver(&mut self) {
        self.delivered = self.in_flight.pop().map(|Reverse(first)| first.packet);
    }

    /// The packet delivered last.
    pub fn delivered(&self) -> &Packet<P> {
        self.delivered.as_ref().expect("a packet was delivered")
    }

    pub fn len(&self) -> u64 {
        self.in_flight.len() as u64
    }
}

impl<P> Ord for InFlight<P> {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.arrival_ns, self.serial).cmp(&(other.arrival_ns, other.serial))
    }
}

impl<P> PartialOrd for InFlight<P> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<P> PartialEq for InFlight<P> {
    fn eq(&self, other: &Self) -> bool {
        self.serial == other.serial
    }
}

impl<P> Eq for InFlight<P> {}
