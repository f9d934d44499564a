//! The findings about one acknowledgement, which the steps of its processing share.

use super::Sender;
use fairlane_congestion_control::RateSample;

/// Bits of [`AckInfo::bits`].
pub(super) mod meaning {
    /// The segment carried data.
    pub const DATA: u32 = 1 << 0;
    /// It updated the window.
    pub const WINDOW_UPDATE: u32 = 1 << 1;
    /// It acknowledged data cumulatively.
    pub const DATA_ACKED: u32 = 1 << 2;
    /// Some of that data had been retransmitted.
    pub const RETRANSMITTED_DATA_ACKED: u32 = 1 << 3;
    /// It SACKed data.
    pub const DATA_SACKED: u32 = 1 << 4;
    /// It carried ECE.
    pub const ECE: u32 = 1 << 5;
    /// It showed a retransmission to be lost.
    pub const LOST_RETRANSMISSION: u32 = 1 << 6;
    /// Data that was sent once, before recovery began, was (S)ACKed.
    pub const ORIGINAL_ACKED: u32 = 1 << 7;
    /// `snd_una` moved.
    pub const ADVANCED: u32 = 1 << 8;
    /// It carried a D-SACK.
    pub const DSACK: u32 = 1 << 9;
    /// The D-SACK answers a tail loss probe.
    pub const DSACK_OF_PROBE: u32 = 1 << 10;
    /// The receiver dropped data that it had SACKed.
    pub const RENEGED: u32 = 1 << 11;
    /// The retransmission timer must be restarted.
    pub const SET_TIMER: u32 = 1 << 12;
    /// It may have been delayed by the receiver.
    pub const MAYBE_DELAYED: u32 = 1 << 13;

    /// Not a duplicate ACK (RFC 5681).
    pub const NOT_DUPLICATE: u32 = DATA | WINDOW_UPDATE | DATA_ACKED;
    /// May change the state of recovery.
    pub const ALERT: u32 = DATA_SACKED | ECE | DSACK;
    pub const FORWARD_PROGRESS: u32 = DATA_ACKED | DATA_SACKED;
}
/// The sending that follows an acknowledgement, before new data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Retransmit {
    Nothing,
    /// F-RTO: new data first, to see whether the timeout was spurious.
    NewData,
    Lost,
}

/// Working state of one acknowledgement: what it means for the scoreboard, recovery and the rate sample.
#[derive(Clone, Copy, Debug)]
pub(super) struct AckInfo {
    pub bits: u32,
    pub prior_snd_una: u64,
    /// `snd_una` or the end of the highest SACK before this acknowledgement.
    pub prior_frontier_seq: u64,
    /// Lowest sequence number that shows reordering.
    pub reordered_from: u64,
    /// Packets that SACK blocks delivered.
    pub sack_delivered: u32,
    /// Send times of the first and last segment that were newly SACKed, in us.
    pub first_sacked_us: Option<u64>,
    pub last_sacked_us: u64,
    pub duplicate: bool,
    pub retransmit: Retransmit,
    /// Its delivery-rate sample.
    pub rate: RateSample,
}

impl AckInfo {
    /// Before the acknowledgement has changed `sender`.
    #[inline]
    pub fn new(sender: &Sender, bits: u32) -> Self {
        Self {
            bits,
            prior_snd_una: sender.snd_una,
            prior_frontier_seq: sender.sack_frontier_seq(),
            reordered_from: sender.snd_nxt,
            sack_delivered: 0,
            first_sacked_us: None,
            last_sacked_us: 0,
            duplicate: false,
            retransmit: Retransmit::Nothing,
            rate: RateSample { prior_in_flight: sender.sock.packets_in_flight(), rtt_us: -1, ..RateSample::default() },
        }
    }
}
