use fairlane_contract_derive::Limits;
use schemars::JsonSchema;
use serde::Deserialize;

/// As `tc qdisc add ... red`; absent parameters are computed as tc does.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema, Limits)]
#[serde(deny_unknown_fields)]
pub struct RedConfig {
    /// Hard limit of the queue.
    #[schemars(range(min = 1), extend("x-limit" = "required"))]
    pub limit_bytes: u64,
    /// Mean queue length at which drops begin.
    #[serde(default)]
    #[schemars(range(min = 1), extend("x-default" = "a third of `max_bytes`"))]
    pub min_bytes: Option<u64>,
    /// Mean queue length at which every packet is dropped.
    #[serde(default)]
    #[schemars(
        range(max = 4_294_967_296u64),
        extend("x-default" = "three times `min_bytes`, or a quarter of the limit")
    )]
    pub max_bytes: Option<u64>,
    /// Typical packet size.
    #[serde(default = "default_avpkt_bytes")]
    #[schemars(range(min = 1), extend("x-hint" = "(tc's manual: 1000)"))]
    pub avpkt_bytes: u64,
    /// Packets that an empty queue accepts in a row without a drop.
    #[serde(default)]
    #[schemars(extend("x-default" = "(2 min + max) / (3 avpkt)"))]
    pub burst_packets: Option<u64>,
    /// Drop probability when the mean reaches `max_bytes`.
    #[serde(default = "default_probability")]
    #[schemars(range(max = 1.0), extend("exclusiveMinimum" = 0.0, "x-unit" = "share", "x-hint" = "(tc: 0.02)"))]
    pub probability: f64,
    /// Rate by which the mean decays while the queue is idle.
    #[serde(default = "default_bandwidth_bps")]
    #[schemars(range(min = 1), extend("x-hint" = ", the rate of the link"))]
    pub bandwidth_bps: u64,
    /// Mark packets of ECN-capable senders instead of dropping them.
    #[serde(default)]
    pub ecn: bool,
    /// With `ecn`, drop all the same above `max_bytes`.
    #[serde(default)]
    pub harddrop: bool,
    /// With `ecn`, never drop early what cannot be marked.
    #[serde(default)]
    pub nodrop: bool,
    /// Adapt the probability between 1 % and 50 % to keep the mean in the middle (Floyd, Gummadi and Shenker 2001).
    #[serde(default)]
    pub adaptive: bool,
}

/// tc's manual: "1000 is a good value for high speed Internet links (1500 byte MTU)".
fn default_avpkt_bytes() -> u64 {
    1_000
}

fn default_probability() -> f64 {
    0.02
}

fn default_bandwidth_bps() -> u64 {
    10_000_000
}
