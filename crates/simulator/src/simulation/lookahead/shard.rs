//! Groups of flows whose hosts run through lookahead windows on one thread: each endpoint runs for one quantum, one after
//! the other.

use super::NEVER;
use crate::address::{endpoint_at, endpoint_index, AddressPlan};
use crate::components::Components;
use crate::flow::{Flow, Hosts, Phase};
use crate::host_queue::HeldPackets;
use crate::simulation::mark_of;
use fairlane_engine::{prefetch, ComponentId};
use fairlane_network::{Arrival, Cause, Delivered, Outbox, Packet, Routes};
use fairlane_transport::{Outgoing, Prefetch, Side, Transport, Wakeups};

/// State of a group's hosts. A run on one thread has one group. Groups of different threads share no cache line, nor a pair
/// of lines that the processor fetches together.
#[repr(align(128))]
pub(in crate::simulation) struct Shard<D> {
    /// The number of its first endpoint; others are counted from here.
    first_endpoint: u32,
    /// Packets in the fq queues of its hosts.
    pub held: HeldPackets<D>,
    /// The buffer for outgoing datagrams that its endpoints share.
    outgoing: Vec<Outgoing<D>>,
    /// Link by link.
    arrivals: Vec<Arrival>,
    /// Endpoint by endpoint.
    due: Vec<Arrival>,
    /// By endpoint: range of its packets in `due`.
    queues: Vec<(u32, u32)>,
    /// By endpoint: when its earliest timer fires.
    timers_ns: Vec<u64>,
    /// Endpoints with an arrival or a timer in this window.
    acting: Vec<u32>,
    /// Events since the count was last taken.
    pub event_count: u64,
}

/// The present window, for its hosts.
#[derive(Clone, Copy)]
pub(super) struct Window<'a> {
    pub addresses: AddressPlan,
    pub components: Components,
    pub routes: Routes<'a>,
    pub is_crowded: bool,
    pub end_ns: u64,
}

/// The hosts of a group's flows, by the number of the flow in the group.
pub(super) trait FlowHosts<T> {
    fn hosts(&self, flow: usize) -> &Hosts<T>;
    fn hosts_mut(&mut self, flow: usize) -> &mut Hosts<T>;
}

impl<T: Transport> FlowHosts<T> for [Flow<T>] {
    #[inline]
    fn hosts(&self, flow: usize) -> &Hosts<T> {
        &self[flow].hosts
    }

    #[inline]
    fn hosts_mut(&mut self, flow: usize) -> &mut Hosts<T> {
        &mut self[flow].hosts
    }
}

impl<T> FlowHosts<T> for [&mut Hosts<T>] {
    #[inline]
    fn hosts(&self, flow: usize) -> &Hosts<T> {
        self[flow]
    }

    #[inline]
    fn hosts_mut(&mut self, flow: usize) -> &mut Hosts<T> {
        self[flow]
    }
}

impl<T: Transport> Hosts<T> {
    /// When the earliest timer of an endpoint fires.
    pub(super) fn next_timer_ns(&mut self, side: Side, held: &HeldPackets<T::Datagram>) -> u64 {
        let wakeup_ns = match &mut self.ends {
            Some(ends) if self.phase == Phase::Running => ends[side as usize].wakeups().next_ns(),
            _ => NEVER,
        };
        let departure_ns = held.next_departure_ns(self.host_queues[side as usize]);
        wakeup_ns.min(departure_ns.unwrap_or(NEVER))
    }
}

/// A flow, its endpoint and the endpoint's records are prefetched this many quanta ahead.
const QUANTA_AHEAD: [usize; 3] = [6, 3, 1];

impl<D: Copy> Shard<D> {
    pub fn new(first_flow: u32) -> Self {
        Self {
            first_endpoint: 2 * first_flow,
            held: HeldPackets::new(),
            outgoing: Vec::with_capacity(64),
            arrivals: Vec::new(),
            due: Vec::new(),
            queues: Vec::new(),
            timers_ns: Vec::new(),
            acting: Vec::new(),
            event_count: 0,
        }
    }

    /// Begins windows with the timers of the group's endpoints.
    pub fn begin(&mut self, timers_ns: Vec<u64>) {
        self.timers_ns = timers_ns;
        self.queues.clear();
        self.queues.resize(self.timers_ns.len(), (0, 0));
    }

    pub fn begin_window(&mut self) {
        self.arrivals.clear();
    }

    /// Takes a packet for one of its endpoints; false if it is for none.
    #[inline]
    pub fn receive(&mut self, arrival: Arrival) -> bool {
        let Some((_, count)) = self.queues.get_mut(endpoint_of(&arrival, self.first_endpoint)) else { return false };
        *count += 1;
        self.arrivals.push(arrival);
        true
    }

    /// Packets that arrived at endpoints in the last window.
    pub fn packets(&self) -> usize {
        self.arrivals.len()
    }

    /// Sorts the packets that arrive in the window by endpoint, and finds the endpoints that act.
    pub fn sort_arrivals(&mut self, end_ns: u64) {
        let Self { arrivals, due, queues, timers_ns, acting, .. } = self;
        acting.clear();
        let mut next = 0;
        for side in [0, 1] {
            for endpoint in (side..queues.len()).step_by(2) {
                let (first, count) = &mut queues[endpoint];
                if *count > 0 || timers_ns[endpoint] < end_ns {
                    acting.push(endpoint as u32);
                    *first = next;
                    next += std::mem::replace(count, next);
                }
            }
        }
        let Some(&filler) = arrivals.first() else { return };
        due.resize(arrivals.len(), filler);
        for arrival in &*arrivals {
            let (_, end) = &mut queues[endpoint_of(arrival, self.first_endpoint)];
            due[*end as usize] = *arrival;
            *end += 1;
        }
    }
}

/// Runs the hosts of a group until the window ends. `delivered_by` gives the packets of a link.
pub(super) fn run_hosts<'d, T: Transport>(
    window: &Window,
    shard: &mut Shard<T::Datagram>,
    hosts: &mut (impl FlowHosts<T> + ?Sized),
    outbox: &mut Outbox<T::Datagram>,
    delivered_by: impl Fn(ComponentId) -> Delivered<'d, T::Datagram>,
) where
    T::Datagram: 'd,
{
    let acting = std::mem::take(&mut shard.acting);
    for (at, &endpoint) in acting.iter().enumerate() {
        if window.is_crowded {
            prefetch_quanta(shard, hosts, &acting[at..], &delivered_by);
        }
        // An endpoint's packets have one path, so the same link delivers them.
        let (first, last) = shard.queues[endpoint as usize];
        let link = shard.due[first as usize..last as usize].first().map(|arrival| arrival.link);
        let delivered = link.map(&delivered_by).unwrap_or_default();
        run_quantum(window, shard, hosts.hosts_mut(endpoint as usize / 2), outbox, endpoint, &delivered);
    }
    shard.acting = acting;
}

/// Prefetches for coming quanta; `acting` begins with the present one.
#[inline]
fn prefetch_quanta<'d, T: Transport>(
    shard: &Shard<T::Datagram>,
    hosts: &(impl FlowHosts<T> + ?Sized),
    acting: &[u32],
    delivered_by: impl Fn(ComponentId) -> Delivered<'d, T::Datagram>,
) where
    T::Datagram: 'd,
{
    let [flow_ahead, end_ahead, behind_ahead] = QUANTA_AHEAD;
    let hosts_of = |endpoint: u32| {
        let (flow, side) = endpoint_at(endpoint);
        (hosts.hosts(flow as usize), side)
    };
    if let Some(&endpoint) = acting.get(flow_ahead) {
        hosts_of(endpoint).0.prefetch();
    }
    if let Some((hosts, side)) = acting.get(end_ahead).map(|&endpoint| hosts_of(endpoint)) {
        if let Some(ends) = &hosts.ends {
            ends[side as usize].prefetch(side, Prefetch::Endpoint);
        }
        shard.held.prefetch(hosts.host_queues[side as usize]);
    }
    if let Some(&endpoint) = acting.get(behind_ahead) {
        let (hosts, side) = hosts_of(endpoint);
        if let Some(ends) = &hosts.ends {
            ends[side as usize].prefetch(side, Prefetch::Records);
        }
        if let Some(arrival) = shard.due.get(shard.queues[endpoint as usize].0 as usize) {
            prefetch(delivered_by(arrival.link).packet(arrival));
        }
    }
}

/// Runs an endpoint until the window ends, in order of time. Not inlined: the compiler would not keep the values that are
/// constant in a quantum.
#[inline(never)]
fn run_quantum<T: Transport>(
    window: &Window,
    shard: &mut Shard<T::Datagram>,
    hosts: &mut Hosts<T>,
    outbox: &mut Outbox<T::Datagram>,
    endpoint: u32,
    delivered: &Delivered<'_, T::Datagram>,
) {
    let Shard { held, outgoing, .. } = shard;
    let Window { routes, is_crowded, end_ns, .. } = *window;
    let (flow, side) = endpoint_at(shard.first_endpoint + endpoint);
    let path = AddressPlan::path_from(flow, side);
    let flow_number = window.addresses.connection_number(flow, hosts.generation);
    let timer = window.components.endpoint(flow, side);
    let host_queue = window.components.host_queue(flow, side);
    let (first, last) = shard.queues[endpoint as usize];
    let mut arriving = shard.due[first as usize..last as usize].iter();
    let mut last = Cause { time_ns: 0, component: 0, number: 0 };
    let Some(mut ends) = hosts.ends.take() else {
        return run_ended_quantum(window, shard, hosts, outbox, endpoint, delivered);
    };
    let end = &mut ends[side as usize];
    let is_running = hosts.phase == Phase::Running;
    if !is_running {
        *end.wakeups() = Wakeups::NONE;
    }
    end.exchange_buffer(outgoing);
    let mut event_count = 0;
    let next_timer_ns = loop {
        let arrival_ns = arriving.as_slice().first().map_or(NEVER, |arrival| arrival.time_ns);
        let wakeup_ns = end.wakeups().next_ns();
        let mut now_ns = arrival_ns.min(wakeup_ns);
        if hosts.has_host_queue {
            now_ns = now_ns.min(held.next_departure_ns(hosts.host_queues[side as usize]).unwrap_or(NEVER));
        }
        if now_ns >= end_ns {
            break now_ns;
        }
        event_count += 1;
        let cause = |component: ComponentId, number| last.then(now_ns, component, number);
        if arrival_ns == now_ns {
            let Some(arrival) = arriving.next() else { break NEVER };
            last = cause(arrival.link, arrival.number);
            if let Some(coming) = arriving.as_slice().get(1).filter(|_| is_crowded) {
                prefetch(delivered.packet(coming));
            }
            let packet = delivered.packet(arrival);
            if !hosts.arrive(flow_number, side, packet) || !is_running {
                continue;
            }
            end.on_datagram(now_ns, &packet.payload, mark_of(packet.ecn));
        } else if wakeup_ns == now_ns {
            last = cause(timer, 0);
            end.take_wakeup(now_ns);
            end.on_timer(now_ns);
        } else {
            last = cause(host_queue, 0);
            let payload_bytes = hosts.leave_host_queue(now_ns, side, held, |packet| outbox.write([*packet]));
            outbox.send(&routes, last, path);
            if !is_running {
                continue;
            }
            end.on_host_queue_sent(now_ns, payload_bytes);
        }
        while end.has_outgoing() {
            let outgoing = end.take_outgoing();
            let payload_bytes = if hosts.must_queue(now_ns, side, outgoing.as_slice()) {
                let connection = (flow_number, path, side);
                let write = |packet: &Packet<_>| outbox.write([*packet]);
                hosts.depart(now_ns, connection, outgoing.as_slice(), held, write).payload_bytes
            } else {
                let mut packing = hosts.packing(flow_number, path);
                outbox.write(outgoing.as_slice().iter().map(|one| packing.pack(one)));
                hosts.count_sent(side, &packing);
                packing.payload_bytes
            };
            drop(outgoing);
            outbox.send(&routes, last, path);
            if hosts.has_host_queue && payload_bytes > 0 && end.waits_for_host_queue() {
                end.on_host_queue_sent(now_ns, payload_bytes);
            }
        }
        end.wakeup_to_schedule_ns(now_ns);
    };
    end.exchange_buffer(outgoing);
    hosts.ends = Some(ends);
    shard.queues[endpoint as usize] = (0, 0);
    shard.timers_ns[endpoint as usize] = next_timer_ns;
    shard.event_count += event_count;
}

/// Runs the end of a flow that is over and has no endpoints: counts late packets, and lets those leave that its host's queue
/// holds.
#[cold]
fn run_ended_quantum<T: Transport>(
    window: &Window,
    shard: &mut Shard<T::Datagram>,
    hosts: &mut Hosts<T>,
    outbox: &mut Outbox<T::Datagram>,
    endpoint: u32,
    delivered: &Delivered<'_, T::Datagram>,
) {
    let (flow, side) = endpoint_at(shard.first_endpoint + endpoint);
    let path = AddressPlan::path_from(flow, side);
    let flow_number = window.addresses.connection_number(flow, hosts.generation);
    let (first, last) = std::mem::take(&mut shard.queues[endpoint as usize]);
    let mut arriving = shard.due[first as usize..last as usize].iter().peekable();
    let mut last = Cause { time_ns: 0, component: 0, number: 0 };
    shard.timers_ns[endpoint as usize] = loop {
        let arrival_ns = arriving.peek().map_or(NEVER, |arrival| arrival.time_ns);
        let departure_ns = shard.held.next_departure_ns(hosts.host_queues[side as usize]).unwrap_or(NEVER);
        let now_ns = arrival_ns.min(departure_ns);
        if now_ns >= window.end_ns {
            break now_ns;
        }
        shard.event_count += 1;
        let arrival = arriving.next_if(|arrival| arrival.time_ns == now_ns);
        let (component, number) = match arrival {
            Some(arrival) => (arrival.link, arrival.number),
            None => (window.components.host_queue(flow, side), 0),
        };
        last = last.then(now_ns, component, number);
        if let Some(arrival) = arrival {
            hosts.arrive(flow_number, side, delivered.packet(arrival));
        } else {
            hosts.leave_host_queue(now_ns, side, &mut shard.held, |packet| outbox.write([*packet]));
            outbox.send(&window.routes, last, path);
        }
    };
}

/// Index of the endpoint at which a packet arrives, in the group that begins with `first_endpoint`; out of range for cross
/// traffic.
#[inline]
fn endpoint_of(arrival: &Arrival, first_endpoint: u32) -> usize {
    let (flow, side) = AddressPlan::end_of(arrival.path);
    endpoint_index(flow, side).wrapping_sub(first_endpoint) as usize
}
