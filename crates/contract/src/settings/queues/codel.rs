use crate::settings::MAX_QUEUE_TIME_NS;
use fairlane_contract_derive::Limits;
use schemars::JsonSchema;
use serde::Deserialize;

/// As `tc qdisc add ... codel`.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema, Limits)]
#[serde(deny_unknown_fields, default)]
pub struct CodelConfig {
    /// Hard limit of the queue.
    #[schemars(range(min = 1), extend("x-limit" = "default"))]
    pub limit_packets: u64,
    /// Acceptable standing delay.
    #[schemars(range(min = 1, max = MAX_QUEUE_TIME_NS))]
    pub target_ns: u64,
    /// About the longest RTT of the traffic.
    #[schemars(range(min = 1, max = MAX_QUEUE_TIME_NS))]
    pub interval_ns: u64,
    /// Mark packets of ECN-capable senders instead of dropping them.
    pub ecn: bool,
    /// Mark every packet that waited longer than this.
    pub ce_threshold_ns: Option<u64>,
}

impl Default for CodelConfig {
    fn default() -> Self {
        Self { limit_packets: 1_000, target_ns: 5_000_000, interval_ns: 100_000_000, ecn: false, ce_threshold_ns: None }
    }
}

/// As `tc qdisc add ... fq_codel`.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema, Limits)]
#[serde(deny_unknown_fields, default)]
pub struct FqCodelConfig {
    /// Limit of all queues together.
    #[schemars(range(min = 1), extend("x-limit" = "default"))]
    pub limit_packets: u64,
    /// Number of queues; flows that hash to the same one share it.
    #[schemars(range(min = 1, max = 65_536), extend("x-hint" = "(Linux: 1024)"))]
    pub flows: u32,
    /// Acceptable standing delay, as for codel.
    #[schemars(range(min = 1, max = MAX_QUEUE_TIME_NS))]
    pub target_ns: u64,
    /// About the longest RTT of the traffic, as for codel.
    #[schemars(range(min = 1, max = MAX_QUEUE_TIME_NS))]
    pub interval_ns: u64,
    /// Quantum of the round robin between queues.
    #[schemars(range(min = 256, max = 1_048_576), extend("x-hint" = ", or leave it out", "x-default" = "one full frame"))]
    pub quantum_bytes: Option<u32>,
    /// Mark packets of ECN-capable senders instead of dropping them.
    pub ecn: bool,
    /// Mark every packet that waited longer than this.
    pub ce_threshold_ns: Option<u64>,
    /// Apply `ce_threshold_ns` only to packets with ECT(1) (RFC 9331), as tc's `ce_threshold_selector 0x1/0x3`; CE counts as
    /// ECT(1) only if it was sent as such.
    pub ce_threshold_ect1_only: bool,
    /// Memory of all queues together, including 790 bytes of kernel data per packet.
    #[schemars(range(min = 1))]
    pub memory_limit_bytes: u64,
    /// Most packets that the longest queue loses at once when a limit is exceeded.
    #[schemars(range(min = 1), extend("x-hint" = "(Linux: 64)"))]
    pub drop_batch_packets: u32,
}

impl Default for FqCodelConfig {
    fn default() -> Self {
        let CodelConfig { target_ns, interval_ns, .. } = CodelConfig::default();
        Self {
            limit_packets: 10_240,
            flows: 1_024,
            target_ns,
            interval_ns,
            quantum_bytes: None,
            ecn: true,
            ce_threshold_ns: None,
            ce_threshold_ect1_only: false,
            memory_limit_bytes: 32 << 20,
            drop_batch_packets: 64,
        }
    }
}
