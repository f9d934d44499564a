//! The counters of a station.

/// The counters of one station at one moment: of a link, or of one of those that share a medium. Bytes are frame
/// bytes: IP packet plus overhead.
///
/// Packets are conserved: `enqueued` = `delivered` − `duplicated` + `lost_randomly` + drops after admission + packets
/// still in the medium (`backlog` and `in_flight`).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StationStats {
    /// Admitted by the queue; what it refuses counts as dropped only.
    pub enqueued_packets: u64,
    pub enqueued_bytes: u64,
    /// Dropped by the queue, on arrival or later.
    pub dropped_packets: u64,
    pub dropped_bytes: u64,
    /// Marked Congestion Experienced by the queue.
    pub marked_packets: u64,
    pub marked_bytes: u64,
    /// Left the far end, copies included.
    pub delivered_packets: u64,
    pub delivered_bytes: u64,
    /// Lost at random on the wire.
    pub lost_randomly_packets: u64,
    pub lost_randomly_bytes: u64,
    /// Copies that the wire added.
    pub duplicated_packets: u64,
    pub duplicated_bytes: u64,
    /// Waiting now. A packet waits until its transmission starts; at a token bucket until it is sent.
    pub backlog_packets: u64,
    pub backlog_bytes: u64,
    /// The longest that the queue has been, counted after the transmitter took what it could.
    pub max_backlog_bytes: u64,
    /// Mean of the backlog over time since 0, exact: the sum over packets of bytes × waiting time equals the
    /// integral of the backlog (Little's law).
    pub mean_backlog_bytes: f64,
    /// Time in the queue of the packets that were sent: the mean and the longest.
    pub mean_delay_ns: u64,
    pub max_delay_ns: u64,
    /// The same, summed over a number of packets.
    pub delay_sum_ns: u128,
    pub waited_packets: u64,
    /// In transmission or on the wire now.
    pub in_flight_packets: u64,
    /// Frames whose transmission has ended.
    pub transmitted_packets: u64,
    pub transmitted_bytes: u64,
    /// What the medium could have carried for this station since 0, had no other used it (for a trace: all
    /// opportunities up to now); none when infinitely fast.
    pub capacity_bytes: Option<u64>,
}

impl StationStats {
    /// Share of the capacity that was used since 0. Never above 1, but for the burst of a token bucket and the one
    /// frame that a drop of the rate finds in transmission; 0 for an infinitely fast link.
    pub fn utilisation(&self) -> f64 {
        match self.capacity_bytes {
            Some(capacity) if capacity > 0 => self.transmitted_bytes as f64 / capacity as f64,
            _ => 0.0,
        }
    }
}
