//! A run: links, flows and cross traffic.

use crate::{LinkConfig, MediumConfig, QuicSettings, ReceiverHost, SenderHost, TransportProtocol, Workload};
use fairlane_contract_derive::Limits;
use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::BTreeMap;

/// A whole run.
#[derive(Clone, Debug, Deserialize, JsonSchema, Limits)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// Seed of every random stream; the same scenario with the same seed gives the same result.
    pub seed: u64,
    /// Simulated time.
    #[schemars(range(min = 1), extend("examples" = ["30s"]))]
    pub duration_ns: u64,
    /// Timer interrupts per second of all hosts (the kernel's CONFIG_HZ).
    #[serde(default = "default_hz")]
    #[schemars(range(min = 24, max = 10_000), extend("x-hint" = "(kernels: 100, 250, 300 or 1000)", "x-file" = "hosts.hz", "examples" = [1000]))]
    pub hz: u32,
    /// Time between two samples of the time series.
    #[serde(default = "default_interval_ns")]
    #[schemars(range(min = 1), extend("x-file" = "metrics.interval"))]
    pub series_interval_ns: u64,
    /// Beginning of a run that metrics leave out. Time series start at 0.
    #[serde(default)]
    #[schemars(extend("x-file" = "metrics.warm_up"))]
    pub warm_up_ns: u64,
    /// Links of the network.
    #[serde(default)]
    #[schemars(extend("x-file" = "network.links"))]
    pub links: Vec<LinkConfig>,
    /// Media that several stations share.
    #[serde(default)]
    #[schemars(extend("x-file" = "network.media"))]
    pub media: Vec<MediumConfig>,
    /// Flows: connections that carry data.
    pub flows: Vec<FlowConfig>,
    /// UDP cross traffic.
    #[serde(default)]
    pub cross_traffic: Vec<CrossTrafficConfig>,
    /// Members of `tcp_sock` (`snd_ssthresh`) and of the algorithm's own memory (`state.NAME`) to sample in addition.
    #[serde(default)]
    #[schemars(
        length(max = 100),
        extend("x-file" = "metrics.watch", "examples" = [["snd_ssthresh", "state.mode"]])
    )]
    pub watch: Vec<String>,
}

impl Scenario {
    /// Names of the links, then of the stations of shared media, by which paths and results refer to them.
    pub fn station_names(&self) -> impl Iterator<Item = &str> {
        let links = self.links.iter().map(|link| link.name.as_str());
        links.chain(self.media.iter().flat_map(MediumConfig::station_names))
    }
}

/// A flow, or many of one kind.
#[derive(Clone, Debug, Deserialize, JsonSchema, Limits)]
#[serde(deny_unknown_fields)]
pub struct FlowConfig {
    /// Name of a bundled algorithm, or the path of a C or Python file.
    #[schemars(extend("examples" = ["cubic"]))]
    pub algorithm: String,
    /// Parameters of the algorithm that differ from its defaults, by name.
    #[serde(default)]
    pub parameters: BTreeMap<String, i64>,
    /// Names of the links and stations that data crosses, in order.
    pub forward: Vec<String>,
    /// Names of the links and stations that acknowledgements cross.
    pub reverse: Vec<String>,
    /// Start of the flow.
    #[serde(default)]
    pub start_ns: u64,
    /// Time at which the application stops sending. Absent, the end of the run.
    #[serde(default)]
    #[schemars(range(min = 1))]
    pub stop_ns: Option<u64>,
    /// Largest IP packet in bytes.
    #[serde(default = "default_mtu")]
    #[schemars(range(min = 256, max = 65_535), extend("x-unit" = "bytes", "examples" = [1500]))]
    pub mtu: u32,
    /// Application of the flow.
    #[serde(default)]
    pub workload: Workload,
    /// Transport protocol.
    #[serde(default)]
    pub transport: TransportProtocol,
    /// QUIC endpoints, where `transport` is `quic`.
    #[serde(default)]
    pub quic: Option<QuicSettings>,
    /// The host that sends the data.
    #[serde(default)]
    pub sender: SenderHost,
    /// The host that receives the data.
    #[serde(default)]
    pub receiver: ReceiverHost,
}

/// UDP packets at a constant rate, continuous or on and off.
#[derive(Clone, Debug, Deserialize, JsonSchema, Limits)]
#[serde(deny_unknown_fields)]
pub struct CrossTrafficConfig {
    /// Names of the links and stations that the packets cross, in order.
    pub path: Vec<String>,
    /// Bits of IP packets per second while the source is on.
    #[schemars(range(min = 1), extend("x-hint" = ", or remove the source"))]
    pub rate_bps: u64,
    /// Size of the IP packets.
    #[serde(default = "default_mtu")]
    #[schemars(range(min = 28, max = 65_535), extend("x-hint" = ", a size of UDP packets"))]
    pub packet_bytes: u32,
    /// Start of the source.
    #[serde(default)]
    pub start_ns: u64,
    /// Time at which the source stops. Absent, the end of the run.
    #[serde(default)]
    #[schemars(range(min = 1))]
    pub stop_ns: Option<u64>,
    /// With `off`: length of an on period. Absent, the source is always on.
    #[serde(default)]
    #[schemars(range(min = 1))]
    pub on_ns: Option<u64>,
    /// With `on`: length of an off period.
    #[serde(default)]
    #[schemars(range(min = 1))]
    pub off_ns: Option<u64>,
    /// Draw both lengths from exponential distributions with these means.
    #[serde(default)]
    pub exponential: bool,
}

fn default_hz() -> u32 {
    1000
}
fn default_interval_ns() -> u64 {
    100_000_000
}
fn default_mtu() -> u32 {
    1500
}
