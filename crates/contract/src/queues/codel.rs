use schemars::JsonSchema;
use serde::Deserialize;

/// As `tc qdisc add ... codel`.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct CodelConfig {
    /// Hard limit of the queue.
    #[schemars(extend("x-limit" = "default"))]
    pub limit_packets: u64,
    /// Acceptable standing delay.
    pub target_ns: u64,
    /// About the longest RTT of the traffic.
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
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct FqCodelConfig {
    /// Limit of all queues together.
    #[schemars(extend("x-limit" = "default"))]
    pub limit_packets: u64,
    /// Number of queues; flows that hash to the same one share it.
    pub flows: u32,
    /// Acceptable standing delay, as for codel.
    pub target_ns: u64,
    /// About the longest RTT of the traffic, as for codel.
    pub interval_ns: u64,
    /// What a queue sends in its turn.
    #[schemars(extend("x-default" = "one full frame"))]
    pub quantum_bytes: Option<u32>,
    /// Mark packets of ECN-capable senders instead of dropping them.
    pub ecn: bool,
    /// Mark every packet that waited longer than this.
    pub ce_threshold_ns: Option<u64>,
    /// Apply `ce_threshold_ns` only to packets with ECT(1) (RFC 9331), as tc's `ce_threshold_selector 0x1/0x3`; CE counts as
    /// ECT(1) only if it was sent as such.
    pub ce_threshold_ect1_only: bool,
    /// Memory of all queues together, including 790 bytes of kernel data per packet.
    pub memory_limit_bytes: u64,
    /// Most packets that the longest queue loses at once when a limit is exceeded.
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
