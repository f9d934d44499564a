//! The counters of a flow, which only grow.
//!
//! A metric of a flow comes from the difference of two tallies, taken at the beginning and the end of the measurement.

use fairlane_engine::prefetch;
use fairlane_transport::SendLimit;

/// Packets of one direction at one point of the path.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WireCount {
    pub packets: u64,
    /// IP packets and Ethernet headers.
    pub frame_bytes: u64,
    /// Packets with payload.
    pub data_packets: u64,
}

impl WireCount {
    #[inline]
    pub fn add(&mut self, frame_bytes: u32, payload_bytes: u32) {
        self.packets += 1;
        self.frame_bytes += u64::from(frame_bytes);
        self.data_packets += u64::from(payload_bytes > 0);
    }

    /// Adds another count.
    #[inline]
    pub fn add_all(&mut self, other: &Self) {
        self.packets += other.packets;
        self.frame_bytes += other.frame_bytes;
        self.data_packets += other.data_packets;
    }

    fn since(&self, earlier: &Self) -> Self {
        Self {
            packets: self.packets - earlier.packets,
            frame_bytes: self.frame_bytes - earlier.frame_bytes,
            data_packets: self.data_packets - earlier.data_packets,
        }
    }
}

/// A flow's counters at one time. The data sender is end 0, the receiver end 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FlowTally {
    pub at_ns: u64,
    /// Payload delivered to the receiving application.
    pub delivered_bytes: u64,
    /// Sent by each end.
    pub sent: [WireCount; 2],
    /// Received by each end.
    pub arrived: [WireCount; 2],
    /// Retransmitted segments, and their payload.
    pub retransmits: u32,
    pub retransmitted_bytes: u64,
    /// Segments retransmitted at least once, if the transport counts them.
    pub segments_retransmitted: Option<u32>,
    pub timeouts: u32,
    /// Packets towards the receiver that the network dropped or lost.
    pub lost_packets: u64,
    /// Packets that the sender marked lost, including retransmissions.
    pub packets_marked_lost: u32,
    /// Packets marked as lost by mistake, as later ACKs showed.
    pub spurious_losses: u32,
    /// Packets whose ACK reported congestion (ECN).
    pub marked_packets: u32,
    pub rtt_samples: u64,
    pub rtt_sum_us: u64,
    /// Time for which each limit kept the sender from sending, by its number.
    pub limits_ns: [u64; SendLimit::COUNT],
}

impl FlowTally {
    /// Prefetches all of it.
    #[inline]
    pub fn prefetch(&self) {
        prefetch(&self.at_ns);
        prefetch(&self.arrived);
        prefetch(&self.lost_packets);
        prefetch(&self.limits_ns);
    }

    /// Restarts the RTT counters.
    pub fn restart_rtts(&mut self) {
        (self.rtt_samples, self.rtt_sum_us) = (0, 0);
    }

    /// The difference to `earlier`; `at_ns` is the time between.
    pub fn since(&self, earlier: &Self) -> Self {
        Self {
            at_ns: self.at_ns.saturating_sub(earlier.at_ns),
            delivered_bytes: self.delivered_bytes - earlier.delivered_bytes,
            sent: [0, 1].map(|end| self.sent[end].since(&earlier.sent[end])),
            arrived: [0, 1].map(|end| self.arrived[end].since(&earlier.arrived[end])),
            retransmits: self.retransmits - earlier.retransmits,
            retransmitted_bytes: self.retransmitted_bytes - earlier.retransmitted_bytes,
            segments_retransmitted: self
                .segments_retransmitted
                .map(|count| count - earlier.segments_retransmitted.unwrap_or_default()),
            timeouts: self.timeouts - earlier.timeouts,
            lost_packets: self.lost_packets - earlier.lost_packets,
            packets_marked_lost: self.packets_marked_lost.wrapping_sub(earlier.packets_marked_lost),
            spurious_losses: self.spurious_losses.wrapping_sub(earlier.spurious_losses),
            marked_packets: self.marked_packets.wrapping_sub(earlier.marked_packets),
            rtt_samples: self.rtt_samples - earlier.rtt_samples,
            rtt_sum_us: self.rtt_sum_us - earlier.rtt_sum_us,
            limits_ns: std::array::from_fn(|at| self.limits_ns[at].saturating_sub(earlier.limits_ns[at])),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_of_tallies_counts_what_lies_between() {
        let mut count = WireCount::default();
        count.add(1514, 1448);
        let begin = FlowTally { at_ns: 2_000, delivered_bytes: 1448, sent: [count; 2], ..Default::default() };
        count.add(66, 0);
        let end = FlowTally { at_ns: 5_000, delivered_bytes: 4344, sent: [count; 2], retransmits: 3, ..begin };
        let between = end.since(&begin);
        assert_eq!((between.at_ns, between.delivered_bytes, between.retransmits), (3_000, 2896, 3));
        assert_eq!(between.sent[0], WireCount { packets: 1, frame_bytes: 66, data_packets: 0 });
        assert_eq!(end.since(&end), FlowTally { at_ns: 0, ..FlowTally::default() });
    }
}
