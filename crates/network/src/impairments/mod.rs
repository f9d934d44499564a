//! Impairments of the wire: jitter, reordering, slots, loss, outages, bit errors, duplication, faults of the ECN field.
//!
//! Impairments act after queue and transmitter, so a packet that will be lost takes up room in both. Each impairment of
//! each link has its own random stream. Only links with impairments have an `Impairments`.

mod correlated;
mod ecn_fault;
mod jitter;
mod loss;
mod reordering;
mod slots;
mod unordered_wire;

use fairlane_engine::{RandomStream, Streams};

use self::correlated::Correlated;
pub(crate) use self::ecn_fault::EcnFaults;
use self::jitter::Jitter;
pub(crate) use self::loss::Loss;
use self::reordering::Reordering;
use self::slots::Slots;
use self::unordered_wire::UnorderedWire;
use crate::medium::StationId;
use crate::outages::Outages;
use fairlane_contract::{LinkConfig, LossConfig, WhenDown};

pub(crate) struct Impairments<P> {
    jitter: Option<Jitter>,
    reordering: Option<Reordering>,
    loss: Option<Loss>,
    outages: Vec<Outages>,
    corrupt: Option<Correlated>,
    duplicate: Option<Correlated>,
    pub ecn_faults: Option<EcnFaults>,
    /// The packet that arrived last is duplicated immediately.
    pub is_copy_due: bool,
    /// Its arrival time, in a lookahead window.
    pub arrival_ns: u64,
    /// Keeps the packets on the wire, instead of the store, if they can overtake each other or wait for a slot.
    pub wire: Option<UnorderedWire<P>>,
    /// Jitter lets packets overtake.
    jitter_reorders: bool,
}

impl<P: Copy> Impairments<P> {
    /// None if the configuration has no impairment.
    pub fn new(config: &LinkConfig, station: StationId, streams: &Streams) -> Option<Box<Self>> {
        if !has_any(config) {
            return None;
        }
        let stream = |kind: &str| streams.stream(kind, u64::from(station.0));
        let slots = config.slot.as_ref().map(|slot| Slots::new(slot, stream("link slots")));
        let jitter_reorders = config.jitter.as_ref().is_some_and(|jitter| jitter.reorder);
        let corrupt = config.corrupt.as_ref();
        let wire = jitter_reorders || config.reorder.is_some() || slots.is_some();
        Some(Box::new(Self {
            jitter: config.jitter.as_ref().and_then(|jitter| Jitter::new(jitter, stream("link jitter"))),
            reordering: config.reorder.as_ref().map(|reorder| Reordering::new(reorder, stream("link reordering"))),
            loss: Loss::of_link(config, &stream),
            outages: outages(config, WhenDown::Drop, &stream),
            corrupt: corrupt.map(|it| Correlated::new(it.probability, it.correlation, stream("link corruption"))),
            duplicate: (config.duplicate_probability > 0.0).then(|| {
                let stream = stream("link duplication");
                Correlated::new(config.duplicate_probability, config.duplicate_correlation, stream)
            }),
            ecn_faults: config.ecn_fault.as_ref().map(|fault| EcnFaults::new(fault, stream("link ECN"))),
            is_copy_due: false,
            arrival_ns: 0,
            wire: wire.then(|| UnorderedWire::new(slots)),
            jitter_reorders,
        }))
    }

    /// When a packet arrives that is transmitted by `end_ns` and takes `delay_ns`; `last_ns` is the arrival of the
    /// packet before, which is moved unless this one overtakes.
    pub fn arrival_ns(&mut self, end_ns: u64, delay_ns: u64, last_ns: &mut u64) -> u64 {
        if self.reordering.as_mut().is_some_and(Reordering::overtakes) {
            return end_ns;
        }
        let jitter_ns = self.jitter.as_mut().map_or(0, Jitter::next_ns);
        let arrival_ns = end_ns + delay_ns.saturating_add_signed(jitter_ns);
        if self.jitter_reorders {
            return arrival_ns;
        }
        *last_ns = arrival_ns.max(*last_ns);
        *last_ns
    }

    /// Another loss from `at_ns` on; false if the wire began without.
    pub fn change_loss(&mut self, at_ns: u64, model: &LossConfig) -> bool {
        self.loss.as_mut().map(|loss| loss.change(at_ns, model)).is_some()
    }

    /// Every packet arrives by the delay of the link after its transmission, or after the packet before.
    pub fn keeps_distance(&self) -> bool {
        self.jitter.is_none() && self.reordering.is_none() && self.wire.is_none()
    }

    /// The shortest time that a packet needs on a wire with this delay.
    pub fn shortest_delay_ns(&self, delay_ns: u64) -> u64 {
        let most_below_ns = self.jitter.as_ref().map_or(0, Jitter::most_below_ns);
        if self.reordering.is_some() {
            0
        } else {
            delay_ns.saturating_sub(most_below_ns)
        }
    }

    /// Packets on the wire outside the link's store.
    pub fn kept_packets(&self) -> u64 {
        u64::from(self.is_copy_due) + self.wire.as_ref().map_or(0, UnorderedWire::len)
    }

    /// Whether the packet that arrives now is lost, by any cause.
    pub fn loses(&mut self, now_ns: u64) -> bool {
        let is_lost = self.loss.as_mut().is_some_and(|loss| loss.next(now_ns));
        let is_corrupt = self.corrupt.as_mut().is_some_and(Correlated::next);
        let is_down = self.outages.iter_mut().any(|outages| outages.contain(now_ns));
        is_lost || is_corrupt || is_down
    }

    /// Whether the packet that arrives now is duplicated.
    pub fn duplicates(&mut self) -> bool {
        self.duplicate.as_mut().is_some_and(Correlated::next)
    }
}

/// Whether a link has an impairment of its wire.
pub(crate) fn has_any(config: &LinkConfig) -> bool {
    let jitter = config.jitter.as_ref();
    jitter.is_some_and(|jitter| jitter.max_ns > 0 || jitter.spread_ns.is_some_and(|spread_ns| spread_ns > 0))
        || config.loss.is_some()
        || config.changes.iter().any(|change| change.loss.is_some())
        || config.duplicate_probability > 0.0
        || config.corrupt.is_some()
        || config.ecn_fault.is_some()
        || config.reorder.is_some()
        || config.slot.is_some()
        || (config.when_down == WhenDown::Drop && !config.outages.is_empty())
}

/// The outages of a link in which packets have this fate.
pub(crate) fn outages(
    config: &LinkConfig,
    when_down: WhenDown,
    stream: &impl Fn(&str) -> RandomStream,
) -> Vec<Outages> {
    let chosen = config.outages.iter().filter(|_| config.when_down == when_down);
    chosen.zip(0..).map(|(outages, number)| Outages::new(outages, stream(&format!("link outages {number}")))).collect()
}
