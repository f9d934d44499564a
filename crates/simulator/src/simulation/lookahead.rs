//! The run a span of time at a time, where hosts cannot feel each other sooner (see `fairlane_network::Lookahead`).
//!
//! While all applications just send, an endpoint depends only on the packets that arrive and on its own timers. Within a
//! span the first are known beforehand, so endpoints take their turns one after the other, senders before receivers,
//! each with all that it does in the span; then the links do. Results are the same, bit for bit, as with an event for
//! every packet and timer in order of time, which is how everything else runs: applications that start, stop or react,
//! captures, and media that hosts share.

mod turns;

use self::turns::{Turns, NEVER};
use super::Simulation;
use crate::components::Component;
use crate::error::SimulationError;
use crate::flow::Phase;
use fairlane_engine::ComponentId;
use fairlane_network::Lookahead;
use fairlane_transport::{Side, Transport};

/// How the run goes on after a while of looking ahead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ahead {
    /// Event by event.
    ByEvents,
    /// Not at all: it is over.
    Over,
}

/// The more packets a span has, the less a turn costs each of them; this many need a few megabytes.
const PACKETS_PER_SPAN: usize = 32_768;
/// Spans with fewer packets cost more than events do.
const LEAST_PACKETS_PER_SPAN: usize = 4;
/// After a while that did not pay, the next is tried after a sample, then after two, four and so on, up to this many.
const LONGEST_PAUSE_SAMPLES: u32 = 64;
/// A while shorter than this many spans is not worth the preparation.
const LEAST_SPANS: u64 = 2;
/// Shorter spans than this would have turns of hardly an event each.
const SHORTEST_SPAN_NS: u64 = 50_000;

/// For how many samples more the run goes on event by event, because spans have not paid.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Pause {
    left: u32,
    last: u32,
}

impl Pause {
    /// Begins if it `has_to`, longer each time.
    fn takes(&mut self, has_to: bool) -> bool {
        self.last = if has_to { (2 * self.last).clamp(1, LONGEST_PAUSE_SAMPLES) } else { 0 };
        self.left = self.last;
        has_to
    }
}

impl<T: Transport> Simulation<T> {
    /// Runs ahead until an application acts, if that is possible and far enough away.
    pub(super) fn look_ahead(&mut self, now_ns: u64) -> Result<Ahead, SimulationError> {
        if self.pause.left > 0 {
            self.pause.left -= 1;
            return Ok(Ahead::ByEvents);
        }
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
        let (mut spans, mut packets) = (0, 0);
        loop {
            let (event_ns, component) = self.events.earliest().unwrap_or((NEVER, ComponentId::MAX));
            let observer = self.components.decode(component);
            // Observers come after all that happens at the same time, applications before what they cause.
            let is_observer = matches!(observer, Component::Sampler | Component::WarmUpEnd);
            let limit_ns = event_ns.saturating_add(u64::from(is_observer)).min(self.end_ns + 1);
            let end_ns = limit_ns.min(start_ns + span_ns).min(ahead.known_ns());
            if end_ns > start_ns {
                self.take_turns(ahead, &mut turns, end_ns);
                self.network.advance(ahead, end_ns, limit_ns);
                (spans, packets) = (spans + 1, packets + turns.packets());
                span_ns = if turns.packets() > PACKETS_PER_SPAN { span_ns / 2 } else { span_ns * 2 };
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
            if self.pause.takes(packets < LEAST_PACKETS_PER_SPAN * spans) {
                break;
            }
            (spans, packets) = (0, 0);
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
        let timers_ns = (0..endpoints).map(|endpoint| self.next_timer_ns(endpoint)).collect();
        Turns::new(timers_ns, cross_traffic_ns)
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
        for (source, &time_ns) in (0..).zip(turns.cross_traffic_ns()).filter(|&(_, &time_ns)| time_ns != NEVER) {
            self.events.schedule(time_ns, self.components.cross_traffic(source));
        }
    }
}
