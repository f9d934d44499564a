//! Media: what carries packets from the stations that hand them in to the far end.
//!
//! A [`Medium`] owns one or more stations. A link is a medium with one station ([`Link`], or [`InstantLink`] if it
//! never holds a packet); the stations of [`HalfDuplex`] share a channel. Media are called through [`AnyMedium`], so that the compiler sees every call on the path of
//! a packet; `link/store.rs` separates the links with a plain FIFO from those with another queue discipline.

mod books;
mod half_duplex;
mod host_device;
mod instant_link;
mod link;
mod path_losses;
mod station_queue;
mod wifi;

use fairlane_engine::EventQueue;

pub(crate) use self::half_duplex::HalfDuplex;
pub(crate) use self::host_device::HostDevice;
pub(crate) use self::instant_link::InstantLink;
pub(crate) use self::link::{DisciplineStore, FifoRing, Link};
pub(crate) use self::wifi::{as_link, index_of, loss_of, Rate, Wifi};
use crate::lookahead::Land;
use crate::network::NO_PATH;
use crate::{AccessRecord, Packet, StationStats};

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
    fn landed(&self) -> &Packet<P>;

    /// The path of the packet that arrives after `ahead` others, if that is known. A hint: a medium that cannot tell
    /// answers none.
    fn coming(&self, ahead: u64) -> Option<u32>;

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

/// Every kind of medium. The tag is a byte of its own: one comparison, wherever the compiler puts it.
#[repr(u8)]
pub(crate) enum AnyMedium<P> {
    InstantLink(InstantLink),
    FifoLink(Link<P, FifoRing<P>>),
    QueuedLink(Link<P, DisciplineStore<P>>),
    HalfDuplex(HalfDuplex<P>),
    Wifi(Wifi<P>),
    HostDevice(HostDevice<P>),
}

/// The same expression for every kind.
macro_rules! each {
    ($medium:expr, $name:ident => $call:expr) => {
        match $medium {
            AnyMedium::InstantLink($name) => $call,
            AnyMedium::FifoLink($name) => $call,
            AnyMedium::QueuedLink($name) => $call,
            AnyMedium::HalfDuplex($name) => $call,
            AnyMedium::Wifi($name) => $call,
            AnyMedium::HostDevice($name) => $call,
        }
    };
}

/// What every packet needs asks one question first, whether this is a plain link; everything else is out of line.
impl<P: Copy> Medium<P> for AnyMedium<P> {
    fn send(&mut self, now_ns: u64, station: StationId, packet: &Packet<P>, hop: u16, events: &mut EventQueue) -> bool {
        each!(self, medium => medium.send(now_ns, station, packet, hop, events))
    }

    #[inline(always)]
    fn on_event(&mut self, now_ns: u64, events: &mut EventQueue) -> Option<&Packet<P>> {
        match self {
            Self::FifoLink(link) => link.on_event(now_ns, events),
            other => other.on_event_out_of_line(now_ns, events),
        }
    }

    #[inline(always)]
    fn landed(&self) -> &Packet<P> {
        match self {
            Self::FifoLink(link) => link.landed(),
            other => other.landed_out_of_line(),
        }
    }

    fn coming(&self, ahead: u64) -> Option<u32> {
        each!(self, medium => Medium::<P>::coming(medium, ahead))
    }

    fn station_stats(&mut self, station: StationId, now_ns: u64) -> StationStats {
        each!(self, medium => Medium::<P>::station_stats(medium, station, now_ns))
    }

    fn lost_packets(&mut self, station: StationId, path: u32, now_ns: u64) -> u64 {
        each!(self, medium => Medium::<P>::lost_packets(medium, station, path, now_ns))
    }

    fn queue_delay_quantile_ns(&self, station: StationId, share: f64) -> Option<f64> {
        each!(self, medium => Medium::<P>::queue_delay_quantile_ns(medium, station, share))
    }

    fn restart_maxima(&mut self, station: StationId) {
        each!(self, medium => Medium::<P>::restart_maxima(medium, station));
    }

    fn accesses(&self, station: StationId) -> Vec<AccessRecord> {
        each!(self, medium => Medium::<P>::accesses(medium, station))
    }

    fn take_departed(&mut self, into: &mut Vec<Packet<P>>) {
        each!(self, medium => medium.take_departed(into));
    }
}

impl<P: Copy> AnyMedium<P> {
    #[inline(never)]
    fn on_event_out_of_line(&mut self, now_ns: u64, events: &mut EventQueue) -> Option<&Packet<P>> {
        each!(self, medium => medium.on_event(now_ns, events))
    }

    #[inline(never)]
    fn landed_out_of_line(&self) -> &Packet<P> {
        each!(self, medium => medium.landed())
    }

    /// See [`Network::coming`](crate::Network::coming).
    #[inline(always)]
    pub fn coming_paths(&self) -> [u32; 4] {
        match self {
            Self::FifoLink(link) => paths(|ahead| link.coming(ahead)),
            other => other.coming_paths_out_of_line(),
        }
    }

    #[inline(never)]
    fn coming_paths_out_of_line(&self) -> [u32; 4] {
        paths(|ahead| self.coming(ahead))
    }
}

/// The links among them can do without events; see `lookahead.rs`.
impl<P: Copy> AnyMedium<P> {
    /// No packet ever arrives sooner after it was sent; none for a medium that needs events.
    pub fn least_delay_ns(&self) -> Option<u64> {
        match self {
            Self::FifoLink(link) => link.least_delay_ns(),
            Self::QueuedLink(link) => link.least_delay_ns(),
            _ => None,
        }
    }

    pub fn disarm(&mut self) {
        match self {
            Self::FifoLink(link) => link.disarm(),
            Self::QueuedLink(link) => link.disarm(),
            _ => {}
        }
    }

    pub fn rearm(&mut self, now_ns: u64, events: &mut EventQueue) {
        match self {
            Self::FifoLink(link) => link.rearm(now_ns, events),
            Self::QueuedLink(link) => link.rearm(now_ns, events),
            _ => {}
        }
    }

    pub fn settle(&mut self, now_ns: u64) {
        match self {
            Self::FifoLink(link) => link.settle(now_ns),
            Self::QueuedLink(link) => link.settle(now_ns),
            _ => {}
        }
    }

    pub fn enter_ahead<'a>(&mut self, bursts: impl Iterator<Item = (u64, &'a [Packet<P>])>)
    where
        P: 'a,
    {
        match self {
            Self::FifoLink(link) => link.enter_ahead(bursts),
            Self::QueuedLink(link) => link.enter_ahead(bursts),
            _ => unreachable!("{ONLY_LINKS}"),
        }
    }

    pub fn land_before(&mut self, end_ns: u64, wire_end: &mut impl Land<P>) {
        match self {
            Self::FifoLink(link) => link.land_before(end_ns, wire_end),
            Self::QueuedLink(link) => link.land_before(end_ns, wire_end),
            _ => unreachable!("{ONLY_LINKS}"),
        }
    }

    #[inline]
    pub fn record(&self, place: u32) -> &Packet<P> {
        match self {
            Self::FifoLink(link) => link.record(place),
            Self::QueuedLink(link) => link.record(place),
            _ => unreachable!("{ONLY_LINKS}"),
        }
    }
}

const ONLY_LINKS: &str = "no other medium says how far it can look ahead";

#[inline(always)]
fn paths(coming: impl Fn(u64) -> Option<u32>) -> [u32; 4] {
    [0, 1, 2, 3].map(|ahead| coming(ahead).unwrap_or(NO_PATH))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Networks with hundreds of links keep them in a row: a kind of medium that is seldom used must not make each
    /// place longer.
    #[test]
    fn shared_media_are_no_larger_than_a_link() {
        let link = size_of::<Link<u64, FifoRing<u64>>>().max(size_of::<Link<u64, DisciplineStore<u64>>>());
        assert!(size_of::<HalfDuplex<u64>>() <= link, "{} of {link}", size_of::<HalfDuplex<u64>>());
        assert!(size_of::<Wifi<u64>>() <= link, "{} of {link}", size_of::<Wifi<u64>>());
    }
}
