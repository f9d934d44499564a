use crate::settings::MAX_QUEUE_TIME_NS;
use crate::NS_PER_MS;
use fairlane_contract_derive::Limits;
use schemars::JsonSchema;
use serde::Deserialize;

/// As `tc qdisc add ... pie`.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema, Limits)]
#[serde(deny_unknown_fields, default)]
pub struct PieConfig {
    /// Hard limit of the queue.
    #[schemars(range(min = 1), extend("x-limit" = "default"))]
    pub limit_packets: u64,
    /// Delay that the controller aims at.
    #[schemars(range(min = 1, max = MAX_QUEUE_TIME_NS))]
    pub target_ns: u64,
    /// Time between two steps of the controller, rounded up to timer ticks as in the kernel.
    #[schemars(range(min = 1, max = MAX_QUEUE_TIME_NS))]
    pub tupdate_ns: u64,
    /// Weight of the distance to the target, in sixteenths per second.
    #[schemars(range(max = 32), extend("x-unit" = "1/16 Hz", "x-hint" = "sixteenths per second"))]
    pub alpha: u32,
    /// Weight of the trend, in sixteenths per second.
    #[schemars(range(max = 32), extend("x-unit" = "1/16 Hz", "x-hint" = "sixteenths per second"))]
    pub beta: u32,
    /// Mark packets of ECN-capable senders while the drop probability is at most 10 %.
    pub ecn: bool,
    /// Drop small packets less often.
    pub bytemode: bool,
    /// Estimate delays from the backlog and a measured rate instead of timestamps.
    pub dq_rate_estimator: bool,
}

impl Default for PieConfig {
    fn default() -> Self {
        Self {
            limit_packets: 1_000,
            target_ns: 15 * NS_PER_MS,
            tupdate_ns: 15 * NS_PER_MS,
            alpha: 2,
            beta: 20,
            ecn: false,
            bytemode: false,
            dq_rate_estimator: false,
        }
    }
}

/// As `tc qdisc add ... fq_pie`.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema, Limits)]
#[serde(deny_unknown_fields, default)]
pub struct FqPieConfig {
    /// Limit of all queues together.
    #[schemars(range(min = 1), extend("x-limit" = "default"))]
    pub limit_packets: u64,
    /// Number of queues; flows that hash to the same one share it.
    #[schemars(range(min = 1, max = 65_536), extend("x-hint" = "(Linux: 1024)"))]
    pub flows: u32,
    /// Delay that the controllers aim at.
    #[schemars(range(min = 1, max = MAX_QUEUE_TIME_NS))]
    pub target_ns: u64,
    /// Time between two steps of the controllers, rounded up to timer ticks as in the kernel.
    #[schemars(range(min = 1, max = MAX_QUEUE_TIME_NS))]
    pub tupdate_ns: u64,
    /// Weight of the distance to the target, in sixteenths per second.
    #[schemars(range(max = 32), extend("x-unit" = "1/16 Hz", "x-hint" = "sixteenths per second"))]
    pub alpha: u32,
    /// Weight of the trend, in sixteenths per second.
    #[schemars(range(max = 32), extend("x-unit" = "1/16 Hz", "x-hint" = "sixteenths per second"))]
    pub beta: u32,
    /// Quantum of the round robin between queues.
    #[schemars(range(min = 256, max = 1_048_576), extend("x-hint" = ", or leave it out", "x-default" = "one full frame"))]
    pub quantum_bytes: Option<u32>,
    /// Mark packets of ECN-capable senders instead of dropping them.
    pub ecn: bool,
    /// Mark only while the drop probability is at most this.
    #[schemars(range(max = 100), extend("x-unit" = "%", "x-hint" = "(Linux: 10)"))]
    pub ecn_prob: u32,
    /// Drop small packets less often.
    pub bytemode: bool,
    /// Estimate delays from the backlog and a measured rate instead of timestamps.
    pub dq_rate_estimator: bool,
}

impl Default for FqPieConfig {
    fn default() -> Self {
        Self {
            limit_packets: 10_240,
            flows: 1_024,
            target_ns: 15 * NS_PER_MS,
            tupdate_ns: 15 * NS_PER_MS,
            alpha: 2,
            beta: 20,
            quantum_bytes: None,
            ecn: false,
            ecn_prob: 10,
            bytemode: false,
            dq_rate_estimator: false,
        }
    }
}
