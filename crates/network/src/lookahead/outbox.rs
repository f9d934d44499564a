//! Packets that were sent in a window, until links enqueue them at its end.

use super::plan::Plan;
use super::section::Routes;
use super::MAX_WINDOW_NS;
use crate::network::END;
use crate::packet::Packet;
use fairlane_engine::{prefetch, ComponentId};

/// The event that sends packets. Events at the same time are ordered as in the event queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cause {
    pub time_ns: u64,
    pub component: ComponentId,
    /// Counts the events of a component at the same time.
    pub number: u32,
}

impl Cause {
    /// The next event of a host. If this one causes it at the same time, it follows regardless of its component.
    #[inline]
    #[must_use]
    pub fn then(self, time_ns: u64, component: ComponentId, number: u32) -> Self {
        let earliest = if time_ns == self.time_ns { self.component } else { 0 };
        let number = if component < earliest { self.number } else { number };
        Self { time_ns, component: component.max(earliest), number }
    }
}

/// Orders bursts by time since the window began, component and number of the [`Cause`], and number of the burst, in one
/// comparison.
pub(super) type BurstKey = u128;

/// Packets that are enqueued together.
#[derive(Clone, Copy, Debug)]
struct Burst {
    key: BurstKey,
    /// Index of the first packet.
    first: u32,
    count: u32,
    /// The burst before it at the same link.
    previous: u32,
}

const NONE: u32 = u32::MAX;

/// The packets that some hosts send in a window, or that some links forward. Buffers of different threads share no cache
/// line, nor a pair of lines that the processor fetches together.
#[repr(align(128))]
pub struct Outbox<P> {
    start_ns: u64,
    bursts: Vec<Burst>,
    packets: Vec<Packet<P>>,
    /// Number of packets that belong to a burst; those after them are being written.
    sent: usize,
    /// By medium: the latest of the bursts that it will enqueue; [`NONE`] without any.
    latest: Vec<u32>,
    /// The number of the first burst: bursts of different outboxes have different numbers.
    base: u32,
    /// By medium: packets and IP bytes that passed an instant link; empty in networks without such links.
    instant: Vec<(u64, u64)>,
}

/// Prefetches all of a packet.
#[inline]
pub(super) fn prefetch_packet<P>(packet: &Packet<P>) {
    prefetch(packet);
    prefetch(&packet.payload);
}

/// Bits in which each of some outboxes counts its bursts.
pub(super) fn index_bits(outboxes: usize) -> u32 {
    outboxes.next_power_of_two().leading_zeros() - (usize::BITS - u32::BITS) + 1
}

impl<P> Outbox<P> {
    /// Number `number` of `count` outboxes.
    pub(super) fn new(plan: &Plan, number: usize, count: usize) -> Self {
        let media = plan.positions.len();
        Self {
            start_ns: 0,
            bursts: Vec::new(),
            packets: Vec::new(),
            sent: 0,
            latest: vec![NONE; media],
            base: ((number as u64) << index_bits(count)) as u32,
            instant: vec![(0, 0); if plan.has_instant { media } else { 0 }],
        }
    }

    /// Empties the buffer for the window that begins at `start_ns`.
    pub fn begin_window(&mut self, start_ns: u64) {
        if !self.bursts.is_empty() {
            self.latest.fill(NONE);
        }
        self.clear(start_ns);
    }

    /// The same after all links have taken their bursts.
    pub(super) fn clear(&mut self, start_ns: u64) {
        self.bursts.clear();
        self.packets.clear();
        self.sent = 0;
        self.start_ns = start_ns;
    }

    /// Writes packets for [`send`](Self::send).
    #[inline]
    pub fn write(&mut self, packets: impl IntoIterator<Item = Packet<P>>) {
        self.packets.extend(packets);
    }

    /// Sends the packets written since the last call, back to back on one path, at a time within the window.
    #[inline]
    pub fn send(&mut self, routes: &Routes, cause: Cause, path: u32) {
        if self.packets.len() == self.sent {
            return;
        }
        match routes.plan.first_links[path as usize] {
            Some(link) => self.add_burst(link, cause),
            None => {
                let is_on_its_way = self.send_from_hop(routes, cause, (path, 0));
                debug_assert!(is_on_its_way, "every path has a link with a delay");
            }
        }
    }

    /// Sends the written packets from station number `hop` of their path on, through instant links to the next other
    /// link; false if the path ends before one.
    pub(super) fn send_from_hop(&mut self, routes: &Routes, cause: Cause, (path, mut hop): (u32, u16)) -> bool {
        let first = self.sent;
        let start = routes.route_starts[path as usize];
        loop {
            let next = routes.hops[(start + u32::from(hop)) as usize];
            if next == END {
                self.packets.truncate(first);
                return false;
            }
            if routes.plan.is_instant[next.medium.0 as usize] {
                let (packets, ip_bytes) = &mut self.instant[next.medium.0 as usize];
                *packets += (self.packets.len() - first) as u64;
                *ip_bytes += self.packets[first..].iter().map(|packet| u64::from(packet.ip_bytes)).sum::<u64>();
                hop += 1;
                continue;
            }
            if hop > 0 {
                self.packets[first..].iter_mut().for_each(|packet| packet.hop = hop);
            }
            self.add_burst(next.medium.0, cause);
            return true;
        }
    }

    #[inline]
    fn key(&self, cause: Cause, burst: usize) -> BurstKey {
        let since_start_ns = cause.time_ns - self.start_ns;
        debug_assert!(since_start_ns <= 2 * MAX_WINDOW_NS);
        let event = u128::from(since_start_ns << 32 | u64::from(cause.component));
        event << 64 | u128::from(u64::from(cause.number) << 32 | u64::from(self.base + burst as u32))
    }

    /// Makes a burst of the written packets, to be enqueued at a link.
    #[inline]
    fn add_burst(&mut self, link: u32, cause: Cause) {
        let index = self.bursts.len();
        let previous = std::mem::replace(&mut self.latest[link as usize], index as u32);
        let (first, count) = (self.sent as u32, (self.packets.len() - self.sent) as u32);
        self.bursts.push(Burst { key: self.key(cause, index), first, count, previous });
        self.sent = self.packets.len();
    }

    /// Whether bursts wait for a link.
    #[inline]
    pub(super) fn has_bursts(&self, link: u32) -> bool {
        self.latest[link as usize] != NONE
    }

    /// The link takes its bursts: later ones count anew.
    pub(super) fn forget_bursts(&mut self, link: u32) {
        self.latest[link as usize] = NONE;
    }

    /// Adds the keys of the bursts that wait for a link, the last first. `is_far`: another thread may have written the packets,
    /// which are then fetched from its processor's caches.
    #[inline]
    pub(super) fn keys(&self, link: u32, is_far: bool, into: &mut Vec<BurstKey>) {
        let mut burst = self.latest[link as usize];
        while let Some(&Burst { key, first, count, previous }) = self.bursts.get(burst as usize) {
            into.push(key);
            burst = previous;
            if is_far {
                self.packets[first as usize..][..count as usize].iter().for_each(prefetch_packet);
            }
        }
    }

    /// The packets of the burst with this number, which lies behind `base`.
    #[inline]
    pub(super) fn packets_of(&self, number: u32) -> &[Packet<P>] {
        let Burst { first, count, .. } = self.bursts[number.wrapping_sub(self.base) as usize];
        &self.packets[first as usize..][..count as usize]
    }

    /// The first packet of a burst, for prefetching.
    #[inline]
    pub(super) fn first_packet_of(&self, number: u32) -> &Packet<P> {
        &self.packets[self.bursts[number.wrapping_sub(self.base) as usize].first as usize]
    }

    /// The packets and IP bytes that passed instant links since the last call, by medium.
    pub(super) fn take_instant(&mut self) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.instant.iter_mut().map(std::mem::take)
    }
}

impl<P: Copy> Outbox<P> {
    /// Writes one packet.
    #[inline]
    pub(super) fn push(&mut self, packet: Packet<P>) {
        self.packets.push(packet);
    }
}
