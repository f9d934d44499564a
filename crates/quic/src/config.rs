//! Settings of a QUIC endpoint, and their profiles.

use fairlane_contract::{QuicProfile, QuicSettings};
use fairlane_engine::NS_PER_SEC;

/// Settings of both endpoints of a connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuicConfig {
    /// UDP payload of a full packet; at least 1200.
    pub udp_payload_bytes: u16,
    pub initial_cwnd_packets: u32,
    /// The window after persistent congestion (kMinimumWindow of RFC 9002).
    pub minimum_cwnd_packets: u32,
    /// Spread packets over the round trip.
    pub pacing: bool,
    /// Pacing rate over window per RTT, in slow start and after, for algorithms that do not set a rate.
    pub slow_start_pacing_percent: u64,
    pub avoidance_pacing_percent: u64,
    /// Packets that may be sent without pacing when nothing is in flight.
    pub burst_packets: u32,
    /// Reduce the window by Proportional Rate Reduction instead of at once.
    pub proportional_rate_reduction: bool,
    /// The receiver acknowledges at once after this many unacknowledged packets.
    pub ack_every_packets: u32,
    pub max_ack_delay_us: u32,
    /// And if a packet is missing that was sent this many packets before the last one; 0 means never.
    pub ack_reordering_threshold: u32,
    /// Thresholds of loss detection, in packets and in thousandths of the RTT.
    pub packet_threshold: u32,
    pub time_threshold_permille: u32,
    /// RTT before the first measurement.
    pub initial_rtt_ns: u64,
    /// A period of losses this long, in PTOs, is persistent congestion.
    pub persistent_congestion_threshold: u32,
    /// The session is resumed, so that data leaves with the client's first flight.
    pub zero_rtt: bool,
    /// Data goes in DATAGRAM frames and is not retransmitted.
    pub datagrams: bool,
    /// Flow control windows of a stream and of the connection.
    pub stream_window_bytes: u64,
    pub connection_window_bytes: u64,
    /// Data that is ready or sent, and not acknowledged.
    pub send_buffer_bytes: u64,
    /// Number of connections whose bandwidth one connection uses; only for CUBIC.
    pub emulated_connections: u32,
    /// Packets are ECN-capable.
    pub ecn: bool,
    /// Streams over which the application's data is distributed.
    pub streams: u32,
    /// Length of a jiffy, the unit of time in Linux's algorithms.
    pub jiffy_ns: u64,
}

impl QuicConfig {
    pub fn of(profile: QuicProfile) -> Self {
        match profile {
            QuicProfile::Ietf => Self {
                udp_payload_bytes: 1200,            // RFC 9000 section 14: without path MTU discovery
                initial_cwnd_packets: 10,           // RFC 9002 section 7.2
                minimum_cwnd_packets: 2,            // RFC 9002 section 7.2
                pacing: true,                       // RFC 9002 section 7.7
                slow_start_pacing_percent: 125,     // RFC 9002 section 7.7, N
                avoidance_pacing_percent: 125,      // RFC 9002 section 7.7, N
                burst_packets: 10,                  // RFC 9002 section 7.7: the initial window
                proportional_rate_reduction: false, // RFC 9002 appendix B.6
                ack_every_packets: 2,               // RFC 9000 section 13.2.2
                max_ack_delay_us: 25_000,           // RFC 9000 section 18.2
                ack_reordering_threshold: 1,        // RFC 9000 section 13.2.1
                packet_threshold: 3,                // RFC 9002 section 6.1.1
                time_threshold_permille: 1125,      // RFC 9002 section 6.1.2: 9/8
                initial_rtt_ns: NS_PER_SEC / 3,     // RFC 9002 section 6.2.2: 333 ms
                persistent_congestion_threshold: 3, // RFC 9002 section 7.6.1
                zero_rtt: false,
                datagrams: false,
                stream_window_bytes: 64 << 20, // no number in the RFCs; as large as TCP's buffers here
                connection_window_bytes: 64 << 20,
                send_buffer_bytes: 64 << 20,
                emulated_connections: 1,
                ecn: false,
                streams: 1,
                jiffy_ns: 1_000_000,
            },
            // Names of constants are Chromium's (net/third_party/quic/core, October 2018).
            QuicProfile::Gquic => Self {
                udp_payload_bytes: 1350,           // kDefaultMaxPacketSize
                initial_cwnd_packets: 32,          // kInitialCongestionWindow
                slow_start_pacing_percent: 200,    // TcpCubicSenderBytes::PacingRate
                burst_packets: 10,                 // PacingSender: kInitialUnpacedBurst
                proportional_rate_reduction: true, // PrrSender
                ack_every_packets: 10,             // kMaxRetransmittablePacketsBeforeAck, ACK decimation
                time_threshold_permille: 1250,     // GeneralLossAlgorithm: kDefaultLossDelayShift
                initial_rtt_ns: NS_PER_SEC / 10,   // kInitialRttMs
                stream_window_bytes: 6 << 20,      // kQuicStreamMaxRecvWindowSize
                connection_window_bytes: 15 << 20, // kQuicSessionMaxRecvWindowSize
                emulated_connections: 2,           // CubicBytes: kDefaultNumConnections
                ..Self::of(QuicProfile::Ietf)
            },
        }
    }
}

impl QuicConfig {
    /// Data of a full packet, without header (one byte, an 8-byte connection id, a packet number of two bytes), the frame's
    /// type, stream and offset, and the tag of 16 bytes. For DATAGRAM frames the header and packet number have their
    /// maximum size, because quinn-proto never splits one.
    pub fn payload_bytes(&self) -> u32 {
        let room = u32::from(self.udp_payload_bytes) - (1 + 8) - 16;
        room - if self.datagrams { 4 + (1 + 8) } else { 2 + (1 + 1 + 4) }
    }
}

/// The settings of a flow; its profile sets the absent ones.
impl From<&QuicSettings> for QuicConfig {
    fn from(given: &QuicSettings) -> Self {
        let profile = Self::of(given.profile);
        let max_ack_delay_us = given.max_ack_delay_ns.map(|delay_ns| (delay_ns / 1_000) as u32);
        Self {
            udp_payload_bytes: given.packet_bytes.map_or(profile.udp_payload_bytes, |bytes| bytes as u16),
            initial_cwnd_packets: given.initial_cwnd_packets.unwrap_or(profile.initial_cwnd_packets),
            pacing: given.pacing.unwrap_or(profile.pacing),
            slow_start_pacing_percent: given
                .slow_start_pacing_percent
                .map_or(profile.slow_start_pacing_percent, Into::into),
            avoidance_pacing_percent: given
                .avoidance_pacing_percent
                .map_or(profile.avoidance_pacing_percent, Into::into),
            burst_packets: given.burst_packets.unwrap_or(profile.burst_packets),
            proportional_rate_reduction: given
                .proportional_rate_reduction
                .unwrap_or(profile.proportional_rate_reduction),
            ack_every_packets: given.ack_every_packets.unwrap_or(profile.ack_every_packets),
            max_ack_delay_us: max_ack_delay_us.unwrap_or(profile.max_ack_delay_us),
            ack_reordering_threshold: given
                .ack_reordering_threshold_packets
                .unwrap_or(profile.ack_reordering_threshold),
            packet_threshold: given.packet_threshold_packets.unwrap_or(profile.packet_threshold),
            time_threshold_permille: given.time_threshold_permille.unwrap_or(profile.time_threshold_permille),
            initial_rtt_ns: given.initial_rtt_ns.unwrap_or(profile.initial_rtt_ns),
            persistent_congestion_threshold: given
                .persistent_congestion_threshold
                .unwrap_or(profile.persistent_congestion_threshold),
            zero_rtt: given.zero_rtt.unwrap_or(profile.zero_rtt),
            datagrams: given.datagrams.unwrap_or(profile.datagrams),
            stream_window_bytes: given.stream_window_bytes.unwrap_or(profile.stream_window_bytes),
            connection_window_bytes: given.connection_window_bytes.unwrap_or(profile.connection_window_bytes),
            streams: given.streams.unwrap_or(profile.streams),
            emulated_connections: given.emulated_connections.unwrap_or(profile.emulated_connections),
            ..profile
        }
    }
}

impl Default for QuicConfig {
    fn default() -> Self {
        Self::of(QuicProfile::default())
    }
}
