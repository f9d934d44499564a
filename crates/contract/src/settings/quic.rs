//! The transport protocol of a flow, and its QUIC endpoints.

use fairlane_contract_derive::Limits;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The transport protocol of a flow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema, Limits)]
#[serde(rename_all = "snake_case")]
pub enum TransportProtocol {
    /// TCP as Linux has it.
    #[default]
    Tcp,
    /// QUIC (RFC 9000) with the same congestion control algorithms.
    Quic,
    /// RTP over UDP (RFC 3550) for the workload `call`, whose frames are not retransmitted. The algorithm is `scream`:
    /// SCReAMv2 (draft-johansson-ccwg-rfc8298bis-screamv2), which sets the bitrate within the limits of `ladder`.
    Rtp,
}

/// Defaults of the QUIC settings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema, Limits)]
#[serde(rename_all = "snake_case")]
pub enum QuicProfile {
    /// RFC 9000 and RFC 9002.
    #[default]
    Ietf,
    /// Chromium in 2018, before QUIC was a standard.
    Gquic,
}

/// Both QUIC endpoints of a flow. An absent setting has the profile's default.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema, Limits)]
#[serde(deny_unknown_fields, default)]
#[schemars(extend("x-transport" = "quic"))]
pub struct QuicSettings {
    /// Defaults of the other settings: those of RFC 9000 and RFC 9002, or those of Chromium in 2018.
    pub profile: QuicProfile,
    /// UDP payload of a full packet.
    #[schemars(range(min = 1_200, max = 65_507), extend("x-hint" = "(RFC 9000 section 14.1)", "examples" = ["1350B"]))]
    pub packet_bytes: Option<u32>,
    /// Initial congestion window in packets.
    #[schemars(range(min = 1, max = 10_000), extend("examples" = [10]))]
    pub initial_cwnd_packets: Option<u32>,
    /// Spread packets over the RTT.
    pub pacing: Option<bool>,
    /// Pacing rate in slow start in percent of cwnd per RTT, for algorithms that set no rate.
    #[schemars(range(min = 1, max = 10_000), extend("examples" = [200]))]
    pub slow_start_pacing_percent: Option<u32>,
    /// Pacing rate after slow start in percent of cwnd per RTT, for algorithms that set no rate.
    #[schemars(range(min = 1, max = 10_000), extend("examples" = [125]))]
    pub avoidance_pacing_percent: Option<u32>,
    /// Packets that may leave at once when nothing is in flight.
    #[schemars(range(max = 10_000), extend("examples" = [10]))]
    pub burst_packets: Option<u32>,
    /// Reduce cwnd by Proportional Rate Reduction (RFC 6937) instead of at once.
    pub proportional_rate_reduction: Option<bool>,
    /// Number of packets that the receiver acknowledges with one ACK.
    #[schemars(range(min = 1, max = 1_000), extend("examples" = [2]))]
    pub ack_every_packets: Option<u32>,
    /// Longest delay of an ACK, 1 to 25 ms.
    #[schemars(
        range(min = 1_000_000, max = 25_000_000),
        extend("x-hint" = "(RFC 9000 section 18.2)", "examples" = ["25ms"])
    )]
    pub max_ack_delay_ns: Option<u64>,
    /// The receiver acknowledges at once when a packet is missing that was sent this many packets before the latest
    /// one; 0 means never.
    #[schemars(range(max = 1_000), extend("examples" = [3]))]
    pub ack_reordering_threshold_packets: Option<u32>,
    /// A packet is lost when one sent this many packets later was acknowledged.
    #[schemars(range(min = 1, max = 10_000), extend("x-hint" = "(RFC 9002: 3)", "examples" = [3]))]
    pub packet_threshold_packets: Option<u32>,
    /// A packet is lost when a later one was acknowledged and this many thousandths of an RTT have passed.
    #[schemars(range(min = 1_000, max = 100_000), extend("x-hint" = "(RFC 9002: 1125)", "examples" = [1125]))]
    pub time_threshold_permille: Option<u32>,
    /// RTT before the first measurement.
    #[schemars(range(min = 1), extend("examples" = ["333ms"]))]
    pub initial_rtt_ns: Option<u64>,
    /// Losses that span this many probe timeouts are persistent congestion.
    #[schemars(range(min = 1, max = 1_000), extend("x-hint" = "(RFC 9002: 3)", "examples" = [3]))]
    pub persistent_congestion_threshold: Option<u32>,
    /// Resume a session: data leaves with the first packets of the handshake.
    pub zero_rtt: Option<bool>,
    /// Flow control window of a stream.
    #[schemars(range(min = 1), extend("examples" = ["6MiB"]))]
    pub stream_window_bytes: Option<u64>,
    /// Flow control window of the connection.
    #[schemars(range(min = 1), extend("examples" = ["15MiB"]))]
    pub connection_window_bytes: Option<u64>,
    /// Number of streams that share the data.
    #[schemars(range(min = 1, max = 10_000), extend("examples" = [1]))]
    pub streams: Option<u32>,
    /// Send the data in DATAGRAM frames (RFC 9221), which are not retransmitted, instead of streams. For the workloads
    /// bulk and on_off.
    pub datagrams: Option<bool>,
    /// Number of connections whose bandwidth one connection takes. Only CUBIC emulates several.
    #[schemars(range(min = 1, max = 100), extend("examples" = [2]))]
    pub emulated_connections: Option<u32>,
}
