//! What a run is made of, as read from JSON: links, flows, cross traffic. Times in ns, rates in bit/s.

use fairlane_network::LinkConfig;
use serde::Deserialize;
use std::collections::BTreeMap;

/// A whole run.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    pub seed: u64,
    pub duration_ns: u64,
    /// Timer interrupts per second of all hosts (the kernel's CONFIG_HZ).
    #[serde(default = "default_hz")]
    pub hz: u32,
    #[serde(default = "default_interval_ns")]
    pub series_interval_ns: u64,
    /// The figures of flows and links count from here on; series keep everything.
    #[serde(default)]
    pub warm_up_ns: u64,
    pub links: Vec<LinkConfig>,
    pub flows: Vec<FlowConfig>,
    #[serde(default)]
    pub cross_traffic: Vec<CrossTrafficConfig>,
}

/// A TCP connection, or many of one kind.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FlowConfig {
    /// Name of an algorithm that Fairlane brings, or the path of a C file.
    pub algorithm: String,
    #[serde(default)]
    pub parameters: BTreeMap<String, i64>,
    /// Names of the links that data takes, in order.
    pub forward: Vec<String>,
    /// Names of the links that acknowledgements take.
    pub reverse: Vec<String>,
    #[serde(default)]
    pub start_ns: u64,
    /// The end of the run if absent.
    #[serde(default)]
    pub stop_ns: Option<u64>,
    #[serde(default = "default_mtu")]
    pub mtu: u32,
    #[serde(default)]
    pub workload: Workload,
    #[serde(default)]
    pub sender: SenderHost,
    #[serde(default)]
    pub receiver: ReceiverHost,
}

/// What the application does.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Workload {
    /// Sends as fast as it may until the flow stops.
    #[default]
    Bulk,
    /// As iperf3 does it: three round trips of control messages, then the data connection with a cookie of 37
    /// bytes first, and one round trip later bulk data. The flow's time counts from there.
    Iperf3,
    /// Sends so many bytes and closes.
    Bytes { bytes: u64 },
    /// The data receiver asks, the data sender answers, again and again.
    RequestResponse {
        request_bytes: u64,
        response_bytes: u64,
        #[serde(default)]
        think_ns: u64,
    },
    /// Sends for a while, is silent for a while.
    OnOff {
        on_ns: u64,
        off_ns: u64,
        #[serde(default)]
        exponential: bool,
    },
    /// Many short connections: Poisson arrivals, exponentially distributed sizes.
    PoissonFlows { rate_per_s: f64, mean_bytes: u64 },
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Pacing {
    /// TCP's own timer, where the algorithm asks for pacing.
    #[default]
    Internal,
    /// An fq queue on the host paces every flow.
    Fq,
    /// Nobody, as in kernels before 4.13 without an fq queue: the algorithm's rate is asked for and ignored.
    None,
}

/// The host that sends the data.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SenderHost {
    /// GRO for arriving acknowledgements.
    pub offload: bool,
    /// Bursts by TSO autosizing; kernels since 4.17 build them whatever the network card can do.
    pub segmentation_offload: bool,
    pub pacing: Pacing,
    pub wmem_max_bytes: u64,
    pub ecn: bool,
    /// With ecn, packets carry ECT(1) in place of ECT(0), as those of scalable senders do (RFC 9331).
    pub ect1: bool,
    pub timestamps: bool,
    pub initial_cwnd_packets: u32,
    pub tail_loss_probe: bool,
    pub forward_rto: bool,
    pub undo: bool,
    pub slow_start_after_idle: bool,
    pub nagle: bool,
}

impl Default for SenderHost {
    fn default() -> Self {
        Self {
            offload: false,
            segmentation_offload: true,
            pacing: Pacing::Internal,
            wmem_max_bytes: DEFAULT_BUFFER_BYTES,
            ecn: false,
            ect1: false,
            timestamps: true,
            initial_cwnd_packets: 10,
            tail_loss_probe: true,
            forward_rto: true,
            undo: true,
            slow_start_after_idle: true,
            nagle: true,
        }
    }
}

/// The host that receives the data.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ReceiverHost {
    /// GRO: merges arriving packets, one acknowledgement for a batch.
    pub offload: bool,
    pub rmem_initial_bytes: u32,
    pub rmem_max_bytes: u32,
    pub autotune: bool,
    pub ecn: bool,
    pub sack_compression: bool,
}

impl Default for ReceiverHost {
    fn default() -> Self {
        Self {
            offload: false,
            rmem_initial_bytes: 131_072,
            rmem_max_bytes: DEFAULT_BUFFER_BYTES as u32,
            autotune: true,
            ecn: false,
            sack_compression: true,
        }
    }
}

/// UDP packets at a constant rate, all the time or on and off.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CrossTrafficConfig {
    pub path: Vec<String>,
    pub rate_bps: u64,
    /// Size of the IP packets.
    #[serde(default = "default_mtu")]
    pub packet_bytes: u32,
    #[serde(default)]
    pub start_ns: u64,
    #[serde(default)]
    pub stop_ns: Option<u64>,
    #[serde(default)]
    pub on_ns: Option<u64>,
    #[serde(default)]
    pub off_ns: Option<u64>,
    /// On and off times are exponentially distributed with the given means.
    #[serde(default)]
    pub exponential: bool,
}

/// Socket buffers large enough for every path that the papers use; Linux ships with 4 and 6 MB.
const DEFAULT_BUFFER_BYTES: u64 = 64 << 20;

fn default_hz() -> u32 {
    1000
}
fn default_interval_ns() -> u64 {
    100_000_000
}
fn default_mtu() -> u32 {
    1500
}
