//! The state of an endpoint, for observers.

use crate::LimitTimes;

/// The state of the sending half of an endpoint at one moment, and its counters since the start of the connection. Time
/// series, counters and results are computed from it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TransportSample {
    pub cwnd_packets: u32,
    /// `None` until the first loss or mark sets it.
    pub ssthresh_packets: Option<u32>,
    pub inflight_packets: u32,
    /// `None` when sending is not limited by a pacing rate.
    pub pacing_rate_bytes_per_s: Option<u64>,
    /// The peer's flow control window: how far the sender may send beyond the first unacknowledged byte. `None` without
    /// flow control, and before the peer has announced one.
    pub receive_window_bytes: Option<u64>,
    /// Smoothed RTT; 0 before the first measurement.
    pub srtt_ns: u64,
    /// Smoothed mean deviation of the RTT (RFC 6298).
    pub rttvar_ns: u64,
    pub min_rtt_ns: Option<u64>,
    /// Number of RTT samples since the last restart, and their sum.
    pub rtt_samples: u64,
    pub rtt_sum_us: u64,
    /// Packets that the peer has acknowledged.
    pub delivered_packets: u32,
    /// Packets whose acknowledgement reported congestion (ECN).
    pub marked_packets: u32,
    /// Packets that the sender marked lost, retransmissions included.
    pub packets_marked_lost: u32,
    /// Losses that later acknowledgements proved to be spurious.
    pub spurious_losses: u32,
    pub retransmits: u32,
    /// Segments retransmitted at least once; none where the transport sends lost data in new packets.
    pub segments_retransmitted: Option<u32>,
    pub retransmitted_bytes: u64,
    /// Retransmission timeouts.
    pub timeouts: u32,
    /// Limits of sending, and their times.
    pub limits: LimitTimes,
}
