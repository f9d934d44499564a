//! A run: links, flows and cross traffic.

use crate::{LinkConfig, MediumConfig, QuicSettings, ReceiverHost, SenderHost, TransportProtocol, Workload};
use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::BTreeMap;

/// A whole run.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// Seed of every random stream; the same scenario with the same seed gives the same result.
    pub seed: u64,
    /// Simulated time.
    pub duration_ns: u64,
    /// Timer interrupts per second of all hosts (the kernel's CONFIG_HZ).
    #[serde(default = "default_hz")]
    pub hz: u32,
    /// Time between two samples of the time series.
    #[serde(default = "default_interval_ns")]
    pub series_interval_ns: u64,
    /// Metrics of flows and links count from here on; time series start at 0.
    #[serde(default)]
    pub warm_up_ns: u64,
    /// The links of the network.
    #[serde(default)]
    pub links: Vec<LinkConfig>,
    /// Media that several stations share.
    #[serde(default)]
    pub media: Vec<MediumConfig>,
    /// Connections.
    pub flows: Vec<FlowConfig>,
    /// UDP traffic.
    #[serde(default)]
    pub cross_traffic: Vec<CrossTrafficConfig>,
    /// What the time series of flows have in addition: members of `tcp_sock` by their kernel names (`snd_ssthresh`), and
    /// of the algorithm's own memory (`state.NAME`).
    #[serde(default)]
    pub watch: Vec<String>,
}

impl Scenario {
    /// All names by which paths and results refer to the network: of links, then of the stations of shared media.
    pub fn station_names(&self) -> impl Iterator<Item = &str> {
        let links = self.links.iter().map(|link| link.name.as_str());
        links.chain(self.media.iter().flat_map(MediumConfig::station_names))
    }
}

/// A connection, or many of one kind.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FlowConfig {
    /// Name of a bundled algorithm, or the path of a C or Python file.
    pub algorithm: String,
    /// The algorithm's parameters by name; the others keep their defaults.
    #[serde(default)]
    pub parameters: BTreeMap<String, i64>,
    /// Names of the links and stations that data crosses, in order.
    pub forward: Vec<String>,
    /// Names of the links and stations that acknowledgements cross.
    pub reverse: Vec<String>,
    /// When the connection opens.
    #[serde(default)]
    pub start_ns: u64,
    /// When the application stops sending; absent means the end of the run.
    #[serde(default)]
    pub stop_ns: Option<u64>,
    /// Largest IP packet.
    #[serde(default = "default_mtu")]
    #[schemars(extend("x-unit" = "bytes"))]
    pub mtu: u32,
    /// What the application does.
    #[serde(default)]
    pub workload: Workload,
    /// Transport protocol.
    #[serde(default)]
    pub transport: TransportProtocol,
    /// Settings of a flow whose transport is QUIC.
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
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CrossTrafficConfig {
    /// Names of the links and stations that the packets cross, in order.
    pub path: Vec<String>,
    /// Rate of IP packets while the source is on.
    pub rate_bps: u64,
    /// Size of the IP packets.
    #[serde(default = "default_mtu")]
    pub packet_bytes: u32,
    /// When the source starts.
    #[serde(default)]
    pub start_ns: u64,
    /// When the source stops; absent means the end of the run.
    #[serde(default)]
    pub stop_ns: Option<u64>,
    /// Length of an on period; absent means always on.
    #[serde(default)]
    pub on_ns: Option<u64>,
    /// Length of an off period.
    #[serde(default)]
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
