use schemars::JsonSchema;
use serde::Deserialize;

/// As `tc ... action police ... conform-exceed drop`. A rate of bytes or one of packets, each with its burst.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct PolicerConfig {
    /// Rate above which packets are dropped.
    pub rate_bps: Option<u64>,
    /// Largest burst that passes at once; a larger frame never passes.
    pub burst_bytes: Option<u32>,
    /// Rate within a burst, above `rate_bps`; its own burst is `mtu_bytes`, which it needs.
    pub peakrate_bps: Option<u64>,
    /// Larger frames are dropped.
    #[schemars(extend("x-default" = "any size"))]
    pub mtu_bytes: Option<u32>,
    /// Packets per second above which packets are dropped, whatever their size.
    pub pkts_rate_pps: Option<u64>,
    /// Packets that pass at once.
    pub pkts_burst_packets: Option<u32>,
}
