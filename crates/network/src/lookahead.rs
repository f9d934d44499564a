//! The network a span of time at a time, without events.
//!
//! A link delays each packet by at least its propagation delay, so what arrives at the hosts within that time is on the
//! wires already. Over such a *span* hosts and links can be handled one after the other, each alone with its packets:
//! first every host does what it does in the span, then every link takes in what the hosts have sent, in the order in
//! which events would have brought it (this is conservative lookahead; Chandy and Misra 1979). Each part's code and
//! memory stay in the processor's caches, and no packet needs an event.
//!
//! The order of calls is [`Network::look_ahead`] and [`Network::start_looking_ahead`], then for each span
//! [`Network::land`], [`Network::send_ahead`] for all that is sent in it, in any order, and [`Network::advance`]; at last
//! [`Network::stop_looking_ahead`].

mod order;

use fairlane_engine::{prefetch, ComponentId, EventQueue};

use self::order::Sorter;
use crate::medium::AnyMedium;
use crate::network::{Hop, Network, END};
use crate::Packet;

/// What spans have in common: the order of the links, and what is on its way into them.
pub struct Lookahead<P> {
    /// Links before those to which they pass packets on. Links that hold nothing are not among them.
    order: Vec<u32>,
    /// By medium.
    places: Vec<Place>,
    /// By path: the link in which it begins, unless that holds nothing.
    first_links: Vec<Option<u32>>,
    /// No span is longer.
    longest_span_ns: u64,
    /// When the present span began.
    start_ns: u64,
    /// What arrives at hosts before is on the wires.
    known_ns: u64,
    /// By medium: what enters in this span.
    entries: Vec<Vec<EntryKey>>,
    /// Packets that enter a link together: where the first one lies, and how many there are.
    bursts: Vec<(u32, u32)>,
    packets: Vec<Packet<P>>,
    /// What left a link for another one, and is not in front of that yet.
    passing: Vec<Landing>,
    sorter: Sorter,
    /// How many of the packets belong to a burst; the others are being written.
    sent: usize,
}

/// A link among the others.
#[derive(Clone, Copy, Debug)]
struct Place {
    /// Some path ends behind it.
    is_last: bool,
    least_delay_ns: u64,
    /// How far it is ahead of the hosts at the end of a span: what enters it passes other links first, which delay it.
    lead_ns: u64,
    /// How far the links to which it passes packets on are, all alike; [`FAR`] if there are none.
    next_lead_ns: u64,
}

/// Further ahead than any link.
const FAR: u64 = u64::MAX;

/// One comparison of keys orders time since the span began, component and number of the [`Cause`], and burst.
type EntryKey = u128;

/// The event that packets come from. What has the same time is ordered as the event queue orders it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cause {
    pub time_ns: u64,
    pub component: ComponentId,
    /// Of the events that a component has at the same time.
    pub number: u32,
}

/// A packet that has arrived at the end of its path.
#[derive(Clone, Copy, Debug)]
pub struct Landing {
    pub time_ns: u64,
    pub path: u32,
    /// The link it comes from, which is a component of the event queue.
    pub link: ComponentId,
    /// Counts what comes from the link in the span, here and for other links.
    pub number: u32,
    /// Where the link keeps it.
    place: u32,
}

/// Longer ones would gain nothing, and times since a span began have 32 bits.
const LONGEST_SPAN_NS: u64 = 1_000_000_000;

/// Packets are prefetched this many bursts ahead.
const BURSTS_AHEAD: usize = 4;

impl<P> Lookahead<P> {
    /// How long spans can be at most. The next one may have to be shorter.
    pub fn longest_span_ns(&self) -> u64 {
        self.longest_span_ns
    }

    /// The next span must end by this time.
    pub fn known_ns(&self) -> u64 {
        self.known_ns
    }

    fn find_known(&mut self, clock_ns: impl Fn(&Place) -> u64) {
        let last = self.order.iter().map(|&link| &self.places[link as usize]).filter(|place| place.is_last);
        let known_ns = last.map(|place| clock_ns(place).saturating_add(place.least_delay_ns)).min();
        self.known_ns = known_ns.unwrap_or(FAR).min(self.start_ns + self.longest_span_ns);
    }

    /// Writes packets, for [`Network::send_ahead`].
    #[inline]
    pub fn write(&mut self, packets: impl IntoIterator<Item = Packet<P>>) {
        self.packets.extend(packets);
    }

    #[inline]
    fn key(&self, cause: Cause, burst: usize) -> EntryKey {
        let since_start_ns = cause.time_ns - self.start_ns;
        debug_assert!(since_start_ns <= 2 * LONGEST_SPAN_NS);
        let event = u128::from(since_start_ns << 32 | u64::from(cause.component));
        event << 64 | u128::from(u64::from(cause.number) << 32 | burst as u64)
    }

    /// Puts what was written in front of a link.
    #[inline]
    fn enter(&mut self, link: u32, cause: Cause) {
        let key = self.key(cause, self.bursts.len());
        self.entries[link as usize].push(key);
        self.bursts.push((self.sent as u32, (self.packets.len() - self.sent) as u32));
        self.sent = self.packets.len();
    }

    fn time_ns(&self, key: EntryKey) -> u64 {
        self.start_ns + (key >> 96) as u64
    }
}

impl<P: Copy> Network<P> {
    /// None where a medium shares its channel or reports to hosts, wires reorder, packets can arrive without delay, or
    /// links lead in a circle.
    pub fn look_ahead(&self) -> Option<Lookahead<P>> {
        let nowhere = Place { is_last: false, least_delay_ns: 0, lead_ns: FAR, next_lead_ns: FAR };
        let mut places = vec![nowhere; self.media.len()];
        let mut leads_to = vec![Vec::new(); self.media.len()];
        for route in self.hops.split(|&hop| hop == END).filter(|route| !route.is_empty()) {
            let holding = route.iter().map(|hop| hop.medium.0).filter(|&medium| self.holds_packets(medium));
            let holding: Vec<u32> = holding.collect();
            for pair in holding.windows(2) {
                leads_to[pair[0] as usize].push(pair[1]);
            }
            places[*holding.first()? as usize].lead_ns = 0; // hosts are before it
            places[*holding.last()? as usize].is_last = true;
        }
        let holding: Vec<u32> = (0..places.len() as u32).filter(|&medium| self.holds_packets(medium)).collect();
        for &medium in &holding {
            let delay_ns = self.media[medium as usize].least_delay_ns().filter(|&delay_ns| delay_ns > 0)?;
            places[medium as usize].least_delay_ns = delay_ns;
        }
        let order = in_order(&holding, &leads_to)?;
        while find_leads(&order, &leads_to, &mut places) {}
        let last = order.iter().map(|&link| &places[link as usize]).filter(|place| place.is_last);
        let longest_span_ns = last.map(|place| place.lead_ns.saturating_add(place.least_delay_ns)).min()?;
        let first_hops = self.route_starts.iter().map(|&start| self.hops[start as usize]);
        let first_link = |hop: Hop| (hop != END && self.holds_packets(hop.medium.0)).then_some(hop.medium.0);
        let first_links = first_hops.map(first_link).collect();
        Some(Lookahead {
            longest_span_ns: longest_span_ns.min(LONGEST_SPAN_NS),
            start_ns: 0,
            known_ns: 0,
            entries: vec![Vec::new(); places.len()],
            bursts: Vec::new(),
            packets: Vec::new(),
            passing: Vec::new(),
            sorter: Sorter::default(),
            sent: 0,
            order,
            places,
            first_links,
        })
    }

    fn holds_packets(&self, medium: u32) -> bool {
        !matches!(self.media[medium as usize], AnyMedium::InstantLink(_))
    }

    /// From `now_ns` on links wait for no events, and those that are pending no longer count.
    pub fn start_looking_ahead(&mut self, ahead: &mut Lookahead<P>, now_ns: u64) {
        ahead.start_ns = now_ns;
        ahead.find_known(|_| now_ns);
        for medium in &mut self.media {
            medium.settle(now_ns.saturating_sub(1));
            medium.disarm();
        }
    }

    /// From `now_ns` on, where a span has ended, links schedule their events again.
    pub fn stop_looking_ahead(&mut self, now_ns: u64, events: &mut EventQueue) {
        self.media.iter_mut().for_each(|medium| medium.rearm(now_ns, events));
    }

    /// Takes everything off the wires that arrives before `end_ns`, the end of the span. What has reached the end of its
    /// path is given to `landed`, link by link.
    pub fn land(&mut self, ahead: &mut Lookahead<P>, end_ns: u64, mut landed: impl FnMut(Landing)) {
        debug_assert!(end_ns <= ahead.known_ns);
        for at in 0..ahead.order.len() {
            let link = ahead.order[at];
            if ahead.places[link as usize].is_last {
                self.land_from(ahead, link, end_ns, &mut landed);
            }
        }
    }

    fn land_from(
        &mut self,
        ahead: &mut Lookahead<P>,
        link: ComponentId,
        end_ns: u64,
        landed: &mut impl FnMut(Landing),
    ) {
        let mut passing = std::mem::take(&mut ahead.passing);
        let (hops, route_starts) = (&self.hops, &self.route_starts);
        let mut wire_end = WireEnd { hops, route_starts, link, number: 0, passing: &mut passing, landed: &mut *landed };
        self.media[link as usize].land_before(end_ns, &mut wire_end);
        for landing in passing.drain(..) {
            let packet = *self.landed(&landing);
            ahead.packets.push(packet);
            let cause = Cause { time_ns: landing.time_ns, component: link, number: landing.number };
            if !self.enter_ahead(ahead, cause, (packet.path, packet.hop + 1)) {
                landed(landing);
            }
        }
        ahead.passing = passing;
    }

    /// A packet that landed in this span, which has not ended.
    #[inline]
    pub fn landed(&self, landing: &Landing) -> &Packet<P> {
        self.media[landing.link as usize].record(landing.place)
    }

    /// Sends what was written with [`Lookahead::write`] since the last call: packets of one path, one right after the
    /// other, at a time within the span.
    #[inline]
    pub fn send_ahead(&mut self, ahead: &mut Lookahead<P>, cause: Cause, path: u32) {
        if ahead.packets.len() == ahead.sent {
            return;
        }
        match ahead.first_links[path as usize] {
            Some(link) => ahead.enter(link, cause),
            None => {
                let is_on_its_way = self.enter_ahead(ahead, cause, (path, 0));
                debug_assert!(is_on_its_way, "every path has a link that holds packets");
            }
        }
    }

    /// Puts what was written in front of station number `hop` of its path; false when the path ends before a link holds
    /// it.
    fn enter_ahead(&mut self, ahead: &mut Lookahead<P>, cause: Cause, (path, mut hop): (u32, u16)) -> bool {
        let first = ahead.sent;
        let start = self.route_starts[path as usize];
        loop {
            let next = self.hops[(start + u32::from(hop)) as usize];
            if next == END {
                ahead.packets.truncate(first);
                return false;
            }
            if let AnyMedium::InstantLink(link) = &mut self.media[next.medium.0 as usize] {
                ahead.packets[first..].iter().for_each(|packet| link.pass(packet.ip_bytes));
                hop += 1;
                continue;
            }
            if hop > 0 {
                ahead.packets[first..].iter_mut().for_each(|packet| packet.hop = hop);
            }
            ahead.enter(next.medium.0, cause);
            return true;
        }
    }

    /// Ends the span at `end_ns`: links take in what was sent, and do what is due. Those behind others run further, as far
    /// as what enters them is known, but not beyond `limit_ns`.
    pub fn advance(&mut self, ahead: &mut Lookahead<P>, end_ns: u64, limit_ns: u64) {
        let clock_ns = |lead_ns: u64| end_ns.saturating_add(lead_ns).min(limit_ns);
        for at in 0..ahead.order.len() {
            let link = ahead.order[at];
            let place = ahead.places[link as usize];
            let until_ns = clock_ns(place.lead_ns);
            let mut entries = std::mem::take(&mut ahead.entries[link as usize]);
            ahead.sorter.sort(&mut entries, until_ns - ahead.start_ns);
            self.media[link as usize].enter_ahead(entries.iter().enumerate().map(|(at, &key)| {
                // In this order packets lie anywhere.
                if let Some(&coming) = entries.get(at + BURSTS_AHEAD) {
                    prefetch(&ahead.packets[ahead.bursts[coming as u32 as usize].0 as usize]);
                }
                let (first, count) = ahead.bursts[key as u32 as usize];
                (ahead.time_ns(key), &ahead.packets[first as usize..][..count as usize])
            }));
            self.media[link as usize].settle(until_ns - 1);
            entries.clear();
            ahead.entries[link as usize] = entries;
            if !place.is_last && place.next_lead_ns != FAR {
                let next_ns = clock_ns(place.next_lead_ns);
                self.land_from(ahead, link, next_ns, &mut |_| unreachable!("no path ends here"));
            }
        }
        ahead.bursts.clear();
        ahead.packets.clear();
        ahead.sent = 0;
        ahead.start_ns = end_ns;
        ahead.find_known(|place| clock_ns(place.lead_ns));
    }
}

/// Who takes packets off a wire.
pub(crate) trait Land<P> {
    /// A packet arrives; the link keeps it at `place`.
    fn land(&mut self, time_ns: u64, place: u32, packet: &Packet<P>);
}

/// The end of one link's wire.
struct WireEnd<'a, L> {
    hops: &'a [Hop],
    route_starts: &'a [u32],
    link: ComponentId,
    number: u32,
    /// What goes on to another link.
    passing: &'a mut Vec<Landing>,
    /// What has reached the end of its path.
    landed: L,
}

impl<P, L: FnMut(Landing)> Land<P> for WireEnd<'_, L> {
    #[inline(always)] // on the way of every packet
    fn land(&mut self, time_ns: u64, place: u32, packet: &Packet<P>) {
        let landing = Landing { time_ns, path: packet.path, link: self.link, number: self.number, place };
        self.number += 1;
        let next = self.route_starts[packet.path as usize] + u32::from(packet.hop) + 1;
        if self.hops[next as usize].medium == END.medium {
            (self.landed)(landing);
        } else {
            self.passing.push(landing);
        }
    }
}

/// Finds how far links can be ahead of the hosts from how far those before them are. Returns whether something changed.
fn find_leads(order: &[u32], leads_to: &[Vec<u32>], places: &mut [Place]) -> bool {
    let mut has_changed = false;
    for &link in order {
        let place = places[link as usize];
        // What hosts get is taken off the wire when a span begins, and what goes on from there with it.
        let known_ns = if place.is_last { 0 } else { place.lead_ns.saturating_add(place.least_delay_ns) };
        let known_ns = known_ns.min(LONGEST_SPAN_NS);
        let next = leads_to[link as usize].iter();
        let next_lead_ns = next.clone().map(|&next| places[next as usize].lead_ns.min(known_ns)).min().unwrap_or(FAR);
        has_changed |= place.next_lead_ns != next_lead_ns;
        places[link as usize].next_lead_ns = next_lead_ns;
        next.for_each(|&next| places[next as usize].lead_ns = next_lead_ns);
    }
    has_changed
}

/// Sorts `nodes` so that each comes before those to which it leads; none if there is a circle.
fn in_order(nodes: &[u32], leads_to: &[Vec<u32>]) -> Option<Vec<u32>> {
    let mut before = vec![0_u32; leads_to.len()];
    leads_to.iter().flatten().for_each(|&node| before[node as usize] += 1);
    let mut order: Vec<u32> = nodes.iter().copied().filter(|&node| before[node as usize] == 0).collect();
    let mut at = 0;
    while let Some(&node) = order.get(at) {
        for &next in &leads_to[node as usize] {
            before[next as usize] -= 1;
            if before[next as usize] == 0 {
                order.push(next);
            }
        }
        at += 1;
    }
    (order.len() == nodes.len()).then_some(order)
}
