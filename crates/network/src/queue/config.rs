//! Every kind of queue that a scenario may ask for, and how a discipline is made of it.

use fairlane_engine::{RandomStream, Streams};
use serde::Deserialize;

use super::cake::{Cake, CakeConfig};
use super::codel::{Codel, CodelConfig};
use super::dualpi2::{Dualpi2, Dualpi2Config};
use super::fq::{Fq, FqConfig};
use super::fq_codel::{FqCodel, FqCodelConfig};
use super::fq_pie::{FqPie, FqPieConfig};
use super::pie::{Pie, PieConfig};
use super::policer::{Policer, PolicerConfig};
use super::red::{Red, RedConfig};
use super::QueueDiscipline;

/// The queue in front of the transmitter. Parameters have the names of tc with their units, and tc's defaults.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum QueueConfig {
    /// First in, first out, newcomers dropped when full. Exactly one of the two limits.
    Fifo {
        #[serde(default)]
        limit_bytes: Option<u64>,
        #[serde(default)]
        limit_packets: Option<u64>,
    },
    Unlimited {},
    Red(RedConfig),
    Codel(CodelConfig),
    FqCodel(FqCodelConfig),
    Pie(PieConfig),
    FqPie(FqPieConfig),
    Fq(FqConfig),
    Cake(CakeConfig),
    Dualpi2(Dualpi2Config),
    Policer(PolicerConfig),
}

impl Default for QueueConfig {
    fn default() -> Self {
        Self::Unlimited {}
    }
}

/// What a parameter is, and what to give instead: the end of a line that begins with its name.
pub(super) type Fault = (&'static str, &'static str);

/// What a discipline must know of its link.
pub(crate) struct QueueSetup<'a> {
    /// The largest frame that the hosts send over this link.
    pub mtu_frame_bytes: u32,
    /// Ticks of the kernel's timers.
    pub ticks_per_s: u32,
    /// The transmitter looks at the packet that goes next before it takes it, and asks no empty queue.
    pub is_token_bucket: bool,
    pub streams: &'a Streams,
    pub link: u32,
}

impl QueueSetup<'_> {
    pub fn random(&self, kind: &str) -> RandomStream {
        self.streams.stream(kind, u64::from(self.link))
    }
}

#[cfg(test)]
impl QueueSetup<'_> {
    /// An Ethernet link.
    pub fn example(streams: &Streams) -> QueueSetup<'_> {
        QueueSetup { mtu_frame_bytes: 1_514, ticks_per_s: 1_000, is_token_bucket: false, streams, link: 0 }
    }
}

impl QueueConfig {
    /// A discipline for the general link; none for the plain FIFO, which the fast link is.
    pub(crate) fn discipline(&self, setup: &QueueSetup) -> Option<Box<dyn QueueDiscipline>> {
        Some(match self {
            Self::Fifo { .. } | Self::Unlimited {} => return None,
            Self::Red(config) => Box::new(Red::new(config, setup)),
            Self::Codel(config) => Box::new(Codel::new(config, setup)),
            Self::FqCodel(config) => Box::new(FqCodel::new(config, setup)),
            Self::Pie(config) => Box::new(Pie::new(config, setup)),
            Self::FqPie(config) => Box::new(FqPie::new(config, setup)),
            Self::Fq(config) => Box::new(Fq::new(config, setup)),
            Self::Cake(config) => Box::new(Cake::new(config, setup)),
            Self::Dualpi2(config) => Box::new(Dualpi2::new(config, setup)),
            Self::Policer(config) => Box::new(Policer::new(config)),
        })
    }

    /// The first parameter that makes no sense.
    pub(crate) fn fault(&self) -> Option<Fault> {
        match self {
            Self::Fifo { limit_bytes, limit_packets } => {
                if limit_bytes.is_some() == limit_packets.is_some() {
                    return Some((
                        "kind",
                        "is fifo, which needs exactly one of limit_bytes and limit_packets; for a queue without limit \
                         give the kind unlimited",
                    ));
                }
                zero("limit_bytes", *limit_bytes).or(zero("limit_packets", *limit_packets))
            }
            Self::Unlimited {} => None,
            Self::Red(config) => config.fault(),
            Self::Codel(config) => config.fault(),
            Self::FqCodel(config) => config.fault(),
            Self::Pie(config) => config.fault(),
            Self::FqPie(config) => config.fault(),
            Self::Fq(config) => config.fault(),
            Self::Cake(config) => config.fault(),
            Self::Dualpi2(config) => config.fault(),
            Self::Policer(config) => config.fault(),
        }
    }
}

/// A limit of nothing.
pub(super) fn zero(key: &'static str, limit: impl Into<Option<u64>>) -> Option<Fault> {
    (limit.into() == Some(0)).then_some((key, "is 0, which no packet passes; give room for one packet at least"))
}

/// A time that is zero, or so long that sums of it do not fit 64 bits.
pub(super) fn time(key: &'static str, time_ns: impl Into<Option<u64>>) -> Option<Fault> {
    match time_ns.into() {
        Some(0) => Some((key, "is 0; give a time in nanoseconds")),
        Some(time_ns) if time_ns > MAX_TIME_NS => Some((key, "is above an hour; give a shorter time in nanoseconds")),
        _ => None,
    }
}

/// Sums and products of times with the probabilities of PIE and the roots of CoDel fit their integers.
const MAX_TIME_NS: u64 = 3_600_000_000_000;
