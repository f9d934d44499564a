//! A wire on which packets can overtake each other, or wait at its end for a slot.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use super::slots::Slots;
use crate::packet::Packet;

pub(crate) struct UnorderedWire<P> {
    in_flight: BinaryHeap<Reverse<InFlight<P>>>,
    slots: Option<Slots>,
    transmitted: u64,
    delivered: Option<Packet<P>>,
}

struct InFlight<P> {
    arrival_ns: u64,
    /// Packets with the same arrival time keep their order of transmission.
    serial: u64,
    packet: Packet<P>,
}

impl<P> UnorderedWire<P> {
    pub fn new(slots: Option<Slots>) -> Self {
        Self { in_flight: BinaryHeap::new(), slots, transmitted: 0, delivered: None }
    }

    pub fn transmit(&mut self, arrival_ns: u64, packet: Packet<P>) {
        self.in_flight.push(Reverse(InFlight { arrival_ns, serial: self.transmitted, packet }));
        self.transmitted += 1;
    }

    /// When the next packet arrives, or has to choose its slot.
    pub fn next_event_ns(&self) -> Option<u64> {
        let ready_ns = self.in_flight.peek().map(|Reverse(first)| first.arrival_ns)?;
        Some(self.slots.as_ref().map_or(ready_ns, |slots| slots.next_ns(ready_ns)))
    }

    /// Takes the next packet off the wire if it arrives by `now_ns`.
    pub fn deliver(&mut self, now_ns: u64) -> bool {
        let Some(Reverse(first)) = self.in_flight.peek().filter(|Reverse(first)| first.arrival_ns <= now_ns) else {
            return false;
        };
        if let Some(slots) = &mut self.slots {
            slots.choose(first.arrival_ns);
            if slots.next_ns(first.arrival_ns) > now_ns {
                return false;
            }
            slots.deliver(now_ns, first.packet.ip_bytes);
        }
        self.delivered = self.in_flight.pop().map(|Reverse(first)| first.packet);
        true
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
