//! Asks for memory before it is needed. Hints only: no result depends on them.

use super::Simulation;
use crate::address::AddressPlan;
use crate::components::Component;
use fairlane_engine::ComponentId;
use fairlane_transport::{Side, Transport};

/// Steps of [`Simulation::fetch_timer`], from 0.
const LAST_STEP: u8 = 1;

impl<T: Transport> Simulation<T> {
    /// Asks for the memory that the next packets of a link will touch, in three steps, because each says where the next
    /// one looks. What the packet before it touches, too, is there already: packets of a flow often travel together.
    #[inline]
    pub(super) fn fetch_ahead(&self, link: ComponentId) {
        let [now, first, second, third] = self.network.coming(link);
        if third != second {
            if let Some(flow) = self.flows.get(AddressPlan::end_of(third).0 as usize) {
                flow.fetch();
            }
        }
        if second != first {
            if let Some((end, side)) = self.end_of(second) {
                end.prefetch(side);
            }
        }
        if first != now {
            if let Some((end, side)) = self.end_of(first) {
                end.prefetch_referenced(side);
            }
        }
    }

    /// The same for the timer that comes next: a step for each event before it.
    #[inline]
    pub(super) fn fetch_timer(&mut self) {
        let Some(next) = self.events.next_infrequent() else { return };
        if self.coming_timer == (next, LAST_STEP) {
            return;
        }
        let step = if self.coming_timer.0 == next { self.coming_timer.1 + 1 } else { 0 };
        self.coming_timer = (next, step);
        self.fetch_timer_of(next, step);
    }

    #[inline(never)]
    fn fetch_timer_of(&self, component: ComponentId, step: u8) {
        let (Component::Endpoint(flow, side) | Component::HostQueue(flow, side)) = self.components.decode(component)
        else {
            return;
        };
        let flow = &self.flows[flow as usize];
        match (step, &flow.ends) {
            (0, Some(ends)) => {
                ends[side as usize].prefetch(side);
                self.held.fetch(flow.host_queues[side as usize]);
            }
            (LAST_STEP, Some(ends)) => ends[side as usize].prefetch_referenced(side),
            _ => {}
        }
    }

    /// The endpoint to which a path leads.
    #[inline]
    fn end_of(&self, path: u32) -> Option<(&T, Side)> {
        let (flow, side) = AddressPlan::end_of(path);
        let ends = self.flows.get(flow as usize)?.ends.as_ref()?;
        Some((&ends[side as usize], side))
    }
}
