//! A record of the steps of packets, for callers that draw them.
//!
//! A network that records carries all packets of links through the general store, with the same results; without a log
//! the plain FIFO has no code for it.

use crate::medium::StationId;
use crate::packet::Packet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A step of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum PacketStep {
    /// It enters the queue of a station.
    Enqueue = 0,
    /// Its transmission starts: it leaves the queue.
    Transmit = 1,
    /// The queue drops it, on arrival or later.
    Drop = 2,
    /// The queue has marked it (CE), before its transmission.
    Mark = 3,
    /// It is lost on the wire.
    Lose = 4,
    /// A host sends it.
    Send = 5,
    /// It arrives at its host.
    Receive = 6,
}

#[derive(Clone, Copy, Debug)]
pub struct PacketEvent<P> {
    pub time_ns: u64,
    /// Of a transmission: when the packet arrives at the far end; none if that is not known yet.
    pub until_ns: Option<u64>,
    pub step: PacketStep,
    /// None at hosts.
    pub station: Option<StationId>,
    pub packet: Packet<P>,
}

/// The steps since they were last taken. Links report their steps when they catch up, so the order is that of time only
/// after all have, and sorting.
#[derive(Clone)]
pub struct PacketLog<P>(Arc<Mutex<Vec<PacketEvent<P>>>>);

impl<P> Default for PacketLog<P> {
    fn default() -> Self {
        Self(Arc::default())
    }
}

impl<P: Copy> PacketLog<P> {
    fn events(&self) -> MutexGuard<'_, Vec<PacketEvent<P>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn add(&self, event: PacketEvent<P>) {
        self.events().push(event);
    }

    /// The number of steps since they were last taken.
    pub fn len(&self) -> usize {
        self.events().len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether a step from number `from` on fulfils the condition.
    pub fn any_from(&self, from: usize, condition: impl Fn(&PacketEvent<P>) -> bool) -> bool {
        self.events()[from..].iter().any(condition)
    }

    /// All steps since the last call, in order of time.
    pub fn take(&self) -> Vec<PacketEvent<P>> {
        let mut events = std::mem::take(&mut *self.events());
        events.sort_by_key(|event| event.time_ns);
        events
    }
}

/// The log of one station.
pub(crate) struct StationLog<P> {
    station: StationId,
    log: PacketLog<P>,
}

impl<P: Copy> StationLog<P> {
    pub fn new(station: StationId, log: PacketLog<P>) -> Self {
        Self { station, log }
    }

    #[cold]
    pub fn add(&self, time_ns: u64, step: PacketStep, packet: &Packet<P>) {
        self.log.add(PacketEvent { time_ns, until_ns: None, step, station: Some(self.station), packet: *packet });
    }

    #[cold]
    pub fn transmit(&self, time_ns: u64, until_ns: Option<u64>, packet: &Packet<P>) {
        let step = PacketStep::Transmit;
        self.log.add(PacketEvent { time_ns, until_ns, step, station: Some(self.station), packet: *packet });
    }
}
