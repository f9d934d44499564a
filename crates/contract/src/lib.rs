//! What Fairlane and its callers agree on: the scenario that describes a run, and the result that comes back.
//!
//! Each key, parameter, column and unit is declared here once. The engine reads and writes these types; the JSON Schema,
//! the Python types and the reference pages are generated from them. The doc comment of a field is its text in all of
//! these. What belongs here: types, names, defaults, units. What does not: what a value does, and whether it makes
//! sense, which the crate that uses it checks and reports as a [`Problem`].
//!
//! Integers and full units (ns, bytes, bit/s) throughout: the last part of a name is its unit (`units.rs`).

mod declarations;
mod hosts;
mod links;
mod media;
mod problem;
mod queues;
mod quic;
mod read;
mod results;
mod scenario;
mod series;
mod sizes;
pub mod units;
mod workload;

pub use declarations::declarations;
pub use hosts::{Pacing, ReceiverHost, SenderHost};
pub use links::{ChangeConfig, JitterConfig, LinkConfig, LossConfig, ETHERNET_OVERHEAD_BYTES, TUN_OVERHEAD_BYTES};
pub use media::{AccessLogConfig, OutageConfig, WifiBand, WifiConfig, WifiQueueConfig};
pub use media::{HalfDuplexConfig, MediumConfig, StationConfig};
pub use media::{WifiDriver, WifiRateControl, WifiScheduler, WifiStandard, WifiStationConfig};
pub use problem::{Path, PathStep, Problem};
pub use queues::{CakeConfig, CodelConfig, Dualpi2Config, FqCodelConfig, FqConfig, FqPieConfig};
pub use queues::{PieConfig, PolicerConfig, QueueConfig, RedConfig, RouterConfig};
pub use quic::{QuicProfile, QuicSettings, TransportProtocol};
pub use read::read;
pub use results::{
    Accesses, ApplicationMetrics, CrossTrafficResult, Distributions, FlowResult, FlowSummary, LinkResult,
};
pub use results::{PacketRtt, Provenance, RttDistribution, RunMetrics, RunResult, SenderTrace};
pub use scenario::{CrossTrafficConfig, FlowConfig, Scenario};
pub use series::{Cells, Column, FlowSamples, LinkAccesses, LinkAggregates, LinkSamples, Series, Watched};
pub use sizes::{CdfPoint, Sizes};
pub use workload::{Adaptation, Arrival, Workload};

pub(crate) const NS_PER_MS: u64 = 1_000_000;
