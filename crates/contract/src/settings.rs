//! The settings of a scenario: hosts, links, queues, shared media, workloads and QUIC.

mod hosts;
mod links;
mod media;
mod outages;
mod queues;
mod quic;
mod workloads;

pub use hosts::{Pacing, ReceiverHost, SenderHost};
pub use links::{ChangeConfig, LinkConfig, SlotConfig, WhenDown, ETHERNET_OVERHEAD_BYTES, TUN_OVERHEAD_BYTES};
pub use links::{CorruptConfig, EcnFault, EcnFaultConfig, JitterConfig, JitterDistribution, LossConfig, ReorderConfig};
pub use media::{AccessLogConfig, WifiBand, WifiConfig, WifiQueueConfig};
pub use media::{HalfDuplexConfig, MediumConfig, StationConfig};
pub use media::{WifiDriver, WifiRateControl, WifiScheduler, WifiStandard, WifiStationConfig};
pub use outages::OutageConfig;
pub use queues::{CakeConfig, CodelConfig, Dualpi2Config, FqCodelConfig, FqConfig, FqPieConfig};
pub use queues::{PieConfig, PolicerConfig, QueueConfig, RedConfig, RouterConfig};
pub use quic::{QuicProfile, QuicSettings, TransportProtocol};
pub use workloads::{Adaptation, Arrival, CdfPoint, Sizes, Workload};

/// 1 Pbit/s: the arithmetic of rates keeps a remainder below the rate in 64 bits.
const MAX_RATE_BPS: u64 = 1_000_000_000_000_000;
/// 115 days: sums of a few times fit 64 bits.
const MAX_TIME_NS: u64 = 10_000_000_000_000_000;
/// One hour: products of times with the probabilities of PIE and the roots of CoDel fit their integers.
const MAX_QUEUE_TIME_NS: u64 = 3_600_000_000_000;
/// A burst of a token bucket: its bits times 10⁹ fit 64 bits.
const MAX_BURST: u32 = 1_000_000_000;
/// Sums of many transfers stay far below 2^64.
const MAX_TRANSFER_BYTES: u64 = 1 << 50;
