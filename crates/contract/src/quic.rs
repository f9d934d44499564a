//! Which protocol a flow uses, and what its QUIC endpoints are told.

use schemars::JsonSchema;
use serde::Deserialize;

/// The transport protocol of a flow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TransportProtocol {
    /// TCP as Linux has it.
    #[default]
    Tcp,
    /// QUIC (RFC 9000) with the same congestion control algorithms.
    Quic,
}

/// Where the QUIC settings come from that a scenario does not give.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum QuicProfile {
    /// RFC 9000 and RFC 9002.
    #[default]
    Ietf,
    /// Chromium in 2018, before QUIC was a standard.
    Gquic,
}

/// Settings of both QUIC endpoints of a flow. Absent means that the profile says it.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct QuicSettings {
    /// The settings that are not given: those of the RFCs, or of Chromium in 2018.
    pub profile: QuicProfile,
    /// UDP payload of a full packet.
    #[schemars(extend("x-unit" = "bytes"))]
    pub packet_bytes: Option<u32>,
    /// Initial congestion window.
    pub initial_cwnd_packets: Option<u32>,
    /// Spread packets over the round trip.
    pub pacing: Option<bool>,
    /// Pacing rate in slow start, in percent of a window per RTT, for algorithms that do not set a rate.
    pub slow_start_pacing_percent: Option<u32>,
    /// The same after slow start.
    pub avoidance_pacing_percent: Option<u32>,
    /// Packets that may leave at once when nothing is in flight.
    pub burst_packets: Option<u32>,
    /// Reduce the window by Proportional Rate Reduction (RFC 6937) rather than at once.
    pub proportional_rate_reduction: Option<bool>,
    /// The receiver acknowledges at once when this many packets wait for it.
    pub ack_every_packets: Option<u32>,
    /// Longest delay of an acknowledgement.
    pub max_ack_delay_ns: Option<u64>,
    /// The receiver acknowledges at once when a packet is missing that was sent this many packets before the last one; 0
    /// means that reordering does not matter.
    pub ack_reordering_threshold_packets: Option<u32>,
    /// A packet is lost when one sent this many packets later was acknowledged.
    pub packet_threshold_packets: Option<u32>,
    /// A packet is lost when a later one was acknowledged and this many thousandths of an RTT have passed.
    pub time_threshold_permille: Option<u32>,
    /// RTT that is assumed before the first measurement.
    pub initial_rtt_ns: Option<u64>,
    /// Losses that span this many probe timeouts are persistent congestion.
    pub persistent_congestion_threshold: Option<u32>,
    /// The session is resumed: data leaves with the first packets of the handshake.
    pub zero_rtt: Option<bool>,
    /// Flow control window of a stream.
    pub stream_window_bytes: Option<u64>,
    /// Flow control window of the connection.
    pub connection_window_bytes: Option<u64>,
    /// Streams that the data is spread over.
    pub streams: Option<u32>,
    /// Send the data in DATAGRAM frames (RFC 9221), which are not retransmitted, instead of streams.
    pub datagrams: Option<bool>,
    /// Connections whose bandwidth one connection takes; only CUBIC emulates several.
    pub emulated_connections: Option<u32>,
}
