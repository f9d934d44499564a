//! A link: queue, transmitter and wire in a row. It is a medium with one station.
//!
//! A link is lazy. It knows when its transmitter becomes free, so on each call it *catches up*: it starts all
//! transmissions that have become due since the last call, each at its own time. Only arrivals at the far end need
//! events, and one event per link is pending, for the next arrival.
//!
//! Order at one instant: changes of the link take effect, then transmissions start, then packets are enqueued.
//!
//! Packets are kept in a [`Store`]: `FifoRing` for the plain FIFO, `DisciplineStore` for all other queues.

mod check;
mod host_device;
mod impaired;
mod instant;
mod live_change;
mod lookahead;
mod schedule;

use fairlane_engine::{ComponentId, EventQueue, Streams};

pub use self::check::{check_link, check_queue};
pub(crate) use self::check::{check_queue_of_station, is_instant};
pub(crate) use self::host_device::HostDevice;
pub(crate) use self::instant::InstantLink;
pub use self::live_change::{LiveChange, Refusal};
pub(crate) use self::lookahead::{LookaheadLink, Receiver};
use self::schedule::{Change, Schedule};
use crate::impairments::Impairments;
use crate::medium::{Medium, StationId};
use crate::packet::Packet;
use crate::packet_log::{PacketLog, StationLog};
use crate::statistics::StationStats;
use crate::store::{station_stats, Counters, Store, Wire};
use crate::transmitter::{Transmitter, Waiting};
use fairlane_contract::LinkConfig;

/// Fields that every packet uses lie together, from the end of `counters` to the beginning of `store`: with thousands of
/// links each of them is out of the cache when a packet comes. Links share no line, as threads may run
/// two of them at the same time.
#[repr(C, align(128))]
pub(crate) struct Link<P, S> {
    schedule: Box<Schedule>,
    counters: Counters,
    /// End of the last transmission: no frame starts before.
    free_ns: u64,
    /// The head of the queue cannot start before this. Without it, a token bucket, which is always free, would be
    /// tested again for every packet that is enqueued or delivered.
    head_start_ns: u64,
    delay_ns: u64,
    /// No packet arrives before its predecessor, unless the wire reorders.
    last_arrival_ns: u64,
    /// Time of the pending event. Events at other times are stale and ignored.
    pending_ns: u64,
    next_change_ns: u64,
    impairments: Option<Box<Impairments<P>>>,
    overhead_bytes: u32,
    largest_frame_bytes: u32,
    component: ComponentId,
    transmitter: Transmitter,
    store: S,
}

/// No event is pending, or no change is left.
const NEVER: u64 = u64::MAX;

impl<P: Copy, S: Store<P>> Link<P, S> {
    pub fn new(config: &LinkConfig, station: StationId, component: ComponentId, streams: &Streams, store: S) -> Self {
        let transmitter = Transmitter::new(config);
        let schedule = Box::new(Schedule::new(config, station, streams));
        Self {
            component,
            overhead_bytes: config.frame_overhead_bytes(),
            largest_frame_bytes: transmitter.largest_frame_bytes(),
            free_ns: 0,
            head_start_ns: 0,
            transmitter,
            delay_ns: config.delay_ns,
            last_arrival_ns: 0,
            pending_ns: NEVER,
            next_change_ns: schedule.next_ns().unwrap_or(NEVER),
            impairments: Impairments::new(config, station, streams),
            store,
            counters: Counters::default(),
            schedule,
        }
    }

    /// Enqueues a packet; `hop` is its new position on its path.
    #[inline]
    pub fn enqueue(&mut self, now_ns: u64, packet: &Packet<P>, hop: u16, events: &mut EventQueue) {
        self.catch_up(now_ns);
        if self.admit(now_ns, packet, hop) {
            self.arm(now_ns, events);
        }
    }

    /// Enqueues one packet per item, back to back, at the start of their path.
    #[inline]
    pub fn enqueue_all<T>(
        &mut self,
        now_ns: u64,
        items: &[T],
        mut packet_of: impl FnMut(&T) -> Packet<P>,
        events: &mut EventQueue,
    ) {
        self.catch_up(now_ns);
        let mut is_first = false;
        for item in items {
            is_first |= self.admit(now_ns, &packet_of(item), 0);
        }
        if is_first {
            self.arm(now_ns, events);
        }
    }

    /// Enqueues a packet after `catch_up`. Returns whether the pending event, if there is one, may now be too late.
    /// Inlined into all callers, so that a packet is written once, directly into its slot.
    #[inline(always)]
    fn admit(&mut self, now_ns: u64, packet: &Packet<P>, hop: u16) -> bool {
        let frame_bytes = packet.ip_bytes + self.overhead_bytes;
        if frame_bytes > self.largest_frame_bytes {
            self.counters.losses.add(packet.path);
            self.counters.refused_packets += 1;
            self.counters.refused_bytes += u64::from(frame_bytes);
            return false;
        }
        if self.is_idle(now_ns) {
            return self.bypass_queue(now_ns, frame_bytes, packet, hop) && self.pending_ns == NEVER;
        }
        if !self.store.push(now_ns, frame_bytes, packet, hop) {
            return false;
        }
        self.start_due(now_ns);
        self.counters.max_backlog_bytes = self.counters.max_backlog_bytes.max(self.store.backlog().bytes);
        // On a wire that keeps order the new packet arrives last, so the pending event stays valid, unless it is for a
        // packet that the queue delays.
        self.pending_ns == NEVER || S::MAY_HOLD_BACK || self.reorders()
    }

    /// The same link with another store, before the first packet.
    pub fn with_store<T: Store<P>>(self, store: impl FnOnce(&S) -> T) -> Link<P, T> {
        Link {
            store: store(&self.store),
            component: self.component,
            overhead_bytes: self.overhead_bytes,
            transmitter: self.transmitter,
            free_ns: self.free_ns,
            head_start_ns: self.head_start_ns,
            delay_ns: self.delay_ns,
            last_arrival_ns: self.last_arrival_ns,
            pending_ns: self.pending_ns,
            next_change_ns: self.next_change_ns,
            largest_frame_bytes: self.largest_frame_bytes,
            impairments: self.impairments,
            counters: self.counters,
            schedule: self.schedule,
        }
    }

    /// Whether the packet exceeds the largest frame that the transmitter can send.
    pub fn refuses(&self, packet: &Packet<P>) -> bool {
        packet.ip_bytes + self.overhead_bytes > self.largest_frame_bytes
    }

    /// Whether the event at `now_ns` is for this link.
    pub fn is_due(&self, now_ns: u64) -> bool {
        now_ns == self.pending_ns
    }

    pub fn store_mut(&mut self) -> &mut S {
        &mut self.store
    }

    /// Whether the transmission of a packet enqueued now would start at once, without impairments.
    #[inline]
    fn is_idle(&self, now_ns: u64) -> bool {
        !S::MAY_HOLD_BACK
            && self.store.backlog().packets == 0
            && self.free_ns <= now_ns
            && self.impairments.is_none()
            && self.transmitter.is_ready_when_free()
    }

    /// Sends a packet through an idle link: enqueues it and does the work of [`start_next`](Self::start_next) in one
    /// step. False if the queue is too small for it.
    #[inline]
    fn bypass_queue(&mut self, now_ns: u64, frame_bytes: u32, packet: &Packet<P>, hop: u16) -> bool {
        if !self.store.admits_when_empty(packet.path, frame_bytes) {
            return false;
        }
        let frame = Waiting { ready_ns: now_ns, free_ns: self.free_ns, frame_bytes };
        let mut end_ns = now_ns + self.transmitter.duration_ns(frame);
        if end_ns > self.next_change_ns {
            end_ns = self.end_across_changes(end_ns);
        }
        self.free_ns = end_ns;
        self.last_arrival_ns = self.last_arrival_ns.max(end_ns + self.delay_ns);
        self.store.bypass(self.last_arrival_ns, frame_bytes, packet, hop);
        true
    }

    #[inline]
    fn arrive(&mut self, now_ns: u64) -> bool {
        if self.store.next_arrival_ns().is_none() {
            self.catch_up(now_ns);
        }
        if self.store.next_arrival_ns().is_none_or(|arrival_ns| arrival_ns > now_ns) {
            return false;
        }
        self.store.deliver();
        self.counters.deliver(self.store.delivered().ip_bytes + self.overhead_bytes);
        true
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
        while self.free_ns.max(self.head_start_ns) <= now_ns && self.store.backlog().packets > 0 {
            if !self.start_next(now_ns) {
                break;
            }
        }
    }

    /// Starts the next transmission if it is due. Out of line: inlined, the loop above would be unrolled although it
    /// rarely runs twice.
    #[inline(never)]
    fn start_next(&mut self, now_ns: u64) -> bool {
        let Some(head) = self.store.head(now_ns, self.free_ns) else { return false };
        let head = Waiting { free_ns: self.free_ns, ..head }; // a pause may have begun since the queue chose it
        let sent = match self.transmitter.transmit(head, now_ns) {
            Ok(sent) => sent,
            Err(start_ns) => {
                self.head_start_ns = start_ns;
                return false;
            }
        };
        let mut end_ns = sent.end_ns;
        if end_ns > self.next_change_ns {
            end_ns = self.end_across_changes(end_ns);
        }
        self.free_ns = end_ns;
        if self.impairments.is_some() {
            self.transmit_impaired(sent.start_ns, end_ns, head.frame_bytes);
        } else {
            self.last_arrival_ns = self.last_arrival_ns.max(end_ns + self.delay_ns);
            self.store.transmit(sent.start_ns, self.last_arrival_ns, head.frame_bytes);
        }
        true
    }

    /// Schedules an event for the next arrival or queue action, unless one is pending early enough.
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

    /// The general case, in which the next event is not the arrival of the first packet on the wire.
    #[inline(never)]
    fn next_event_ns(&mut self, now_ns: u64) -> u64 {
        self.catch_up(now_ns);
        if let Some(impairments) = &self.impairments {
            if impairments.is_copy_due {
                return now_ns;
            }
            if let Some(wire) = &impairments.wire {
                // The head of the queue may still overtake all packets on the wire.
                return wire.next_event_ns().unwrap_or(NEVER).min(self.next_queue_event_ns(now_ns));
            }
        }
        self.store.next_arrival_ns().unwrap_or_else(|| self.next_queue_event_ns(now_ns))
    }

    /// Earliest arrival of the head of the queue, or the time of a change that may affect it.
    fn next_queue_event_ns(&mut self, now_ns: u64) -> u64 {
        let start_ns = match self.store.head(now_ns, self.free_ns) {
            Some(head) => Some(self.transmitter.start_ns(Waiting { free_ns: self.free_ns, ..head })),
            None => self.store.next_choice_ns(self.free_ns),
        };
        let shortest_ns = self.impairments.as_ref().map_or(self.delay_ns, |it| it.shortest_delay_ns(self.delay_ns));
        start_ns.map_or(NEVER, |start_ns| (start_ns + shortest_ns).min(self.next_change_ns))
    }

    /// Transmissions that start at the time of a change or later use the new values.
    #[cold]
    #[inline(never)]
    fn apply_changes(&mut self, now_ns: u64) {
        while self.next_change_ns <= now_ns {
            self.start_due(self.next_change_ns.saturating_sub(1));
            let step = self.schedule.take(self.transmitter.rate_bps()).expect("a change is due");
            match step.change {
                Change::Values { rate_bps, delay_ns } => {
                    self.delay_ns = delay_ns.unwrap_or(self.delay_ns);
                    if let Some(rate_bps) = rate_bps {
                        self.transmitter.set_rate(step.at_ns, rate_bps, self.schedule.burst_bytes());
                        self.head_start_ns = 0;
                        self.largest_frame_bytes = self.transmitter.largest_frame_bytes();
                    }
                }
                Change::Pause { until_ns } if until_ns > self.free_ns => {
                    let frame_ns = self.schedule.end_of_frame_ns(self.free_ns); // before a pause that is not over, too
                    self.schedule.pause(frame_ns, until_ns);
                    self.transmitter.pause(until_ns);
                    self.free_ns = until_ns;
                }
                Change::Pause { .. } => {} // the frame in transmission ends after it
            }
            self.next_change_ns = self.schedule.next_ns().unwrap_or(NEVER);
        }
    }

    /// The end of the transmission that the transmitter would complete at `end_ns`, after a change.
    #[cold]
    #[inline(never)]
    fn end_across_changes(&mut self, end_ns: u64) -> u64 {
        match self.transmitter.rest_at_end() {
            Some((rate_bps, early_bit_ns)) => self.schedule.end_across_steps(end_ns, rate_bps, early_bit_ns),
            None => end_ns,
        }
    }
}

impl<P: Copy, S: Store<P>> Medium<P> for Link<P, S> {
    #[inline]
    fn send(&mut self, now_ns: u64, _: StationId, packet: &Packet<P>, hop: u16, events: &mut EventQueue) -> bool {
        self.enqueue(now_ns, packet, hop, events);
        true
    }

    #[inline]
    fn on_event(&mut self, now_ns: u64, events: &mut EventQueue) -> Option<&Packet<P>> {
        if now_ns != self.pending_ns {
            return None;
        }
        self.pending_ns = NEVER;
        let has_arrived = if self.impairments.is_none() { self.arrive(now_ns) } else { self.arrive_impaired(now_ns) };
        self.arm(now_ns, events);
        has_arrived.then(|| self.delivered())
    }

    /// The packet delivered last.
    #[inline]
    fn delivered(&self) -> &Packet<P> {
        match self.impairments.as_ref().and_then(|impairments| impairments.wire.as_ref()) {
            Some(wire) => wire.delivered(),
            None => self.store.delivered(),
        }
    }

    #[inline]
    fn upcoming_path(&self, ahead: u64) -> Option<u32> {
        self.store.upcoming_path(ahead)
    }

    fn station_stats(&mut self, _: StationId, now_ns: u64) -> StationStats {
        self.catch_up(now_ns);
        let kept_aside = self.impairments.as_ref().map_or(0, |impairments| impairments.kept_packets());
        let (transmitter, schedule) = (&self.transmitter, &self.schedule);
        let capacity_bytes = || {
            let at_rate_bytes = schedule.capacity_bytes(now_ns, transmitter.rate_bps())?;
            Some(at_rate_bytes + u64::from(transmitter.burst_bytes().unwrap_or(0)))
        };
        let wire = Wire {
            is_sending: schedule.end_of_frame_ns(self.free_ns) > now_ns,
            in_flight_packets: self.store.on_wire() + kept_aside,
            capacity_bytes: transmitter.trace_capacity_bytes(now_ns).or_else(capacity_bytes),
            tokens_bytes: transmitter.tokens_bytes(now_ns),
        };
        station_stats(&self.store, &self.counters, &wire, now_ns)
    }

    /// Copies that the wire added do not count.
    fn lost_packets(&mut self, _: StationId, path: u32, now_ns: u64) -> u64 {
        self.catch_up(now_ns);
        self.store.dropped_of_path(path) + self.counters.losses.of(path)
    }

    fn queue_delay_quantile_ns(&self, _: StationId, share: f64) -> Option<f64> {
        self.store.queue_stats().delays.quantile_ns(share)
    }

    fn restart_maxima(&mut self, _: StationId) {
        self.counters.max_backlog_bytes = self.store.backlog().bytes;
        self.store.restart_delays();
    }

    fn record(&mut self, station: StationId, log: PacketLog<P>) {
        self.store.record(StationLog::new(station, log));
    }
}
