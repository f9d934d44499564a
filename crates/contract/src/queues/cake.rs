use crate::NS_PER_MS;
use schemars::JsonSchema;
use serde::Deserialize;

/// As `tc qdisc add ... cake besteffort`.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct CakeConfig {
    /// Rate of cake's own shaper, which has no burst; for a link without `rate_bps`.
    #[schemars(extend("x-default" = "unlimited"))]
    pub bandwidth_bps: Option<u64>,
    /// About the longest RTT of the traffic: COBALT's interval, and twenty times its target.
    pub rtt_ns: u64,
    /// Memory of all queues together, including 790 bytes of kernel data per packet.
    #[schemars(extend("x-limit" = "default", "x-default" = "four intervals of the bandwidth, at least 4 MiB"))]
    pub memlimit_bytes: Option<u64>,
}

impl Default for CakeConfig {
    fn default() -> Self {
        Self { bandwidth_bps: None, rtt_ns: 100 * NS_PER_MS, memlimit_bytes: None }
    }
}
