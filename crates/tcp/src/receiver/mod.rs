//! The receiving half of a TCP endpoint: accepts segments and decides when and how to acknowledge them.
//!
//! It contains reassembly, SACK and D-SACK blocks, delayed and quick ACKs, ACK compression, the receive window with its
//! autotuning, the echo of timestamps and ECN marks, and GRO, which merges segments before TCP sees them. It does not
//! build segments, and only counts payload bytes. `arrival.rs` processes arriving segments, `acknowledging.rs` decides
//! about ACKs and writes them; every other file is one mechanism.
//!
//! Sequence numbers are 64-bit stream offsets, so nothing wraps. A call that returns [`AckNeed::Now`]
//! expects [`Receiver::fill_ack`] at the same instant, for a pure ACK or for data that leaves anyway.

mod accecn;
mod ack_schedule;
mod acknowledging;
mod algorithm_echo;
mod arrival;
mod compressed_sack;
mod config;
mod ecn;
mod gro;
mod memory;
mod out_of_order;
mod right_sizing;
mod sack_blocks;
mod timestamps;
mod window;

#[cfg(test)]
mod tests;

pub use config::ReceiverConfig;
pub use fairlane_transport::EcnMark;
pub use gro::Gro;

use crate::accecn::DataReceiver;
use crate::segment::{PeerOffer, DEFAULT_MSS};
use ack_schedule::AckSchedule;
use compressed_sack::CompressedSack;
use ecn::EcnEcho;
use fairlane_engine::prefetch;
use memory::INITIAL_SCALING_RATIO;
use out_of_order::OutOfOrderQueue;
use right_sizing::{ReceiverRtt, RightSizing};
use sack_blocks::SackBlocks;
use timestamps::Timestamps;
use window::{ratio_of, Window};

/// Whether an acknowledgement must leave at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum AckNeed {
    None,
    Now,
}

/// Statistics of arrivals without use, and of ACKs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReceiverCounters {
    /// Segments without new data.
    pub duplicate_segments: u64,
    /// Segments that arrived behind a hole.
    pub out_of_order_segments: u64,
    /// Segments beyond the window, too old by their timestamp, or without room.
    pub rejected_segments: u64,
    pub acks_sent: u64,
}

/// The receiving half of one connection, from the end of the handshake on.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub struct Receiver {
    // Used for every packet, ordered by cache line.
    /// Next byte expected.
    next: u64,
    /// Next byte that the application will read.
    read_up_to: u64,
    window: Window,
    timestamps: Timestamps,
    acks: AckSchedule,
    acks_sent: u64,
    sack: SackBlocks,
    compressed: CompressedSack,
    rtt: ReceiverRtt,
    right_sizing: RightSizing,
    /// Memory of data that the application has not read.
    readable_memory_bytes: u32,
    /// Smoothed RTT of this endpoint's sending half in microseconds, 0 for none.
    srtt_us: u32,
    /// Payload, packets and memory of the last segment, as a cache: the next one is usually alike.
    last_cost: (u32, u8, u32),
    ecn: EcnEcho,
    /// This endpoint has closed its own direction.
    closing: bool,
    /// The application reads as soon as the pending ACK has left.
    reads_after_ack: bool,
    /// That reading made another ACK due.
    update_due: bool,
    /// Payload that fits into a segment that this end sends, without SACK blocks.
    sent_mss: u32,
    /// AccECN feedback, once negotiated; `ecn` records whether it is.
    accecn: Option<Box<DataReceiver>>,
    /// Offset after the FIN, once one was seen, else 0.
    end_of_stream: u64,
    out_of_order: OutOfOrderQueue,
    config: ReceiverConfig,

    // Rarely used.
    /// `acks_sent` is counted above.
    counters: ReceiverCounters,
    last_rejection_ns: Option<u64>,
}

impl Receiver {
    /// A receiver whose handshake ended at `now_ns`; the first payload byte has offset 1.
    pub fn new(config: ReceiverConfig, now_ns: u64) -> Self {
        let advertised_mss = config.advertised_mss();
        let window = Window::new(
            config.rmem_initial_bytes,
            config.rmem_max_bytes,
            config.scale(),
            config.adv_win_scale.map_or(INITIAL_SCALING_RATIO, ratio_of),
            if config.initiator { advertised_mss } else { config.mss },
            advertised_mss,
            FIRST_BYTE,
        );
        let receive_mss = config.mss.min(window.offered / 2).clamp(1, DEFAULT_MSS);
        Self {
            next: FIRST_BYTE,
            read_up_to: FIRST_BYTE,
            readable_memory_bytes: 0,
            right_sizing: RightSizing::new(now_ns, FIRST_BYTE, &window, advertised_mss),
            window,
            acks: AckSchedule::new(config.jiffy_ns, config.pingpong_threshold, receive_mss),
            timestamps: Timestamps::default(),
            rtt: ReceiverRtt::default(),
            ecn: EcnEcho::default(),
            out_of_order: OutOfOrderQueue::new(),
            sack: SackBlocks::default(),
            compressed: CompressedSack::new(
                config.compressed_sack_packets,
                config.compressed_sack_delay_ns,
                config.compressed_sack_rtt_percent,
                config.compressed_sack_slack_ns,
            ),
            end_of_stream: 0,
            accecn: None,
            acks_sent: 0,
            closing: false,
            srtt_us: 0,
            last_rejection_ns: None,
            last_cost: (0, 0, 0),
            reads_after_ack: false,
            update_due: false,
            sent_mss: config.mss,
            counters: ReceiverCounters::default(),
            config,
        }
    }

    /// Prefetches the lines that every packet uses.
    #[inline]
    pub(crate) fn prefetch(&self) {
        prefetch(&self.next);
        self.acks.prefetch();
        prefetch(&self.sack);
        prefetch(&self.compressed);
        prefetch(&self.rtt);
        prefetch(&self.right_sizing);
        prefetch(&self.out_of_order);
        prefetch(&self.config.jiffy_ns);
    }

    /// Restarts with the options that both SYNs offered; `mss` is for arriving segments, `sent_mss` for those that this
    /// end sends, both without options. Called before any data.
    pub(crate) fn negotiate(&mut self, now_ns: u64, offer: &PeerOffer, mss: u32, sent_mss: u32) {
        let mut config = ReceiverConfig { mss, ..self.config };
        config.sack &= offer.sack;
        config.timestamps &= offer.timestamps;
        config.ecn &= offer.ecn;
        config.window_scaling &= offer.window_scaling;
        self.begin_anew(config, now_ns);
        self.sent_mss = sent_mss;
    }

    fn begin_anew(&mut self, config: ReceiverConfig, now_ns: u64) {
        let (by_algorithm, sent_mss) = (self.ecn.by_algorithm, self.sent_mss);
        *self = Self::new(config, now_ns);
        self.ecn.by_algorithm = by_algorithm;
        self.sent_mss = sent_mss;
    }

    /// This end opens the connection. Called before any data.
    pub(crate) fn set_initiator(&mut self, now_ns: u64) {
        self.begin_anew(ReceiverConfig { initiator: true, ..self.config }, now_ns);
    }

    /// The MSS option that this end sends.
    pub fn advertised_mss(&self) -> u32 {
        self.config.advertised_mss()
    }

    /// Window scaling is offered or negotiated.
    pub fn offers_window_scaling(&self) -> bool {
        self.config.window_scaling
    }

    /// The window scale that this end offers or has negotiated.
    pub fn window_scale(&self) -> u8 {
        self.window.scale
    }

    /// Frees memory that a severe loss episode needed.
    pub(crate) fn trim(&mut self) {
        self.out_of_order.trim();
    }

    /// This endpoint has closed its own direction: the peer's FIN then ends the connection.
    pub(crate) fn set_closing(&mut self) {
        self.closing = true;
    }

    /// SACK is offered or negotiated.
    pub fn offers_sack(&self) -> bool {
        self.config.sack
    }

    /// Estimated size of the peer's full segments.
    pub fn receive_mss(&self) -> u32 {
        self.acks.receive_mss
    }

    /// Current limit on the advertised window (`rcv_ssthresh`).
    pub fn window_threshold_bytes(&self) -> u32 {
        self.window.threshold
    }

    /// Payload that the application read in its fastest round trip (`rcvq_space`).
    pub fn expected_bytes_per_rtt(&self) -> u32 {
        self.right_sizing.space
    }

    /// The current delayed-ACK timeout.
    pub fn delayed_ack_timeout_us(&self) -> u64 {
        self.acks.timeout_us()
    }

    /// Fixes the buffer's size (SO_RCVBUF, doubled): from now on it does not follow the rate.
    pub fn set_buffer(&mut self, bytes: u32) {
        self.config.autotune = false;
        self.window.buffer_bytes = bytes;
    }

    /// Sets TCP_QUICKACK; true if a delayed ACK must be sent now.
    pub(crate) fn set_quick_acks(&mut self, on: bool) -> bool {
        self.acks.set_interactive(!on);
        on && self.acks.scheduled
    }

    /// Next byte expected, that is the cumulative acknowledgement.
    #[inline]
    pub fn rcv_nxt(&self) -> u64 {
        self.next
    }

    /// Bytes that arrived in order, read or not.
    #[inline]
    pub fn delivered_bytes(&self) -> u64 {
        self.next - FIRST_BYTE - u64::from(self.is_finished())
    }

    /// Gives up data before `seq` that has not arrived; returns its bytes.
    pub(crate) fn skip_to(&mut self, seq: u64) -> u64 {
        let skipped_bytes = seq.saturating_sub(self.next);
        self.next += skipped_bytes;
        self.read_up_to += skipped_bytes;
        skipped_bytes
    }

    /// Bytes that the application can read.
    #[inline]
    pub fn readable_bytes(&self) -> u64 {
        self.next - u64::from(self.is_finished()) - self.read_up_to
    }

    /// Bytes queued behind a hole.
    pub fn out_of_order_bytes(&self) -> u64 {
        self.out_of_order.bytes()
    }

    /// The peer's FIN and everything before it has arrived.
    #[inline]
    pub fn is_finished(&self) -> bool {
        self.end_of_stream == self.next
    }

    /// The window that the last ACK advertised, in bytes.
    pub fn offered_window_bytes(&self) -> u32 {
        self.window.offered
    }

    /// Right edge of the window: no byte from here on may be sent.
    pub fn right_edge(&self) -> u64 {
        self.window.last_ack_sent + u64::from(self.window.offered)
    }

    /// Current receive buffer, in memory (`sk_rcvbuf`).
    pub fn buffer_bytes(&self) -> u32 {
        self.window.buffer_bytes
    }

    /// The receiver's own estimate of the RTT (`rcv_rtt_us`, 0 for none).
    pub fn receiver_rtt_us(&self) -> u32 {
        (self.rtt.eighths_us / 8) as u32
    }

    /// Option bytes of the feedback in the next outgoing segment, SACK blocks and AccECN, which reduce the room for
    /// data.
    #[inline]
    pub(crate) fn feedback_option_bytes(&self) -> u32 {
        if self.sack.is_empty() && !self.ecn.is_accurate {
            return 0;
        }
        self.feedback_option_bytes_now()
    }

    #[inline(never)]
    fn feedback_option_bytes_now(&self) -> u32 {
        let accecn_bytes = self.accecn_option_bytes();
        if self.sack.is_empty() {
            return accecn_bytes.next_multiple_of(4);
        }
        let sack_bytes = sack_option_bytes(self.sack.len().min(self.max_sack_blocks()));
        (sack_bytes - SACK_PADDING_BYTES + accecn_bytes).next_multiple_of(4)
    }

    /// There are SACK blocks to send.
    #[inline]
    pub(crate) fn has_sack_blocks(&self) -> bool {
        !self.sack.is_empty()
    }

    pub fn counters(&self) -> ReceiverCounters {
        ReceiverCounters { acks_sent: self.acks_sent, ..self.counters }
    }

    /// ACKs currently carry ECE.
    pub fn echoes_congestion(&self) -> bool {
        self.ecn.demand_cwr
    }
}

/// This endpoint's approximate retransmission timeout: RTT + 200 ms, or a second before the first sample (RFC 6298
/// §2.1). The estimators only use it to recognise long gaps.
fn rto_ns(srtt_us: u32) -> u64 {
    match u64::from(srtt_us) {
        0 => 1_000_000_000,
        srtt_us => srtt_us * 1000 + 200_000_000,
    }
}

/// Padding of SACK blocks, unless another option follows.
const SACK_PADDING_BYTES: u32 = 2;

/// RFC 2018 section 3, padded to a multiple of four.
fn sack_option_bytes(blocks: usize) -> u32 {
    4 + 8 * blocks as u32
}

/// Offset 0 is the SYN.
const FIRST_BYTE: u64 = 1;
