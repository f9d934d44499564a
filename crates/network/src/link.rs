//! A link: queue, transmitter and wire in a row.
//!
//! Nothing happens by itself. A link knows for how long its transmitter is booked, so on each call it *catches up*:
//! it starts, one after the other and at their own times, all frames that were due since the last call. Only the
//! arrival at the far end needs an event, and only one per link is pending, for the packet that arrives next.
//!
//! Order at one instant: changes of the link take effect first, then transmissions start, then packets enter.
//!
//! The queue is a [`Store`]: [`FifoRing`] for the plain FIFO, [`DisciplineStore`] for everything else.

mod discipline_store;
mod fifo_ring;
mod schedule;

use fairlane_engine::{EventQueue, Streams};

pub(crate) use self::discipline_store::DisciplineStore;
pub(crate) use self::fifo_ring::FifoRing;
use self::schedule::Schedule;
use crate::impairments::Impairments;
use crate::queue::{Backlog, QueueStats, Verdict};
use crate::transmitter::Transmitter;
use crate::{LinkConfig, LinkStats, Packet};

/// The packets inside a link: those that wait, and those on the wire in order of arrival.
pub(crate) trait Store<P: Copy> {
    fn push(&mut self, now_ns: u64, frame_bytes: u32, packet: &Packet<P>, hop: u16) -> Verdict;

    /// The frame that goes next, unless nothing waits or nothing can be chosen before `now_ns` ends; the
    /// transmitter takes none before `free_ns`.
    fn head(&mut self, now_ns: u64, free_ns: u64) -> Option<Head>;

    /// When to call [`head`](Self::head) again after it gave nothing although packets wait.
    fn next_choice_ns(&self, free_ns: u64) -> Option<u64>;

    /// Moves the head to the wire.
    fn launch(&mut self, start_ns: u64, arrival_ns: u64, frame_bytes: u32);

    /// Takes the head out, for a wire that somebody else keeps.
    fn take(&mut self, start_ns: u64, frame_bytes: u32) -> Packet<P>;

    fn next_arrival_ns(&self) -> Option<u64>;

    /// Takes the packet that arrives next off the wire, which must not be empty.
    fn land(&mut self);

    /// What landed last.
    fn landed(&self) -> &Packet<P>;

    fn backlog(&self) -> Backlog;

    /// All that the queue admitted so far.
    fn enqueued(&self) -> Backlog;

    /// All that the transmitter took so far.
    fn launched(&self) -> Backlog;

    fn last_launched_bytes(&self) -> u32;

    fn on_wire(&self) -> u64;

    /// Integral of the waiting bytes over time, up to `now_ns`.
    fn backlog_byte_ns(&self, now_ns: u64) -> u128;

    fn queue_stats(&self) -> QueueStats;
}

/// The next frame of a queue.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Head {
    /// Since when it could have been sent, had the transmitter been free.
    pub ready_ns: u64,
    pub frame_bytes: u32,
}

pub(crate) struct Link<P, S> {
    component: u32,
    overhead_bytes: u32,
    transmitter: Transmitter,
    /// Copy of the transmitter's own: no frame starts before.
    free_ns: u64,
    delay_ns: u64,
    /// No packet arrives before its predecessor, unless the wire reorders.
    last_arrival_ns: u64,
    /// Time of the pending event. An event at another time has been overtaken and is ignored.
    pending_ns: u64,
    next_change_ns: u64,
    largest_frame_bytes: u32,
    impairments: Option<Box<Impairments<P>>>,
    store: S,
    counters: Counters,
    schedule: Box<Schedule>,
}

#[derive(Default)]
struct Counters {
    oversized_packets: u64,
    oversized_bytes: u64,
    max_backlog_bytes: u64,
    delivered_packets: u64,
    delivered_bytes: u64,
    lost_packets: u64,
    lost_bytes: u64,
    duplicated_packets: u64,
    duplicated_bytes: u64,
}

/// No event is pending, or no change is to come.
const NEVER: u64 = u64::MAX;

impl<P: Copy, S: Store<P>> Link<P, S> {
    pub fn new(config: &LinkConfig, component: u32, streams: &Streams, store: S) -> Self {
        let transmitter = Transmitter::new(config);
        let schedule = Box::new(Schedule::new(config));
        Self {
            component,
            overhead_bytes: config.frame_overhead_bytes(),
            largest_frame_bytes: transmitter.largest_frame_bytes(),
            free_ns: transmitter.free_ns(),
            transmitter,
            delay_ns: config.delay_ns,
            last_arrival_ns: 0,
            pending_ns: NEVER,
            next_change_ns: schedule.next_ns().unwrap_or(NEVER),
            impairments: Impairments::new(config, component, streams),
            store,
            counters: Counters::default(),
            schedule,
        }
    }

    /// Lets a packet enter; `hop` is its new place on its path.
    #[inline]
    pub fn send(&mut self, now_ns: u64, packet: &Packet<P>, hop: u16, events: &mut EventQueue) {
        self.catch_up(now_ns);
        let frame_bytes = packet.ip_bytes + self.overhead_bytes;
        if frame_bytes > self.largest_frame_bytes {
            self.counters.oversized_packets += 1;
            self.counters.oversized_bytes += u64::from(frame_bytes);
            return;
        }
        if self.store.push(now_ns, frame_bytes, packet, hop) == Verdict::Queued {
            self.start_due(now_ns);
            self.counters.max_backlog_bytes = self.counters.max_backlog_bytes.max(self.store.backlog().bytes);
            // On a wire that keeps order a newcomer arrives last: an event that is pending stays right.
            if self.pending_ns == NEVER || self.reorders() {
                self.arm(now_ns, events);
            }
        }
    }

    /// The link's event. Gives a packet if one arrives at the far end; several that arrive at one instant come one per
    /// event.
    #[inline]
    pub fn on_event(&mut self, now_ns: u64, events: &mut EventQueue) -> Option<&Packet<P>> {
        if now_ns != self.pending_ns {
            return None;
        }
        self.pending_ns = NEVER;
        let has_arrived = if self.impairments.is_none() { self.arrive(now_ns) } else { self.arrive_impaired(now_ns) };
        if self.store.next_arrival_ns().is_none() {
            self.catch_up(now_ns);
        }
        self.arm(now_ns, events);
        has_arrived.then(|| self.landed())
    }

    /// As [`send`](Self::send), kept out of the caller's way where it is rarely taken.
    #[inline(never)]
    pub fn send_out_of_line(&mut self, now_ns: u64, packet: &Packet<P>, hop: u16, events: &mut EventQueue) {
        self.send(now_ns, packet, hop, events);
    }

    #[inline(never)]
    pub fn on_event_out_of_line(&mut self, now_ns: u64, events: &mut EventQueue) -> Option<&Packet<P>> {
        self.on_event(now_ns, events)
    }

    #[inline]
    fn arrive(&mut self, now_ns: u64) -> bool {
        if self.store.next_arrival_ns().is_none() {
            self.catch_up(now_ns);
        }
        if self.store.next_arrival_ns().is_none_or(|arrival_ns| arrival_ns > now_ns) {
            return false;
        }
        self.store.land();
        self.counters.delivered_packets += 1;
        self.counters.delivered_bytes += u64::from(self.store.landed().ip_bytes + self.overhead_bytes);
        true
    }

    #[inline(never)]
    fn arrive_impaired(&mut self, now_ns: u64) -> bool {
        self.catch_up(now_ns);
        let impairments = self.impairments.as_mut().expect("only impaired links come here");
        let is_copy = std::mem::take(&mut impairments.is_copy_due);
        if !is_copy {
            let next_ns = match &impairments.reorder {
                Some(wire) => wire.next_arrival_ns(),
                None => self.store.next_arrival_ns(),
            };
            if next_ns.is_none_or(|arrival_ns| arrival_ns > now_ns) {
                return false;
            }
            match &mut impairments.reorder {
                Some(wire) => wire.land(),
                None => self.store.land(),
            }
            impairments.is_copy_due = impairments.duplicates();
        }
        let (is_doubled, is_lost) = (impairments.is_copy_due, impairments.loses());
        let frame_bytes = u64::from(self.landed().ip_bytes + self.overhead_bytes);
        let counters = &mut self.counters;
        if is_doubled {
            counters.duplicated_packets += 1;
            counters.duplicated_bytes += frame_bytes;
        }
        if is_lost {
            counters.lost_packets += 1;
            counters.lost_bytes += frame_bytes;
        } else {
            counters.delivered_packets += 1;
            counters.delivered_bytes += frame_bytes;
        }
        !is_lost
    }

    /// The packet that landed last.
    #[inline]
    fn landed(&self) -> &Packet<P> {
        match self.impairments.as_ref().and_then(|impairments| impairments.reorder.as_ref()) {
            Some(wire) => wire.landed(),
            None => self.store.landed(),
        }
    }

    #[inline]
    fn catch_up(&mut self, now_ns: u64) {
        if now_ns >= self.next_change_ns {
            self.apply_changes(now_ns);
        }
        self.start_due(now_ns);
    }

    /// Starts the transmissions that are due, each at its own time.
    #[inline]
    fn start_due(&mut self, now_ns: u64) {
        while self.free_ns <= now_ns && self.store.backlog().packets > 0 {
            if !self.start_next(now_ns) {
                break;
            }
        }
    }

    /// Starts the next transmission if it is due. Not a loop, and not part of one: there is hardly ever more than one.
    #[inline(never)]
    fn start_next(&mut self, now_ns: u64) -> bool {
        let Some(head) = self.store.head(now_ns, self.free_ns) else { return false };
        let start_ns = self.transmitter.start_ns(head.ready_ns, head.frame_bytes);
        if start_ns > now_ns {
            return false;
        }
        let departure_ns = self.transmitter.transmit(head.ready_ns, start_ns, head.frame_bytes);
        self.free_ns = self.transmitter.free_ns();
        let arrival_ns = departure_ns + self.delay_ns;
        if self.impairments.is_some() {
            self.launch_impaired(start_ns, arrival_ns, head.frame_bytes);
        } else {
            self.launch_in_order(start_ns, arrival_ns, head.frame_bytes);
        }
        true
    }

    #[inline]
    fn launch_in_order(&mut self, start_ns: u64, arrival_ns: u64, frame_bytes: u32) {
        self.last_arrival_ns = self.last_arrival_ns.max(arrival_ns);
        self.store.launch(start_ns, self.last_arrival_ns, frame_bytes);
    }

    #[inline(never)]
    fn launch_impaired(&mut self, start_ns: u64, arrival_ns: u64, frame_bytes: u32) {
        let impairments = self.impairments.as_mut().expect("only impaired links come here");
        let arrival_ns = arrival_ns + impairments.jitter_ns();
        match &mut impairments.reorder {
            Some(wire) => wire.launch(arrival_ns, self.store.take(start_ns, frame_bytes)),
            None => self.launch_in_order(start_ns, arrival_ns, frame_bytes),
        }
    }

    /// Makes sure that an event is pending for what happens next.
    #[inline]
    fn arm(&mut self, now_ns: u64, events: &mut EventQueue) {
        let next_ns = match self.store.next_arrival_ns() {
            Some(arrival_ns) if self.impairments.is_none() => arrival_ns,
            _ => self.next_event_ns(now_ns),
        };
        if next_ns < self.pending_ns {
            self.pending_ns = next_ns;
            events.schedule(next_ns, self.component);
        }
    }

    #[inline(never)]
    fn next_event_ns(&mut self, now_ns: u64) -> u64 {
        if let Some(impairments) = &self.impairments {
            if impairments.is_copy_due {
                return now_ns;
            }
            if let Some(wire) = &impairments.reorder {
                // The head of the queue may yet overtake everything on the wire.
                return wire.next_arrival_ns().unwrap_or(NEVER).min(self.next_queue_event_ns(now_ns));
            }
        }
        self.store.next_arrival_ns().unwrap_or_else(|| self.next_queue_event_ns(now_ns))
    }

    /// When the head of the queue can arrive at the earliest, or when a change makes that worth another look.
    fn next_queue_event_ns(&mut self, now_ns: u64) -> u64 {
        let start_ns = match self.store.head(now_ns, self.free_ns) {
            Some(head) => Some(self.transmitter.start_ns(head.ready_ns, head.frame_bytes)),
            None => self.store.next_choice_ns(self.free_ns),
        };
        start_ns.map_or(NEVER, |start_ns| (start_ns + self.delay_ns).min(self.next_change_ns))
    }

    /// What starts at the time of a change or later goes by the new values.
    #[cold]
    #[inline(never)]
    fn apply_changes(&mut self, now_ns: u64) {
        while let Some(change) = self.schedule.take_due(now_ns, self.transmitter.rate_bps()) {
            self.start_due(change.at_ns.saturating_sub(1));
            self.delay_ns = change.delay_ns.unwrap_or(self.delay_ns);
            if let Some(rate_bps) = change.rate_bps {
                self.transmitter.set_rate(change.at_ns, rate_bps, self.schedule.burst_bytes());
                self.free_ns = self.transmitter.free_ns();
                self.largest_frame_bytes = self.transmitter.largest_frame_bytes();
            }
        }
        self.next_change_ns = self.schedule.next_ns().unwrap_or(NEVER);
    }

    #[inline]
    fn reorders(&self) -> bool {
        self.impairments.as_ref().is_some_and(|impairments| impairments.reorder.is_some())
    }

    /// The counters at `now_ns`, which must not lie before the last call of any kind.
    pub fn stats(&mut self, now_ns: u64) -> LinkStats {
        self.catch_up(now_ns);
        let (counters, backlog, queue) = (&self.counters, self.store.backlog(), self.store.queue_stats());
        let (enqueued, mut transmitted) = (self.store.enqueued(), self.store.launched());
        if self.free_ns > now_ns {
            transmitted.packets -= 1;
            transmitted.bytes -= u64::from(self.store.last_launched_bytes());
        }
        let kept_aside = self.impairments.as_ref().map_or(0, |impairments| impairments.kept_packets());
        LinkStats {
            enqueued_packets: enqueued.packets,
            enqueued_bytes: enqueued.bytes,
            dropped_packets: queue.dropped_packets + counters.oversized_packets,
            dropped_bytes: queue.dropped_bytes + counters.oversized_bytes,
            marked_packets: queue.marked_packets,
            marked_bytes: queue.marked_bytes,
            delivered_packets: counters.delivered_packets,
            delivered_bytes: counters.delivered_bytes,
            lost_randomly_packets: counters.lost_packets,
            lost_randomly_bytes: counters.lost_bytes,
            duplicated_packets: counters.duplicated_packets,
            duplicated_bytes: counters.duplicated_bytes,
            backlog_packets: backlog.packets,
            backlog_bytes: backlog.bytes,
            max_backlog_bytes: counters.max_backlog_bytes,
            mean_backlog_bytes: self.store.backlog_byte_ns(now_ns) as f64 / now_ns.max(1) as f64,
            in_flight_packets: self.store.on_wire() + kept_aside,
            transmitted_packets: transmitted.packets,
            transmitted_bytes: transmitted.bytes,
            capacity_bytes: self
                .transmitter
                .trace_capacity_bytes(now_ns)
                .or_else(|| self.schedule.capacity_bytes(now_ns, self.transmitter.rate_bps())),
        }
    }
}
