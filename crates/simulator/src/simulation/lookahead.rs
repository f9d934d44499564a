//! The run a span of time at a time, where hosts cannot feel each other sooner (see `fairlane_network::Lookahead`).
//!
//! While all applications just send, an endpoint depends on nothing but the packets that arrive and its own timers. Within
//! a span the first are known beforehand, so endpoints take their turns one after the other, senders before receivers,
//! each with all that it does in the span; then the links do. Results are the same, bit for bit, as with an event for
//! every packet and timer in order of time, which is how everything else runs: applications that start, stop or react,
//! captures, and media that hosts share.

use super::{cross_traffic_packet, mark_of, packet_of, Simulation, FRAME_OVERHEAD_BYTES};
use crate::address::{endpoint_at, endpoint_index, AddressPlan};
use crate::components::Component;
use crate::error::SimulationError;
use crate::flow::Phase;
use fairlane_engine::ComponentId;
use fairlane_network::{Cause, Landing, Lookahead};
use fairlane_transport::{Datagram, Side, Transport};

/// How the run goes on after a while of looking ahead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ahead {
    /// Event by event.
    ByEvents,
    /// Not at all: it is over.
    Over,
}

/// Packets per span that are few enough for the second-level cache, and enough for the turns to pay.
const PACKETS_PER_SPAN: usize = 4_096;
/// A while shorter than this many spans is not worth the preparation.
const LEAST_SPANS: u64 = 2;
/// Shorter spans than this would have turns of hardly an event each.
const SHORTEST_SPAN_NS: u64 = 50_000;

/// The hosts' side of a span.
struct Turns {
    /// Link by link.
    landings: Vec<Landing>,
    /// Endpoint by endpoint.
    due: Vec<Due>,
    /// By endpoint: where its packets begin and end in `due`.
    queues: Vec<(u32, u32)>,
    /// By endpoint: when its earliest timer fires.
    timers_ns: Vec<u64>,
    /// Endpoints that have something to do in this span.
    acting: Vec<u32>,
    /// By source of cross traffic: when it sends next.
    cross_traffic_ns: Vec<u64>,
}

/// A packet that arrives at an endpoint, and its number among all of the span.
#[derive(Clone, Copy)]
struct Due {
    landing: Landing,
    number: u32,
}

const NEVER: u64 = u64::MAX;

impl<T: Transport> Simulation<T> {
    /// Runs ahead until an application acts, if that is possible and far enough away.
    pub(super) fn look_ahead(&mut self, now_ns: u64) -> Result<Ahead, SimulationError> {
        let Some(mut ahead) = self.ahead.take() else { return Ok(Ahead::ByEvents) };
        let goes_on =
            if self.may_look_ahead(now_ns, &ahead) { self.run_ahead(now_ns, &mut ahead) } else { Ok(Ahead::ByEvents) };
        self.ahead = Some(ahead);
        goes_on
    }

    fn may_look_ahead(&self, now_ns: u64, ahead: &Lookahead<T::Datagram>) -> bool {
        ahead.longest_span_ns() >= SHORTEST_SPAN_NS
            && self.taps.is_none()
            && !self.has_host_devices
            && self.flows.iter().all(|flow| flow.phase != Phase::Running || !flow.follows_progress)
            && self.events.iter().all(|(time_ns, component)| {
                !matches!(self.components.decode(component), Component::Application(_))
                    || time_ns.saturating_sub(now_ns) >= LEAST_SPANS * ahead.longest_span_ns()
            })
    }

    fn run_ahead(&mut self, now_ns: u64, ahead: &mut Lookahead<T::Datagram>) -> Result<Ahead, SimulationError> {
        let mut turns = self.turns();
        self.network.start_looking_ahead(ahead, now_ns);
        let (mut start_ns, mut span_ns) = (now_ns, ahead.longest_span_ns());
        loop {
            let (event_ns, component) = self.events.earliest().unwrap_or((NEVER, ComponentId::MAX));
            let observer = self.components.decode(component);
            // Observers come after all that happens at the same time, applications before what they cause.
            let is_observer = matches!(observer, Component::Sampler | Component::WarmUpEnd);
            let limit_ns = event_ns.saturating_add(u64::from(is_observer)).min(self.end_ns + 1);
            let end_ns = limit_ns.min(start_ns + span_ns);
            if end_ns > start_ns {
                self.run_span(ahead, &mut turns, end_ns);
                let packets = turns.landings.len();
                span_ns = if packets > PACKETS_PER_SPAN { span_ns / 2 } else { span_ns * 2 };
                span_ns = span_ns.clamp(1, ahead.longest_span_ns());
                start_ns = end_ns;
            }
            if start_ns < limit_ns {
                continue;
            }
            if event_ns > self.end_ns {
                return Ok(Ahead::Over);
            }
            if !is_observer {
                break;
            }
            self.events.pop();
            match observer {
                Component::Sampler => self.on_sample(event_ns)?,
                _ => self.on_warm_up_end(event_ns),
            }
        }
        self.network.stop_looking_ahead(start_ns, &mut self.events);
        self.schedule_timers(&turns);
        Ok(Ahead::ByEvents)
    }

    /// Takes the endpoints' timers out of the event queue, where only applications and observers stay.
    fn turns(&mut self) -> Turns {
        let mut cross_traffic_ns = vec![NEVER; self.cross_traffic.len()];
        let components = self.components;
        self.events.retain(|time_ns, component| match components.decode(component) {
            Component::Application(_) | Component::Sampler | Component::WarmUpEnd => true,
            Component::CrossTraffic(source) => {
                cross_traffic_ns[source as usize] = time_ns;
                false
            }
            // Links and endpoints know themselves what they wait for.
            Component::Network(_) | Component::Endpoint(..) | Component::HostQueue(..) => false,
        });
        let endpoints = 2 * self.flows.len() as u32;
        Turns {
            landings: Vec::new(),
            due: Vec::new(),
            queues: vec![(0, 0); endpoints as usize],
            timers_ns: (0..endpoints).map(|endpoint| self.next_timer_ns(endpoint)).collect(),
            acting: Vec::new(),
            cross_traffic_ns,
        }
    }

    fn next_timer_ns(&mut self, endpoint: u32) -> u64 {
        let (flow, side) = endpoint_at(endpoint);
        let slot = &mut self.flows[flow as usize];
        let wakeup_ns = match &mut slot.ends {
            Some(ends) if slot.phase == Phase::Running => ends[side as usize].wakeups().next_ns(),
            _ => NEVER,
        };
        let departure_ns = self.held.next_departure_ns(slot.host_queues[side as usize]);
        wakeup_ns.min(departure_ns.unwrap_or(NEVER))
    }

    /// Puts the timers back into the event queue.
    fn schedule_timers(&mut self, turns: &Turns) {
        for (flow, slot) in (0..).zip(&mut self.flows) {
            for side in Side::BOTH {
                if let Some(departure_ns) = self.held.next_departure_ns(slot.host_queues[side as usize]) {
                    self.events.schedule(departure_ns, self.components.host_queue(flow, side));
                }
                if let Some(ends) = slot.ends.as_mut().filter(|_| slot.phase == Phase::Running) {
                    for wakeup_ns in ends[side as usize].wakeups().pending_ns() {
                        self.events.schedule(wakeup_ns, self.components.endpoint(flow, side));
                    }
                }
            }
        }
        for (source, &time_ns) in (0..).zip(&turns.cross_traffic_ns).filter(|&(_, &time_ns)| time_ns != NEVER) {
            self.events.schedule(time_ns, self.components.cross_traffic(source));
        }
    }

    fn run_span(&mut self, ahead: &mut Lookahead<T::Datagram>, turns: &mut Turns, end_ns: u64) {
        self.land(ahead, turns, end_ns);
        let acting = std::mem::take(&mut turns.acting);
        for (at, &endpoint) in acting.iter().enumerate() {
            if self.is_crowded {
                self.fetch_turns(turns, &acting[at..]);
            }
            self.take_turn(ahead, turns, endpoint, end_ns);
        }
        turns.acting = acting;
        for source in 0..self.cross_traffic.len() as u32 {
            self.send_cross_traffic(ahead, turns, source, end_ns);
        }
        self.network.advance(ahead, end_ns);
    }

    /// Gives each endpoint its packets of the span, and finds out which have something to do.
    fn land(&mut self, ahead: &mut Lookahead<T::Datagram>, turns: &mut Turns, end_ns: u64) {
        let Turns { landings, due, queues, timers_ns, acting, .. } = turns;
        landings.clear();
        let cross_traffic = &mut self.cross_traffic;
        let (addresses, event_count) = (self.addresses, &mut self.event_count);
        self.network.land(ahead, end_ns, |landing| match queues.get_mut(endpoint_of(&landing)) {
            Some((_, count)) => {
                *count += 1;
                landings.push(landing);
            }
            None => {
                cross_traffic[addresses.cross_traffic_of(landing.path) as usize].delivered_packets += 1;
                *event_count += 1;
            }
        });
        acting.clear();
        let mut place = 0;
        for side in Side::BOTH {
            for endpoint in (side as usize..queues.len()).step_by(2) {
                let (first, count) = &mut queues[endpoint];
                if *count > 0 || timers_ns[endpoint] < end_ns {
                    acting.push(endpoint as u32);
                    *first = place;
                    place += std::mem::replace(count, place);
                }
            }
        }
        let Some(&filler) = landings.first() else { return };
        due.resize(landings.len(), Due { landing: filler, number: 0 });
        for (number, &landing) in (0..).zip(&*landings) {
            let (_, end) = &mut queues[endpoint_of(&landing)];
            due[*end as usize] = Due { landing, number };
            *end += 1;
        }
    }

    /// Asks for the memory of the endpoints whose turns come next.
    #[inline]
    fn fetch_turns(&self, turns: &Turns, acting: &[u32]) {
        if let Some(&third) = acting.get(6) {
            self.flows[endpoint_at(third).0 as usize].fetch();
        }
        let end_of = |endpoint: u32| {
            let (flow, side) = endpoint_at(endpoint);
            self.flows[flow as usize].ends.as_ref().map(|ends| (&ends[side as usize], side))
        };
        if let Some((end, side)) = acting.get(3).and_then(|&second| end_of(second)) {
            end.fetch(side);
            self.held.fetch(self.flows[endpoint_at(acting[3]).0 as usize].host_queues[side as usize]);
        }
        if let Some((end, side)) = acting.get(1).and_then(|&first| end_of(first)) {
            end.fetch_behind(side);
            if let Some(due) = turns.due.get(turns.queues[acting[1] as usize].0 as usize) {
                self.network.fetch_landed(&due.landing);
            }
        }
    }

    /// All that an endpoint does in the span, in order of time.
    fn take_turn(&mut self, ahead: &mut Lookahead<T::Datagram>, turns: &mut Turns, endpoint: u32, end_ns: u64) {
        let (flow, side) = endpoint_at(endpoint);
        let slot = &mut self.flows[flow as usize];
        let flow_number = self.addresses.connection_number(flow, slot.generation);
        let path = AddressPlan::path_from(flow, side);
        let (first, last) = std::mem::replace(&mut turns.queues[endpoint as usize], (0, 0));
        let mut arriving = turns.due[first as usize..last as usize].iter();
        let mut turn = Cause { time_ns: 0, component: 0, number: 0 };
        let mut ends = slot.ends.take();
        let mut end = ends.as_mut().filter(|_| slot.phase == Phase::Running).map(|ends| &mut ends[side as usize]);
        if let Some(end) = &mut end {
            end.exchange_buffer(&mut self.outgoing);
        }
        let next_timer_ns = loop {
            let arrival_ns = arriving.as_slice().first().map_or(NEVER, |due| due.landing.time_ns);
            let wakeup_ns = end.as_mut().map_or(NEVER, |end| end.wakeups().next_ns());
            let departure_ns = self.held.next_departure_ns(slot.host_queues[side as usize]).unwrap_or(NEVER);
            let now_ns = arrival_ns.min(wakeup_ns).min(departure_ns);
            if now_ns >= end_ns {
                break now_ns;
            }
            self.event_count += 1;
            // What an event causes at its own time follows it, whatever its component.
            let earliest = if now_ns == turn.time_ns { turn.component } else { 0 };
            let cause = |component: ComponentId, number| Cause {
                time_ns: now_ns,
                component: component.max(earliest),
                number: if component < earliest { turn.number } else { number },
            };
            if arrival_ns == now_ns {
                let Some(due) = arriving.next() else { break NEVER };
                turn = cause(due.landing.link, due.number);
                if let Some(coming) = arriving.as_slice().get(1) {
                    self.network.fetch_landed(&coming.landing);
                }
                let packet = self.network.landed(&due.landing);
                let payload_bytes = packet.payload.payload_bytes();
                slot.counts[side as usize].arrived.add(packet.ip_bytes + FRAME_OVERHEAD_BYTES, payload_bytes);
                let Some(end) = end.as_mut().filter(|_| packet.flow == flow_number) else { continue };
                end.on_datagram(now_ns, &packet.payload, mark_of(packet.ecn));
            } else if wakeup_ns == now_ns {
                turn = cause(self.components.endpoint(flow, side), 0);
                let Some(end) = &mut end else { continue };
                end.take_wakeup(now_ns);
                end.on_timer(now_ns);
            } else {
                turn = cause(self.components.host_queue(flow, side), 0);
                let sent = &mut slot.counts[side as usize].sent;
                let mut left_bytes = 0;
                self.held.pop_due(&mut slot.host_queues[side as usize], now_ns, |packet| {
                    left_bytes += u64::from(packet.payload.payload_bytes());
                    sent.add(packet.ip_bytes + FRAME_OVERHEAD_BYTES, packet.payload.payload_bytes());
                    ahead.push(*packet);
                });
                self.network.send_ahead(ahead, turn, path);
                let Some(end) = &mut end else { continue };
                end.on_host_queue_sent(now_ns, left_bytes);
            }
            let Some(end) = &mut end else { continue };
            while end.has_outgoing() {
                end.exchange_buffer(&mut self.outgoing);
                let sent = &mut slot.counts[side as usize].sent;
                let queue = &mut slot.host_queues[side as usize];
                let mut left_bytes = 0;
                for outgoing in &self.outgoing {
                    let packet = packet_of(outgoing, flow_number, path, slot.ect);
                    if slot.has_host_queue && (outgoing.departure_ns > now_ns || !queue.is_empty()) {
                        self.held.push(queue, outgoing.departure_ns, packet);
                        continue;
                    }
                    left_bytes += u64::from(packet.payload.payload_bytes());
                    sent.add(packet.ip_bytes + FRAME_OVERHEAD_BYTES, packet.payload.payload_bytes());
                    ahead.push(packet);
                }
                self.outgoing.clear();
                self.network.send_ahead(ahead, turn, path);
                end.exchange_buffer(&mut self.outgoing);
                if slot.has_host_queue && left_bytes > 0 && end.waits_for_host_queue() {
                    end.on_host_queue_sent(now_ns, left_bytes);
                }
            }
            end.wakeup_to_schedule_ns(now_ns);
        };
        if let Some(end) = end {
            end.exchange_buffer(&mut self.outgoing);
        }
        slot.ends = ends;
        turns.timers_ns[endpoint as usize] = next_timer_ns;
    }

    fn send_cross_traffic(&mut self, ahead: &mut Lookahead<T::Datagram>, turns: &mut Turns, source: u32, end_ns: u64) {
        let slot = &mut self.cross_traffic[source as usize];
        let next_ns = &mut turns.cross_traffic_ns[source as usize];
        while *next_ns < end_ns {
            self.event_count += 1;
            let cause = Cause { time_ns: *next_ns, component: self.components.cross_traffic(source), number: 0 };
            ahead.push(cross_traffic_packet(self.addresses, source, slot));
            self.network.send_ahead(ahead, cause, slot.path);
            *next_ns = slot.on_sent().unwrap_or(NEVER);
        }
    }
}

/// The index of the endpoint at which a packet arrives; one that no endpoint has for cross traffic.
#[inline]
fn endpoint_of(landing: &Landing) -> usize {
    let (flow, side) = AddressPlan::end_of(landing.path);
    endpoint_index(flow, side) as usize
}
