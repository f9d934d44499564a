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
    /// Bytes that the shaper counts for each packet in addition to the IP packet, in place of the link's own overhead:
    /// those of the link that `bandwidth` is about. May be negative.
    #[schemars(
        range(min = -64, max = 256),
        extend("x-unit" = "bytes", "x-hint" = ", or leave it out for that of the link", "x-default" = "that of the link")
    )]
    pub overhead: Option<i32>,
    /// Bytes that the shaper counts at least for each packet (tc: minimum packet unit).
    #[schemars(range(max = 256), extend("x-unit" = "bytes"))]
    pub mpu: u32,
    /// The shaper counts ATM cells: 53 bytes for each 48 begun.
    pub atm: bool,
    /// The shaper counts PTM's encoding of VDSL2: one byte more for each 64 begun.
    pub ptm: bool,
    /// Drop queued ACKs that a new one of the same flow makes redundant, if another redundant one stays in the queue (tc:
    /// `ack-filter`). Only TCP's can be read.
    pub ack_filter: bool,
    /// Drop them also where none stays (tc: `ack-filter-aggressive`).
    pub ack_filter_aggressive: bool,
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
        Self {
            bandwidth_bps: None,
            overhead: None,
            mpu: 0,
            atm: false,
            ptm: false,
            ack_filter: false,
            ack_filter_aggressive: false,
            rtt_ns: 100 * NS_PER_MS,
            memlimit_bytes: None,
        }
    }
}
