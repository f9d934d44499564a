//! The interface of media: links, and channels that several stations share.

use fairlane_engine::EventQueue;

use crate::packet::Packet;
use crate::packet_log::PacketLog;
use crate::statistics::{AccessRecord, StationStats};

/// Names a station of the network. A path is a list of stations; each belongs to one medium. A link has one station,
/// and stations of links are numbered first, in the order of the links.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StationId(pub u32);

/// Names a medium. The network gives each medium one component of the event queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct MediumId(pub u32);

/// A medium carries packets from its stations to the far end.
///
/// **Calls.** Times never run backwards from call to call. [`send`](Self::send) enqueues a packet at a station, or drops
/// it. [`on_event`](Self::on_event) is called at each time that the medium scheduled for its component, and returns a
/// packet if one arrives. The medium keeps at most one relevant event in the event queue, for its next action, and
/// ignores events at other times. If several packets arrive at one instant, it schedules another event at the same time
/// for the next one. Statistics may be read at any time.
///
/// **Access.** A medium chooses the next packet as late as possible: when the transmitter (link) or the channel (shared
/// medium) becomes free. Only then does it dequeue packets at its stations. It may do so at an event or, like a link, at
/// the next call: no packet can have been enqueued in between.
pub(crate) trait Medium<P: Copy> {
    /// Sends a packet from `station`; `hop` is its new position on its path. True if the medium has taken or dropped it;
    /// false for an instant link, which leaves the packet to the caller.
    fn send(&mut self, now_ns: u64, station: StationId, packet: &Packet<P>, hop: u16, events: &mut EventQueue) -> bool;

    /// Handles the medium's event. Returns a packet if one arrives at the far end.
    fn on_event(&mut self, now_ns: u64, events: &mut EventQueue) -> Option<&Packet<P>>;

    /// The packet that [`on_event`](Self::on_event) returned last.
    fn delivered(&self) -> &Packet<P>;

    /// The path of the packet that arrives after `ahead` others, if known. A hint for prefetching.
    fn upcoming_path(&self, ahead: u64) -> Option<u32>;

    /// The counters of a station at `now_ns`, which must be the present or the end of the run.
    fn station_stats(&mut self, station: StationId, now_ns: u64) -> StationStats;

    /// Packets of a path that `station` has dropped or lost by `now_ns`, which must be the present or the end of the run.
    fn lost_packets(&mut self, station: StationId, path: u32, now_ns: u64) -> u64;

    /// The queueing delay that the given share (0 to 1) of a station's packets did not exceed.
    fn queue_delay_quantile_ns(&self, station: StationId, share: f64) -> Option<f64>;

    /// Restarts the longest backlog of a station and the distribution of its queueing delays.
    fn restart_maxima(&mut self, station: StationId);

    /// Records the steps of a station's packets from now on.
    fn record(&mut self, station: StationId, log: PacketLog<P>) {
        let _ = (station, log);
    }

    /// The recorded frames of a station, in order of their ends.
    fn accesses(&self, station: StationId) -> Vec<AccessRecord> {
        let _ = station;
        Vec::new()
    }

    /// Appends to `into` the packets that have left a station since the last call, transmitted or dropped, if their hosts
    /// wait for that (TCP Small Queues). Called after events that deliver no packet, so a medium schedules an event for it
    /// if needed.
    fn take_departed(&mut self, into: &mut Vec<Packet<P>>) {
        let _ = into;
    }
}
