//! Runs in windows shorter than the minimum link delay, during which hosts cannot affect each other (see
//! `fairlane_network::Lookahead`).
//!
//! While all applications only send, an endpoint depends on the packets that arrive and on its own timers. Within a window
//! all arrivals are known in advance, so each endpoint runs for a *quantum*, the whole window at once, senders before
//! receivers; then the links run. Results are bit-identical to those with an event for every packet and timer, which is
//! how everything else runs: applications that start, stop or react, captures, and media that hosts share.

mod quanta;

use self::quanta::Quanta;
pub(super) use self::quanta::NEVER;
use super::Simulation;
use crate::components::Component;
use crate::error::SimulationError;
use crate::flow::Phase;
use fairlane_engine::ComponentId;
use fairlane_network::Lookahead;
use fairlane_transport::{Side, Transport};

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

    fn can_use_windows(&self, now_ns: u64, ahead: &Lookahead<T::Datagram>) -> bool {
        ahead.max_window_ns() >= MIN_WINDOW_NS
            && self.taps.is_none()
            && !self.has_host_devices
            && self.flows.iter().all(|flow| flow.phase != Phase::Running || !flow.follows_progress)
            && self.events.iter().all(|(time_ns, component)| {
                !matches!(self.components.decode(component), Component::Application(_))
                    || time_ns.saturating_sub(now_ns) >= MIN_WINDOWS * ahead.max_window_ns()
            })
    }

    fn run_windows(&mut self, now_ns: u64, ahead: &mut Lookahead<T::Datagram>) -> Result<Ahead, SimulationError> {
        let mut quanta = self.quanta();
        self.network.begin_lookahead(ahead, now_ns);
        let (mut start_ns, mut window_ns) = (now_ns, ahead.max_window_ns());
        let (mut windows, mut packets) = (0, 0);
        loop {
            let (event_ns, component) = self.events.earliest().unwrap_or((NEVER, ComponentId::MAX));
            let observer = self.components.decode(component);
            // Observers come after all that happens at the same time, applications before what they cause.
            let is_observer = matches!(observer, Component::Sampler | Component::WarmUpEnd);
            let limit_ns = event_ns.saturating_add(u64::from(is_observer)).min(self.end_ns + 1);
            let end_ns = limit_ns.min(start_ns + window_ns).min(ahead.horizon_ns());
            if end_ns > start_ns {
                self.run_quanta(ahead, &mut quanta, end_ns);
                self.network.end_window(ahead, end_ns, limit_ns);
                (windows, packets) = (windows + 1, packets + quanta.packets());
                window_ns = if quanta.packets() > PACKETS_PER_WINDOW { window_ns / 2 } else { window_ns * 2 };
                window_ns = window_ns.clamp(1, ahead.max_window_ns());
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
            if self.pause.start_if(packets < MIN_PACKETS_PER_WINDOW * windows) {
                break;
            }
            (windows, packets) = (0, 0);
        }
        self.network.end_lookahead(start_ns, &mut self.events);
        self.schedule_timers(&quanta);
        Ok(Ahead::ByEvents)
    }

    /// Moves the timers of endpoints out of the event queue; events of applications and observers stay in it.
    fn quanta(&mut self) -> Quanta {
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
        let endpoints = 2 * self.flows.len() as u32;
        let timers_ns = (0..endpoints).map(|endpoint| self.next_timer_ns(endpoint)).collect();
        Quanta::new(timers_ns, cross_traffic_ns)
    }

    /// Moves the timers back into the event queue.
    fn schedule_timers(&mut self, quanta: &Quanta) {
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
        for (source, &time_ns) in (0..).zip(quanta.cross_traffic_ns()).filter(|&(_, &time_ns)| time_ns != NEVER) {
            self.events.schedule(time_ns, self.components.cross_traffic(source));
        }
    }
}
