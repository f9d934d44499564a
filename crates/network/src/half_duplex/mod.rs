//! A half-duplex channel: stations that share one rate and take turns, one transmission at a time.
//!
//! The channel serves its stations round robin. A station sends up to `frames_per_turn` frames, fewer if its queue runs
//! empty; then the next station with packets gets the channel, and the first bit of its first frame leaves
//! `turnaround_ns` later. A station that alone has packets keeps the channel without turnarounds. All frames have the
//! same propagation delay, so they arrive in the order of transmission.
//!
//! The next frame is chosen when the channel becomes free or, if it is idle, when a packet is enqueued; the frame
//! counts as queued until its first bit leaves. Like a link, the channel *catches up* on each call: it makes the
//! decisions that have become due since the last call, each at its own time. No packet was enqueued in between, so only
//! arrivals need events.

mod check;

use fairlane_engine::{ComponentId, EventQueue, Streams, NS_PER_SEC};

pub(crate) use self::check::check;
use crate::medium::{Medium, StationId};
use crate::packet::Packet;
use crate::packet_log::{PacketLog, StationLog};
use crate::statistics::StationStats;
use crate::store::{Ring, StationQueue};
use crate::transmitter::{ExactRate, Waiting};
use fairlane_contract::{HalfDuplexConfig, ETHERNET_OVERHEAD_BYTES};

pub(crate) struct HalfDuplex<P> {
    component: ComponentId,
    first_station: StationId,
    rate: ExactRate,
    turnaround_ns: u64,
    delay_ns: u64,
    frames_per_turn: u32,
    overhead_bytes: u32,
    stations: Vec<StationQueue<P>>,
    /// The station that has, or last had, the channel, and the number of frames it has sent in this turn.
    turn: Option<(usize, u32)>,
    /// End of the last transmission.
    free_ns: u64,
    /// The next transmission, decided but not started.
    access: Option<Access>,
    wire: Ring<OnWire<P>>,
    /// Time of the pending event. An event at another time is stale.
    pending_ns: u64,
}

/// One frame of a station that has won the channel.
#[derive(Clone, Copy, Debug)]
struct Access {
    station: usize,
    start_ns: u64,
    end_ns: u64,
    frame_bytes: u32,
}

#[derive(Clone, Copy, Debug)]
struct OnWire<P> {
    arrival_ns: u64,
    station: usize,
    packet: Packet<P>,
}

const NEVER: u64 = u64::MAX;

impl<P: Copy> HalfDuplex<P> {
    /// The stations are numbered from `first_station` on. Random streams are derived from `number`, the medium's index
    /// among the shared ones.
    pub fn new(
        config: &HalfDuplexConfig,
        number: u32,
        first_station: StationId,
        component: ComponentId,
        streams: &Streams,
        ticks_per_s: u32,
    ) -> Self {
        let stations = (0_u64..).zip(&config.stations).map(|(index, station)| {
            // Not the station's id: another link in the scenario must not change these random numbers.
            let stream_index = ((u64::from(number) + 1) << 32) | index;
            StationQueue::new(&config.as_link(station), stream_index, streams, ticks_per_s)
        });
        Self {
            component,
            first_station,
            rate: ExactRate::new(config.rate_bps),
            turnaround_ns: config.turnaround_ns,
            delay_ns: config.delay_ns,
            frames_per_turn: config.frames_per_turn,
            overhead_bytes: config.overhead_bytes.unwrap_or(ETHERNET_OVERHEAD_BYTES),
            stations: stations.collect(),
            turn: None,
            free_ns: 0,
            access: None,
            wire: Ring::new(),
            pending_ns: NEVER,
        }
    }

    fn index(&self, station: StationId) -> usize {
        (station.0 - self.first_station.0) as usize
    }

    /// Makes all decisions and starts all transmissions that are due, each at its own time.
    fn catch_up(&mut self, now_ns: u64) {
        loop {
            if self.access.is_none() && !self.decide(now_ns) {
                return;
            }
            let Some(access) = self.access.filter(|access| access.start_ns <= now_ns) else { return };
            self.start(access);
        }
    }

    /// Gives the channel to the next station, if that is due. False if no station has a packet by `now_ns`.
    fn decide(&mut self, now_ns: u64) -> bool {
        loop {
            let Some(at_ns) = self.next_decision_ns().filter(|&at_ns| at_ns <= now_ns) else { return false };
            let first = match self.turn {
                Some((station, frames)) if frames < self.frames_per_turn => station,
                Some((station, _)) => station + 1,
                None => 0,
            };
            // A queue discipline may drop all its packets, or delay them: then it is tried again later.
            let count = self.stations.len();
            let winner = (first..first + count).map(|station| station % count).find_map(|station| {
                let head = self.stations[station].choose(at_ns, self.free_ns)?;
                Some((station, head))
            });
            if let Some((station, head)) = winner {
                self.access = Some(self.access_at(at_ns, station, head));
                return true;
            }
        }
    }

    fn next_decision_ns(&self) -> Option<u64> {
        self.stations.iter().filter_map(|station| station.next_choice_ns(self.free_ns)).min()
    }

    fn access_at(&mut self, at_ns: u64, station: usize, head: Waiting) -> Access {
        let turns = self.turn.is_some_and(|(last, _)| last != station);
        let start_ns = at_ns + if turns { self.turnaround_ns } else { 0 };
        self.turn = match self.turn {
            Some((last, frames)) if last == station && frames < self.frames_per_turn => Some((station, frames + 1)),
            _ => Some((station, 1)),
        };
        if start_ns > self.free_ns || head.ready_ns >= self.free_ns {
            // It could not have started within the last nanosecond, so no fraction carries over.
            self.rate.restart();
        }
        let end_ns = start_ns + self.rate.advance(head.frame_bytes);
        Access { station, start_ns, end_ns, frame_bytes: head.frame_bytes }
    }

    fn start(&mut self, Access { station, start_ns, end_ns, frame_bytes }: Access) {
        debug_assert!(start_ns >= self.free_ns, "one transmission at a time");
        self.access = None;
        self.free_ns = end_ns;
        let packet = self.stations[station].take(start_ns, frame_bytes);
        let entry = OnWire { arrival_ns: end_ns + self.delay_ns, station, packet };
        *self.wire.extend(|| entry) = entry;
    }

    /// Schedules an event for the next arrival or decision, unless one is pending early enough.
    fn arm(&mut self, events: &mut EventQueue) {
        let next_ns = match self.access {
            _ if self.wire.head() < self.wire.tail() => self.wire.get(self.wire.head()).arrival_ns,
            Some(access) => access.end_ns + self.delay_ns,
            None => self.next_decision_ns().unwrap_or(NEVER),
        };
        if next_ns < self.pending_ns {
            self.pending_ns = next_ns;
            events.schedule(next_ns, self.component);
        }
    }

    /// Delivers the first packet on the wire if it is due; false if it is not, or is lost at random.
    fn arrive(&mut self, now_ns: u64) -> bool {
        let head = self.wire.head();
        if head == self.wire.tail() || self.wire.get(head).arrival_ns > now_ns {
            return false;
        }
        self.wire.pop_front();
        let OnWire { station, packet, .. } = self.wire.last_popped();
        self.stations[*station].arrive(now_ns, packet, self.overhead_bytes)
    }

    /// Bytes that all stations together could have sent.
    fn capacity_bytes(&self, now_ns: u64) -> u64 {
        (u128::from(self.rate.rate_bps()) * u128::from(now_ns) / u128::from(8 * NS_PER_SEC)) as u64
    }
}

impl<P: Copy> Medium<P> for HalfDuplex<P> {
    fn send(&mut self, now_ns: u64, station: StationId, packet: &Packet<P>, hop: u16, events: &mut EventQueue) -> bool {
        self.catch_up(now_ns);
        let (station, frame_bytes) = (self.index(station), packet.ip_bytes + self.overhead_bytes);
        if self.stations[station].push(now_ns, frame_bytes, packet, hop) {
            self.catch_up(now_ns);
            self.stations[station].note_backlog();
            self.arm(events);
        }
        true
    }

    fn on_event(&mut self, now_ns: u64, events: &mut EventQueue) -> Option<&Packet<P>> {
        if now_ns != self.pending_ns {
            return None;
        }
        self.pending_ns = NEVER;
        self.catch_up(now_ns);
        let has_arrived = self.arrive(now_ns);
        self.arm(events);
        has_arrived.then(|| self.delivered())
    }

    fn delivered(&self) -> &Packet<P> {
        &self.wire.last_popped().packet
    }

    fn upcoming_path(&self, ahead: u64) -> Option<u32> {
        let number = self.wire.head() + ahead;
        (number < self.wire.tail()).then(|| self.wire.get(number).packet.path)
    }

    fn station_stats(&mut self, station: StationId, now_ns: u64) -> StationStats {
        self.catch_up(now_ns);
        let station = self.index(station);
        let on_wire = (self.wire.head()..self.wire.tail()).map(|number| self.wire.get(number));
        let in_flight_packets = on_wire.filter(|entry| entry.station == station).count() as u64;
        // The next station is known when an access is decided, after the previous transmission has ended.
        let is_sending = self.free_ns > now_ns && self.turn.is_some_and(|(last, _)| last == station);
        let capacity_bytes = self.capacity_bytes(now_ns);
        self.stations[station].stats(now_ns, is_sending, in_flight_packets, capacity_bytes)
    }

    fn lost_packets(&mut self, station: StationId, path: u32, _: u64) -> u64 {
        self.stations[self.index(station)].lost_of_path(path)
    }

    fn queue_delay_quantile_ns(&self, station: StationId, share: f64) -> Option<f64> {
        self.stations[self.index(station)].queue_delay_quantile_ns(share)
    }

    fn record(&mut self, station: StationId, log: PacketLog<P>) {
        let index = self.index(station);
        self.stations[index].record(StationLog::new(station, log));
    }

    fn restart_maxima(&mut self, station: StationId) {
        let station = self.index(station);
        self.stations[station].restart_maxima();
    }
}
