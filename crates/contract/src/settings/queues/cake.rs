use crate::settings::{MAX_QUEUE_TIME_NS, MAX_RATE_BPS};
use crate::NS_PER_MS;
use fairlane_contract_derive::Limits;
use schemars::JsonSchema;
use serde::Deserialize;

/// As `tc qdisc add ... cake besteffort`.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema, Limits)]
#[serde(deny_unknown_fields, default)]
pub struct CakeConfig {
    /// Rate of cake's own shaper, which has no burst; for a link without `rate_bps`.
    #[schemars(
        range(min = 1, max = MAX_RATE_BPS),
        extend("x-hint" = ", or leave it out if the link has the rate", "x-default" = "unlimited")
    )]
    pub bandwidth_bps: Option<u64>,
    /// About the longest RTT of the traffic: COBALT's interval, and twenty times its target.
    #[schemars(range(min = 1, max = MAX_QUEUE_TIME_NS))]
    pub rtt_ns: u64,
    /// Memory of all queues together, including 790 bytes of kernel data per packet.
    #[schemars(
        range(min = 1),
        extend("x-limit" = "default", "x-default" = "four intervals of the bandwidth, at least 4 MiB")
    )]
    pub memlimit_bytes: Option<u64>,
}

impl Default for CakeConfig {
    fn default() -> Self {
        Self { bandwidth_bps: None, rtt_ns: 100 * NS_PER_MS, memlimit_bytes: None }
    }
}
