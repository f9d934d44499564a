//! The division of a run among threads.

use super::crew::{Crew, GroupWork, SectionWork};
use super::shard::{Shard, Window};
use super::{Clock, CrossSources};
use crate::simulation::Simulation;
use fairlane_network::{Arrival, Lookahead, Outbox};
use fairlane_transport::Transport;

/// Groups of flows for each thread: with several, a thread whose flows have less to do takes another group.
const SHARDS_PER_THREAD: usize = 4;
/// Windows with fewer packets run on one thread: the others would wait most of the time.
const MIN_PACKETS_PER_WINDOW: usize = 1_000;

/// State of a run on several threads.
pub(in crate::simulation) struct Threads<T: Transport> {
    count: usize,
    /// Runs windows with the threads. A transport that must stay on one thread has no such function.
    pub run_until: RunUntil<T>,
    /// By group of flows.
    outboxes: Vec<Outbox<T::Datagram>>,
    /// By section of the network, and group of flows.
    inboxes: Vec<Vec<Vec<Arrival>>>,
    /// The group of each flow.
    shard_of: Vec<u16>,
    /// Packets per window when last counted.
    packets_per_window: usize,
    /// Uses the threads for every window, to test them.
    always: bool,
}

type RunUntil<T> = fn(
    &mut Simulation<T>,
    &mut Lookahead<<T as Transport>::Datagram>,
    &mut Clock,
    cross_traffic_ns: &mut [u64],
    limit_ns: u64,
);

impl<T: Transport> Threads<T> {
    pub fn outboxes(&mut self) -> impl Iterator<Item = &mut Outbox<T::Datagram>> {
        self.outboxes.iter_mut()
    }
}

impl<T> Simulation<T>
where
    T: Transport + Send,
    T::Datagram: Send + Sync,
{
    /// Runs lookahead windows on `count` threads from now on. Must come before the run begins. Results are the same.
    /// `always`: also windows with few packets.
    pub(crate) fn use_threads(&mut self, count: usize, always: bool) {
        let groups = (count * SHARDS_PER_THREAD).min(self.flows.len() / 2).min(MAX_SHARDS);
        if count < 2 || groups < 2 || !self.has_copies || self.ahead.is_none() {
            return;
        }
        let Some(ahead) = self.network.lookahead(count, groups) else { return };
        let flows_per_group = self.flows.len().div_ceil(groups);
        let shard_of: Vec<u16> = (0..self.flows.len()).map(|flow| (flow / flows_per_group) as u16).collect();
        self.flows.iter_mut().zip(&shard_of).for_each(|(flow, &shard)| flow.hosts.shard = shard);
        let groups = self.flows.len().div_ceil(flows_per_group);
        self.shards = (0..groups).map(|group| Shard::new((group * flows_per_group) as u32)).collect();
        self.threads = Some(Threads {
            count,
            run_until: Self::run_together_until,
            outboxes: (0..groups).map(|group| ahead.outbox(group)).collect(),
            inboxes: vec![vec![Vec::new(); groups]; ahead.sections()],
            shard_of,
            packets_per_window: 0,
            always,
        });
        self.ahead = Some(ahead);
    }

    fn run_together_until(
        &mut self,
        ahead: &mut Lookahead<T::Datagram>,
        clock: &mut Clock,
        cross_traffic_ns: &mut [u64],
        limit_ns: u64,
    ) {
        let Some(threads) = &mut self.threads else { return };
        let sections = self.network.sections(ahead);
        let routes = sections[0].routes();
        let (addresses, components, is_crowded) = (self.addresses, self.components, self.is_crowded);
        let window = Window { addresses, components, routes, is_crowded, end_ns: 0 };
        let sections = sections.into_iter().zip(&mut threads.inboxes);
        let sections = sections.map(|(section, inboxes)| SectionWork { section, inboxes, others: Vec::new() });
        let mut groups: Vec<GroupWork<T>> = Vec::with_capacity(self.shards.len());
        let mut cross = Some(CrossSources { sources: &mut self.cross_traffic, next_ns: cross_traffic_ns });
        for shard in &mut self.shards {
            groups.push(GroupWork { shard, hosts: Vec::new(), cross: cross.take() });
        }
        for flow in &mut self.flows {
            groups[usize::from(flow.hosts.shard)].hosts.push(&mut flow.hosts);
        }
        let count =
            if threads.always || threads.packets_per_window >= MIN_PACKETS_PER_WINDOW { threads.count } else { 1 };
        let before = (clock.windows, clock.packets);
        Crew::new(sections.collect(), groups, &mut threads.outboxes, &threads.shard_of, window, limit_ns)
            .run(clock, count);
        let windows = (clock.windows - before.0).max(1) as usize;
        threads.packets_per_window = (clock.packets - before.1) / windows;
    }
}

/// Each group has a buffer from which links take packets, and a copy of each algorithm.
const MAX_SHARDS: usize = 256;
