use crate::NS_PER_MS;
use fairlane_contract_derive::Limits;
use schemars::JsonSchema;
use serde::Deserialize;

/// As `tc qdisc add ... fq`.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema, Limits)]
#[serde(deny_unknown_fields, default)]
pub struct FqConfig {
    /// Limit of all flows together.
    #[schemars(range(min = 1), extend("x-limit" = "default"))]
    pub limit_packets: u64,
    /// Limit of each flow.
    #[schemars(range(min = 1))]
    pub flow_limit_packets: u64,
    /// Quantum of the round robin between flows.
    #[schemars(range(min = 256, max = 1_048_576), extend("x-hint" = ", or leave it out", "x-default" = "two full frames"))]
    pub quantum_bytes: Option<u32>,
    /// Quantum of a new flow.
    #[schemars(range(min = 256, max = 1_048_576), extend("x-hint" = ", or leave it out", "x-default" = "ten full frames"))]
    pub initial_quantum_bytes: Option<u32>,
    /// Largest rate of each flow.
    #[schemars(range(min = 1), extend("x-hint" = ", or leave it out for no limit", "x-default" = "unlimited"))]
    pub maxrate_bps: Option<u64>,
    /// Flows with a `maxrate_bps` of at most this send packet by packet.
    pub low_rate_threshold_bps: u64,
    /// A flow that was silent for this time starts with a full quantum.
    pub refill_delay_ns: u64,
    /// Number of queues minus one; flows that hash to the same one share it.
    #[schemars(range(max = 65_535), extend("x-hint" = "(Linux: 1023)"))]
    pub orphan_mask: u32,
    /// Mark every packet that leaves this much later than it could.
    pub ce_threshold_ns: Option<u64>,
}

impl Default for FqConfig {
    fn default() -> Self {
        Self {
            limit_packets: 10_000,
            flow_limit_packets: 100,
            quantum_bytes: None,
            initial_quantum_bytes: None,
            maxrate_bps: None,
            low_rate_threshold_bps: 550_000,
            refill_delay_ns: 40 * NS_PER_MS,
            orphan_mask: 1_023,
            ce_threshold_ns: None,
        }
    }
}
