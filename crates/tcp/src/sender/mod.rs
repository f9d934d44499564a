//! The sending half of a connection: decides what to transmit, and when.
//!
//! An arriving acknowledgement passes through [`ack`] and [`sack`] (scoreboard, RTT), [`rack`] (losses), [`recovery`]
//! (state machine), [`prr`] or the algorithm (window) and [`transmit`]. [`timers`] runs [`rto`], [`tlp`], RACK's reordering
//! timer, zero-window probes and pacing. Each mechanism is one file that names its RFC. Their steps are methods of
//! [`Sender`], because they share sequence space, scoreboard and window; state of a single mechanism is a type of its own.
//!
//! State that algorithms may see is in [`TcpSock`]. Windows count packets, as in Linux; sequence numbers are 64-bit
//! stream offsets.

mod ack;
mod ack_info;
mod acknowledged;
mod application;
mod config;
mod cwnd_validation;
mod delivery_rate;
mod ecn;
mod establish;
mod limits;
mod pacing;
mod prefetch;
mod prr;
mod rack;
mod recovery;
mod reno;
mod retransmit;
mod rto;
mod rtt;
mod sack;
mod scoreboard;
mod send_buffer;
mod small_queues;
mod timers;
mod tlp;
mod transmit;
mod tso;
mod undo;
mod window_probe;
mod write_queue;

use crate::accecn::DataSender;
use crate::segment::Segment;
use config::INITIAL_REORDERING_PACKETS;
use fairlane_congestion_control::jiffies::us_to_jiffies;
use fairlane_congestion_control::sock::{CaState, TcpSock};
use fairlane_congestion_control::{CaEvent, Callbacks, CongestionControl};
use fairlane_engine::Histogram;
use fairlane_transport::{LimitTimes, SendLimit};
use rack::{Rack, Retransmissions};
use scoreboard::{Scoreboard, SegmentNumber};
use send_buffer::SendMemory;
use timers::Timer;
use undo::Undo;
use write_queue::WriteQueue;

pub use config::SenderConfig;

/// A segment on its way out.
pub type Outgoing = fairlane_transport::Outgoing<Segment>;

/// The sending half.
#[repr(C, align(64))]
pub struct Sender {
    // Line 0: used for every packet, also at the end that only receives. Offsets count from the start of the stream;
    // `TcpSock` mirrors the low halves.
    out: Vec<Outgoing>,
    snd_una: u64,
    snd_nxt: u64,
    /// When TCP's own pacing timer fires; `u64::MAX` when it is off.
    pacing_deadline_ns: u64,
    /// Option bytes of each segment that the receiving half's feedback needs (SACK blocks, AccECN).
    feedback_option_bytes: u8,
    callbacks: Callbacks,
    fin_pending: bool,
    /// Some form of ECN may be in use; without it, the ECN state further down is not read.
    may_use_ecn: bool,
    /// A segment below the MSS waits for more data (TCP_CORK).
    corked: bool,

    // Line 1: used for everything sent or acknowledged.
    timer: Timer,
    /// End of what the application has written.
    write_seq: u64,
    /// Right edge of the peer's window.
    window_end: u64,
    /// Capacity of the send buffer, in payload.
    send_buffer_bytes: u64,
    next_jiffy_ns: u64,
    /// The retransmission timeout with its backoff, rounded up to jiffies.
    rto_us: u64,

    // Line 2.
    board: Scoreboard,
    jiffies: u32,
    /// Window of the minimum-RTT filter, in jiffies.
    min_rtt_window: u32,

    // Lines 3 and 4; the settings read most often come first.
    algorithm: Box<dyn CongestionControl>,
    cwnd_usage_seq: u64,
    config: SenderConfig,

    // Line 5: acknowledgements.
    snd_wl1: u64,
    high_seq: u64,
    /// One past the highest SACKed segment.
    sack_frontier: SegmentNumber,
    /// No segment below it waits for retransmission.
    retransmit_hint: SegmentNumber,
    rack: Rack,
    /// The last timestamp option echoed by the peer, if the segment had one.
    echoed_tsval: Option<u32>,
    tlp_high_seq: Option<u64>,

    // Line 6: measuring.
    /// At most one measurement per acknowledgement: the RTT of the latest packet that it covers.
    pub rtt_samples: Histogram,
    timeouts: u32,
    /// The host's interface drops everything.
    host_refuses: bool,
    /// The host's queue reports its departures, and less of this connection may wait there than the window allows.
    counts_host_queue: bool,
    /// Sending stopped because too much is queued there.
    is_throttled: bool,
    /// The result of the last attempt to send, as in `limit_times`.
    limit: SendLimit,
    /// End of the last segment below the MSS (Minshall's variant of Nagle's rule).
    small_segment_end: u64,

    // Lines 7 and 8: sending.
    write_queue: WriteQueue,
    /// Payload handed to the host's queue that has not left it (TCP small queues).
    host_queue_bytes: u64,
    retransmissions: Retransmissions,

    // From line 9 on, with a layout of its own.
    /// State that algorithms see.
    pub sock: TcpSock,

    // Losses.
    undo: Undo,
    /// Window probes since the last acknowledgement.
    probes_out: u32,
    /// Segments retransmitted at least once.
    segments_retransmitted: u32,
    /// Blocks of the previous acknowledgement, sorted; their ranges are marked already.
    known_blocks: [(u64, u64); 4],

    /// Accurate ECN feedback, once negotiated.
    accecn: Option<Box<DataSender>>,
    limit_times: LimitTimes,
    /// Size of the send buffer in which an application waits for room (SOCK_NOSPACE), as memory; 0 if none waits.
    awaited_memory_bytes: u64,
    /// Only where the connections of a host share its memory.
    memory: Option<Box<SendMemory>>,
    /// Size of a send buffer that the application fills before it pauses, as memory; 0 before the first write.
    filled_memory_bytes: u64,
    /// Free space that an application was told of, and whether it filled that and waits for more.
    offered_bytes: u64,
    awaits_space: bool,
}

impl Sender {
    /// Before the handshake; see [`establish`](Self::establish).
    pub fn new(mut config: SenderConfig, algorithm: Box<dyn CongestionControl>) -> Self {
        let callbacks = if config.late_algorithm { Callbacks::default() } else { algorithm.callbacks() };
        config.ecn |= callbacks.needs_ecn() || callbacks.needs_accecn();
        let mss = u64::from(config.mss_bytes);
        let mut sender = Self {
            sock: config.new_sock(),
            algorithm,
            callbacks,
            board: Scoreboard::new(),
            out: Vec::new(),
            snd_una: 1,
            snd_nxt: 1,
            write_seq: 1,
            window_end: 1,
            snd_wl1: 0,
            small_segment_end: 0,
            high_seq: 1,
            undo: Undo::default(),
            probes_out: 0,
            tlp_high_seq: None,
            cwnd_usage_seq: 1,
            fin_pending: false,
            may_use_ecn: false,
            corked: false,
            write_queue: WriteQueue::new(config.write_bytes, config.exact_writes),
            feedback_option_bytes: 0,
            send_buffer_bytes: write_queue::payload_of_memory(config.wmem_max_bytes, mss, 1),
            sack_frontier: 0,
            retransmit_hint: 0,
            rack: Rack::default(),
            retransmissions: Retransmissions::default(),
            known_blocks: [(0, 0); 4],
            accecn: None,
            memory: None,
            filled_memory_bytes: 0,
            offered_bytes: 0,
            awaits_space: false,
            timer: Timer::default(),
            pacing_deadline_ns: u64::MAX,
            next_jiffy_ns: 0,
            jiffies: 0,
            min_rtt_window: us_to_jiffies(config.min_rtt_window_us, config.jiffy_ns) as u32,
            echoed_tsval: None,
            host_queue_bytes: 0,
            counts_host_queue: config.fq_pacing || config.small_queue_limit_bytes > 0,
            is_throttled: false,
            limit: SendLimit::default(),
            limit_times: LimitTimes::default(),
            awaited_memory_bytes: 0,
            host_refuses: false,
            timeouts: 0,
            segments_retransmitted: 0,
            rto_us: u64::from(INITIAL_RTO_US),
            rtt_samples: Histogram::default(),
            config,
        };
        sender.mirror_sequence_space();
        sender
    }

    /// Sets the option bytes that the feedback of the receiving half needs in every segment.
    #[inline]
    pub(crate) fn reserve_feedback_options(&mut self, bytes: u32) {
        self.feedback_option_bytes = bytes as u8; // at most 40 in a TCP header
    }

    /// Payload of a full segment that is sent now.
    #[inline]
    fn current_mss(&self) -> u32 {
        self.sock.mss_cache - u32::from(self.feedback_option_bytes)
    }

    /// Outgoing segments, in order. The receiving half completes them in place; the owner of the connection drains
    /// them.
    #[inline]
    pub fn outgoing(&mut self) -> &mut Vec<Outgoing> {
        &mut self.out
    }

    pub fn snd_nxt(&self) -> u64 {
        self.snd_nxt
    }

    pub fn snd_una(&self) -> u64 {
        self.snd_una
    }

    pub fn timeouts(&self) -> u32 {
        self.timeouts
    }

    pub fn segments_retransmitted(&self) -> u32 {
        self.segments_retransmitted
    }

    pub fn algorithm(&self) -> &dyn CongestionControl {
        &*self.algorithm
    }

    /// See [`Transport::must_stay`](fairlane_transport::Transport::must_stay).
    pub(crate) fn must_stay(&self) -> bool {
        let algorithm = &self.algorithm;
        (self.callbacks.release && !algorithm.only_frees_memory())
            || self.memory.is_some()
            || algorithm.fault().is_some()
            || algorithm.warning().is_some()
    }

    /// Lets the algorithm clean up; no call may follow.
    pub fn release(&mut self) {
        if self.callbacks.release {
            self.algorithm.release(&mut self.sock);
        }
    }

    /// Frees memory that a larger window or a loss episode needed.
    pub(crate) fn trim(&mut self) {
        self.board.trim();
        self.retransmissions.trim();
    }

    /// Sets the connection's clocks.
    #[inline]
    fn refresh_clock(&mut self, now_ns: u64) {
        self.sock.tcp_clock_cache = now_ns;
        self.sock.tcp_mstamp = now_ns / 1000;
        if now_ns >= self.next_jiffy_ns {
            self.jiffies = self.sock.jiffies();
            self.next_jiffy_ns = (now_ns / self.config.jiffy_ns + 1) * self.config.jiffy_ns;
        }
    }

    /// Updates the 32-bit sequence numbers that algorithms see.
    #[inline]
    fn mirror_sequence_space(&mut self) {
        self.sock.snd_una = self.snd_una as u32;
        self.sock.snd_nxt = self.snd_nxt as u32;
    }

    fn set_ca_state(&mut self, state: CaState) {
        if self.callbacks.set_state {
            self.algorithm.set_state(&mut self.sock, state as u8);
        }
        self.sock.icsk_ca_state = state as u8;
    }

    fn cwnd_event(&mut self, event: CaEvent) {
        if self.callbacks.cwnd_event {
            self.algorithm.cwnd_event(&mut self.sock, event);
        }
    }
}

/// Timeout before the first RTT measurement (RFC 6298 section 2.1).
pub const INITIAL_RTO_US: u32 = 1_000_000;
/// Ceiling of the timeout (Linux's `TCP_RTO_MAX`).
pub const MAX_RTO_US: u64 = 120_000_000;

#[cfg(test)]
mod tests {
    use super::*;
    use std::mem::offset_of;

    #[test]
    fn fields_are_in_the_cache_lines_of_the_comments() {
        let lines = [
            (offset_of!(Sender, timer), 1),
            (offset_of!(Sender, board), 2),
            (offset_of!(Sender, algorithm), 3),
            (offset_of!(Sender, snd_wl1), 5),
            (offset_of!(Sender, rtt_samples), 6),
            (offset_of!(Sender, write_queue), 7),
            (offset_of!(Sender, sock), 9),
        ];
        lines.iter().for_each(|&(offset, line)| assert_eq!(offset, 64 * line, "line {line}"));
        assert_eq!(offset_of!(Sender, rack) / 64, 5, "the search for losses advances with acknowledgements");
        assert_eq!(offset_of!(Sender, retransmissions) / 64, 8, "their log is written where data is sent");
    }
}
