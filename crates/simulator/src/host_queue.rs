//! The fq queues of the sending hosts, which keep each flow's packets until their departure time.
//!
//! Linux's fq also shares the host's link among its flows. Here a host's own link is never the bottleneck, so only
//! pacing remains, and a flow's departure times never decrease.
//!
//! All queues share one array, whose free slots are reused in LIFO order: few packets wait at the hosts, and they stay
//! in the processor's caches.

use fairlane_engine::prefetch;
use fairlane_network::Packet;

/// The queue of one end of a flow: the slot of its last packet, from which the packets form a ring.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HostQueue {
    last: u32,
}

impl HostQueue {
    pub const EMPTY: Self = Self { last: NONE };

    #[inline]
    pub fn is_empty(&self) -> bool {
        self.last == NONE
    }
}

/// The packets of all host queues.
#[derive(Debug)]
pub(crate) struct HeldPackets<D> {
    nodes: Vec<Node<D>>,
    /// The slot that was freed last; the others follow.
    free: u32,
}

#[derive(Debug)]
struct Node<D> {
    departure_ns: u64,
    packet: Packet<D>,
    /// The next packet, or the first after the last; of a free slot, the next free one.
    next: u32,
}

const NONE: u32 = u32::MAX;

impl<D: Copy> HeldPackets<D> {
    pub fn new() -> Self {
        Self { nodes: Vec::new(), free: NONE }
    }

    /// Adds a packet to the end of a queue.
    #[inline]
    pub fn push(&mut self, queue: &mut HostQueue, departure_ns: u64, packet: Packet<D>) {
        let mut node = Node { departure_ns, packet, next: NONE };
        let place = if self.free == NONE { self.nodes.len() as u32 } else { self.free };
        node.next = match self.nodes.get_mut(queue.last as usize) {
            Some(last) => std::mem::replace(&mut last.next, place),
            None => place,
        };
        match self.nodes.get_mut(place as usize) {
            Some(free) => {
                self.free = free.next;
                *free = node;
            }
            None => self.nodes.push(node),
        }
        queue.last = place;
    }

    /// The departure time of the first packet of a queue.
    #[inline]
    pub fn next_departure_ns(&self, queue: HostQueue) -> Option<u64> {
        let last = self.nodes.get(queue.last as usize)?;
        Some(self.nodes[last.next as usize].departure_ns)
    }

    /// Dequeues the packets whose departure time has come at `now_ns`, and passes each to `leave`, in order.
    #[inline]
    pub fn pop_due(&mut self, queue: &mut HostQueue, now_ns: u64, mut leave: impl FnMut(&Packet<D>)) {
        while let Some(last) = self.nodes.get(queue.last as usize) {
            let place = last.next;
            let first = &mut self.nodes[place as usize];
            if first.departure_ns > now_ns {
                break;
            }
            leave(&first.packet);
            let second = std::mem::replace(&mut first.next, self.free);
            self.free = place;
            if place == queue.last {
                queue.last = NONE;
            } else {
                self.nodes[queue.last as usize].next = second;
            }
        }
    }

    /// Prefetches a queue's last packet, usually its only one.
    #[inline]
    pub fn prefetch(&self, queue: HostQueue) {
        if let Some(last) = self.nodes.get(queue.last as usize) {
            prefetch(last);
            prefetch(&last.next);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fairlane_engine::Streams;
    use fairlane_network::Ecn;
    use std::collections::VecDeque;

    fn packet(number: u64) -> Packet<u64> {
        Packet { flow: 0, path: 0, hop: 0, ecn: Ecn::NotEct, ip_bytes: 40, payload: number }
    }

    #[test]
    fn each_queue_gives_its_packets_in_order_and_when_they_are_due() {
        let mut random = Streams::new(1).stream("host queue test", 0);
        let mut held = HeldPackets::new();
        let mut queues = [HostQueue::EMPTY; 3];
        let mut expected: [VecDeque<(u64, u64)>; 3] = Default::default();
        let mut most = 0;
        for number in 0..5_000_u64 {
            let at = random.below(3) as usize;
            if random.below(2) == 0 {
                let departure_ns = expected[at].back().map_or(number, |&(ns, _)| ns.max(number)) + random.below(20);
                held.push(&mut queues[at], departure_ns, packet(number));
                expected[at].push_back((departure_ns, number));
            } else {
                let mut left = Vec::new();
                held.pop_due(&mut queues[at], number, |packet| left.push(packet.payload));
                for number_left in left {
                    let (departure_ns, first) = expected[at].pop_front().expect("it was there");
                    assert!(departure_ns <= number && first == number_left);
                }
            }
            assert_eq!(held.next_departure_ns(queues[at]), expected[at].front().map(|&(ns, _)| ns));
            assert_eq!(queues[at].is_empty(), expected[at].is_empty());
            most = most.max(expected.iter().map(VecDeque::len).sum());
        }
        assert_eq!(held.nodes.len(), most, "places are used again");
    }
}
