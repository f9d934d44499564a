//! Impairments of the wire: jitter, random loss, duplication.
//!
//! Impairments act after queue and transmitter, so a packet that will be lost takes up room in both. Each impairment of
//! each link has its own random stream. Only links with impairments have an `Impairments`.

mod loss;
mod reorder;

use fairlane_engine::{RandomStream, Streams};

pub(crate) use self::loss::Loss;
use self::reorder::Reorder;
use crate::medium::StationId;
use fairlane_contract::LinkConfig;

pub(crate) struct Impairments<P> {
    /// Added delay, uniform from 0 to this.
    jitter_max_ns: u64,
    jitter_stream: RandomStream,
    /// Weight of the previous delay, in units of 2⁻³², and that delay.
    jitter_carry: u64,
    last_jitter_ns: u64,
    loss: Option<Loss>,
    duplicate_probability: f64,
    duplicate_stream: RandomStream,
    /// The packet that arrived last is duplicated immediately.
    pub is_copy_due: bool,
    /// Its arrival time, in a lookahead window.
    pub arrival_ns: u64,
    /// Keeps the packets on the wire, instead of the store, if they can overtake each other.
    pub reorder: Option<Reorder<P>>,
}

/// The weight 1 in the fixed point of `jitter_carry`.
const WHOLE: u64 = 1 << 32;

impl<P: Copy> Impairments<P> {
    /// None if the configuration has no impairment.
    pub fn new(config: &LinkConfig, station: StationId, streams: &Streams) -> Option<Box<Self>> {
        let jitter_max_ns = config.jitter.as_ref().map_or(0, |jitter| jitter.max_ns);
        if jitter_max_ns == 0 && config.loss.is_none() && config.duplicate_probability == 0.0 {
            return None;
        }
        let may_reorder = config.jitter.as_ref().is_some_and(|jitter| jitter.reorder);
        let stream = |kind| streams.stream(kind, u64::from(station.0));
        Some(Box::new(Self {
            jitter_max_ns,
            jitter_stream: stream("link jitter"),
            jitter_carry: config.jitter.as_ref().map_or(0, |jitter| (jitter.correlation * WHOLE as f64) as u64),
            last_jitter_ns: jitter_max_ns / 2,
            loss: config.loss.as_ref().map(|loss| Loss::new(loss, stream("link loss"))),
            duplicate_probability: config.duplicate_probability,
            duplicate_stream: stream("link duplication"),
            is_copy_due: false,
            arrival_ns: 0,
            reorder: may_reorder.then(Reorder::new),
        }))
    }

    /// The added delay of the packet that leaves the transmitter now.
    pub fn jitter_ns(&mut self) -> u64 {
        if self.jitter_max_ns == 0 {
            return 0;
        }
        let fresh_ns = self.jitter_stream.below(self.jitter_max_ns + 1);
        if self.jitter_carry == 0 {
            return fresh_ns;
        }
        let (carry, fresh) = (u128::from(self.jitter_carry), u128::from(WHOLE - self.jitter_carry));
        let sum = u128::from(self.last_jitter_ns) * carry + u128::from(fresh_ns) * fresh;
        self.last_jitter_ns = (sum / u128::from(WHOLE)) as u64;
        self.last_jitter_ns
    }

    /// Packets on the wire outside the link's store.
    pub fn kept_packets(&self) -> u64 {
        u64::from(self.is_copy_due) + self.reorder.as_ref().map_or(0, Reorder::len)
    }

    /// Whether the packet that arrives now is lost.
    pub fn loses(&mut self, now_ns: u64) -> bool {
        self.loss.as_mut().is_some_and(|loss| loss.next(now_ns))
    }

    /// Whether the packet that arrives now is duplicated.
    pub fn duplicates(&mut self) -> bool {
        self.duplicate_probability > 0.0 && self.duplicate_stream.with_probability(self.duplicate_probability)
    }
}
