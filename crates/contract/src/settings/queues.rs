//! Queue disciplines and their parameters, with the names of tc, their units appended, and tc's defaults.
//!
//! The parameter that limits the length of a queue carries `x-limit`: a buffer size sets it.

mod cake;
mod codel;
mod dualpi2;
mod fq;
mod pie;
mod policer;
mod red;
mod router;

pub use cake::CakeConfig;
pub use codel::{CodelConfig, FqCodelConfig};
pub use dualpi2::Dualpi2Config;
pub use fq::FqConfig;
pub use pie::{FqPieConfig, PieConfig};
pub use policer::PolicerConfig;
pub use red::RedConfig;
pub use router::RouterConfig;

use fairlane_contract_derive::Limits;
use schemars::JsonSchema;
use serde::Deserialize;

/// The queue in front of the transmitter.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema, Limits)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum QueueConfig {
    /// First in, first out; packets that arrive at a full queue are dropped. Takes exactly one of the two limits.
    Fifo {
        /// Limit in frame bytes.
        #[serde(default)]
        #[schemars(range(min = 1), extend("x-limit" = "required"))]
        limit_bytes: Option<u64>,
        /// Limit in packets.
        #[serde(default)]
        #[schemars(range(min = 1))]
        limit_packets: Option<u64>,
    },
    /// First in, first out, without a limit.
    Unlimited {},
    /// RED (Floyd and Jacobson 1993): drops arriving packets with a probability that grows with the mean queue length.
    ///
    /// As in Linux, the mean does not decay if a token bucket (`burst_bytes`) empties the queue. tc's `qevent` shows early
    /// drops and marks to filters; by itself it changes no packet's fate, so it is not here.
    Red(RedConfig),
    /// CoDel (RFC 8289): drops from the head, at increasing frequency, while packets wait too long.
    Codel(CodelConfig),
    /// FQ-CoDel (RFC 8290): flows are hashed into queues served by round robin, with CoDel in each.
    ///
    /// tc's `ce_threshold_selector` matches any bits of the DS field; packets here have only the two ECN bits, so only
    /// ECT(1) can be selected.
    FqCodel(FqCodelConfig),
    /// PIE (RFC 8033): drops arriving packets with a probability that a controller adjusts to reach a target delay.
    Pie(PieConfig),
    /// FQ-PIE: flows are hashed into queues as in FQ-CoDel, with PIE in each.
    ///
    /// Linux's `memory_limit` is missing: it counts what exceeds it but drops nothing.
    FqPie(FqPieConfig),
    /// fq on a router: round robin between flows, each paced to at most `maxrate_bps`.
    ///
    /// This is fq on a forwarding host, where no packet belongs to a local socket; for pacing on the sender see
    /// `sender.pacing`. tc's `pacing`, `horizon`, `horizon_drop` and `timer_slack` concern departure times set by local
    /// sockets, and `bands`, `priomap` and `weights` their priorities; forwarded packets have neither. `buckets` sizes a
    /// table and changes no packet's fate.
    Fq(FqConfig),
    /// CAKE (Høiland-Jørgensen, Täht and Morton 2018) with `besteffort flows`: one tin of flow queues with COBALT.
    ///
    /// A set-associative hash into 1024 queues, deficit round robin with sparse flows first, COBALT (CoDel and BLUE) in each
    /// queue, ECN always on. There are no tins by DSCP and no ingress mode.
    Cake(CakeConfig),
    /// DualPI2 (RFC 9332): a low-latency queue for scalable senders next to one for classic senders, coupled.
    ///
    /// Packets with ECT(1) or CE use a queue of their own, which is marked at the square root of the probability with
    /// which the classic queue drops. tc's `split_gso` decides whether large segments of local sockets are split before
    /// they wait; packets arrive here already split.
    Dualpi2(Dualpi2Config),
    /// A policer, as tc's action police: drops packets that exceed a rate and queues nothing.
    ///
    /// Takes exactly one of the two rates, with its burst; most useful on a link without `rate_bps`. Each rate has a
    /// bucket, full at the start, with tokens up to its burst. A packet that finds enough tokens in every bucket takes
    /// them from all; otherwise it is dropped and takes none. With an `mtu_bytes` of one frame, `peakrate_bps` drops each
    /// packet that follows another faster than that, which TCP causes in every round; an MTU of several frames lets as
    /// many through.
    ///
    /// Without `mtu_bytes` any size passes, as tc's manual says; the kernel, given a rate but no MTU, drops frames above
    /// 2040 bytes because tc's rate table ends there. `mtu_bytes = 2040` does the same. tc's `avrate`, `estimator` and
    /// `linklayer` are missing; `overhead` is the link's `overhead_bytes`. Actions other than drop hand the packet to
    /// filters and actions behind the policer, of which there are none here.
    Policer(PolicerConfig),
    /// A host that forwards packets in software: a receiving card that merges packets (GRO), processing time for each, and a
    /// pfifo.
    ///
    /// Merged packets count as one for the limit and for the processor, are dropped together, and leave back to back. They
    /// wait for the whole `merge_interval_ns`. Packets below 128 bytes, such as ACKs, are not merged. Whatever waits for the
    /// processor counts for the limit, too.
    Router(RouterConfig),
}

impl Default for QueueConfig {
    fn default() -> Self {
        Self::Unlimited {}
    }
}
