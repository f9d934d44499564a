//! Packets at the ends of the wires.

use super::outbox::prefetch_packet;
use super::section::Links;
use crate::any_medium::each_link;
use crate::link::{LookaheadLink, Receiver};
use crate::network::{Hop, END};
use crate::packet::Packet;
use crate::store::{Popped, Record, Ring};
use fairlane_engine::ComponentId;
use std::collections::VecDeque;

/// A packet that arrived at the end of its path.
#[derive(Clone, Copy, Debug)]
pub struct Arrival {
    pub time_ns: u64,
    pub path: u32,
    /// The link that delivered it, which is a component of the event queue.
    pub link: ComponentId,
    /// Counts the packets that the link delivered in this window, to hosts and to other links.
    pub number: u32,
    /// Where the link keeps it.
    pub(super) slot: u32,
}

/// Packets that one link delivered in a window.
#[derive(Clone, Copy)]
pub struct Delivered<'a, P>(Popped<'a, Record<P>>);

impl<P> Default for Delivered<'_, P> {
    fn default() -> Self {
        Self(Popped::default())
    }
}

impl<'a, P> Delivered<'a, P> {
    /// The packet of an arrival from this link.
    #[inline]
    pub fn packet(&self, arrival: &Arrival) -> &'a Packet<P> {
        &self.0.get(arrival.slot).packet
    }

    /// Prefetches all of the packet of an arrival, which another thread may have written.
    #[inline]
    pub fn prefetch(&self, arrival: &Arrival) {
        prefetch_packet(self.packet(arrival));
    }
}

impl<'a, P: Copy> Delivered<'a, P> {
    /// The packets on their way to hosts and to other links.
    #[inline]
    pub(super) fn of(links: &'a Links<P>, link: ComponentId) -> Self {
        Self(each_link!(links.get(link), link => link.delivered_slots(), else Popped::default()))
    }
}

/// Packets for hosts that left the wire of a mixed link before the window in which they arrive.
pub(super) struct Early<P> {
    arrivals: VecDeque<Arrival>,
    packets: Ring<Record<P>>,
}

impl<P: Copy> Default for Early<P> {
    fn default() -> Self {
        Self { arrivals: VecDeque::new(), packets: Ring::new() }
    }
}

impl<P: Copy> Early<P> {
    /// The packets that left it.
    #[inline]
    pub fn delivered(&self) -> Delivered<'_, P> {
        Delivered(self.packets.popped())
    }

    fn push(&mut self, arrival: Arrival, packet: &Packet<P>) {
        self.arrivals.push_back(Arrival { slot: self.packets.tail() as u32, ..arrival });
        let record = Record::new(arrival.time_ns, packet);
        *self.packets.extend(|| record) = record;
    }

    pub fn deliver_before(&mut self, end_ns: u64, receive: &mut impl FnMut(Arrival)) {
        while let Some(&arrival) = self.arrivals.front().filter(|arrival| arrival.time_ns < end_ns) {
            self.arrivals.pop_front();
            self.packets.pop_front();
            receive(arrival);
        }
    }
}

/// The end of one link's wire.
pub(super) struct WireEnd<'a, P, R> {
    pub hops: &'a [Hop],
    pub route_starts: &'a [u32],
    pub link: ComponentId,
    pub number: u32,
    pub forwarded: &'a mut Vec<Arrival>,
    pub early: Option<&'a mut Early<P>>,
    /// Gets packets at the end of their path.
    pub receive: R,
}

impl<P: Copy, R: FnMut(Arrival)> Receiver<P> for WireEnd<'_, P, R> {
    #[inline(always)] // once per packet
    fn receive(&mut self, time_ns: u64, slot: u32, packet: &Packet<P>) {
        let arrival = Arrival { time_ns, path: packet.path, link: self.link, number: self.number, slot };
        self.number += 1;
        let next = self.route_starts[packet.path as usize] + u32::from(packet.hop) + 1;
        if self.hops[next as usize].medium != END.medium {
            self.forwarded.push(arrival);
        } else if let Some(early) = &mut self.early {
            early.push(arrival, packet);
        } else {
            (self.receive)(arrival);
        }
    }
}
