//! The hosts in a lookahead window: each endpoint runs for one quantum, one after the other.

use crate::address::{endpoint_at, endpoint_index, AddressPlan};
use crate::departure::cross_traffic_packet;
use crate::flow::Phase;
use crate::simulation::{mark_of, Simulation};
use fairlane_engine::{prefetch, ComponentId};
use fairlane_network::{Arrival, Cause, Lookahead, Packet};
use fairlane_transport::{Prefetch, Side, Transport, Wakeups};

/// State of the hosts from window to window.
pub(super) struct Quanta {
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
    /// By source of cross traffic: when it sends next.
    cross_traffic_ns: Vec<u64>,
}

pub(in crate::simulation) const NEVER: u64 = u64::MAX;
/// A flow, its endpoint and the endpoint's records are prefetched this many quanta ahead.
const QUANTA_AHEAD: [usize; 3] = [6, 3, 1];

impl Quanta {
    /// No packet has arrived yet. The timers are those of endpoints and of sources of cross traffic.
    pub fn new(timers_ns: Vec<u64>, cross_traffic_ns: Vec<u64>) -> Self {
        let (arrivals, due, acting) = Default::default();
        Self { arrivals, due, queues: vec![(0, 0); timers_ns.len()], timers_ns, acting, cross_traffic_ns }
    }

    /// Packets that arrived at endpoints in the last window.
    pub fn packets(&self) -> usize {
        self.arrivals.len()
    }

    /// When sources of cross traffic send next.
    pub fn cross_traffic_ns(&self) -> &[u64] {
        &self.cross_traffic_ns
    }
}

impl<T: Transport> Simulation<T> {
    /// Runs all hosts until `end_ns`.
    pub(super) fn run_quanta(&mut self, ahead: &mut Lookahead<T::Datagram>, quanta: &mut Quanta, end_ns: u64) {
        self.deliver(ahead, quanta, end_ns);
        let acting = std::mem::take(&mut quanta.acting);
        for (at, &endpoint) in acting.iter().enumerate() {
            if self.is_crowded {
                self.prefetch_quanta(quanta, &acting[at..]);
            }
            self.run_quantum(ahead, quanta, endpoint, end_ns);
        }
        quanta.acting = acting;
        for source in 0..self.cross_traffic.len() as u32 {
            self.send_cross_traffic(ahead, quanta, source, end_ns);
        }
    }

    /// When the earliest timer of an endpoint fires.
    pub(super) fn next_timer_ns(&mut self, endpoint: u32) -> u64 {
        let (flow, side) = endpoint_at(endpoint);
        let slot = &mut self.flows[flow as usize];
        let wakeup_ns = match &mut slot.ends {
            Some(ends) if slot.phase == Phase::Running => ends[side as usize].wakeups().next_ns(),
            _ => NEVER,
        };
        let departure_ns = self.held.next_departure_ns(slot.host_queues[side as usize]);
        wakeup_ns.min(departure_ns.unwrap_or(NEVER))
    }

    /// Sorts the packets that arrive in the window by endpoint, and finds the endpoints that act.
    fn deliver(&mut self, ahead: &mut Lookahead<T::Datagram>, quanta: &mut Quanta, end_ns: u64) {
        let Quanta { arrivals, due, queues, timers_ns, acting, .. } = quanta;
        arrivals.clear();
        let cross_traffic = &mut self.cross_traffic;
        let (addresses, event_count) = (self.addresses, &mut self.event_count);
        self.network.deliver(ahead, end_ns, |arrival| match queues.get_mut(endpoint_of(&arrival)) {
            Some((_, count)) => {
                *count += 1;
                arrivals.push(arrival);
            }
            None => {
                cross_traffic[addresses.cross_traffic_of(arrival.path) as usize].delivered_packets += 1;
                *event_count += 1;
            }
        });
        acting.clear();
        let mut next = 0;
        for side in Side::BOTH {
            for endpoint in (side as usize..queues.len()).step_by(2) {
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
            let (_, end) = &mut queues[endpoint_of(arrival)];
            due[*end as usize] = *arrival;
            *end += 1;
        }
    }

    /// Prefetches for coming quanta; `acting` begins with the present one.
    #[inline]
    fn prefetch_quanta(&self, quanta: &Quanta, acting: &[u32]) {
        let [flow_ahead, end_ahead, behind_ahead] = QUANTA_AHEAD;
        let slot_of = |endpoint: u32| {
            let (flow, side) = endpoint_at(endpoint);
            (&self.flows[flow as usize], side)
        };
        if let Some(&endpoint) = acting.get(flow_ahead) {
            slot_of(endpoint).0.prefetch();
        }
        if let Some((slot, side)) = acting.get(end_ahead).map(|&endpoint| slot_of(endpoint)) {
            if let Some(ends) = &slot.ends {
                ends[side as usize].prefetch(side, Prefetch::Endpoint);
            }
            self.held.prefetch(slot.host_queues[side as usize]);
        }
        if let Some(&endpoint) = acting.get(behind_ahead) {
            let (slot, side) = slot_of(endpoint);
            if let Some(ends) = &slot.ends {
                ends[side as usize].prefetch(side, Prefetch::Records);
            }
            if let Some(arrival) = quanta.due.get(quanta.queues[endpoint as usize].0 as usize) {
                prefetch(self.network.delivered_by(arrival.link).packet(arrival));
            }
        }
    }

    /// Runs an endpoint until `end_ns`, in order of time. Not inlined: the compiler would not keep the values that are
    /// constant in a quantum.
    #[inline(never)]
    fn run_quantum(&mut self, ahead: &mut Lookahead<T::Datagram>, quanta: &mut Quanta, endpoint: u32, end_ns: u64) {
        let Self { flows, held, outgoing, .. } = self;
        let (is_crowded, (flow, side)) = (self.is_crowded, endpoint_at(endpoint));
        let (slot, network) = (&mut flows[flow as usize], &self.network);
        let path = AddressPlan::path_from(flow, side);
        let flow_number = self.addresses.connection_number(flow, slot.generation);
        let timer = self.components.endpoint(flow, side);
        let host_queue = self.components.host_queue(flow, side);
        let (first, last) = quanta.queues[endpoint as usize];
        let mut arriving = quanta.due[first as usize..last as usize].iter();
        // An endpoint's packets have one path, so the same link delivers them.
        let link = arriving.as_slice().first().map(|arrival| arrival.link);
        debug_assert!(arriving.as_slice().iter().all(|arrival| Some(arrival.link) == link));
        let delivered = link.map(|link| network.delivered_by(link)).unwrap_or_default();
        let mut last = Cause { time_ns: 0, component: 0, number: 0 };
        let Some(mut ends) = slot.ends.take() else {
            return self.run_ended_quantum(ahead, quanta, endpoint, end_ns);
        };
        let end = &mut ends[side as usize];
        let is_running = slot.phase == Phase::Running;
        if !is_running {
            *end.wakeups() = Wakeups::NONE;
        }
        end.exchange_buffer(outgoing);
        let mut event_count = 0;
        let next_timer_ns = loop {
            let arrival_ns = arriving.as_slice().first().map_or(NEVER, |arrival| arrival.time_ns);
            let wakeup_ns = end.wakeups().next_ns();
            let mut now_ns = arrival_ns.min(wakeup_ns);
            if slot.has_host_queue {
                now_ns = now_ns.min(held.next_departure_ns(slot.host_queues[side as usize]).unwrap_or(NEVER));
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
                if !slot.arrive(flow_number, side, packet) || !is_running {
                    continue;
                }
                end.on_datagram(now_ns, &packet.payload, mark_of(packet.ecn));
            } else if wakeup_ns == now_ns {
                last = cause(timer, 0);
                end.take_wakeup(now_ns);
                end.on_timer(now_ns);
            } else {
                last = cause(host_queue, 0);
                let payload_bytes = slot.leave_host_queue(now_ns, side, held, |packet| ahead.write([*packet]));
                network.send_in_window(ahead, last, path);
                if !is_running {
                    continue;
                }
                end.on_host_queue_sent(now_ns, payload_bytes);
            }
            while end.has_outgoing() {
                let outgoing = end.take_outgoing();
                let payload_bytes = if slot.must_queue(now_ns, side, outgoing.as_slice()) {
                    let connection = (flow_number, path, side);
                    let write = |packet: &Packet<_>| ahead.write([*packet]);
                    slot.depart(now_ns, connection, outgoing.as_slice(), held, write).payload_bytes
                } else {
                    let mut packing = slot.packing(flow_number, path);
                    ahead.write(outgoing.as_slice().iter().map(|one| packing.pack(one)));
                    slot.count_sent(side, &packing);
                    packing.payload_bytes
                };
                drop(outgoing);
                network.send_in_window(ahead, last, path);
                if slot.has_host_queue && payload_bytes > 0 && end.waits_for_host_queue() {
                    end.on_host_queue_sent(now_ns, payload_bytes);
                }
            }
            end.wakeup_to_schedule_ns(now_ns);
        };
        end.exchange_buffer(outgoing);
        slot.ends = Some(ends);
        quanta.queues[endpoint as usize] = (0, 0);
        quanta.timers_ns[endpoint as usize] = next_timer_ns;
        self.event_count += event_count;
    }

    /// Runs the end of a flow that is over and has no endpoints: counts late packets, and lets those leave that its
    /// host's queue holds.
    #[cold]
    fn run_ended_quantum(
        &mut self,
        ahead: &mut Lookahead<T::Datagram>,
        quanta: &mut Quanta,
        endpoint: u32,
        end_ns: u64,
    ) {
        let Self { flows, held, network, .. } = self;
        let (flow, side) = endpoint_at(endpoint);
        let (slot, path) = (&mut flows[flow as usize], AddressPlan::path_from(flow, side));
        let flow_number = self.addresses.connection_number(flow, slot.generation);
        let (first, last) = std::mem::take(&mut quanta.queues[endpoint as usize]);
        let mut arriving = quanta.due[first as usize..last as usize].iter().peekable();
        let mut last = Cause { time_ns: 0, component: 0, number: 0 };
        quanta.timers_ns[endpoint as usize] = loop {
            let arrival_ns = arriving.peek().map_or(NEVER, |arrival| arrival.time_ns);
            let departure_ns = held.next_departure_ns(slot.host_queues[side as usize]).unwrap_or(NEVER);
            let now_ns = arrival_ns.min(departure_ns);
            if now_ns >= end_ns {
                break now_ns;
            }
            self.event_count += 1;
            let arrival = arriving.next_if(|arrival| arrival.time_ns == now_ns);
            let (component, number) = match arrival {
                Some(arrival) => (arrival.link, arrival.number),
                None => (self.components.host_queue(flow, side), 0),
            };
            last = last.then(now_ns, component, number);
            if let Some(arrival) = arrival {
                slot.arrive(flow_number, side, network.delivered_by(arrival.link).packet(arrival));
            } else {
                slot.leave_host_queue(now_ns, side, held, |packet| ahead.write([*packet]));
                network.send_in_window(ahead, last, path);
            }
        };
    }

    fn send_cross_traffic(
        &mut self,
        ahead: &mut Lookahead<T::Datagram>,
        quanta: &mut Quanta,
        source: u32,
        end_ns: u64,
    ) {
        let slot = &mut self.cross_traffic[source as usize];
        let next_ns = &mut quanta.cross_traffic_ns[source as usize];
        while *next_ns < end_ns {
            self.event_count += 1;
            let cause = Cause { time_ns: *next_ns, component: self.components.cross_traffic(source), number: 0 };
            ahead.write([cross_traffic_packet(self.addresses, source, slot.path, slot.packet_bytes)]);
            self.network.send_in_window(ahead, cause, slot.path);
            *next_ns = slot.on_sent().unwrap_or(NEVER);
        }
    }
}

/// Index of the endpoint at which a packet arrives; out of range for cross traffic.
#[inline]
fn endpoint_of(arrival: &Arrival) -> usize {
    let (flow, side) = AddressPlan::end_of(arrival.path);
    endpoint_index(flow, side) as usize
}
