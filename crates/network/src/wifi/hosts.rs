//! Reports to the hosts behind the nodes, and their times: received packets, and packets that have left the queues of
//! their host (TCP Small Queues).
//!
//! A driver reports a frame as transmitted when a Block Ack has confirmed it, in any order, or when the frame is
//! dropped. Drivers and interrupts delay both reports by a fixed time.

use std::collections::VecDeque;

use super::Released;
use crate::packet::Packet;

pub(super) struct Hosts<P> {
    /// By node.
    latencies_ns: Vec<u64>,
    /// Queues whose host waits for departures.
    reporting: Vec<bool>,
    /// In order of time.
    later: VecDeque<(u64, News<P>)>,
    /// Reported, and not taken yet.
    departed: Vec<Packet<P>>,
}

#[derive(Clone, Copy)]
enum News<P> {
    Arrived(Released<P>),
    Departed(Packet<P>),
}

impl<P: Copy> Hosts<P> {
    pub fn new(latencies_ns: Vec<u64>, queues: usize) -> Self {
        Self { latencies_ns, reporting: vec![false; queues], later: VecDeque::new(), departed: Vec::new() }
    }

    pub fn report(&mut self, queue: usize) {
        self.reporting[queue] = true;
    }

    pub fn is_reporting(&self, queue: usize) -> bool {
        self.reporting[queue]
    }

    pub fn latency_ns(&self, node: usize) -> u64 {
        self.latencies_ns[node]
    }

    /// A received packet reaches the host behind `node` after the latency of that node.
    pub fn pass_up(&mut self, now_ns: u64, node: usize, packet: Released<P>) {
        self.put(now_ns + self.latencies_ns[node], News::Arrived(packet));
    }

    /// Frames of `node` departed at `at_ns`.
    pub fn depart(&mut self, at_ns: u64, node: usize, packets: &mut Vec<Packet<P>>) {
        let at_ns = at_ns + self.latencies_ns[node];
        for packet in packets.drain(..) {
            self.put(at_ns, News::Departed(packet));
        }
    }

    /// Packets dropped by the queue discipline, which the host learns at once.
    pub fn dropped(&mut self) -> &mut Vec<Packet<P>> {
        &mut self.departed
    }

    fn put(&mut self, at_ns: u64, news: News<P>) {
        let place = self.later.iter().rposition(|&(other_ns, _)| other_ns <= at_ns).map_or(0, |before| before + 1);
        self.later.insert(place, (at_ns, news));
    }

    pub fn next_ns(&self) -> Option<u64> {
        self.later.front().map(|&(at_ns, _)| at_ns)
    }

    /// Reports that are due: arrivals go to `deliver`, departures wait until they are taken.
    pub fn learn(&mut self, now_ns: u64, mut deliver: impl FnMut(Released<P>)) {
        while self.next_ns().is_some_and(|at_ns| at_ns <= now_ns) {
            let Some((_, news)) = self.later.pop_front() else { return };
            match news {
                News::Arrived(packet) => deliver(packet),
                News::Departed(packet) => self.departed.push(packet),
            }
        }
    }

    pub fn has_departed(&self) -> bool {
        !self.departed.is_empty()
    }

    pub fn take_departed(&mut self, into: &mut Vec<Packet<P>>) {
        into.append(&mut self.departed);
    }

    /// Packets of a queue that are received but not reported to the host yet.
    pub fn arriving(&self, queue: usize) -> u64 {
        let is_of_queue = |(_, news): &&(u64, News<P>)| matches!(news, News::Arrived(one) if one.queue == queue);
        self.later.iter().filter(is_of_queue).count() as u64
    }
}
