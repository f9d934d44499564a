//! Settings of a receiver: socket options and sysctls, named after their effect.

use fairlane_contract::ReceiverHost;
use std::num::NonZeroU8;

/// Settings of one receiver. The defaults are those of Linux 6.12 on a host with MTU 1500 and HZ = 1000.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct ReceiverConfig {
    /// Selective acknowledgements (RFC 2018) and D-SACK (RFC 2883).
    pub sack: bool,
    /// Report duplicates (RFC 2883; `tcp_dsack`).
    pub duplicate_sack: bool,
    /// The timestamp option (RFC 7323).
    pub timestamps: bool,
    /// ECN was negotiated (RFC 3168).
    pub ecn: bool,
    /// Grow the buffer with the measured rate (`tcp_moderate_rcvbuf`).
    pub autotune: bool,
    /// The window scale option (RFC 7323; `tcp_window_scaling`). A scale of 0 is an option, too.
    pub window_scaling: bool,
    /// The application reads every byte as soon as it is readable.
    pub auto_read: bool,
    /// The network interface merges segments (GRO); changes the memory of segments.
    pub offload: bool,
    /// This end opens the connection: its first window is a multiple of the MSS without options, which are not negotiated
    /// yet.
    pub initiator: bool,
    /// Payload bytes of a full-sized segment, after options: MTU - 40, and 12 less with timestamps.
    pub mss: u32,
    /// Replies in a row after which a connection counts as interactive (`tcp_pingpong_thresh`).
    pub pingpong_threshold: u8,
    /// Window scale to use; `None` derives it from the buffer limits as the kernel does.
    pub window_scale: Option<u8>,
    /// Part 2^-n of the buffer that is not offered (`tcp_adv_win_scale`, before Linux 6.6); `None` measures the memory of
    /// segments, as later kernels do.
    pub adv_win_scale: Option<NonZeroU8>,
    /// Nanoseconds in a jiffy: 10^9 / HZ.
    pub jiffy_ns: u64,
    /// Initial receive buffer, in memory (`tcp_rmem[1]`).
    pub rmem_initial_bytes: u32,
    /// Maximum receive buffer (`tcp_rmem[2]`); the window scale follows from it.
    pub rmem_max_bytes: u32,
    /// Consecutive duplicate ACKs that may be suppressed; 0 switches compression off (`tcp_comp_sack_nr`).
    pub compressed_sack_packets: u32,
    /// Longest delay of a duplicate ACK (`tcp_comp_sack_delay_ns`).
    pub compressed_sack_delay_ns: u64,
    /// Its limit in percent of the RTT (`tcp_comp_sack_rtt_percent`, built in before Linux 6.19).
    pub compressed_sack_rtt_percent: u32,
    /// Slack of that timer, which an otherwise idle host uses in full (`tcp_comp_sack_slack_ns`).
    pub compressed_sack_slack_ns: u64,
    /// Size the buffer as since Linux 6.16 (`right_sizing.rs`).
    pub prompt_right_sizing: bool,
    /// The estimated RTT falls to a shorter sample at once, as in 6.12.117 and later releases.
    pub prompt_rtt: bool,
    /// RTT below which it then grows more slowly (`tcp_rcvbuf_low_rtt`).
    pub rcvbuf_low_rtt_us: u32,
}

/// The settings of a host that receives; the others are Linux's.
impl From<&ReceiverHost> for ReceiverConfig {
    fn from(host: &ReceiverHost) -> Self {
        Self {
            mss: 1448,
            initiator: false,
            sack: host.sack,
            duplicate_sack: true,
            timestamps: host.timestamps,
            ecn: host.ecn.unwrap_or(false),
            jiffy_ns: 1_000_000,
            rmem_initial_bytes: host.rmem_initial_bytes,
            rmem_max_bytes: host.rmem_max_bytes,
            autotune: host.autotune,
            window_scaling: true,
            window_scale: None,
            adv_win_scale: host.adv_win_scale.and_then(NonZeroU8::new),
            offload: host.offload,
            auto_read: true,
            compressed_sack_packets: if host.sack_compression { 44 } else { 0 },
            compressed_sack_delay_ns: 1_000_000,
            compressed_sack_rtt_percent: host.sack_compression_rtt_percent,
            compressed_sack_slack_ns: 100_000,
            prompt_right_sizing: host.prompt_right_sizing,
            prompt_rtt: host.prompt_rtt || host.prompt_right_sizing,
            rcvbuf_low_rtt_us: (host.rcvbuf_low_rtt_ns / 1_000).try_into().unwrap_or(u32::MAX),
            pingpong_threshold: 1,
        }
    }
}

/// A host as Linux ships it, whose receive buffer is smaller than a scenario's.
impl Default for ReceiverConfig {
    fn default() -> Self {
        Self::from(&ReceiverHost { rmem_max_bytes: 6 << 20, ..ReceiverHost::default() })
    }
}

impl ReceiverConfig {
    /// Window scale as far as it is fixed.
    pub(super) fn scale(&self) -> Option<u8> {
        if self.window_scaling {
            self.window_scale
        } else {
            Some(0)
        }
    }

    /// The MSS option that this host sends: payload and the options that every segment carries.
    pub(super) fn advertised_mss(&self) -> u32 {
        self.mss + if self.timestamps { TIMESTAMP_OPTION_BYTES } else { 0 }
    }
}

/// Timestamp option, padded (RFC 7323 §3.2).
const TIMESTAMP_OPTION_BYTES: u32 = 12;
