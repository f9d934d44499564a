//! Prefetching in the event loop, a few packets, timers and samples ahead. Hints only: no result depends on them.

use super::Simulation;
use crate::address::AddressPlan;
use crate::components::Component;
use fairlane_engine::{prefetch, ComponentId};
use fairlane_transport::{Prefetch, Side, Transport};

/// Steps of [`Simulation::prefetch_timer`], from 0.
const LAST_STEP: u8 = 1;
/// How many flows ahead of the present sample memory is prefetched.
const SAMPLES_AHEAD: usize = 8;

impl<T: Transport> Simulation<T> {
    /// Prefetches for the next packets of a link in three steps, since each step reads the pointers that the next one
    /// follows. Nothing is prefetched twice for packets of one flow in a row.
    #[inline]
    pub(super) fn prefetch_arrivals(&self, link: ComponentId) {
        let [now, first, second, third] = self.network.upcoming_paths(link);
        if third != second {
            if let Some(flow) = self.flows.get(AddressPlan::end_of(third).0 as usize) {
                flow.hosts.prefetch();
            }
        }
        if second != first {
            if let Some((end, side)) = self.end_of(second) {
                end.prefetch(side, Prefetch::Endpoint);
            }
        }
        if first != now {
            if let Some((end, side)) = self.end_of(first) {
                end.prefetch(side, Prefetch::Records);
            }
        }
    }

    /// Prefetches for the next timer, one step at each event before it.
    #[inline]
    pub(super) fn prefetch_timer(&mut self) {
        let Some(next) = self.events.next_infrequent() else { return };
        if self.coming_timer == (next, LAST_STEP) {
            return;
        }
        let step = if self.coming_timer.0 == next { self.coming_timer.1 + 1 } else { 0 };
        self.coming_timer = (next, step);
        self.prefetch_timer_of(next, step);
    }

    #[inline(never)]
    fn prefetch_timer_of(&self, component: ComponentId, step: u8) {
        let (Component::Endpoint(flow, side) | Component::HostQueue(flow, side)) = self.components.decode(component)
        else {
            return;
        };
        let flow = &self.flows[flow as usize];
        match (step, &flow.hosts.ends) {
            (0, Some(ends)) => {
                ends[side as usize].prefetch(side, Prefetch::Endpoint);
                self.shards[usize::from(flow.hosts.shard)].held.prefetch(flow.hosts.host_queues[side as usize]);
            }
            (LAST_STEP, Some(ends)) => ends[side as usize].prefetch(side, Prefetch::Records),
            _ => {}
        }
    }

    /// Prefetches for the samples of later flows while `flow` is sampled, again in three steps.
    #[inline]
    pub(super) fn prefetch_samples(&self, flow: u32) {
        if let Some(coming) = self.flows.get(flow as usize + SAMPLES_AHEAD) {
            prefetch(&coming.hosts.phase);
            coming.hosts.counts.iter().for_each(prefetch);
            prefetch(&coming.records);
        }
        if let Some(coming) = self.flows.get(flow as usize + SAMPLES_AHEAD / 2) {
            if let Some(ends) = &coming.hosts.ends {
                ends[0].prefetch(Side::Sender, Prefetch::Sample);
                ends[1].prefetch(Side::Receiver, Prefetch::Sample);
            }
            if let Some(records) = coming.records.open() {
                records.prefetch();
            }
        }
        if let Some(records) = self.flows.get(flow as usize + SAMPLES_AHEAD / 4).and_then(|flow| flow.records.open()) {
            records.series.prefetch_row();
        }
    }

    /// The endpoint to which a path leads.
    #[inline]
    fn end_of(&self, path: u32) -> Option<(&T, Side)> {
        let (flow, side) = AddressPlan::end_of(path);
        let ends = self.flows.get(flow as usize)?.hosts.ends.as_ref()?;
        Some((&ends[side as usize], side))
    }
}
