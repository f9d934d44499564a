//! Media: what carries packets from the stations that hand them in to the far end.
//!
//! A [`Medium`] owns one or more stations. A link is a medium with one station ([`Link`], or [`InstantLink`] if it
//! never holds a packet); the stations of [`HalfDuplex`] share a channel. Media are called through [`AnyMedium`], so that the compiler sees every call on the path of
//! a packet; `link/store.rs` separates the links with a plain FIFO from those with another queue discipline.

use fairlane_contract::Problem;
use fairlane_engine::EventQueue;

use crate::packet::Packet;
use crate::statistics::{AccessRecord, StationStats};

/// Names a station of the network. A path is a list of stations; each belongs to one medium. A link has one station,
/// and stations of links are numbered first, in the order of the links.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StationId(pub u32);

/// Names a medium. The network gives each medium one component of the event queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct MediumId(pub u32);

/// Carries packets for one or more stations.
///
/// **Calls.** Times never run backwards from call to call. [`send`](Self::send) puts a packet into the queue of a
/// station, or drops it. [`on_event`](Self::on_event) is called at each time that the medium scheduled for its
/// component. It keeps at most one relevant event in the event queue, for whatever it has to do next, and ignores
/// events at other times. A packet that arrives is the return value of `on_event`; if several arrive at one instant,
/// the medium schedules another event at the same time for the next one. Statistics may be read at any time.
///
/// **Access.** A medium decides as late as it can what is sent next: when the transmitter (link) or the channel
/// (shared medium) becomes free. Only then does it take packets from the queues of its stations. Whether it does so at
/// an event, or works it out at the next call as a link does, is its own matter: nothing can change in between.
///
/// **Wi-Fi** ([`Wifi`]) has a station for each transmit queue: from a client to the access point, and back. Which node
/// transmits is found once per channel access, from the backoff counters, and an A-MPDU is taken from its queue at that
/// moment. Airtime, collisions and retries are reported in [`StationStats::access`].
pub(crate) trait Medium<P: Copy> {
    /// A packet enters at `station`; `hop` is its new place on its path. False if the medium never holds packets, and
    /// this one is at the far end already; true if the medium has taken or dropped it.
    fn send(&mut self, now_ns: u64, station: StationId, packet: &Packet<P>, hop: u16, events: &mut EventQueue) -> bool;

    /// The medium's event. Gives a packet if one arrives at the far end.
    fn on_event(&mut self, now_ns: u64, events: &mut EventQueue) -> Option<&Packet<P>>;

    /// The packet that [`on_event`](Self::on_event) gave last.
    fn delivered(&self) -> &Packet<P>;

    /// The path of the packet that arrives after `ahead` others, if that is known. A hint: a medium that cannot tell
    /// answers none.
    fn upcoming_path(&self, ahead: u64) -> Option<u32>;

    /// The counters of a station at `now_ns`, which must be the present or the end of the run.
    fn station_stats(&mut self, station: StationId, now_ns: u64) -> StationStats;

    /// Packets of a path that `station` has dropped or lost by `now_ns`, which must be the present or the end of the run.
    fn lost_packets(&mut self, station: StationId, path: u32, now_ns: u64) -> u64;

    /// The queueing delay that the given share (0 to 1) of a station's packets did not exceed.
    fn queue_delay_quantile_ns(&self, station: StationId, share: f64) -> Option<f64>;

    /// The longest backlog and the distribution of a station's queueing delays count from here.
    fn restart_maxima(&mut self, station: StationId);

    /// The frames of a station that were recorded one by one, in order of their ends.
    fn accesses(&self, station: StationId) -> Vec<AccessRecord> {
        let _ = station;
        Vec::new()
    }

    /// Moves the packets that have left a station since the last call, transmitted or dropped, to the end of `into`: the
    /// hosts that sent them may wait for that (TCP Small Queues). It is asked for after events that deliver nothing, so
    /// a medium schedules an event of its own for it where needed. Media whose packets no host waits for give none.
    fn take_departed(&mut self, into: &mut Vec<Packet<P>>) {
        let _ = into;
    }
}

/// More stations than any real channel has; each access asks all of them in turn.
const MAX_STATIONS: usize = 256;

pub(crate) fn check_station_count(stations: usize, least: usize) -> Result<(), Problem> {
    if (least..=MAX_STATIONS).contains(&stations) {
        return Ok(());
    }
    Err(Problem::new("stations", format!("has {stations} entries"), format!("give {least} to {MAX_STATIONS}")))
}
