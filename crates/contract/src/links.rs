//! A link: queue, transmitter and wire.

use crate::QueueConfig;
use schemars::JsonSchema;
use serde::Deserialize;

/// One link of the network. Only `name` is required: the default is an infinitely fast link without delay.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LinkConfig {
    /// Name by which paths and results refer to the link.
    pub name: String,
    /// Rate of the transmitter; absent means infinitely fast, and then no queue builds up.
    #[serde(default)]
    pub rate_bps: Option<u64>,
    /// Propagation delay.
    #[serde(default)]
    pub delay_ns: u64,
    /// Bytes of a frame in addition to the IP packet. Absent means 14 (Ethernet as tc counts it), on a trace-driven link
    /// 4 (the header of mahimahi's TUN device).
    #[serde(default)]
    pub overhead_bytes: Option<u32>,
    /// Largest IP packet sent here, from which some queues derive defaults. Absent means the largest MTU of the flows
    /// that cross the link.
    #[serde(default)]
    pub mtu_bytes: Option<u32>,
    /// Queue in front of the transmitter.
    #[serde(default)]
    pub queue: QueueConfig,
    /// Makes the transmitter a token bucket of this depth, as tc's tbf: a frame leaves at once when there are enough
    /// tokens, and takes no time to leave.
    #[serde(default)]
    pub burst_bytes: Option<u32>,
    /// Random extra delay.
    #[serde(default)]
    pub jitter: Option<JitterConfig>,
    /// Random loss.
    #[serde(default)]
    pub loss: Option<LossConfig>,
    /// Probability that a packet arrives twice.
    #[serde(default)]
    pub duplicate_probability: f64,
    /// Changes of rate and delay during the run, in order of time.
    #[serde(default)]
    pub changes: Vec<ChangeConfig>,
    /// A packet-delivery trace in mahimahi's format instead of a rate: each entry is a time in milliseconds at which a
    /// packet of 1500 bytes may leave.
    #[serde(default)]
    pub trace_ms: Option<Vec<u64>>,
}

/// Extra delay, uniform from 0 to `max_ns`.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct JitterConfig {
    /// Largest extra delay.
    pub max_ns: u64,
    /// Whether a packet may overtake another; if not, it waits for its predecessor.
    #[serde(default)]
    pub reorder: bool,
    /// How much of the delay of the packet before goes into that of the next, from 0 to below 1, as in tc's netem: hosts that
    /// are late stay so for a while.
    #[serde(default)]
    pub correlation: f64,
}

/// Random loss on the wire, after the queue and the transmitter.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum LossConfig {
    /// Each packet is lost independently of the others.
    Independent {
        /// Probability that a packet is lost.
        probability: f64,
    },
    /// A Markov chain of two states (Gilbert 1960, Elliott 1963) that makes one step per packet.
    GilbertElliott {
        /// Probability of a transition from the good to the bad state.
        good_to_bad: f64,
        /// Probability of a transition from the bad to the good state.
        bad_to_good: f64,
        /// Loss probability in the good state.
        #[serde(default)]
        loss_good: f64,
        /// Loss probability in the bad state.
        #[serde(default = "certain")]
        loss_bad: f64,
    },
    /// The first packet that arrives at or after each of these times is lost: replays losses seen elsewhere.
    Listed {
        /// Times of the losses.
        at_ns: Vec<u64>,
    },
}

fn certain() -> f64 {
    1.0
}

/// From `at_ns` on, frames are transmitted at the new rate and propagate with the new delay; what is absent stays.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ChangeConfig {
    /// Time of the change.
    pub at_ns: u64,
    /// New rate.
    #[serde(default)]
    pub rate_bps: Option<u64>,
    /// New propagation delay.
    #[serde(default)]
    pub delay_ns: Option<u64>,
}

/// What tc counts in addition to the IP packet: two addresses and the type, without preamble, checksum and gap.
pub const ETHERNET_OVERHEAD_BYTES: u32 = 14;
/// What mahimahi counts in addition to the IP packet: the header of its TUN device.
pub const TUN_OVERHEAD_BYTES: u32 = 4;
/// Ethernet's.
const DEFAULT_MTU_BYTES: u32 = 1_500;

impl LinkConfig {
    /// A link with the given name and nothing else: infinitely fast, without delay.
    pub fn new(name: &str) -> Self {
        Self { name: name.to_owned(), ..Self::default() }
    }

    /// The overhead that counts, whether given or not.
    pub fn frame_overhead_bytes(&self) -> u32 {
        let default = if self.trace_ms.is_some() { TUN_OVERHEAD_BYTES } else { ETHERNET_OVERHEAD_BYTES };
        self.overhead_bytes.unwrap_or(default)
    }

    /// The largest frame that is usual here.
    pub fn mtu_frame_bytes(&self) -> u32 {
        self.mtu_bytes.unwrap_or(DEFAULT_MTU_BYTES) + self.frame_overhead_bytes()
    }
}
