use crate::settings::{MAX_BURST, MAX_RATE_BPS};
use fairlane_contract_derive::Limits;
use schemars::JsonSchema;
use serde::Deserialize;

/// As `tc ... action police ... conform-exceed drop`. A rate of bytes or one of packets, each with its burst.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema, Limits)]
#[serde(deny_unknown_fields, default)]
pub struct PolicerConfig {
    /// Rate above which packets are dropped.
    #[schemars(range(min = 1, max = MAX_RATE_BPS))]
    pub rate_bps: Option<u64>,
    /// Largest burst that passes at once; a larger frame never passes.
    #[schemars(range(min = 1, max = MAX_BURST), extend("x-hint" = ", and at least one frame, or nothing passes"))]
    pub burst_bytes: Option<u32>,
    /// Rate within a burst, above `rate_bps`; its own burst is `mtu_bytes`, which it needs.
    #[schemars(range(min = 1, max = MAX_RATE_BPS))]
    pub peakrate_bps: Option<u64>,
    /// Larger frames are dropped.
    #[schemars(range(min = 1, max = MAX_BURST), extend("x-hint" = ", or leave it out", "x-default" = "any size"))]
    pub mtu_bytes: Option<u32>,
    /// Packets per second above which packets are dropped, whatever their size.
    #[schemars(range(min = 1, max = 100_000_000_000_000u64))]
    pub pkts_rate_pps: Option<u64>,
    /// Packets that pass at once.
    #[schemars(range(min = 1, max = MAX_BURST), extend("x-hint" = ", the packets that pass at once"))]
    pub pkts_burst_packets: Option<u32>,
}
