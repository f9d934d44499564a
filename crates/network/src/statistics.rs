//! The counters of a station.

/// The counters of a station, of a link or of a shared medium, at one time. Bytes are frame bytes: IP packet plus
/// overhead.
///
/// Packets are conserved: `enqueued` = `delivered` − `duplicated` + `lost_randomly` + drops after admission + packets
/// still in the medium (`backlog` and `in_flight`).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StationStats {
    /// Admitted by the queue; packets dropped on arrival count as dropped only.
    pub enqueued_packets: u64,
    pub enqueued_bytes: u64,
    /// Dropped by the queue, on arrival or later.
    pub dropped_packets: u64,
    pub dropped_bytes: u64,
    /// Marked Congestion Experienced by the queue.
    pub marked_packets: u64,
    pub marked_bytes: u64,
    /// Delivered at the far end, copies included.
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
    /// The longest backlog, counted after the transmitter has dequeued.
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
    /// Bytes that the medium could have carried for this station since 0, had no other used it (for a trace: all
    /// opportunities so far; for a token bucket: the burst, and what arrived since); none if infinitely fast.
    pub capacity_bytes: Option<u64>,
    /// Tokens in the bucket now: part of the capacity so far that can still be used. 0 without a bucket.
    pub tokens_bytes: u64,
    /// Channel access, if the station contends for its medium.
    pub access: Option<Box<AccessStats>>,
}

/// The counters of a transmit queue of a Wi-Fi cell.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AccessStats {
    /// Time during which its frames, and the answers to them, occupied the channel, collisions included.
    pub airtime_ns: u64,
    pub ppdus: u64,
    /// MPDUs transmitted, retransmissions included.
    pub mpdus: u64,
    /// Retransmitted MPDUs.
    pub retransmitted_mpdus: u64,
    /// Frames that collided.
    pub collisions: u64,
    /// Frames without an answer although no other node transmitted.
    pub unanswered: u64,
    /// Runs of answered PPDUs without one of another queue in between.
    pub turns: u64,
    /// PPDUs by the number of their MPDUs.
    pub ppdus_by_mpdus: Vec<u64>,
    /// The channel as a whole.
    pub times: MediumTimes,
}

/// One frame on the air.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AccessRecord {
    pub start_ns: u64,
    pub end_ns: u64,
    /// The end of the answer; `end_ns` without one.
    pub until_ns: u64,
    /// 0 for a BlockAckReq or a beacon.
    pub mpdus: u32,
    /// MPDUs that the answer confirmed.
    pub confirmed: u32,
    /// Other frames were on the air at the same time.
    pub has_collided: bool,
}

/// Times of a channel up to `until_ns`; the four parts add up to it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MediumTimes {
    pub idle_ns: u64,
    /// Frames that had the channel to themselves, with their answers.
    pub exchange_ns: u64,
    pub collision_ns: u64,
    pub beacon_ns: u64,
    pub until_ns: u64,
}

impl AccessStats {
    pub(crate) fn note_ppdu(&mut self, mpdus: u32, retransmitted: u32) {
        self.ppdus += 1;
        self.retransmitted_mpdus += u64::from(retransmitted);
        self.mpdus += u64::from(mpdus);
        let mpdus = mpdus as usize;
        if mpdus >= self.ppdus_by_mpdus.len() {
            self.ppdus_by_mpdus.resize(mpdus + 1, 0);
        }
        self.ppdus_by_mpdus[mpdus] += 1;
    }

    /// PPDUs by the number of their MPDUs, without those counted before.
    pub fn ppdus_by_mpdus_since(&self, before: &Self) -> Vec<u64> {
        let counted = |mpdus: usize| before.ppdus_by_mpdus.get(mpdus).copied().unwrap_or(0);
        self.ppdus_by_mpdus.iter().enumerate().map(|(mpdus, count)| count - counted(mpdus)).collect()
    }
}

impl StationStats {
    /// Share of the capacity used since 0, 0 to 1; 0 for an infinitely fast link.
    pub fn utilisation(&self) -> f64 {
        self.utilisation_since(&Self::default())
    }

    /// Share of the capacity used since an earlier time, 0 to 1; 0 for an infinitely fast link.
    ///
    /// Tokens that were in the bucket at that time are capacity, because they may be used since. A frame counts when its
    /// transmission ends, at the rate with which that began, so that the busiest interval may carry part of one frame
    /// beyond its capacity: if a frame was in transmission when it began, or when the rate dropped. It counts as 1.
    pub fn utilisation_since(&self, begin: &Self) -> f64 {
        let Some(capacity_bytes) = self.capacity_bytes else { return 0.0 };
        let offered_bytes = capacity_bytes - begin.capacity_bytes.unwrap_or(0) + begin.tokens_bytes;
        if offered_bytes == 0 {
            return 0.0;
        }
        ((self.transmitted_bytes - begin.transmitted_bytes) as f64 / offered_bytes as f64).min(1.0)
    }
}
