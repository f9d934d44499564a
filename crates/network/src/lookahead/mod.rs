//! The network in lookahead windows, without events.
//!
//! A link delays each packet by at least its propagation delay, so packets that arrive at hosts within that time are on
//! the wires already. Within such a *window*, hosts and links run one after the other, each with all its packets: first
//! the hosts, then the links, which sort the packets that they enqueue into the order of events (conservative lookahead;
//! Chandy and Misra 1979). The code and memory of each part stay in the processor's caches, and no packet needs an event.
//!
//! Hosts do not affect each other within a window, nor do links of different *sections*, between which packets travel
//! through hosts only. Threads may therefore run them at the same time, with the same results.
//!
//! The order of calls is [`Network::lookahead`] and [`Network::begin_lookahead`]; then for each window and section
//! [`Section::deliver`], [`Outbox::send`] for all packets that hosts send, in any order, and [`Section::end_window`];
//! finally [`Network::end_lookahead`].

mod arrival;
mod coming;
mod outbox;
mod plan;
mod section;
mod sorter;

pub use self::arrival::{Arrival, Delivered};
pub use self::outbox::{Cause, Outbox};
use self::plan::Plan;
use self::section::Part;
pub use self::section::{Delivery, Routes, Section};
use crate::any_medium::{each_link, AnyMedium};
use crate::link::LookaheadLink;
use crate::network::Network;
use fairlane_engine::EventQueue;

/// State that all windows share.
pub struct Lookahead<P> {
    plan: Plan,
    /// By section.
    parts: Vec<Part<P>>,
    /// The number of buffers of hosts.
    outboxes: usize,
}

/// Times since a window began have 32 bits, and longer windows gain nothing.
const MAX_WINDOW_NS: u64 = 1_000_000_000;

impl<P: Copy> Lookahead<P> {
    /// The longest possible window. The next one may have to be shorter.
    pub fn max_window_ns(&self) -> u64 {
        self.plan.max_window_ns
    }

    /// The time by which the first window must end that begins at `start_ns`.
    pub fn first_horizon_ns(&self, start_ns: u64) -> u64 {
        self.plan.horizon_ns(start_ns, |_| start_ns)
    }

    /// A buffer for the packets of some hosts, number `number`.
    pub fn outbox(&self, number: usize) -> Outbox<P> {
        debug_assert!(number < self.outboxes);
        Outbox::new(&self.plan, number, self.outboxes + 1)
    }

    /// The number of sections.
    pub fn sections(&self) -> usize {
        self.parts.len()
    }
}

impl<P: Copy> Network<P> {
    /// Prepares lookahead windows with at most `sections` sections, whose hosts send through `outboxes` buffers of their
    /// own; without any they use the only section's. None if a medium shares its channel or reports to hosts, a wire
    /// reorders, packets can arrive without delay, or links form a cycle.
    pub fn lookahead(&self, sections: usize, outboxes: usize) -> Option<Lookahead<P>> {
        let plan = Plan::new(self, sections)?;
        let parts = (0..plan.sections).map(|section| Part::new(&plan, section, outboxes)).collect();
        Some(Lookahead { plan, parts, outboxes })
    }

    /// From `now_ns` on links need no events; pending ones become stale.
    pub fn begin_lookahead(&mut self, ahead: &mut Lookahead<P>, now_ns: u64) {
        ahead.parts.iter_mut().for_each(|part| part.begin(now_ns));
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

    /// The whole network for a number of windows. It must have one section.
    pub fn section<'a>(&'a mut self, ahead: &'a mut Lookahead<P>) -> Section<'a, P> {
        let routes = Routes { hops: &self.hops, route_starts: &self.route_starts, plan: &ahead.plan };
        Section::whole(routes, &mut self.media, &mut ahead.parts[0])
    }

    /// All sections for a number of windows.
    pub fn sections<'a>(&'a mut self, ahead: &'a mut Lookahead<P>) -> Vec<Section<'a, P>> {
        let routes = Routes { hops: &self.hops, route_starts: &self.route_starts, plan: &ahead.plan };
        Section::all(routes, &mut self.media, &mut ahead.parts)
    }

    /// Counts the packets that hosts have sent through instant links. Must come before these links' counters are read.
    /// `outboxes` are those of the hosts.
    pub fn count_instant<'a>(&mut self, ahead: &'a mut Lookahead<P>, outboxes: impl Iterator<Item = &'a mut Outbox<P>>)
    where
        P: 'a,
    {
        if !ahead.plan.has_instant {
            return;
        }
        for outbox in outboxes.chain(ahead.parts.iter_mut().map(Part::outbox)) {
            for (medium, (packets, ip_bytes)) in self.media.iter_mut().zip(outbox.take_instant()) {
                if let AnyMedium::InstantLink(link) = medium {
                    link.count(packets, ip_bytes);
                }
            }
        }
    }
}
