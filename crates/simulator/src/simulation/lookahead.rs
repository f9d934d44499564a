//! Runs in windows shorter than the minimum link delay, during which hosts cannot affect each other (see
//! `fairlane_network::Lookahead`).
//!
//! While all applications only send, an endpoint depends on the packets that arrive and on its own timers. Within a window
//! all arrivals are known in advance, so each endpoint runs for a *quantum*, the whole window at once, senders before
//! receivers; then the links run. Results are bit-identical to those with an event for every packet and timer, which is
//! how everything else runs: applications that start, stop or react, captures, and media that hosts share.

mod crew;
mod shard;
mod threads;

use self::shard::run_hosts;
pub(super) use self::shard::Shard;
use self::shard::Window;
pub(super) use self::threads::Threads;
use super::Simulation;
use crate::components::Component;
use crate::cross_traffic::CrossTraffic;
use crate::departure::cross_traffic_packet;
use crate::error::SimulationError;
use crate::flow::{Flow, Phase};
use fairlane_engine::ComponentId;
use fairlane_network::{Cause, Lookahead, Outbox};
use fairlane_transport::{Datagram, Side, Transport};

pub(super) const NEVER: u64 = u64::MAX;

/// How a run continues after lookahead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ahead {
    /// Event by event.
    ByEvents,
    Over,
}

/// Windows with more packets cost less per packet; this many need a few megabytes.
const PACKETS_PER_WINDOW: usize = 32_768;
/// Windows with fewer packets are slower than events.
const MIN_PACKETS_PER_WINDOW: usize = 4;
/// Lookahead that was slower than events is tried again after one sample, then after two, four, up to this many.
const MAX_PAUSE_SAMPLES: u32 = 64;
/// Fewer windows are not worth the preparation.
const MIN_WINDOWS: u64 = 2;
/// In shorter windows a quantum has hardly one event.
const MIN_WINDOW_NS: u64 = 50_000;

/// Samples for which the run continues event by event, because windows were slower.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Pause {
    left: u32,
    last: u32,
}

impl Pause {
    /// Starts a pause if windows are `slow`, each twice as long as the one before.
    fn start_if(&mut self, slow: bool) -> bool {
        self.last = if slow { (2 * self.last).clamp(1, MAX_PAUSE_SAMPLES) } else { 0 };
        self.left = self.last;
        slow
    }
}

/// What ruled out windows when it was last looked for. It usually still does, and a search among 100,000 flows at each start
/// of one would take longer than the run.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Obstacle {
    /// A flow whose application acts on arrivals.
    flow: usize,
    /// An application acts at this time.
    act_ns: u64,
}

/// The time that windows have reached, and their length.
pub(super) struct Clock {
    start_ns: u64,
    window_ns: u64,
    max_window_ns: u64,
    /// The next window must end by this time.
    horizon_ns: u64,
    windows: u64,
    packets: usize,
}

impl Clock {
    fn next_end_ns(&self, limit_ns: u64) -> u64 {
        limit_ns.min(self.start_ns + self.window_ns).min(self.horizon_ns)
    }

    /// A window has ended, in which hosts received `packets`.
    fn advance(&mut self, end_ns: u64, packets: usize, horizon_ns: u64) {
        self.windows += 1;
        self.packets += packets;
        self.window_ns = if packets > PACKETS_PER_WINDOW { self.window_ns / 2 } else { self.window_ns * 2 };
        self.window_ns = self.window_ns.clamp(1, self.max_window_ns);
        (self.start_ns, self.horizon_ns) = (end_ns, horizon_ns);
    }
}

/// The sources of cross traffic in windows.
pub(super) struct CrossSources<'a> {
    sources: &'a mut [CrossTraffic],
    /// By source: when it sends next.
    next_ns: &'a mut [u64],
}

impl CrossSources<'_> {
    /// A packet arrived.
    fn receive<D: Copy>(&mut self, window: &Window, path: u32, shard: &mut Shard<D>) {
        self.sources[window.addresses.cross_traffic_of(path) as usize].delivered_packets += 1;
        shard.event_count += 1;
    }

    /// Sends all packets of a window.
    fn send<D: Datagram>(&mut self, window: &Window, outbox: &mut Outbox<D>, shard: &mut Shard<D>) {
        for ((source, slot), next_ns) in (0..).zip(&mut *self.sources).zip(&mut *self.next_ns) {
            while *next_ns < window.end_ns {
                shard.event_count += 1;
                let component = window.components.cross_traffic(source);
                outbox.write([cross_traffic_packet(window.addresses, source, slot.path, slot.packet_bytes)]);
                outbox.send(&window.routes, Cause { time_ns: *next_ns, component, number: 0 }, slot.path);
                *next_ns = slot.on_sent().unwrap_or(NEVER);
            }
        }
    }
}

impl<T: Transport> Simulation<T> {
    /// Runs in windows until an application acts, if that is possible and far enough in the future.
    pub(super) fn try_lookahead(&mut self, now_ns: u64) -> Result<Ahead, SimulationError> {
        if self.pause.left > 0 {
            self.pause.left -= 1;
            return Ok(Ahead::ByEvents);
        }
        let Some(mut ahead) = self.ahead.take() else { return Ok(Ahead::ByEvents) };
        let continuation = if self.can_use_windows(now_ns, &ahead) {
            self.run_windows(now_ns, &mut ahead)
        } else {
            Ok(Ahead::ByEvents)
        };
        self.ahead = Some(ahead);
        continuation
    }

    fn can_use_windows(&mut self, now_ns: u64, ahead: &Lookahead<T::Datagram>) -> bool {
        ahead.max_window_ns() >= MIN_WINDOW_NS
            && self.taps.is_none()
            && !self.has_host_devices
            && self.obstacle.act_ns <= now_ns
            && !self.has_application_before(now_ns + MIN_WINDOWS * ahead.max_window_ns())
            && !self.has_reacting_flow()
    }

    /// Whether an application acts by itself before this time.
    fn has_application_before(&mut self, time_ns: u64) -> bool {
        let is_application = |component| matches!(self.components.decode(component), Component::Application(_));
        let act = self.events.iter().find(|&(at_ns, component)| at_ns < time_ns && is_application(component));
        self.obstacle.act_ns = act.map_or(0, |(at_ns, _)| at_ns);
        act.is_some()
    }

    /// Whether an application acts on arrivals.
    fn has_reacting_flow(&mut self) -> bool {
        let reacts = |slot: &Flow<T>| slot.hosts.phase == Phase::Running && slot.hosts.follows_progress;
        let (before, after) = self.flows.split_at(self.obstacle.flow);
        let found = after.iter().position(reacts).map(|at| before.len() + at);
        let found = found.or_else(|| before.iter().position(reacts));
        self.obstacle.flow = found.unwrap_or(0);
        found.is_some()
    }

    fn run_windows(&mut self, now_ns: u64, ahead: &mut Lookahead<T::Datagram>) -> Result<Ahead, SimulationError> {
        let mut cross_traffic_ns = self.begin_windows();
        self.network.begin_lookahead(ahead, now_ns);
        let max_window_ns = ahead.max_window_ns();
        let horizon_ns = ahead.first_horizon_ns(now_ns);
        let mut clock =
            Clock { start_ns: now_ns, window_ns: max_window_ns, max_window_ns, horizon_ns, windows: 0, packets: 0 };
        loop {
            let (event_ns, component) = self.events.earliest().unwrap_or((NEVER, ComponentId::MAX));
            let observer = self.components.decode(component);
            // Observers come after all that happens at the same time, applications before what they cause.
            let is_observer = matches!(observer, Component::Sampler | Component::WarmUpEnd);
            let limit_ns = event_ns.saturating_add(u64::from(is_observer)).min(self.end_ns + 1);
            self.run_until(ahead, &mut clock, &mut cross_traffic_ns, limit_ns);
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
            if self.pause.start_if(clock.packets < MIN_PACKETS_PER_WINDOW * clock.windows as usize) {
                break;
            }
            (clock.windows, clock.packets) = (0, 0);
        }
        self.network.end_lookahead(clock.start_ns, &mut self.events);
        self.schedule_timers(&cross_traffic_ns);
        Ok(Ahead::ByEvents)
    }

    /// Runs windows until an application or an observer acts.
    fn run_until(
        &mut self,
        ahead: &mut Lookahead<T::Datagram>,
        clock: &mut Clock,
        cross_traffic_ns: &mut [u64],
        limit_ns: u64,
    ) {
        if clock.start_ns < limit_ns {
            match self.threads.as_ref().map(|threads| threads.run_until) {
                Some(run_until) => run_until(self, ahead, clock, cross_traffic_ns, limit_ns),
                None => self.run_alone_until(ahead, clock, cross_traffic_ns, limit_ns),
            }
            let outboxes = self.threads.iter_mut().flat_map(Threads::outboxes);
            self.network.count_instant(ahead, outboxes);
        }
        for shard in &mut self.shards {
            self.event_count += std::mem::take(&mut shard.event_count);
        }
    }

    /// The same on one thread.
    fn run_alone_until(
        &mut self,
        ahead: &mut Lookahead<T::Datagram>,
        clock: &mut Clock,
        cross_traffic_ns: &mut [u64],
        limit_ns: u64,
    ) {
        let mut section = self.network.section(ahead);
        let routes = section.routes();
        let shard = &mut self.shards[0];
        let mut cross = CrossSources { sources: &mut self.cross_traffic, next_ns: cross_traffic_ns };
        while clock.start_ns < limit_ns {
            let end_ns = clock.next_end_ns(limit_ns);
            let (addresses, components, is_crowded) = (self.addresses, self.components, self.is_crowded);
            let window = Window { addresses, components, routes, is_crowded, end_ns };
            shard.begin_window();
            section.deliver(end_ns, |arrival| {
                if !shard.receive(arrival) {
                    cross.receive(&window, arrival.path, shard);
                }
            });
            shard.sort_arrivals(end_ns);
            let (delivery, outbox) = section.for_hosts();
            run_hosts(&window, shard, &mut self.flows[..], outbox, |link| delivery.by(link));
            cross.send(&window, outbox, shard);
            section.end_window(&[], (clock.start_ns, end_ns, limit_ns));
            clock.advance(end_ns, shard.packets(), routes.horizon_ns(end_ns, limit_ns));
        }
    }

    /// Moves the timers of endpoints out of the event queue; events of applications and observers stay in it. Returns when
    /// each source of cross traffic sends next.
    fn begin_windows(&mut self) -> Vec<u64> {
        let mut cross_traffic_ns = vec![NEVER; self.cross_traffic.len()];
        let components = self.components;
        self.events.retain(|time_ns, component| match components.decode(component) {
            Component::Application(_) | Component::Sampler | Component::WarmUpEnd | Component::Pause => true,
            Component::CrossTraffic(source) => {
                cross_traffic_ns[source as usize] = time_ns;
                false
            }
            // Links and endpoints keep their own deadlines.
            Component::Network(_) | Component::Endpoint(..) | Component::HostQueue(..) => false,
        });
        let mut flows = &mut self.flows[..];
        for (number, shard) in self.shards.iter_mut().enumerate() {
            let count = flows.iter().take_while(|flow| usize::from(flow.hosts.shard) == number).count();
            let (own, others) = flows.split_at_mut(count);
            let timers_ns =
                own.iter_mut().flat_map(|flow| Side::BOTH.map(|side| flow.hosts.next_timer_ns(side, &shard.held)));
            let timers_ns = timers_ns.collect();
            shard.begin(timers_ns);
            flows = others;
        }
        cross_traffic_ns
    }

    /// Moves the timers back into the event queue.
    fn schedule_timers(&mut self, cross_traffic_ns: &[u64]) {
        for (flow, slot) in (0..).zip(&mut self.flows) {
            let held = &self.shards[usize::from(slot.hosts.shard)].held;
            for side in Side::BOTH {
                if let Some(departure_ns) = held.next_departure_ns(slot.hosts.host_queues[side as usize]) {
                    self.events.schedule(departure_ns, self.components.host_queue(flow, side));
                }
                if let Some(ends) = slot.hosts.ends.as_mut().filter(|_| slot.hosts.phase == Phase::Running) {
                    for wakeup_ns in ends[side as usize].wakeups().pending_ns() {
                        self.events.schedule(wakeup_ns, self.components.endpoint(flow, side));
                    }
                }
            }
        }
        for (source, &time_ns) in (0..).zip(cross_traffic_ns).filter(|&(_, &time_ns)| time_ns != NEVER) {
            self.events.schedule(time_ns, self.components.cross_traffic(source));
        }
    }
}
