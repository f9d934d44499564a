//! Links that run through windows together, and independently of all others.

use super::arrival::{Arrival, Delivered, Early, WireEnd};
use super::coming::Coming;
use super::outbox::{index_bits, BurstKey, Cause, Outbox};
use super::plan::{Plan, Position};
use super::sorter::Sorter;
use crate::any_medium::{each_link, AnyMedium};
use crate::link::LookaheadLink;
use crate::network::Hop;
use fairlane_engine::{prefetch, ComponentId};

/// The routes of all paths.
#[derive(Clone, Copy)]
pub struct Routes<'a> {
    pub(super) hops: &'a [Hop],
    pub(super) route_starts: &'a [u32],
    pub(super) plan: &'a Plan,
}

impl Routes<'_> {
    /// The section of a link.
    #[inline]
    pub fn section_of(&self, link: ComponentId) -> usize {
        self.plan.section_of[link as usize] as usize
    }

    /// The time by which the window must end that begins at `end_ns`, the end of the one before; that ended with
    /// [`Section::end_window`] and `limit_ns`.
    pub fn horizon_ns(&self, end_ns: u64, limit_ns: u64) -> u64 {
        self.plan.horizon_ns(end_ns, |lead_ns| end_ns.saturating_add(lead_ns).min(limit_ns))
    }
}

/// State of a section from window to window.
#[repr(align(128))]
pub(super) struct Part<P> {
    /// Its links in the direction of travel.
    order: Vec<u32>,
    /// Those behind which paths end.
    last_links: Vec<u32>,
    /// By medium. Most links of a large network have nothing to do in most windows, and only this is read of them.
    work: Vec<Work>,
    /// The bursts of one link, in order.
    keys: Vec<BurstKey>,
    sorter: Sorter,
    /// Packets that left a link for another one.
    forwarded: Vec<Arrival>,
    /// The packets that links forward; those of hosts without outboxes of their own, too.
    outbox: Outbox<P>,
    /// Bits of a burst's number within its outbox.
    index_bits: u32,
    /// By medium; empty if no link needs it.
    early: Vec<Option<Box<Early<P>>>>,
}

/// Tells whether a link has something to do in a window.
#[derive(Clone, Copy, Debug)]
struct Work {
    /// No packet arrives at the end of its wire before this time unless another one is enqueued.
    quiet_until_ns: u64,
    /// How far ahead of the hosts it forwards packets to other links.
    reach_ns: u64,
}

impl Work {
    fn new(position: &Position) -> Self {
        let reach_ns = if position.forwards_ahead() { position.next_lead_ns } else { 0 };
        Self { quiet_until_ns: 0, reach_ns }
    }
}

impl<P: Copy> Part<P> {
    /// Hosts have `outboxes` of their own.
    pub fn new(plan: &Plan, section: usize, outboxes: usize) -> Self {
        let is_in = |link: &u32| plan.section_of[*link as usize] as usize == section;
        let order: Vec<u32> = plan.order.iter().copied().filter(is_in).collect();
        let has_early = |link: &u32| plan.positions[*link as usize].is_mixed();
        let mut early: Vec<Option<Box<Early<P>>>> = Vec::new();
        if order.iter().any(has_early) {
            early.resize_with(plan.positions.len(), || None);
            order.iter().filter(|link| has_early(link)).for_each(|&link| early[link as usize] = Some(Box::default()));
        }
        Self {
            last_links: order.iter().copied().filter(|&link| plan.positions[link as usize].is_last).collect(),
            order,
            work: plan.positions.iter().map(Work::new).collect(),
            keys: Vec::new(),
            sorter: Sorter::default(),
            forwarded: Vec::new(),
            outbox: Outbox::new(plan, outboxes, outboxes + 1),
            index_bits: index_bits(outboxes + 1),
            early,
        }
    }

    pub fn begin(&mut self, now_ns: u64) {
        self.work.iter_mut().for_each(|work| work.quiet_until_ns = 0);
        self.outbox.begin_window(now_ns);
    }

    pub fn outbox(&mut self) -> &mut Outbox<P> {
        &mut self.outbox
    }
}

/// The links of a section.
pub(super) enum Links<'a, P> {
    All(&'a mut [AnyMedium<P>]),
    /// By medium: none of other sections.
    Some(Vec<Option<&'a mut AnyMedium<P>>>),
}

impl<P> Links<'_, P> {
    #[inline]
    pub fn get(&self, link: u32) -> &AnyMedium<P> {
        match self {
            Self::All(media) => &media[link as usize],
            Self::Some(media) => media[link as usize].as_deref().expect(OWN),
        }
    }

    #[inline]
    fn get_mut(&mut self, link: u32) -> &mut AnyMedium<P> {
        match self {
            Self::All(media) => &mut media[link as usize],
            Self::Some(media) => media[link as usize].as_deref_mut().expect(OWN),
        }
    }
}

const OWN: &str = "a section has all links that its packets cross";

/// A section of the network for a number of windows.
pub struct Section<'a, P> {
    routes: Routes<'a>,
    links: Links<'a, P>,
    part: &'a mut Part<P>,
}

/// The packets that a section delivered in the present window.
#[derive(Clone, Copy)]
pub struct Delivery<'a, P> {
    links: &'a Links<'a, P>,
    early: &'a [Option<Box<Early<P>>>],
}

impl<'a, P: Copy> Delivery<'a, P> {
    /// Those of one link.
    #[inline]
    pub fn by(&self, link: ComponentId) -> Delivered<'a, P> {
        match self.early.get(link as usize) {
            Some(Some(early)) => early.delivered(),
            _ => Delivered::of(self.links, link),
        }
    }
}

/// Packets are prefetched this many bursts ahead.
const BURSTS_AHEAD: usize = 4;

impl<'a, P: Copy> Section<'a, P> {
    pub(super) fn whole(routes: Routes<'a>, media: &'a mut [AnyMedium<P>], part: &'a mut Part<P>) -> Self {
        debug_assert_eq!(routes.plan.sections, 1);
        Self { routes, links: Links::All(media), part }
    }

    pub(super) fn all(routes: Routes<'a>, media: &'a mut [AnyMedium<P>], parts: &'a mut [Part<P>]) -> Vec<Self> {
        let mut links: Vec<Vec<_>> = parts.iter().map(|_| Vec::with_capacity(media.len())).collect();
        for (medium, &section) in media.iter_mut().zip(&routes.plan.section_of) {
            links.iter_mut().for_each(|links| links.push(None));
            links[section as usize].pop();
            links[section as usize].push(Some(medium));
        }
        let sections = links.into_iter().zip(parts);
        sections.map(|(links, part)| Self { routes, links: Links::Some(links), part }).collect()
    }

    pub fn routes(&self) -> Routes<'a> {
        self.routes
    }

    /// The packets delivered in the present window.
    #[inline]
    pub fn delivery(&self) -> Delivery<'_, P> {
        Delivery { links: &self.links, early: &self.part.early }
    }

    /// The same, and the outbox of hosts that have none of their own.
    pub fn for_hosts(&mut self) -> (Delivery<'_, P>, &mut Outbox<P>) {
        (Delivery { links: &self.links, early: &self.part.early }, &mut self.part.outbox)
    }

    /// Delivers all packets that arrive before `end_ns`, the end of the window. `receive` gets those at the end of their
    /// path, link by link.
    pub fn deliver(&mut self, end_ns: u64, mut receive: impl FnMut(Arrival)) {
        let mut coming = Coming::default();
        for at in 0..self.part.last_links.len() {
            let link = self.part.last_links[at];
            if self.part.work[link as usize].quiet_until_ns < end_ns {
                let (work, last_links) = (&self.part.work, &self.part.last_links);
                coming.prefetch(&self.links, last_links, at, |link| work[link as usize].quiet_until_ns < end_ns);
                self.deliver_from(link, end_ns, &mut receive);
            }
            if let Some(Some(early)) = self.part.early.get_mut(link as usize) {
                early.deliver_before(end_ns, &mut receive);
            }
        }
    }

    fn deliver_from(&mut self, link: ComponentId, end_ns: u64, receive: &mut impl FnMut(Arrival)) {
        let Self { routes, links, part } = self;
        let Part { work, forwarded, early, outbox, .. } = &mut **part;
        let early = early.get_mut(link as usize).and_then(Option::as_deref_mut);
        let mut wire_end = WireEnd {
            hops: routes.hops,
            route_starts: routes.route_starts,
            link,
            number: 0,
            forwarded: &mut *forwarded,
            early,
            receive: &mut *receive,
        };
        each_link!(links.get_mut(link), medium => {
            medium.deliver_before(end_ns, &mut wire_end);
            work[link as usize].quiet_until_ns = medium.quiet_until_ns();
        }, else {});
        let delivered = Delivered::of(links, link);
        for arrival in forwarded.drain(..) {
            let packet = *delivered.packet(&arrival);
            outbox.push(packet);
            let cause = Cause { time_ns: arrival.time_ns, component: link, number: arrival.number };
            if !outbox.send_from_hop(routes, cause, (packet.path, packet.hop + 1)) {
                receive(arrival);
            }
        }
    }

    /// Ends the window that began at `start_ns` at `end_ns`: links enqueue the packets that were sent, also those in the
    /// hosts' `outboxes`, and run until then. A link behind others runs further, until the last time for which its arrivals
    /// are known, but not beyond `limit_ns`.
    pub fn end_window(&mut self, outboxes: &[&Outbox<P>], (start_ns, end_ns, limit_ns): (u64, u64, u64)) {
        let clock_ns = |lead_ns: u64| end_ns.saturating_add(lead_ns).min(limit_ns);
        let mut coming = Coming::default();
        for at in 0..self.part.order.len() {
            let Self { routes, links, part } = self;
            let Part { order, work, keys, sorter, outbox, index_bits, .. } = &mut **part;
            let link = order[at];
            let is_active = |link: u32| {
                let work = &work[link as usize];
                outbox.has_bursts(link)
                    || work.quiet_until_ns < clock_ns(work.reach_ns)
                    || outboxes.iter().any(|outbox| outbox.has_bursts(link))
            };
            if !is_active(link) {
                continue;
            }
            coming.prefetch(links, order, at, is_active);
            let next_ns = clock_ns(work[link as usize].reach_ns);
            let position = &routes.plan.positions[link as usize];
            let until_ns = clock_ns(position.lead_ns);
            keys.clear();
            outbox.keys(link, false, keys);
            outboxes.iter().rev().for_each(|outbox| outbox.keys(link, true, keys));
            keys.reverse();
            outbox.forget_bursts(link);
            sorter.sort(keys, until_ns - start_ns);
            let outbox_of = |number: u32| match outboxes.get((u64::from(number) >> *index_bits) as usize) {
                Some(other) => *other,
                None => &*outbox,
            };
            let bursts = keys.iter().enumerate().map(|(at, &key)| {
                // Sorting has scattered the packets over memory.
                if let Some(&coming) = keys.get(at + BURSTS_AHEAD) {
                    prefetch(outbox_of(coming as u32).first_packet_of(coming as u32));
                }
                (start_ns + (key >> 96) as u64, outbox_of(key as u32).packets_of(key as u32))
            });
            each_link!(links.get_mut(link), medium => {
                medium.enqueue_bursts(bursts);
                medium.run_until(until_ns - 1);
                work[link as usize].quiet_until_ns = medium.quiet_until_ns();
            }, else {});
            if position.forwards_ahead() && work[link as usize].quiet_until_ns < next_ns {
                self.deliver_from(link, next_ns, &mut |_| unreachable!("no path ends here"));
            }
        }
        self.part.outbox.clear(end_ns);
    }
}
