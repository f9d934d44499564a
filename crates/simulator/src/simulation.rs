//! The event loop: takes the earliest event, calls its component, and transmits the resulting packets.

mod live;
mod lookahead;
mod prefetch;

pub use self::live::{Live, LiveFlow, Step};
use self::lookahead::{Ahead, Obstacle, Pause, Shard, Threads, NEVER};
use crate::address::AddressPlan;
use crate::applications::Next;
use crate::build::{build, Parts};
use crate::capture::{Capture, CaptureConfig};
use crate::components::{Component, Components};
use crate::cross_traffic::CrossTraffic;
use crate::departure::cross_traffic_packet;
use crate::error::SimulationError;
use crate::flow::{Flow, Phase};
use crate::link_meter::LinkMeter;
use crate::records::Records;
use crate::results::Remains;
use crate::sender_trace::SenderTraces;
use crate::taps::Taps;
use crate::transports::{Tcp, TcpTransports, Transports};
use fairlane_congestion_control::Algorithms;
use fairlane_contract::{Problem, RunResult, Scenario};
use fairlane_engine::{ComponentId, EventQueue, Streams};
use fairlane_network::{Acknowledgement, Ecn, Lookahead, Network, Packet};
use fairlane_transport::{Datagram, EcnMark, Outgoing, Side, Transport};
use std::collections::BTreeSet;

/// A flow's working set is about 2 kB, so the near caches hold 32 to 64 flows.
const CROWD_FLOWS: usize = 32;

/// A run, from its scenario to its result.
pub struct Simulation<T: Transport = Tcp> {
    events: EventQueue,
    components: Components,
    addresses: AddressPlan,
    network: Network<T::Datagram>,
    flows: Vec<Flow<T>>,
    /// Groups of flows that one thread runs, in their order.
    shards: Vec<Shard<T::Datagram>>,
    cross_traffic: Vec<CrossTraffic>,
    /// The buffer for outgoing datagrams that endpoints share.
    outgoing: Vec<Outgoing<T::Datagram>>,
    /// Some hosts wait for departures from their interfaces.
    has_host_devices: bool,
    /// A buffer for these departures.
    departed: Vec<Packet<T::Datagram>>,
    watched_names: Vec<String>,
    /// A problem for each of these that no algorithm has.
    unknown_watched: Vec<Problem>,
    links: LinkMeter,
    interval_ns: u64,
    warm_up_ns: u64,
    end_ns: u64,
    /// The run pauses at this time; `NEVER` after its end.
    pause_ns: u64,
    /// Arrivals, and timers, applications and observers that acted. Events of links do not count.
    event_count: u64,
    /// The component whose timer comes next, and how many steps of `prefetch_timer` are done.
    coming_timer: (ComponentId, u8),
    /// The number of flows from which a flow's working set is evicted from the first caches between two of its packets.
    is_crowded: bool,
    /// None if lookahead windows are impossible or disabled.
    ahead: Option<Lookahead<T::Datagram>>,
    pause: Pause,
    obstacle: Obstacle,
    /// Every algorithm has copies for several threads.
    has_copies: bool,
    /// None on one thread.
    threads: Option<Threads<T>>,
    /// Observers of packets at hosts.
    taps: Option<Box<Taps<T::Datagram>>>,
}

impl Simulation {
    /// Checks the scenario and prepares everything, algorithms included.
    pub fn new(scenario: &Scenario, algorithms: &dyn Algorithms) -> Result<Self, SimulationError> {
        Self::with_transports(scenario, &mut TcpTransports::new(scenario, algorithms))
    }
}

impl<T: Transport> Simulation<T> {
    /// The same with flows that use these transports.
    pub(crate) fn with_transports(
        scenario: &Scenario,
        transports: &mut dyn Transports<T>,
    ) -> Result<Self, SimulationError> {
        let streams = Streams::new(scenario.seed);
        let Parts { flows, cross_traffic, paths, links, media, host_devices, unknown_watched } =
            build(scenario, &streams, transports)?;
        let mut network = Network::with_host_devices(&links, &media, paths, &streams, scenario.hz, &host_devices)?;
        network.read_acknowledgements(acknowledgement_of::<T::Datagram>);
        let components = Components::new(network.component_count(), flows.len() as u32, cross_traffic.len() as u32);
        // Most events are deliveries of links; the others are timers, most of which are rearmed before they fire.
        let mut events = EventQueue::with_frequent(network.component_count());
        for (flow, slot) in (0..).zip(&flows).filter(|(_, slot)| !slot.application.waits_for_others()) {
            events.schedule(slot.start_ns, components.application(flow));
        }
        for (source, slot) in (0..).zip(&cross_traffic) {
            if slot.first_ns() < scenario.duration_ns {
                events.schedule(slot.first_ns(), components.cross_traffic(source));
            }
        }
        events.schedule(scenario.series_interval_ns, components.sampler());
        if scenario.warm_up_ns > 0 {
            events.schedule(scenario.warm_up_ns, components.warm_up_end());
        }
        let traces = SenderTraces::new(scenario, flows.iter().map(|flow| flow.group));
        let taps = traces.map(|traces| Box::new(Taps { traces: Some(traces), ..Taps::default() }));
        Ok(Self {
            events,
            components,
            addresses: AddressPlan::new(flows.len() as u32),
            pause: Pause::default(),
            obstacle: Obstacle::default(),
            ahead: network.lookahead(1, 0).filter(|_| !transports.share_memory()),
            network,
            shards: vec![Shard::new(0)],
            has_copies: transports.have_copies(),
            threads: None,
            outgoing: Vec::with_capacity(64),
            has_host_devices: !host_devices.is_empty(),
            departed: Vec::new(),
            coming_timer: (ComponentId::MAX, 0),
            is_crowded: flows.len() >= CROWD_FLOWS,
            flows,
            cross_traffic,
            watched_names: scenario.watch.clone(),
            unknown_watched,
            links: LinkMeter::new(scenario.station_names()),
            interval_ns: scenario.series_interval_ns,
            warm_up_ns: scenario.warm_up_ns,
            end_ns: scenario.duration_ns,
            pause_ns: 0,
            event_count: 0,
            taps,
        })
    }

    /// Writes the packets of chosen flows to `sink` when the simulation runs, as a pcapng file.
    pub fn capture(&mut self, config: &CaptureConfig, sink: Box<dyn std::io::Write>) -> Result<(), SimulationError> {
        let capture = Capture::new(config, &self.flows, sink)?;
        let taps = self.taps.get_or_insert_default();
        taps.capture = Some(capture);
        Ok(())
    }

    /// Names in `watch` that no algorithm has. Their columns are empty: another run of a sweep may have them.
    pub(crate) fn unknown_watched(&self) -> &[Problem] {
        &self.unknown_watched
    }

    /// Disables lookahead windows.
    pub(crate) fn run_by_events(&mut self) {
        self.ahead = None;
    }

    /// Runs to the end. Never inlined, so that a profile finds it by name (`benchmarks/instruction_counts.py`).
    #[inline(never)]
    pub fn run(mut self) -> Result<RunResult, SimulationError> {
        self.run_to_pause()?;
        self.finish()
    }

    /// Runs until the next pause that is due, or to the end.
    fn run_to_pause(&mut self) -> Result<(), SimulationError> {
        let mut continuation = Ahead::ByEvents;
        while let Some((now_ns, id)) = self.events.pop().filter(|_| continuation == Ahead::ByEvents) {
            if now_ns > self.end_ns {
                break;
            }
            if self.is_crowded {
                self.prefetch_timer();
            }
            match self.components.decode(id) {
                Component::Network(id) => {
                    if self.is_crowded {
                        self.prefetch_arrivals(id);
                    }
                    let Some(packet) = self.network.on_event(now_ns, id, &mut self.events) else {
                        if self.has_host_devices {
                            self.on_departures(now_ns, id);
                        }
                        continue;
                    };
                    self.event_count += 1;
                    if let Some(taps) = &mut self.taps {
                        taps.arrived(now_ns, packet);
                    }
                    let hosts = (&mut self.flows[..], &mut self.cross_traffic[..]);
                    if let Some((flow, side, next)) = receive(self.addresses, hosts, now_ns, packet, &mut self.outgoing)
                    {
                        self.after_arrival(now_ns, flow, side, next);
                    }
                }
                Component::Endpoint(flow, side) => self.on_endpoint_timer(now_ns, flow, side),
                Component::HostQueue(flow, side) => self.on_host_queue(now_ns, flow, side),
                Component::Application(flow) => {
                    self.on_application_time(now_ns, flow);
                    continuation = self.try_lookahead(now_ns)?;
                }
                Component::CrossTraffic(source) => self.on_cross_traffic(now_ns, source),
                Component::Sampler => {
                    self.on_sample(now_ns)?;
                    continuation = self.try_lookahead(now_ns)?;
                }
                Component::WarmUpEnd => self.on_warm_up_end(now_ns),
                Component::Pause if now_ns >= self.pause_ns => return Ok(()),
                Component::Pause => {} // of an earlier call, which stopped before it
            }
        }
        self.pause_ns = NEVER;
        Ok(())
    }

    /// The result, after the end.
    fn finish(mut self) -> Result<RunResult, SimulationError> {
        self.check_algorithms(self.end_ns)?;
        let traces = self.taps.take().map_or(Ok(None), |taps| taps.finish())?;
        let ends = self.flows.iter().flat_map(|flow| flow.hosts.ends.iter().flat_map(|ends| ends.iter()));
        let warnings: BTreeSet<String> = ends.filter_map(Transport::warning).collect();
        for flow in &mut self.flows {
            for end in flow.hosts.ends.iter_mut().flat_map(|ends| ends.iter_mut()) {
                end.release();
            }
        }
        Ok(self.into_remains(traces, warnings).into_result())
    }

    /// Frees all that results do not need.
    fn into_remains(self, traces: Option<SenderTraces>, warnings: BTreeSet<String>) -> Remains<T> {
        Remains {
            warm_up_ns: self.warm_up_ns,
            end_ns: self.end_ns,
            event_count: self.event_count,
            interval_ns: self.interval_ns,
            flows: self.flows,
            cross_traffic: self.cross_traffic,
            network: self.network,
            watched_names: self.watched_names,
            links: self.links,
            traces,
            warnings,
        }
    }

    #[inline]
    fn after_arrival(&mut self, now_ns: u64, flow: u32, side: Side, next: Option<Next>) {
        match next {
            None => self.settle(now_ns, flow, side, Buffer::Lent),
            Some(next) => self.after_progress(now_ns, flow, side, next),
        }
    }

    /// An arrival on which the application acts, too.
    #[inline(never)]
    fn after_progress(&mut self, now_ns: u64, flow: u32, side: Side, next: Next) {
        if next == Next::Begin {
            self.follow(now_ns, flow, Next::Begin); // data written from now on counts
        }
        self.settle(now_ns, flow, side, Buffer::Lent);
        // The application may have written at either end.
        if next != Next::Begin {
            self.follow(now_ns, flow, next);
        }
        self.settle_both(now_ns, flow);
    }

    /// Settles both ends of a flow, which may be over.
    fn settle_both(&mut self, now_ns: u64, flow: u32) {
        self.settle(now_ns, flow, Side::Sender, Buffer::Own);
        self.settle(now_ns, flow, Side::Receiver, Buffer::Own);
        self.retire(now_ns, flow);
    }

    fn on_endpoint_timer(&mut self, now_ns: u64, flow: u32, side: Side) {
        let slot = &mut self.flows[flow as usize];
        let Some(ends) = &mut slot.hosts.ends else { return };
        if !ends[side as usize].take_wakeup(now_ns) || slot.hosts.phase != Phase::Running {
            return;
        }
        self.event_count += 1;
        ends[side as usize].exchange_buffer(&mut self.outgoing);
        ends[side as usize].on_timer(now_ns);
        self.settle(now_ns, flow, side, Buffer::Lent);
    }

    /// After an endpoint acted: transmits its datagrams and schedules its next timer.
    #[inline]
    fn settle(&mut self, now_ns: u64, flow: u32, side: Side, buffer: Buffer) {
        let slot = &mut self.flows[flow as usize];
        let Some(ends) = &mut slot.hosts.ends else { return };
        let end = &mut ends[side as usize];
        if end.has_outgoing() {
            return self.send_outgoing(now_ns, flow, side, buffer);
        }
        if buffer == Buffer::Lent {
            end.exchange_buffer(&mut self.outgoing);
        }
        if let Some(wakeup_ns) = end.wakeup_to_schedule_ns(now_ns) {
            self.events.schedule(wakeup_ns, self.components.endpoint(flow, side));
        }
    }

    /// Transmits an endpoint's outgoing datagrams, and settles the endpoint.
    #[inline(never)]
    fn send_outgoing(&mut self, now_ns: u64, flow: u32, side: Side, buffer: Buffer) {
        let slot = &mut self.flows[flow as usize];
        let Some(ends) = &mut slot.hosts.ends else { return };
        ends[side as usize].exchange_buffer(&mut self.outgoing);
        if self.taps.is_some() || slot.hosts.must_queue(now_ns, side, &self.outgoing) {
            return self.send_outgoing_one_by_one(now_ns, flow, side, buffer);
        }
        let path = AddressPlan::path_from(flow, side);
        let flow_number = self.addresses.connection_number(flow, slot.hosts.generation);
        let mut packing = slot.hosts.packing(flow_number, path);
        self.network.send_all(now_ns, path, &self.outgoing, |one| packing.pack(one), &mut self.events);
        self.outgoing.clear();
        slot.hosts.count_sent(side, &packing);
        let payload_bytes = packing.payload_bytes;
        if slot.hosts.has_host_queue && payload_bytes > 0 {
            return self.after_host_queue(now_ns, flow, side, payload_bytes, buffer);
        }
        // The endpoint has not acted since, so there are no further datagrams.
        let Some(ends) = &mut slot.hosts.ends else { return };
        let end = &mut ends[side as usize];
        if buffer == Buffer::Own {
            end.exchange_buffer(&mut self.outgoing);
        }
        if let Some(wakeup_ns) = end.wakeup_to_schedule_ns(now_ns) {
            self.events.schedule(wakeup_ns, self.components.endpoint(flow, side));
        }
    }

    /// The rest of [`send_outgoing`](Self::send_outgoing) if a host's queue paces, or a tap records the packets.
    #[inline(never)]
    fn send_outgoing_one_by_one(&mut self, now_ns: u64, flow: u32, side: Side, buffer: Buffer) {
        let slot = &mut self.flows[flow as usize];
        let path = AddressPlan::path_from(flow, side);
        let connection = (self.addresses.connection_number(flow, slot.hosts.generation), path, side);
        let departed = slot.hosts.depart(
            now_ns,
            connection,
            &self.outgoing,
            &mut self.shards[usize::from(slot.hosts.shard)].held,
            |packet| {
                if let Some(taps) = &mut self.taps {
                    taps.sent(now_ns, packet);
                }
                self.network.send(now_ns, packet, &mut self.events);
            },
        );
        if let Some(departure_ns) = departed.first_held_ns {
            self.events.schedule(departure_ns, self.components.host_queue(flow, side));
        }
        self.outgoing.clear();
        self.after_host_queue(now_ns, flow, side, departed.payload_bytes, buffer);
    }

    /// Data that bypassed the host's queue frees its room at once. Settles the endpoint after its datagrams were sent.
    #[inline]
    fn after_host_queue(&mut self, now_ns: u64, flow: u32, side: Side, payload_bytes: u64, buffer: Buffer) {
        let slot = &mut self.flows[flow as usize];
        if let Some(ends) = &mut slot.hosts.ends {
            let end = &mut ends[side as usize];
            let is_told = slot.hosts.has_host_queue && payload_bytes > 0 && !slot.hosts.waits_for_device[side as usize];
            if is_told && end.waits_for_host_queue() {
                end.on_host_queue_sent(now_ns, payload_bytes);
            }
        }
        self.settle(now_ns, flow, side, buffer.other());
    }

    /// Packets have left the interface of their host, which may now send others.
    #[cold]
    #[inline(never)]
    fn on_departures(&mut self, now_ns: u64, device: ComponentId) {
        let mut departed = std::mem::take(&mut self.departed);
        self.network.take_departed(device, &mut departed);
        let mut packets = departed.drain(..).peekable();
        while let Some(packet) = packets.next() {
            let mut payload_bytes = u64::from(packet.payload.payload_bytes());
            // One interrupt reports all departures of a connection together.
            while let Some(next) = packets.next_if(|next| (next.path, next.flow) == (packet.path, packet.flow)) {
                payload_bytes += u64::from(next.payload.payload_bytes());
            }
            let (flow, receiver) = AddressPlan::end_of(packet.path);
            let side = receiver.peer();
            let Some(slot) = self.flows.get_mut(flow as usize) else { continue };
            let is_waiting = slot.hosts.waits_for_device[side as usize] && slot.hosts.phase == Phase::Running;
            if !is_waiting || packet.flow != self.addresses.connection_number(flow, slot.hosts.generation) {
                continue;
            }
            if let Some(ends) = &mut slot.hosts.ends {
                ends[side as usize].on_host_queue_sent(now_ns, payload_bytes);
            }
            self.settle(now_ns, flow, side, Buffer::Own);
        }
        drop(packets);
        self.departed = departed;
    }

    /// Packets of an fq host queue have reached their departure time.
    fn on_host_queue(&mut self, now_ns: u64, flow: u32, side: Side) {
        self.event_count += 1;
        let slot = &mut self.flows[flow as usize];
        let payload_bytes =
            slot.hosts.leave_host_queue(now_ns, side, &mut self.shards[usize::from(slot.hosts.shard)].held, |packet| {
                if let Some(taps) = &mut self.taps {
                    taps.sent(now_ns, packet);
                }
                self.network.send(now_ns, packet, &mut self.events);
            });
        if let Some(departure_ns) =
            self.shards[usize::from(slot.hosts.shard)].held.next_departure_ns(slot.hosts.host_queues[side as usize])
        {
            self.events.schedule(departure_ns, self.components.host_queue(flow, side));
        }
        if slot.hosts.phase == Phase::Running && !slot.hosts.waits_for_device[side as usize] {
            if let Some(ends) = &mut slot.hosts.ends {
                ends[side as usize].on_host_queue_sent(now_ns, payload_bytes);
            }
            self.settle(now_ns, flow, side, Buffer::Own);
        }
    }

    /// A flow starts or stops, or its application acts.
    fn on_application_time(&mut self, now_ns: u64, flow: u32) {
        self.event_count += 1;
        let slot = &mut self.flows[flow as usize];
        match slot.hosts.phase {
            Phase::Over => return,
            Phase::Waiting if now_ns >= slot.stop_ns => return,
            Phase::Running if now_ns >= slot.stop_ns => {
                slot.finish(now_ns, self.network.lost_packets(AddressPlan::path_from(flow, Side::Sender), now_ns));
                return self.retire(now_ns, flow);
            }
            Phase::Waiting => {
                if let Records::Waiting { arp_ns: arp_ns @ 1.. } = &mut slot.records {
                    let arp_ns = std::mem::take(arp_ns);
                    return self.events.schedule(now_ns + arp_ns, self.components.application(flow));
                }
                if slot.stop_ns < self.end_ns {
                    self.events.schedule(slot.stop_ns, self.components.application(flow));
                }
                let next = slot.connect(flow, now_ns);
                self.follow(now_ns, flow, next);
                self.settle_both(now_ns, flow);
                return self.flows[flow as usize].hosts.free_buffers();
            }
            Phase::Running => {
                let Some(ends) = &mut slot.hosts.ends else { return };
                let next = slot.application.on_time(now_ns, ends);
                self.follow(now_ns, flow, next);
            }
        }
        self.settle_both(now_ns, flow);
    }

    /// Frees the memory of a flow that is over.
    #[inline]
    fn retire(&mut self, now_ns: u64, flow: u32) {
        let slot = &mut self.flows[flow as usize];
        // The warm-up's end counts flows once more that ended before it, or at the same time.
        if slot.hosts.phase == Phase::Over && (now_ns > self.warm_up_ns || self.warm_up_ns == 0) {
            slot.retire();
        }
    }

    fn follow(&mut self, now_ns: u64, flow: u32, next: Next) {
        match next {
            Next::Wait => {}
            Next::At(time_ns) => self.events.schedule(time_ns.max(now_ns), self.components.application(flow)),
            Next::Wake { first, count } => {
                for flow in first..first + count {
                    self.events.schedule(now_ns, self.components.application(flow));
                }
            }
            Next::Reopen => {
                let slot = &mut self.flows[flow as usize];
                slot.hosts.generation += 1;
                let next = slot.connect(flow, now_ns);
                self.follow(now_ns, flow, next);
            }
            Next::Begin => {
                let slot = &mut self.flows[flow as usize];
                slot.begin(now_ns, self.network.lost_packets(AddressPlan::path_from(flow, Side::Sender), now_ns));
                if slot.stop_ns < self.end_ns {
                    self.events.schedule(slot.stop_ns, self.components.application(flow));
                }
            }
            Next::Completed => {
                let slot = &mut self.flows[flow as usize];
                if let Some(records) = slot.records.open_mut() {
                    records.completion_ns = Some(now_ns);
                }
                slot.finish(now_ns, self.network.lost_packets(AddressPlan::path_from(flow, Side::Sender), now_ns));
            }
        }
    }

    fn on_cross_traffic(&mut self, now_ns: u64, source: u32) {
        self.event_count += 1;
        let slot = &mut self.cross_traffic[source as usize];
        let packet = cross_traffic_packet(self.addresses, source, slot.path, slot.packet_bytes);
        if let Some(next_ns) = slot.on_sent() {
            self.events.schedule(next_ns, self.components.cross_traffic(source));
        }
        self.network.send(now_ns, &packet, &mut self.events);
    }

    fn on_sample(&mut self, now_ns: u64) -> Result<(), SimulationError> {
        self.event_count += 1;
        for flow in 0..self.flows.len() as u32 {
            self.prefetch_samples(flow);
            let slot = &mut self.flows[flow as usize];
            slot.check_algorithm(flow, now_ns)?;
            if slot.hosts.phase != Phase::Running {
                continue;
            }
            let sender = slot.sender_sample();
            let lost_packets = self.network.lost_packets(AddressPlan::path_from(flow, Side::Sender), now_ns);
            let tally = slot.tally_with(&sender, now_ns, lost_packets);
            let samples_left = self.end_ns.min(slot.stop_ns).saturating_sub(now_ns) / self.interval_ns;
            if let Some(records) = slot.records.open_mut() {
                records.series.make_room(samples_left);
                records.series.sample(&mut records.last, tally, &sender);
            }
            if !self.watched_names.is_empty() {
                slot.sample_watched();
            }
            if self.is_crowded {
                slot.hosts.trim();
            }
        }
        self.links.sample(&mut self.network, now_ns);
        self.events.schedule(now_ns + self.interval_ns, self.components.sampler());
        Ok(())
    }

    /// The warm-up is over and the measurement begins. Flows that begin later are measured from their own start.
    fn on_warm_up_end(&mut self, now_ns: u64) {
        self.event_count += 1;
        for (flow, slot) in (0..).zip(&mut self.flows).filter(|(_, slot)| slot.hosts.phase != Phase::Waiting) {
            slot.measure_from(now_ns, self.network.lost_packets(AddressPlan::path_from(flow, Side::Sender), now_ns));
            if slot.hosts.phase == Phase::Over {
                slot.retire();
            }
        }
        self.links.begin(&mut self.network, now_ns);
    }

    /// Fails if an algorithm has failed, which ends the run.
    fn check_algorithms(&self, now_ns: u64) -> Result<(), SimulationError> {
        (0..).zip(&self.flows).try_for_each(|(flow, slot)| slot.check_algorithm(flow, now_ns))
    }
}

/// The buffer of an endpoint's outgoing datagrams.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Buffer {
    Own,
    /// The buffer that endpoints share, returned for the next endpoint.
    Lent,
}

impl Buffer {
    fn other(self) -> Self {
        match self {
            Self::Own => Self::Lent,
            Self::Lent => Self::Own,
        }
    }
}

#[inline]
fn acknowledgement_of<D: Datagram>(datagram: &D) -> Option<Acknowledgement> {
    let found = datagram.acknowledgement()?;
    let fairlane_transport::Acknowledgement { ack, is_pure, ecn_flags, sack } = found;
    Some(Acknowledgement { ack, is_pure, ecn_flags, sack })
}

fn mark_of(ecn: Ecn) -> EcnMark {
    match ecn {
        Ecn::NotEct => EcnMark::NotEct,
        Ecn::Ect0 => EcnMark::Ect0,
        Ecn::Ect1 => EcnMark::Ect1,
        Ecn::Ce => EcnMark::Ce,
    }
}

/// A packet reached the end of its path: delivers it to the endpoint, and to the application if that acts on arrivals.
#[inline]
fn receive<T: Transport>(
    addresses: AddressPlan,
    (flows, cross_traffic): (&mut [Flow<T>], &mut [CrossTraffic]),
    now_ns: u64,
    packet: &Packet<T::Datagram>,
    buffer: &mut Vec<Outgoing<T::Datagram>>,
) -> Option<(u32, Side, Option<Next>)> {
    let (flow, side) = AddressPlan::end_of(packet.path);
    let Some(slot) = flows.get_mut(flow as usize) else {
        cross_traffic[addresses.cross_traffic_of(packet.path) as usize].delivered_packets += 1;
        return None;
    };
    let is_of_connection = slot.hosts.arrive(addresses.connection_number(flow, slot.hosts.generation), side, packet);
    if slot.hosts.phase != Phase::Running || !is_of_connection {
        return None;
    }
    let ends = slot.hosts.ends.as_mut()?;
    ends[side as usize].exchange_buffer(buffer);
    ends[side as usize].on_datagram(now_ns, &packet.payload, mark_of(packet.ecn));
    let next = slot.on_progress(now_ns);
    Some((flow, side, next))
}
