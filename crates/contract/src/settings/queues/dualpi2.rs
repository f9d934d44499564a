use crate::settings::MAX_QUEUE_TIME_NS;
use crate::NS_PER_MS;
use fairlane_contract_derive::Limits;
use schemars::JsonSchema;
use serde::Deserialize;

/// As `tc qdisc add ... dualpi2`.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema, Limits)]
#[serde(deny_unknown_fields, default)]
pub struct Dualpi2Config {
    /// Limit of both queues together.
    #[schemars(range(min = 1), extend("x-limit" = "default"))]
    pub limit_packets: u64,
    /// Memory of both queues together, including 790 bytes of kernel data per packet.
    #[schemars(range(min = 1), extend("x-default" = "two full frames per packet of the limit"))]
    pub memlimit_bytes: Option<u64>,
    /// Longest RTT of classic senders. Sets target, tupdate, alpha and beta by RFC 9332 Appendix A.1.
    #[schemars(range(min = 1, max = MAX_QUEUE_TIME_NS))]
    pub max_rtt_ns: Option<u64>,
    /// Typical RTT. Without the longest RTT, that is six times this.
    #[schemars(range(min = 1, max = MAX_QUEUE_TIME_NS), extend("x-default" = "a sixth of `max_rtt_ns`"))]
    pub typical_rtt_ns: Option<u64>,
    /// Delay that the controller aims at.
    #[schemars(range(min = 1, max = MAX_QUEUE_TIME_NS))]
    pub target_ns: u64,
    /// Time between two steps of the controller.
    #[schemars(range(min = 1, max = MAX_QUEUE_TIME_NS))]
    pub tupdate_ns: u64,
    /// Weight of the distance to the target.
    #[schemars(range(min = 0.0, max = 1e6), extend("x-hint" = "per second"))]
    pub alpha_hz: f64,
    /// Weight of the trend.
    #[schemars(range(min = 0.0, max = 1e6), extend("x-hint" = "per second"))]
    pub beta_hz: f64,
    /// Ratio of the marking probability of L4S packets to the base probability.
    #[schemars(range(min = 1, max = 255), extend("x-hint" = "(RFC 9332: 2, equal rates at equal RTTs)"))]
    pub coupling_factor: u32,
    /// Mark L4S packets that waited longer than this.
    #[schemars(extend("x-default" = "1000000, unless given in packets"))]
    pub step_thresh_ns: Option<u64>,
    /// Mark L4S packets while the L4S queue is longer than this.
    pub step_thresh_packets: Option<u64>,
    /// The step marks nothing while the L4S queue is shorter than this.
    pub min_qlen_step_packets: u64,
    /// Share of the link for classic packets while both queues are backlogged.
    #[schemars(range(max = 100), extend("x-hint" = "(Linux: 10)"))]
    pub classic_protection_percent: u32,
    /// Drop L4S packets, too, once marking all of them does not help; otherwise queues grow to the limit.
    pub drop_on_overload: bool,
    /// Drop on arrival instead of on departure.
    pub drop_enqueue: bool,
    /// Treat ECT(0) as L4S, too.
    pub any_ect: bool,
}

impl Default for Dualpi2Config {
    fn default() -> Self {
        Self {
            limit_packets: 10_000,
            memlimit_bytes: None,
            max_rtt_ns: None,
            typical_rtt_ns: None,
            target_ns: 15 * NS_PER_MS,
            tupdate_ns: 16 * NS_PER_MS,
            alpha_hz: 0.16,
            beta_hz: 3.2,
            coupling_factor: 2,
            step_thresh_ns: None,
            step_thresh_packets: None,
            min_qlen_step_packets: 0,
            classic_protection_percent: 10,
            drop_on_overload: true,
            drop_enqueue: false,
            any_ect: false,
        }
    }
}
