//! Settings of a sender.

use fairlane_congestion_control::jiffies::us_to_jiffies;
use fairlane_congestion_control::sock::{MinmaxSample, TcpSock, SK_PACING_FQ};
use fairlane_contract::{Pacing, SenderHost};

/// Settings of one sender, named after their effect, with the names of sysctls and socket fields.
#[derive(Clone, Debug, PartialEq)]
#[repr(C)]
pub struct SenderConfig {
    // Settings that sending and acknowledging read come first, in one cache line with their neighbours in `Sender`.
    /// Length of a jiffy (1/HZ).
    pub jiffy_ns: u64,
    /// A burst of at least 1/n of the window is not deferred (`tcp_tso_win_divisor`).
    pub window_divisor: u64,
    /// Segments of a burst have one timestamp and are built by TSO autosizing (kernels since 4.17 do so even without
    /// support by the network card).
    pub segmentation_offload: bool,
    /// Probe the tail of a flight (RFC 8985 section 7).
    pub tail_loss_probe: bool,
    /// The peer sends selective acknowledgements (RFC 2018).
    pub sack: bool,
    /// Delay small segments (RFC 896).
    pub nagle: bool,
    /// Restart the window after an idle period (RFC 5681 section 4.1; `tcp_slow_start_after_idle`).
    pub slow_start_after_idle: bool,
    /// The peer agreed to ECN.
    pub ecn: bool,
    /// The application sets the algorithm after the connection is established (`start_algorithm`).
    pub late_algorithm: bool,
    /// Undo spurious window reductions by D-SACK and timestamps (RFC 3708, RFC 3522).
    pub undo: bool,
    /// Detect spurious timeouts (RFC 5682).
    pub forward_rto: bool,
    /// Paced by an fq queue of the host instead of TCP's own timer.
    pub fq_pacing: bool,
    /// TCP's own timer paces where the algorithm asks for it. Kernels before 4.13 had no such timer: there an algorithm
    /// that asks is paced by an fq queue, or not at all.
    pub timer_pacing: bool,
    /// Keep the exact boundaries of writes, which affect buffers, PSH and small segments, instead of `write_bytes`.
    pub exact_writes: bool,
    /// The limit of small queues applies to paced connections, too (not so in Linux 4.20 to 6.15).
    pub small_queue_limits_paced: bool,
    /// `sk_pacing_shift`: bursts, and data in the host's queue, take at most 2^-shift seconds at the pacing rate.
    pub pacing_shift: u8,
    /// First timeouts of a SYN that do not double the next (`tcp_syn_linear_timeouts`, since Linux 6.5).
    pub linear_syn_timeouts: u8,
    /// TCP Small Queues: limit on data in the host's own queue (`tcp_limit_output_bytes`); 0 if that queue does not report
    /// its departures.
    pub small_queue_limit_bytes: u32,
    /// Floor of the retransmission timeout (`tcp_rto_min_us`).
    pub rto_min_us: u32,
    /// Smallest burst, unless the algorithm sets it (`tcp_min_tso_segs`).
    pub min_burst_segments: u32,
    /// Initial degree of reordering, in packets (`tcp_reordering`).
    pub initial_reordering_packets: u32,
    /// Pacing rate over window per RTT in percent, in slow start and after (`tcp_pacing_{ss,ca}_ratio`).
    pub slow_start_pacing_percent: u32,
    pub avoidance_pacing_percent: u32,
    /// A burst waits for more only if the next ACK is expected within this time (and half a round trip): 1 ms in Linux
    /// since 6.18 and in the stable releases since October 2025 (6.12.55 among them); before, there was no such limit.
    pub deferral_limit_us: u64,
    /// Payload bytes of a full segment, without options.
    pub mss_bytes: u32,
    /// Initial window, in packets (RFC 6928).
    pub initial_cwnd_packets: u32,
    /// Maximum degree of reordering (`tcp_max_reordering`).
    pub max_reordering_packets: u32,
    /// Room for headers in front of the data of a segment (`MAX_TCP_HEADER`).
    pub header_room_bytes: u32,
    /// Window of the minimum-RTT filter (`tcp_min_rtt_wlen`).
    pub min_rtt_window_us: u64,
    /// Largest send buffer, in bytes of memory (`tcp_wmem[2]`).
    pub wmem_max_bytes: u64,
    /// Bytes of one write of the application; the buffer with its last byte ends with PSH.
    pub write_bytes: u64,
}

impl SenderConfig {
    /// The members of the socket before the handshake.
    pub(super) fn new_sock(&self) -> TcpSock {
        TcpSock {
            mss_cache: self.mss_bytes,
            advmss: self.mss_bytes as u16,
            fairlane_jiffy_ns: self.jiffy_ns,
            icsk_rto_min: us_to_jiffies(u64::from(self.rto_min_us), self.jiffy_ns) as u32,
            icsk_delack_max: us_to_jiffies(DELACK_MAX_US, self.jiffy_ns) as u32,
            snd_cwnd: self.initial_cwnd_packets,
            reordering: self.initial_reordering_packets,
            rtt_min: [MinmaxSample { t: 0, v: u32::MAX }; 3],
            sk_pacing_status: if self.fq_pacing { SK_PACING_FQ } else { 0 },
            sk_pacing_shift: self.pacing_shift,
            rx_opt_sack_ok: self.sack.into(),
            ..TcpSock::default()
        }
    }

    /// Bytes sent in one pacing interval, a millisecond by default, at a rate in bytes per second.
    #[inline]
    pub(super) fn paced_bytes(&self, bytes_per_s: u64) -> u64 {
        bytes_per_s >> self.pacing_shift
    }
}

/// The settings of a host that sends; the others are Linux's.
impl From<&SenderHost> for SenderConfig {
    fn from(host: &SenderHost) -> Self {
        Self {
            mss_bytes: 1448,
            jiffy_ns: 1_000_000,
            initial_cwnd_packets: host.initial_cwnd_packets,
            rto_min_us: (host.rto_min_ns / 1_000) as u32,
            wmem_max_bytes: host.wmem_max_bytes,
            header_room_bytes: host.header_room_bytes,
            write_bytes: 128 << 10,
            exact_writes: false,
            fq_pacing: host.pacing == Pacing::Fq,
            timer_pacing: host.pacing != Pacing::None,
            small_queue_limit_bytes: host
                .small_queue_limit_bytes
                .map_or(0, |bytes| bytes.clamp(1, u32::MAX.into()) as u32),
            small_queue_limits_paced: host.small_queue_limits_paced,
            pacing_shift: host.pacing_shift,
            segmentation_offload: host.segmentation_offload,
            deferral_limit_us: 1_000,
            tail_loss_probe: host.tail_loss_probe,
            linear_syn_timeouts: 4,
            forward_rto: host.forward_rto,
            undo: host.undo,
            slow_start_after_idle: host.slow_start_after_idle,
            nagle: host.nagle,
            initial_reordering_packets: INITIAL_REORDERING_PACKETS,
            max_reordering_packets: 300,
            min_rtt_window_us: 300_000_000,
            slow_start_pacing_percent: 200,
            avoidance_pacing_percent: 120,
            min_burst_segments: 2,
            window_divisor: 3,
            ecn: host.ecn,
            late_algorithm: false,
            sack: host.sack,
        }
    }
}

/// A host as Linux ships it, whose send buffer is smaller than a scenario's.
impl Default for SenderConfig {
    fn default() -> Self {
        Self::from(&SenderHost { wmem_max_bytes: 4 << 20, ..SenderHost::default() })
    }
}

/// Longest delay of an acknowledgement (`TCP_DELACK_MAX`), which algorithms may read.
const DELACK_MAX_US: u64 = 200_000;

/// Three packets are the degree of reordering that loss detection has always allowed for (RFC 5681 section 3.2).
pub(super) const INITIAL_REORDERING_PACKETS: u32 = 3;
