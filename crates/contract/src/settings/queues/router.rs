use crate::settings::MAX_QUEUE_TIME_NS;
use fairlane_contract_derive::Limits;
use schemars::JsonSchema;
use serde::Deserialize;

/// The forwarding path of a Linux host with a pfifo behind it.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema, Limits)]
#[serde(deny_unknown_fields, default)]
pub struct RouterConfig {
    /// Most packets that wait (txqueuelen). Merged packets count as one.
    #[schemars(range(min = 1), extend("x-limit" = "default"))]
    pub limit_packets: u64,
    /// Processing time of a packet, in parallel with the transmission of earlier ones: the router forwards at most one
    /// packet in this time. Merged packets count as one.
    #[schemars(range(max = MAX_QUEUE_TIME_NS))]
    pub forwarding_ns: u64,
    /// The receiving card merges packets of a flow that arrive within this time of the first (GRO). Absent, none.
    #[schemars(range(min = 1, max = MAX_QUEUE_TIME_NS))]
    pub merge_interval_ns: Option<u64>,
    /// Most packets that are merged into one: 45 of 1448 bytes are 64 KiB; cards without page lists merge 17.
    #[schemars(range(min = 1), extend("x-hint" = "(1 merges none)"))]
    pub merge_packets: u32,
}

impl Default for RouterConfig {
    fn default() -> Self {
        Self { limit_packets: 1_000, forwarding_ns: 0, merge_interval_ns: None, merge_packets: 45 }
    }
}
