//! Makes a discipline from its configuration, and rejects invalid configurations.

use fairlane_contract::{Problem, QueueConfig};
use fairlane_engine::{RandomStream, Streams};

use super::cake::{self, Cake};
use super::codel::{self, Codel};
use super::dualpi2::{self, Dualpi2};
use super::fq::{self, Fq};
use super::fq_codel::{self, FqCodel};
use super::fq_pie::{self, FqPie};
use super::pie::{self, Pie};
use super::policer::{self, Policer};
use super::red::{self, Red};
use super::router::{self, Router};
use super::QueueDiscipline;

/// A parameter, what is wrong with it, and the remedy. Other parameters are named in backticks.
pub(super) type Fault = (&'static str, &'static str, &'static str);

/// What a discipline needs to know about its link.
pub(crate) struct QueueSetup<'a> {
    /// The largest frame that the hosts send over this link.
    pub mtu_frame_bytes: u32,
    /// Ticks of the kernel's timers.
    pub ticks_per_s: u32,
    /// The transmitter peeks at the next packet before it takes it, and never polls an empty queue.
    pub is_token_bucket: bool,
    pub streams: &'a Streams,
    /// Of the station among those that draw from the same streams.
    pub stream_index: u64,
}

impl QueueSetup<'_> {
    pub fn random(&self, kind: &str) -> RandomStream {
        self.streams.stream(kind, self.stream_index)
    }
}

#[cfg(test)]
impl QueueSetup<'_> {
    /// An Ethernet link.
    pub fn example(streams: &Streams) -> QueueSetup<'_> {
        QueueSetup { mtu_frame_bytes: 1_514, ticks_per_s: 1_000, is_token_bucket: false, streams, stream_index: 0 }
    }
}

/// A discipline for the general link; none for the plain FIFO, which the fast link is.
pub(crate) fn discipline(config: &QueueConfig, setup: &QueueSetup) -> Option<Box<dyn QueueDiscipline>> {
    Some(match config {
        QueueConfig::Fifo { .. } | QueueConfig::Unlimited {} => return None,
        QueueConfig::Red(config) => Box::new(Red::new(config, setup)),
        QueueConfig::Codel(config) => Box::new(Codel::new(config, setup)),
        QueueConfig::FqCodel(config) => Box::new(FqCodel::new(config, setup)),
        QueueConfig::Pie(config) => Box::new(Pie::new(config, setup)),
        QueueConfig::FqPie(config) => Box::new(FqPie::new(config, setup)),
        QueueConfig::Fq(config) => Box::new(Fq::new(config, setup)),
        QueueConfig::Cake(config) => Box::new(Cake::new(config, setup)),
        QueueConfig::Dualpi2(config) => Box::new(Dualpi2::new(config, setup)),
        QueueConfig::Policer(config) => Box::new(Policer::new(config)),
        QueueConfig::Router(config) => Box::new(Router::new(config)),
    })
}

/// The first invalid parameter.
pub(crate) fn problem(config: &QueueConfig) -> Option<Problem> {
    let fault = match config {
        QueueConfig::Fifo { limit_bytes, limit_packets } => fifo_fault(*limit_bytes, *limit_packets),
        QueueConfig::Unlimited {} => None,
        QueueConfig::Red(config) => return red::problem(config),
        QueueConfig::Codel(config) => codel::fault(config),
        QueueConfig::FqCodel(config) => fq_codel::fault(config),
        QueueConfig::Pie(config) => pie::fault(config),
        QueueConfig::FqPie(config) => fq_pie::fault(config),
        QueueConfig::Fq(config) => fq::fault(config),
        QueueConfig::Cake(config) => cake::fault(config),
        QueueConfig::Dualpi2(config) => dualpi2::fault(config),
        QueueConfig::Policer(config) => policer::fault(config),
        QueueConfig::Router(config) => router::fault(config),
    };
    fault.map(|(key, what, remedy)| Problem::new(key, what, remedy))
}

fn fifo_fault(limit_bytes: Option<u64>, limit_packets: Option<u64>) -> Option<Fault> {
    if limit_bytes.is_some() == limit_packets.is_some() {
        return Some((
            "kind",
            "is fifo, which needs exactly one of `limit_bytes` and `limit_packets`",
            "give one of them, or use the kind unlimited",
        ));
    }
    zero("limit_bytes", limit_bytes).or(zero("limit_packets", limit_packets))
}

/// A limit of zero.
pub(super) fn zero(key: &'static str, limit: impl Into<Option<u64>>) -> Option<Fault> {
    (limit.into() == Some(0)).then_some((key, "is 0, which no packet passes", "give room for at least one packet"))
}

/// A time that is zero, or whose sums overflow 64 bits.
pub(super) fn time(key: &'static str, time_ns: impl Into<Option<u64>>) -> Option<Fault> {
    match time_ns.into() {
        Some(0) => Some((key, "is 0", "give a longer time")),
        Some(time_ns) if time_ns > MAX_TIME_NS => Some((key, "is above an hour", "give a shorter time")),
        _ => None,
    }
}

/// Sums and products of times with the probabilities of PIE and the roots of CoDel fit their integers.
const MAX_TIME_NS: u64 = 3_600_000_000_000;
