//! Impairments of a link's wire, most of them with the names and the meaning of tc's netem.

use crate::settings::MAX_TIME_NS;
use crate::OutageConfig;
use fairlane_contract_derive::Limits;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Random extra delay: from 0 to `max_ns`, or spread around the link's delay. Takes exactly one of the two.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema, Limits)]
#[serde(deny_unknown_fields)]
pub struct JitterConfig {
    /// Largest extra delay; each is drawn uniformly from 0 to this.
    #[serde(default)]
    #[schemars(range(max = MAX_TIME_NS))]
    pub max_ns: u64,
    /// Spread around the link's delay, as the second time of netem's `delay`: half the width of the uniform
    /// distribution, the standard deviation of the others. No delay falls below 0.
    #[serde(default)]
    #[schemars(range(max = MAX_TIME_NS))]
    pub spread_ns: Option<u64>,
    /// Distribution of the delays with a `spread`. Absent, uniform.
    #[serde(default)]
    pub distribution: Option<JitterDistribution>,
    /// Whether packets may overtake. If not, a packet waits for its predecessor.
    #[serde(default)]
    pub reorder: bool,
    /// Correlation of successive delays, as in tc's netem: this share of the previous delay and the rest of a new one.
    #[serde(default)]
    #[schemars(range(min = 0.0), extend("exclusiveMaximum" = 1.0, "x-unit" = "share"))]
    pub correlation: f64,
}

/// Distributions of delays, as tc has them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema, Limits)]
#[serde(rename_all = "snake_case")]
pub enum JitterDistribution {
    /// From the delay less the spread to the delay plus the spread.
    #[default]
    Uniform,
    /// Normal, up to 4 standard deviations.
    Normal,
    /// Pareto with the exponent 3, from 0.67 spreads below the delay to 4 above.
    Pareto,
    /// A quarter of the normal and three quarters of the Pareto distribution.
    Paretonormal,
}

/// Loss on the wire, after the queue and the transmitter.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema, Limits)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum LossConfig {
    /// Each packet is lost with the same probability.
    Independent {
        /// Share of packets that are lost.
        #[schemars(range(min = 0.0, max = 1.0), extend("x-unit" = "share"))]
        probability: f64,
        /// Correlation of successive losses, as in tc's netem: the number that decides is this share of the previous one
        /// and the rest of a new one. A correlation changes the share of lost packets, which tc's manual warns of.
        #[serde(default)]
        #[schemars(range(min = 0.0), extend("exclusiveMaximum" = 1.0, "x-unit" = "share"))]
        correlation: f64,
    },
    /// A Markov chain of two states (Gilbert 1960, Elliott 1963) that makes one step per packet.
    GilbertElliott {
        /// Probability of a transition from the good to the bad state, per packet.
        #[schemars(range(min = 0.0, max = 1.0), extend("x-unit" = "share"))]
        good_to_bad: f64,
        /// Probability of a transition from the bad to the good state, per packet.
        #[schemars(range(min = 0.0, max = 1.0), extend("x-unit" = "share"))]
        bad_to_good: f64,
        /// Share of packets lost in the good state.
        #[serde(default)]
        #[schemars(range(min = 0.0, max = 1.0), extend("x-unit" = "share"))]
        loss_good: f64,
        /// Share of packets lost in the bad state.
        #[serde(default = "certain")]
        #[schemars(range(min = 0.0, max = 1.0), extend("x-unit" = "share"))]
        loss_bad: f64,
    },
    /// Bursts of loss in time: at `times` packets are lost with one probability, otherwise with another.
    Bursts {
        /// Times of the bursts.
        times: OutageConfig,
        /// Share of packets lost between bursts.
        #[serde(default)]
        #[schemars(range(min = 0.0, max = 1.0), extend("x-unit" = "share"))]
        loss_good: f64,
        /// Share of packets lost in a burst.
        #[serde(default = "certain")]
        #[schemars(range(min = 0.0, max = 1.0), extend("x-unit" = "share"))]
        loss_bad: f64,
    },
    /// The first packet at or after each of these times is lost, which replays recorded losses.
    Listed {
        /// Times of the losses.
        at_ns: Vec<u64>,
    },
}

fn certain() -> f64 {
    1.0
}

/// Packets with a bit error. The far end of the link drops them, as a receiver that checks the frame check sequence
/// does; with netem they go on to the host, whose TCP drops them.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema, Limits)]
#[serde(deny_unknown_fields)]
pub struct CorruptConfig {
    /// Share of packets with an error.
    #[schemars(range(min = 0.0, max = 1.0), extend("x-unit" = "share"))]
    pub probability: f64,
    /// Correlation of successive errors, as that of losses.
    #[serde(default)]
    #[schemars(range(min = 0.0), extend("exclusiveMaximum" = 1.0, "x-unit" = "share"))]
    pub correlation: f64,
}

/// A fault of the ECN field, in packets that leave the link.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema, Limits)]
#[serde(deny_unknown_fields)]
pub struct EcnFaultConfig {
    /// The fault.
    pub fault: EcnFault,
    /// Share of packets that it affects.
    #[serde(default = "certain")]
    #[schemars(range(min = 0.0, max = 1.0), extend("x-unit" = "share"))]
    pub probability: f64,
}

/// Faults of the ECN field (RFC 3168 section 5) that measurements of the Internet report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema, Limits)]
#[serde(rename_all = "snake_case")]
pub enum EcnFault {
    /// ECT and CE become Not-ECT.
    Bleach,
    /// CE set by the queue of this link is lost: packets leave with the codepoint with which they came, as from a tunnel
    /// whose exit ignores the outer header, which RFC 6040 section 4.2 forbids.
    LoseCe,
    /// ECT becomes CE, without congestion.
    AllCe,
    /// ECT(0) becomes ECT(1), by which queues behind recognize scalable senders.
    Remark,
    /// Not-ECT becomes ECT(0): queues behind mark packets of senders that do not react to marks.
    SetEct,
}

/// Packets that overtake others: as with netem, they skip the link's propagation delay, which the others take.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema, Limits)]
#[serde(deny_unknown_fields)]
pub struct ReorderConfig {
    /// Share of candidates that skip the delay.
    #[schemars(range(min = 0.0, max = 1.0), extend("x-unit" = "share"))]
    pub probability: f64,
    /// Correlation of successive decisions, as that of losses.
    #[serde(default)]
    #[schemars(range(min = 0.0), extend("exclusiveMaximum" = 1.0, "x-unit" = "share"))]
    pub correlation: f64,
    /// Candidates are packets with at least `gap` - 1 delayed ones since the last that overtook: with 100 % every
    /// `gap`-th packet.
    #[serde(default = "one")]
    #[schemars(range(min = 1), extend("examples" = [5]))]
    pub gap: u32,
}

fn one() -> u32 {
    1
}

/// Delivery in slots: packets that have crossed the link wait for the next slot, as on links that are shared by time or
/// that aggregate frames.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema, Limits)]
#[serde(deny_unknown_fields)]
pub struct SlotConfig {
    /// Shortest time until the next slot, from the arrival of a packet or from the end of a full slot.
    #[schemars(range(min = 1, max = MAX_TIME_NS))]
    pub min_ns: u64,
    /// Longest time until the next slot; each is drawn uniformly. Absent, `min`.
    #[serde(default)]
    #[schemars(range(min = 1, max = MAX_TIME_NS))]
    pub max_ns: Option<u64>,
    /// Most packets that one slot delivers. Absent, any number.
    #[serde(default)]
    #[schemars(range(min = 1), extend("examples" = [20]))]
    pub packets: Option<u32>,
    /// Bytes after which a slot ends, with the packet that exceeds them. Absent, any number.
    #[serde(default)]
    #[schemars(range(min = 1), extend("x-unit" = "bytes", "examples" = ["64kB"]))]
    pub bytes: Option<u32>,
}
