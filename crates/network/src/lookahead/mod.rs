//! The network in lookahead windows, without events.
//!
//! A link delays each packet by at least its propagation delay, so packets that arrive at hosts within that time are on
//! the wires already. Within such a *window*, hosts and links run one after the other, each with all its packets: first
//! the hosts, then the links, which sort the packets that they enqueue into the order of events (conservative lookahead;
//! Chandy and Misra 1979). The code and memory of each part stay in the processor's caches, and no packet needs an event.
//!
//! The order of calls is [`Network::lookahead`] and [`Network::begin_lookahead`]; then for each window
//! [`Network::deliver`], [`Network::send_in_window`] for all packets that hosts send, in any order, and
//! [`Network::end_window`]; finally [`Network::end_lookahead`].

mod sorter;

use std::collections::VecDeque;

use fairlane_engine::{prefetch, ComponentId, EventQueue};

use self::sorter::Sorter;
use crate::any_medium::{each_link, AnyMedium};
use crate::link::{LookaheadLink, Receiver};
use crate::network::{Hop, Network, END};
use crate::packet::Packet;
use crate::store::{Popped, Record, Ring};

/// State that all windows share: the order of the links, and the packets that wait to be enqueued at them.
pub struct Lookahead<P> {
    /// Links in the direction of travel: each comes before those to which it forwards packets. Instant links are left
    /// out.
    order: Vec<u32>,
    /// By medium.
    positions: Vec<Position>,
    /// The first link of each path; none if that is an instant link.
    first_links: Vec<Option<u32>>,
    max_window_ns: u64,
    /// Start of the present window.
    start_ns: u64,
    /// Packets that arrive at hosts before this time are on the wires.
    horizon_ns: u64,
    /// Links behind which paths end, in order.
    last_links: Vec<u32>,
    /// By medium. Most links of a large network have nothing to do in most windows, and only this is read of them.
    work: Vec<Work>,
    bursts: Vec<Burst>,
    /// The bursts of one link, in order.
    keys: Vec<BurstKey>,
    packets: Vec<Packet<P>>,
    /// Packets that left a link for another one.
    forwarded: Vec<Arrival>,
    sorter: Sorter,
    /// Number of packets that belong to a burst; those after them are being written.
    sent: usize,
}

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

/// Tells whether a link has something to do in a window.
#[derive(Clone, Copy, Debug)]
struct Work {
    /// No packet arrives at the end of its wire before this time unless another one is enqueued.
    quiet_until_ns: u64,
    /// How far ahead of the hosts it forwards packets to other links.
    reach_ns: u64,
    /// The latest of the bursts that are enqueued in this window; [`NONE`] without any.
    latest: u32,
    /// It takes no packets, only counts them.
    is_instant: bool,
}

/// Prefetches links that will act next in a window.
#[derive(Default)]
struct Coming {
    /// The links found so far that act after the present one.
    links: VecDeque<u32>,
    /// Where the search continues.
    at: usize,
}

/// A link is prefetched this many active links ahead, and its packets half as many.
const LINKS_AHEAD: usize = 6;
/// A search for active links is given up after this many others.
const SEARCHED: usize = 64;

impl Coming {
    /// `at` is the place of the present link in `order`.
    #[inline]
    fn prefetch<P: Copy>(&mut self, media: &[AnyMedium<P>], order: &[u32], at: usize, is_active: impl Fn(u32) -> bool) {
        self.links.pop_front();
        if self.at <= at {
            self.links.clear();
            self.at = at + 1;
        }
        let end = (self.at + SEARCHED).min(order.len());
        while self.links.len() < LINKS_AHEAD && self.at < end {
            let link = order[self.at];
            self.at += 1;
            if is_active(link) {
                self.links.push_back(link);
                each_link!(&media[link as usize], link => LookaheadLink::prefetch(link), else {});
            }
        }
        if let Some(&link) = self.links.get(LINKS_AHEAD / 2) {
            each_link!(&media[link as usize], link => link.prefetch_records(), else {});
        }
    }
}

/// Position of a link in the network.
#[derive(Clone, Copy, Debug)]
struct Position {
    /// Some path ends behind it.
    is_last: bool,
    /// An instant link lies between its wire and a host.
    has_instant_tail: bool,
    min_delay_ns: u64,
    /// How far it runs ahead of the hosts by the end of a window: links before it delay the packets that it enqueues.
    lead_ns: u64,
    /// The common lead of the links to which it forwards packets; [`FAR`] if there are none.
    next_lead_ns: u64,
}

impl Work {
    fn new(position: &Position, is_instant: bool) -> Self {
        let reach_ns = if position.forwards_ahead() { position.next_lead_ns } else { 0 };
        Self { quiet_until_ns: 0, reach_ns, latest: NONE, is_instant }
    }
}

impl Position {
    /// Forwards packets at the end of a window, before those for hosts are due.
    fn forwards_ahead(&self) -> bool {
        self.next_lead_ns != FAR && (!self.is_last || self.is_mixed())
    }

    /// Some of its packets end at hosts and others at links, which can run ahead of the hosts. Packets for hosts then
    /// leave the wire early.
    fn is_mixed(&self) -> bool {
        self.is_last && !self.has_instant_tail && self.next_lead_ns != FAR
    }
}

/// Further ahead than any link.
const FAR: u64 = u64::MAX;

/// Orders bursts by time since the window began, component and number of the [`Cause`], and index of the burst, in one
/// comparison.
type BurstKey = u128;

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
    slot: u32,
}

/// Packets that one link delivered in a window.
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
}

impl<'a, P: Copy> Delivered<'a, P> {
    /// The packets on their way to hosts and to other links.
    #[inline]
    fn of(medium: &'a AnyMedium<P>) -> Self {
        Self(each_link!(medium, link => link.delivered_slots(), else Popped::default()))
    }
}

/// Packets for hosts that left the wire of a mixed link before the window in which they arrive.
pub(crate) struct Early<P> {
    arrivals: VecDeque<Arrival>,
    packets: Ring<Record<P>>,
}

impl<P: Copy> Default for Early<P> {
    fn default() -> Self {
        Self { arrivals: VecDeque::new(), packets: Ring::new() }
    }
}

impl<P: Copy> Early<P> {
    fn push(&mut self, arrival: Arrival, packet: &Packet<P>) {
        self.arrivals.push_back(Arrival { slot: self.packets.tail() as u32, ..arrival });
        let record = Record::new(arrival.time_ns, packet);
        *self.packets.extend(|| record) = record;
    }

    fn deliver_before(&mut self, end_ns: u64, receive: &mut impl FnMut(Arrival)) {
        while let Some(&arrival) = self.arrivals.front().filter(|arrival| arrival.time_ns < end_ns) {
            self.arrivals.pop_front();
            self.packets.pop_front();
            receive(arrival);
        }
    }
}

/// Times since a window began have 32 bits, and longer windows gain nothing.
const MAX_WINDOW_NS: u64 = 1_000_000_000;

/// Packets are prefetched this many bursts ahead.
const BURSTS_AHEAD: usize = 4;

impl<P> Lookahead<P> {
    /// The longest possible window. The next one may have to be shorter.
    pub fn max_window_ns(&self) -> u64 {
        self.max_window_ns
    }

    /// The next window must end by this time.
    pub fn horizon_ns(&self) -> u64 {
        self.horizon_ns
    }

    fn update_horizon(&mut self, clock_ns: impl Fn(&Position) -> u64) {
        let last = self.order.iter().map(|&link| &self.positions[link as usize]).filter(|position| position.is_last);
        let horizon_ns = last.map(|position| clock_ns(position).saturating_add(position.min_delay_ns)).min();
        self.horizon_ns = horizon_ns.unwrap_or(FAR).min(self.start_ns + self.max_window_ns);
    }

    /// Writes packets for [`Network::send_in_window`].
    #[inline]
    pub fn write(&mut self, packets: impl IntoIterator<Item = Packet<P>>) {
        self.packets.extend(packets);
    }

    #[inline]
    fn key(&self, cause: Cause, burst: usize) -> BurstKey {
        let since_start_ns = cause.time_ns - self.start_ns;
        debug_assert!(since_start_ns <= 2 * MAX_WINDOW_NS);
        let event = u128::from(since_start_ns << 32 | u64::from(cause.component));
        event << 64 | u128::from(u64::from(cause.number) << 32 | burst as u64)
    }

    /// Makes a burst of the written packets, to be enqueued at a link.
    #[inline]
    fn add_burst(&mut self, link: u32, cause: Cause) {
        let index = self.bursts.len();
        let previous = std::mem::replace(&mut self.work[link as usize].latest, index as u32);
        let (first, count) = (self.sent as u32, (self.packets.len() - self.sent) as u32);
        self.bursts.push(Burst { key: self.key(cause, index), first, count, previous });
        self.sent = self.packets.len();
    }

    /// Moves the bursts that wait for a link into `keys`, sorted.
    fn sort_bursts(&mut self, link: u32, until_ns: u64) {
        self.keys.clear();
        let mut burst = std::mem::replace(&mut self.work[link as usize].latest, NONE);
        while let Some(&Burst { key, previous, .. }) = self.bursts.get(burst as usize) {
            self.keys.push(key);
            burst = previous;
        }
        self.keys.reverse();
        self.sorter.sort(&mut self.keys, until_ns - self.start_ns);
    }

    fn time_ns(&self, key: BurstKey) -> u64 {
        self.start_ns + (key >> 96) as u64
    }
}

impl<P: Copy> Network<P> {
    /// Prepares lookahead windows. None if a medium shares its channel or reports to hosts, a wire reorders, packets can
    /// arrive without delay, or links form a cycle.
    pub fn lookahead(&self) -> Option<Lookahead<P>> {
        let unused =
            Position { is_last: false, has_instant_tail: false, min_delay_ns: 0, lead_ns: FAR, next_lead_ns: FAR };
        let mut positions = vec![unused; self.media.len()];
        let mut next_links = vec![Vec::new(); self.media.len()];
        for route in self.hops.split(|&hop| hop == END).filter(|route| !route.is_empty()) {
            let links: Vec<u32> =
                route.iter().map(|hop| hop.medium.0).filter(|&medium| !self.is_instant(medium)).collect();
            for pair in links.windows(2) {
                next_links[pair[0] as usize].push(pair[1]);
            }
            positions[*links.first()? as usize].lead_ns = 0; // hosts are before it
            let last = &mut positions[*links.last()? as usize];
            last.is_last = true;
            last.has_instant_tail |= route.last().is_some_and(|hop| self.is_instant(hop.medium.0));
        }
        let links: Vec<u32> = (0..positions.len() as u32).filter(|&medium| !self.is_instant(medium)).collect();
        for &link in &links {
            let min_delay_ns = each_link!(&self.media[link as usize], link => link.min_delay_ns(), else None);
            positions[link as usize].min_delay_ns = min_delay_ns.filter(|&delay_ns| delay_ns > 0)?;
        }
        let order = topological_order(&links, &next_links)?;
        while update_leads(&order, &next_links, &mut positions) {}
        let last = order.iter().map(|&link| &positions[link as usize]).filter(|position| position.is_last);
        let max_window_ns = last.map(|position| position.lead_ns.saturating_add(position.min_delay_ns)).min()?;
        let first_hops = self.route_starts.iter().map(|&start| self.hops[start as usize]);
        let first_link = |hop: Hop| (hop != END && !self.is_instant(hop.medium.0)).then_some(hop.medium.0);
        let first_links = first_hops.map(first_link).collect();
        Some(Lookahead {
            max_window_ns: max_window_ns.min(MAX_WINDOW_NS),
            start_ns: 0,
            horizon_ns: 0,
            last_links: order.iter().copied().filter(|&link| positions[link as usize].is_last).collect(),
            work: (0..).zip(&positions).map(|(link, at)| Work::new(at, self.is_instant(link))).collect(),
            bursts: Vec::new(),
            keys: Vec::new(),
            packets: Vec::new(),
            forwarded: Vec::new(),
            sorter: Sorter::default(),
            sent: 0,
            order,
            positions,
            first_links,
        })
    }

    fn is_instant(&self, medium: u32) -> bool {
        matches!(self.media[medium as usize], AnyMedium::InstantLink(_))
    }

    /// From `now_ns` on links need no events; pending ones become stale.
    pub fn begin_lookahead(&mut self, ahead: &mut Lookahead<P>, now_ns: u64) {
        ahead.start_ns = now_ns;
        ahead.work.iter_mut().for_each(|work| work.quiet_until_ns = 0);
        ahead.update_horizon(|_| now_ns);
        if self.early.is_empty() && ahead.positions.iter().any(Position::is_mixed) {
            self.early = ahead.positions.iter().map(|position| position.is_mixed().then(Box::default)).collect();
        }
        for medium in &mut self.media {
            each_link!(medium, link => {
                link.run_until(now_ns.saturating_sub(1));
                link.disarm();
            }, else {});
        }
    }

    /// From `now_ns` on, the end of a window, links schedule their events again.
    pub fn end_lookahead(&mut self, now_ns: u64, events: &mut EventQueue) {
        for medium in &mut self.media {
            each_link!(medium, link => link.rearm(now_ns, events), else {});
        }
    }

    /// Delivers all packets that arrive before `end_ns`, the end of the window. `receive` gets those at the end of their
    /// path, link by link.
    pub fn deliver(&mut self, ahead: &mut Lookahead<P>, end_ns: u64, mut receive: impl FnMut(Arrival)) {
        debug_assert!(end_ns <= ahead.horizon_ns);
        let mut coming = Coming::default();
        for at in 0..ahead.last_links.len() {
            let link = ahead.last_links[at];
            if ahead.work[link as usize].quiet_until_ns < end_ns {
                coming.prefetch(&self.media, &ahead.last_links, at, |link| {
                    ahead.work[link as usize].quiet_until_ns < end_ns
                });
                self.deliver_from(ahead, link, end_ns, &mut receive);
            }
            if let Some(Some(early)) = self.early.get_mut(link as usize) {
                early.deliver_before(end_ns, &mut receive);
            }
        }
    }

    fn deliver_from(
        &mut self,
        ahead: &mut Lookahead<P>,
        link: ComponentId,
        end_ns: u64,
        receive: &mut impl FnMut(Arrival),
    ) {
        let mut forwarded = std::mem::take(&mut ahead.forwarded);
        let (hops, route_starts) = (&self.hops, &self.route_starts);
        let early = self.early.get_mut(link as usize).and_then(Option::as_deref_mut);
        let mut wire_end =
            WireEnd { hops, route_starts, link, number: 0, forwarded: &mut forwarded, early, receive: &mut *receive };
        each_link!(&mut self.media[link as usize], medium => {
            medium.deliver_before(end_ns, &mut wire_end);
            ahead.work[link as usize].quiet_until_ns = medium.quiet_until_ns();
        }, else {});
        let delivered = Delivered::of(&self.media[link as usize]);
        for arrival in forwarded.drain(..) {
            let packet = *delivered.packet(&arrival);
            ahead.packets.push(packet);
            let cause = Cause { time_ns: arrival.time_ns, component: link, number: arrival.number };
            if !self.send_from_hop(ahead, cause, (packet.path, packet.hop + 1)) {
                receive(arrival);
            }
        }
        ahead.forwarded = forwarded;
    }

    /// The packets that a link delivered in the present window.
    #[inline]
    pub fn delivered_by(&self, link: ComponentId) -> Delivered<'_, P> {
        match self.early.get(link as usize) {
            Some(Some(early)) => Delivered(early.packets.popped()),
            _ => Delivered::of(&self.media[link as usize]),
        }
    }

    /// Sends the packets written with [`Lookahead::write`] since the last call, back to back on one path, at a time
    /// within the window.
    #[inline]
    pub fn send_in_window(&self, ahead: &mut Lookahead<P>, cause: Cause, path: u32) {
        if ahead.packets.len() == ahead.sent {
            return;
        }
        match ahead.first_links[path as usize] {
            Some(link) => ahead.add_burst(link, cause),
            None => {
                let is_on_its_way = self.send_from_hop(ahead, cause, (path, 0));
                debug_assert!(is_on_its_way, "every path has a link with a delay");
            }
        }
    }

    /// Sends the written packets from station number `hop` of their path on, through instant links to the next other
    /// link; false if the path ends before one.
    fn send_from_hop(&self, ahead: &mut Lookahead<P>, cause: Cause, (path, mut hop): (u32, u16)) -> bool {
        let first = ahead.sent;
        let start = self.route_starts[path as usize];
        loop {
            let next = self.hops[(start + u32::from(hop)) as usize];
            if next == END {
                ahead.packets.truncate(first);
                return false;
            }
            if ahead.work[next.medium.0 as usize].is_instant {
                if let AnyMedium::InstantLink(link) = &self.media[next.medium.0 as usize] {
                    ahead.packets[first..].iter().for_each(|packet| link.count(packet.ip_bytes));
                }
                hop += 1;
                continue;
            }
            if hop > 0 {
                ahead.packets[first..].iter_mut().for_each(|packet| packet.hop = hop);
            }
            ahead.add_burst(next.medium.0, cause);
            return true;
        }
    }

    /// Ends the window at `end_ns`: links enqueue the packets that were sent, and run until then. A link behind others
    /// runs further, until the last time for which its arrivals are known, but not beyond `limit_ns`.
    pub fn end_window(&mut self, ahead: &mut Lookahead<P>, end_ns: u64, limit_ns: u64) {
        let clock_ns = |lead_ns: u64| end_ns.saturating_add(lead_ns).min(limit_ns);
        let mut coming = Coming::default();
        for at in 0..ahead.order.len() {
            let link = ahead.order[at];
            let is_active = |link: u32| {
                let work = &ahead.work[link as usize];
                work.latest != NONE || work.quiet_until_ns < clock_ns(work.reach_ns)
            };
            if !is_active(link) {
                continue;
            }
            coming.prefetch(&self.media, &ahead.order, at, is_active);
            let next_ns = clock_ns(ahead.work[link as usize].reach_ns);
            let position = ahead.positions[link as usize];
            let until_ns = clock_ns(position.lead_ns);
            ahead.sort_bursts(link, until_ns);
            let bursts = ahead.keys.iter().enumerate().map(|(at, &key)| {
                // Sorting has scattered the packets over memory.
                if let Some(&coming) = ahead.keys.get(at + BURSTS_AHEAD) {
                    prefetch(&ahead.packets[ahead.bursts[coming as u32 as usize].first as usize]);
                }
                let Burst { first, count, .. } = ahead.bursts[key as u32 as usize];
                (ahead.time_ns(key), &ahead.packets[first as usize..][..count as usize])
            });
            each_link!(&mut self.media[link as usize], medium => {
                medium.enqueue_bursts(bursts);
                medium.run_until(until_ns - 1);
                ahead.work[link as usize].quiet_until_ns = medium.quiet_until_ns();
            }, else {});
            if position.forwards_ahead() && ahead.work[link as usize].quiet_until_ns < next_ns {
                self.deliver_from(ahead, link, next_ns, &mut |_| unreachable!("no path ends here"));
            }
        }
        ahead.bursts.clear();
        ahead.packets.clear();
        ahead.sent = 0;
        ahead.start_ns = end_ns;
        ahead.update_horizon(|position| clock_ns(position.lead_ns));
    }
}

/// The end of one link's wire.
struct WireEnd<'a, P, R> {
    hops: &'a [Hop],
    route_starts: &'a [u32],
    link: ComponentId,
    number: u32,
    forwarded: &'a mut Vec<Arrival>,
    early: Option<&'a mut Early<P>>,
    /// Gets packets at the end of their path.
    receive: R,
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

/// Finds how far links can run ahead of the hosts, from the leads of the links before them. Returns whether a lead
/// changed.
fn update_leads(order: &[u32], next_links: &[Vec<u32>], positions: &mut [Position]) -> bool {
    let mut has_changed = false;
    for &link in order {
        let position = positions[link as usize];
        // Before an instant link, packets stay on the wire until a window begins.
        let waits = position.is_last && position.has_instant_tail;
        let known_ns = if waits { 0 } else { position.lead_ns.saturating_add(position.min_delay_ns) };
        let known_ns = known_ns.min(MAX_WINDOW_NS);
        let next = next_links[link as usize].iter();
        let leads_ns = next.clone().map(|&next| positions[next as usize].lead_ns.min(known_ns));
        let next_lead_ns = leads_ns.min().unwrap_or(FAR);
        has_changed |= position.next_lead_ns != next_lead_ns;
        positions[link as usize].next_lead_ns = next_lead_ns;
        next.for_each(|&next| positions[next as usize].lead_ns = next_lead_ns);
    }
    has_changed
}

/// Sorts links so that each comes before those to which it forwards packets; none if there is a cycle.
fn topological_order(links: &[u32], next_links: &[Vec<u32>]) -> Option<Vec<u32>> {
    let mut before = vec![0_u32; next_links.len()];
    next_links.iter().flatten().for_each(|&link| before[link as usize] += 1);
    let mut order: Vec<u32> = links.iter().copied().filter(|&link| before[link as usize] == 0).collect();
    let mut at = 0;
    while let Some(&link) = order.get(at) {
        for &next in &next_links[link as usize] {
            before[next as usize] -= 1;
            if before[next as usize] == 0 {
                order.push(next);
            }
        }
        at += 1;
    }
    (order.len() == links.len()).then_some(order)
}
