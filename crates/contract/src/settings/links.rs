//! A link: queue, transmitter and wire.

mod wire;

pub use wire::SlotConfig;
pub use wire::{CorruptConfig, EcnFault, EcnFaultConfig, JitterConfig, JitterDistribution, LossConfig, ReorderConfig};

use crate::settings::{MAX_BURST, MAX_RATE_BPS, MAX_TIME_NS};
use crate::{OutageConfig, QueueConfig};
use fairlane_contract_derive::Limits;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One link of the network. Only `name` is required: the default is an infinitely fast link without delay.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema, Limits)]
#[serde(deny_unknown_fields)]
pub struct LinkConfig {
    /// Name by which paths and results refer to the link.
    #[schemars(length(max = 100), extend("examples" = ["bottleneck"]))]
    pub name: String,
    /// Rate of the transmitter. Absent, the link is infinitely fast and no queue builds up.
    #[serde(default)]
    #[schemars(range(min = 1, max = MAX_RATE_BPS), extend("x-hint" = ", or leave it out for an infinitely fast link"))]
    pub rate_bps: Option<u64>,
    /// Propagation delay.
    #[serde(default)]
    #[schemars(range(max = MAX_TIME_NS))]
    pub delay_ns: u64,
    /// Bytes of a frame in addition to the IP packet. Absent, 14 (Ethernet as tc counts it), and 4 on a trace-driven
    /// link (the header of mahimahi's TUN device).
    #[serde(default)]
    #[schemars(range(max = 65_535), extend("x-hint" = "(tc: 14 for Ethernet)", "x-file" = "overhead_bytes"))]
    pub overhead_bytes: Option<u32>,
    /// Largest IP packet sent here, from which some queues derive defaults. Absent, the largest MTU of the flows that
    /// cross the link.
    #[serde(default)]
    #[schemars(range(min = 68, max = 65_535), extend("x-hint" = ", or leave it out for that of the flows", "x-file" = ""))]
    pub mtu_bytes: Option<u32>,
    /// Queue in front of the transmitter.
    #[serde(default)]
    pub queue: QueueConfig,
    /// A token bucket of this depth instead of a transmitter (tc's tbf): a frame leaves at once, and in no time, when
    /// there are enough tokens.
    #[serde(default)]
    #[schemars(range(min = 1, max = MAX_BURST), extend("x-hint" = ", and at least one frame, or nothing passes"))]
    pub burst_bytes: Option<u32>,
    /// Random extra delay.
    #[serde(default)]
    pub jitter: Option<JitterConfig>,
    /// Loss behind the queue.
    #[serde(default)]
    pub loss: Option<LossConfig>,
    /// Share of packets that arrive twice.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 1.0), extend("x-unit" = "share", "x-file" = "duplicate"))]
    pub duplicate_probability: f64,
    /// Correlation of successive duplications, as in tc's netem.
    #[serde(default)]
    #[schemars(range(min = 0.0), extend("exclusiveMaximum" = 1.0, "x-unit" = "share"))]
    pub duplicate_correlation: f64,
    /// Packets with a bit error, which the far end of the link drops.
    #[serde(default)]
    pub corrupt: Option<CorruptConfig>,
    /// Wrong changes of the ECN field, as by tunnels and middleboxes.
    #[serde(default)]
    pub ecn_fault: Option<EcnFaultConfig>,
    /// Packets that overtake those before them, as with tc's netem.
    #[serde(default)]
    pub reorder: Option<ReorderConfig>,
    /// Deliver packets in bursts, as netem's `slot`.
    #[serde(default)]
    pub slot: Option<SlotConfig>,
    /// Times at which the link is down.
    #[serde(default)]
    pub outages: Vec<OutageConfig>,
    /// The fate of packets while the link is down.
    #[serde(default)]
    pub when_down: WhenDown,
    /// Changes of rate, delay and loss during the run, in order of time.
    #[serde(default)]
    pub changes: Vec<ChangeConfig>,
    /// A packet-delivery trace in mahimahi's format instead of a rate: times at which a packet of 1500 bytes may leave.
    #[serde(default)]
    #[schemars(length(min = 1), inner(range(max = 10_000_000_000u64)), extend("x-hint" = ", or leave it out"))]
    pub trace_ms: Option<Vec<u64>>,
}

/// The fate of packets while a link is down.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema, Limits)]
#[serde(rename_all = "snake_case")]
pub enum WhenDown {
    /// The transmitter sends as ever, but what would reach the far end meanwhile is lost, as is what is on the wire at
    /// the start.
    #[default]
    Drop,
    /// The transmitter pauses and the queue fills. What has left the transmitter arrives; a frame in transmission is
    /// completed after the outage.
    Hold,
}

/// From its time on, bits are sent at the new rate, frames that start propagate with the new delay, and packets that
/// arrive are lost by the new loss. The rest of a frame in transmission is sent at the new rate.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema, Limits)]
#[serde(deny_unknown_fields)]
pub struct ChangeConfig {
    /// Time of the change.
    #[schemars(range(max = MAX_TIME_NS))]
    pub at_ns: u64,
    /// New rate. Absent, as before.
    #[serde(default)]
    #[schemars(range(min = 1, max = MAX_RATE_BPS))]
    pub rate_bps: Option<u64>,
    /// New propagation delay. Absent, as before.
    #[serde(default)]
    #[schemars(range(max = MAX_TIME_NS))]
    pub delay_ns: Option<u64>,
    /// New loss; 0 ends it. Absent, as before.
    #[serde(default)]
    pub loss: Option<LossConfig>,
}

/// Frame bytes in addition to the IP packet as tc counts them: two addresses and the type, without preamble, checksum
/// and gap.
pub const ETHERNET_OVERHEAD_BYTES: u32 = 14;
/// Frame bytes in addition to the IP packet as mahimahi counts them: the header of its TUN device.
pub const TUN_OVERHEAD_BYTES: u32 = 4;
/// Ethernet's.
const DEFAULT_MTU_BYTES: u32 = 1_500;

impl LinkConfig {
    /// A link with the given name and nothing else: infinitely fast, without delay.
    pub fn new(name: &str) -> Self {
        Self { name: name.to_owned(), ..Self::default() }
    }

    /// The overhead of this link, given or default.
    pub fn frame_overhead_bytes(&self) -> u32 {
        let default = if self.trace_ms.is_some() { TUN_OVERHEAD_BYTES } else { ETHERNET_OVERHEAD_BYTES };
        self.overhead_bytes.unwrap_or(default)
    }

    /// The frame of a full packet.
    pub fn mtu_frame_bytes(&self) -> u32 {
        self.mtu_bytes.unwrap_or(DEFAULT_MTU_BYTES) + self.frame_overhead_bytes()
    }
}
