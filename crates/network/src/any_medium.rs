//! All media behind one type, so that the compiler sees every call on the path of a packet.

use fairlane_contract::{Limits, MediumConfig, Problem};
use fairlane_engine::EventQueue;

use crate::half_duplex::{self, HalfDuplex};
use crate::link::{HostDevice, InstantLink, Link};
use crate::medium::{Medium, StationId};
use crate::packet::{Packet, NO_PATH};
use crate::packet_log::PacketLog;
use crate::queue::Fifo;
use crate::statistics::{AccessRecord, StationStats};
use crate::store::{DisciplineStore, FifoRing};
use crate::wifi::{self, Wifi};

/// Rejects an invalid configuration of a shared medium with the first problem found.
pub fn check_medium(medium: &MediumConfig) -> Result<(), Problem> {
    medium.check_limits()?;
    match medium {
        MediumConfig::HalfDuplex(channel) => half_duplex::check(channel),
        MediumConfig::Wifi(cell) => wifi::check(cell),
    }
}

/// A medium of any kind. The tag is a separate byte, so that testing it takes one comparison.
#[repr(u8)]
pub(crate) enum AnyMedium<P> {
    InstantLink(InstantLink),
    FifoLink(Link<P, FifoRing<P>>),
    QueuedLink(Link<P, DisciplineStore<P>>),
    HalfDuplex(HalfDuplex<P>),
    Wifi(Wifi<P>),
    HostDevice(HostDevice<P>),
}

/// Evaluates an expression for a medium of any kind.
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

/// Calls that every packet makes test for a plain link first; all other kinds are out of line.
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
    fn delivered(&self) -> &Packet<P> {
        match self {
            Self::FifoLink(link) => link.delivered(),
            other => other.delivered_out_of_line(),
        }
    }

    fn upcoming_path(&self, ahead: u64) -> Option<u32> {
        each!(self, medium => Medium::<P>::upcoming_path(medium, ahead))
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

    fn record(&mut self, station: StationId, log: PacketLog<P>) {
        each!(self, medium => medium.record(station, log));
    }

    fn take_departed(&mut self, into: &mut Vec<Packet<P>>) {
        each!(self, medium => medium.take_departed(into));
    }
}

impl<P: Copy> AnyMedium<P> {
    /// The same medium, before its first packet, able to record.
    pub fn recording(self) -> Self {
        match self {
            Self::FifoLink(link) => Self::QueuedLink(
                link.with_store(|ring| DisciplineStore::new(Box::new(Fifo::with_limits(ring.limits())))),
            ),
            other => other,
        }
    }

    #[inline(never)]
    fn on_event_out_of_line(&mut self, now_ns: u64, events: &mut EventQueue) -> Option<&Packet<P>> {
        each!(self, medium => medium.on_event(now_ns, events))
    }

    #[inline(never)]
    fn delivered_out_of_line(&self) -> &Packet<P> {
        each!(self, medium => medium.delivered())
    }

    /// See [`Network::upcoming_paths`](crate::Network::upcoming_paths).
    #[inline(always)]
    pub fn upcoming_paths(&self) -> [u32; 4] {
        match self {
            Self::FifoLink(link) => paths(|ahead| link.upcoming_path(ahead)),
            other => other.upcoming_paths_out_of_line(),
        }
    }

    #[inline(never)]
    fn upcoming_paths_out_of_line(&self) -> [u32; 4] {
        paths(|ahead| self.upcoming_path(ahead))
    }
}

/// Evaluates an expression for a link, another one for other media. Only links can run without events.
macro_rules! each_link {
    ($medium:expr, $name:ident => $call:expr, else $other:expr) => {
        match $medium {
            $crate::any_medium::AnyMedium::FifoLink($name) => $call,
            $crate::any_medium::AnyMedium::QueuedLink($name) => $call,
            _ => $other,
        }
    };
}
pub(crate) use each_link;

#[inline(always)]
fn paths(upcoming_path: impl Fn(u64) -> Option<u32>) -> [u32; 4] {
    [0, 1, 2, 3].map(|ahead| upcoming_path(ahead).unwrap_or(NO_PATH))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Networks keep all media in one array: a rarely used kind must not enlarge its elements.
    #[test]
    fn shared_media_are_no_larger_than_a_link() {
        let link = size_of::<Link<u64, FifoRing<u64>>>().max(size_of::<Link<u64, DisciplineStore<u64>>>());
        assert!(size_of::<HalfDuplex<u64>>() <= link, "{} of {link}", size_of::<HalfDuplex<u64>>());
        assert!(size_of::<Wifi<u64>>() <= link, "{} of {link}", size_of::<Wifi<u64>>());
    }
}
