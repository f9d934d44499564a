//! The state of a connection that a congestion control program sees: `struct tcp_sock`, field by field.
//!
//! The names are the kernel's, because programs written for the kernel use them. The layout is our own
//! and is declared a second time, for the programs, in `algorithms/interface/vmlinux.h`; the algorithm
//! host compares both field by field when it loads a program. The sender keeps its state right here, so
//! that a callback costs no copying. Sequence numbers in this struct are the low 32 bits of the 64-bit
//! stream offsets that the rest of the crate uses.

/// `ssthresh` when no loss has been seen yet (the kernel's `TCP_INFINITE_SSTHRESH`).
pub const INFINITE_SSTHRESH: u32 = 0x7fff_ffff;

/// States of `skc_state` that a program may meet.
pub const TCP_ESTABLISHED: u8 = 1;
/// Bytes that an algorithm may keep per connection in `icsk_ca_priv`.
pub const CA_PRIV_BYTES: usize = 104;

/// `ecn_flags`: both ends agreed to ECN.
pub const ECN_OK: u8 = 1;
/// `ecn_flags`: CWR is to go out with the next new data.
pub const ECN_QUEUE_CWR: u8 = 2;
/// `ecn_flags`: ECE goes on every acknowledgement.
pub const ECN_DEMAND_CWR: u8 = 4;

/// `sk_pacing_status`: nobody paces this connection.
pub const SK_PACING_NONE: u32 = 0;
/// `sk_pacing_status`: TCP itself paces, by a timer.
pub const SK_PACING_NEEDED: u32 = 1;
/// `sk_pacing_status`: the host's fq queue paces.
pub const SK_PACING_FQ: u32 = 2;

/// `sk_pacing_rate` that means "as fast as possible".
pub const PACING_UNLIMITED: u64 = u64::MAX;

/// States of the congestion control state machine (`icsk_ca_state`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum CaState {
    /// No sign of trouble.
    Open = 0,
    /// SACKs or duplicate ACKs arrived; perhaps only reordering.
    Disorder = 1,
    /// The window is being reduced after an ECN mark.
    Cwr = 2,
    /// Fast recovery after a detected loss.
    Recovery = 3,
    /// Recovery after a retransmission time-out.
    Loss = 4,
}

impl CaState {
    pub fn from_u8(value: u8) -> Self {
        match value & 0x1f {
            0 => Self::Open,
            1 => Self::Disorder,
            2 => Self::Cwr,
            3 => Self::Recovery,
            _ => Self::Loss,
        }
    }
}

/// One sample of the windowed minimum RTT.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MinmaxSample {
    /// When the sample was taken, in jiffies.
    pub t: u32,
    /// The value, in microseconds.
    pub v: u32,
}

/// The order is by use, not by topic: what the same moments touch lies in the same cache lines of 64 bytes, as far as the
/// kernel's nesting of structs allows. With thousands of flows each line of a connection that an event touches has to be
/// fetched anew.
///
/// Everything below is read by programs under the kernel's names. Times end in `_us` or `mstamp`
/// (microseconds) or `_ns`; `srtt_us` is 8 times the smoothed RTT, `mdev_us` 4 times the deviation.
/// Windows and `*_out` counts are in packets (segments of one MSS), byte counts say so.
#[repr(C)]
#[derive(Clone, Debug)]
pub struct TcpSock {
    // --- struct sock: what tells flows apart and is rarely read ---
    /// Addresses and ports only tell flows apart; the algorithm host makes them up. Network byte
    /// order but for `skc_num`, the local port.
    pub skc_daddr: u32,
    pub skc_rcv_saddr: u32,
    pub skc_dport: u16,
    pub skc_num: u16,
    pub skc_family: u16,
    pub skc_state: u8,
    pub _pad0: u8,
    pub sk_priority: u32,
    pub sk_sndbuf: i32,
    pub sk_rcvbuf: i32,
    pub sk_wmem_queued: i32,
    /// State of the flow's own random stream behind `bpf_get_prandom_u32`; not a kernel field.
    pub fairlane_random: u64,
    /// What a callback asked for through `bpf_tcp_send_ack`: an acknowledgement of this, with ECE or without. Not
    /// kernel fields.
    pub fairlane_ack_seq: u32,
    pub fairlane_ack_asked: u8,
    pub fairlane_ack_ece: u8,
    pub _pad3: u16,
    /// The flow's number in the run; not a kernel field.
    pub fairlane_flow: u32,
    pub _pad4: u32,
    pub _pad5: u64,

    // --- struct sock: what every sending reads (line 1) ---
    /// Bytes per second; `PACING_UNLIMITED` when not set.
    pub sk_pacing_rate: u64,
    pub sk_max_pacing_rate: u64,
    /// Largest burst handed to the network interface at once, in bytes.
    pub sk_gso_max_size: u32,
    pub sk_gso_max_segs: u16,
    pub sk_pacing_shift: u8,
    pub _pad1: u8,
    pub sk_pacing_status: u32,
    pub _pad6: u32,
    /// Nanoseconds in a jiffy; not a kernel field.
    pub fairlane_jiffy_ns: u64,

    // --- struct inet_sock ---
    pub inet_saddr: u32,
    pub inet_sport: u16,
    pub _pad2: u16,

    // --- struct inet_connection_sock; the algorithm's own memory begins a line ---
    /// Owned by the algorithm host.
    pub icsk_ca_ops: u64,
    /// Receiver side: bits of `enum inet_csk_ack_state_t` that tell which acknowledgement is due.
    pub icsk_ack_pending: u8,
    pub icsk_ack_quick: u8,
    pub icsk_ack_pingpong: u8,
    pub icsk_ack_retry: u8,
    /// The delayed-ACK time-out in jiffies.
    pub icsk_ack_ato: u32,
    pub icsk_ca_priv: [u64; CA_PRIV_BYTES / 8],
    pub icsk_rto_min: u32,
    pub icsk_delack_max: u32,
    pub icsk_rto: u32,
    /// A `CaState`.
    pub icsk_ca_state: u8,
    pub icsk_retransmits: u8,
    pub icsk_pending: u8,
    pub icsk_backoff: u8,

    // --- struct tcp_sock: clocks, window and what is in flight, in packets (to line 4) ---
    /// Now, in microseconds; refreshed at every entry into TCP.
    pub tcp_mstamp: u64,
    /// Now, in nanoseconds.
    pub tcp_clock_cache: u64,
    /// Departure time of the next paced packet, in nanoseconds.
    pub tcp_wstamp_ns: u64,
    pub first_tx_mstamp: u64,
    pub delivered_mstamp: u64,
    pub snd_cwnd: u32,
    pub packets_out: u32,
    pub retrans_out: u32,
    pub sacked_out: u32,
    pub lost_out: u32,
    pub mss_cache: u32,
    pub srtt_us: u32,
    pub delivered: u32,

    // --- sending, and the algorithm (line 5) ---
    pub delivered_ce: u32,
    pub app_limited: u32,
    pub snd_nxt: u32,
    pub rtt_min: [MinmaxSample; 3],
    pub is_cwnd_limited: u8,
    pub rate_app_limited: u8,
    pub is_sack_reneg: u8,
    pub ecn_flags: u8,
    /// When cwnd was last validated, in jiffies.
    pub snd_cwnd_stamp: u32,
    pub snd_cwnd_used: u32,
    pub max_packets_out: u32,
    pub segs_out: u32,
    pub data_segs_out: u32,
    /// In jiffies.
    pub lsndtime: u32,

    // --- what an acknowledgement changes (lines 6 and 7) ---
    pub bytes_sent: u64,
    pub bytes_acked: u64,
    pub snd_una: u32,
    pub snd_wnd: u32,
    pub max_window: u32,
    pub lost: u32,
    pub rate_delivered: u32,
    pub rate_interval_us: u32,
    pub segs_in: u32,
    pub mdev_us: u32,
    pub mdev_max_us: u32,
    pub rttvar_us: u32,
    pub rtt_seq: u32,
    pub snd_ssthresh: u32,
    pub rack_mstamp: u64,
    pub rack_rtt_us: u32,
    pub rack_end_seq: u32,
    pub rack_last_delivered: u32,
    pub rack_reo_wnd_steps: u8,
    pub rack_reo_wnd_persist: u8,
    pub rack_dsack_seen: u8,
    pub rack_advanced: u8,
    pub cwnd_usage_seq: u32,
    pub reordering: u32,
    pub reord_seen: u32,
    pub prr_delivered: u32,
    pub prr_out: u32,
    pub prior_cwnd: u32,
    pub snd_cwnd_clamp: u32,
    pub snd_cwnd_cnt: u32,
    /// Timestamp-option clock of the first retransmission in this episode.
    pub retrans_stamp: u32,
    pub nonagle: u8,
    pub frto: u8,
    pub tcp_usec_ts: u8,
    pub tlp_retrans: u8,

    // --- rarely touched ---
    pub bytes_received: u64,
    pub bytes_retrans: u64,
    pub write_seq: u32,
    pub pushed_seq: u32,
    pub high_seq: u32,
    pub undo_marker: u32,
    pub tlp_high_seq: u32,
    pub rcv_nxt: u32,
    pub rcv_wnd: u32,
    pub copied_seq: u32,
    pub advmss: u16,
    pub gso_segs: u16,
    pub prior_ssthresh: u32,
    pub undo_retrans: i32,
    pub total_retrans: u32,
    pub dsack_dups: u32,
    pub data_segs_in: u32,
    pub rcv_rtt_us: u32,
}

impl Default for TcpSock {
    fn default() -> Self {
        // Every field is a plain number for which zero is the state before a connection exists.
        Self {
            skc_daddr: 0,
            skc_rcv_saddr: 0,
            skc_dport: 0,
            skc_num: 0,
            skc_family: 2,
            skc_state: TCP_ESTABLISHED,
            _pad0: 0,
            sk_priority: 0,
            sk_pacing_status: SK_PACING_NONE,
            sk_pacing_rate: PACING_UNLIMITED,
            sk_max_pacing_rate: PACING_UNLIMITED,
            sk_sndbuf: 0,
            sk_rcvbuf: 0,
            sk_wmem_queued: 0,
            sk_gso_max_size: 65_536,
            sk_gso_max_segs: 65_535,
            sk_pacing_shift: 10,
            _pad1: 0,
            fairlane_flow: 0,
            _pad4: 0,
            _pad5: 0,
            _pad6: 0,
            fairlane_random: 0,
            fairlane_jiffy_ns: 1_000_000,
            fairlane_ack_seq: 0,
            fairlane_ack_asked: 0,
            fairlane_ack_ece: 0,
            _pad3: 0,
            inet_saddr: 0,
            inet_sport: 0,
            _pad2: 0,
            icsk_ca_ops: 0,
            icsk_rto: 0,
            icsk_rto_min: 0,
            icsk_delack_max: 0,
            icsk_ca_state: CaState::Open as u8,
            icsk_retransmits: 0,
            icsk_pending: 0,
            icsk_backoff: 0,
            icsk_ca_priv: [0; CA_PRIV_BYTES / 8],
            icsk_ack_pending: 0,
            icsk_ack_quick: 0,
            icsk_ack_pingpong: 0,
            icsk_ack_retry: 0,
            icsk_ack_ato: 0,
            tcp_mstamp: 0,
            tcp_clock_cache: 0,
            tcp_wstamp_ns: 0,
            first_tx_mstamp: 0,
            delivered_mstamp: 0,
            snd_una: 0,
            snd_nxt: 0,
            snd_wnd: 0,
            max_window: 0,
            write_seq: 0,
            pushed_seq: 0,
            high_seq: 0,
            undo_marker: 0,
            tlp_high_seq: 0,
            rcv_nxt: 0,
            rcv_wnd: 0,
            copied_seq: 0,
            mss_cache: 536,
            advmss: 536,
            gso_segs: 1,
            snd_cwnd: 10,
            snd_cwnd_cnt: 0,
            snd_cwnd_clamp: u32::MAX,
            snd_cwnd_used: 0,
            snd_cwnd_stamp: 0,
            snd_ssthresh: INFINITE_SSTHRESH,
            prior_ssthresh: 0,
            prior_cwnd: 0,
            prr_delivered: 0,
            prr_out: 0,
            packets_out: 0,
            retrans_out: 0,
            sacked_out: 0,
            lost_out: 0,
            max_packets_out: 0,
            cwnd_usage_seq: 0,
            undo_retrans: 0,
            reordering: 3,
            reord_seen: 0,
            delivered: 0,
            delivered_ce: 0,
            lost: 0,
            app_limited: 0,
            rate_delivered: 0,
            rate_interval_us: 0,
            total_retrans: 0,
            dsack_dups: 0,
            segs_in: 0,
            segs_out: 0,
            data_segs_in: 0,
            data_segs_out: 0,
            bytes_sent: 0,
            bytes_acked: 0,
            bytes_received: 0,
            bytes_retrans: 0,
            srtt_us: 0,
            mdev_us: 0,
            mdev_max_us: 0,
            rttvar_us: 0,
            rtt_seq: 0,
            rtt_min: [MinmaxSample::default(); 3],
            rcv_rtt_us: 0,
            lsndtime: 0,
            retrans_stamp: 0,
            rack_mstamp: 0,
            rack_rtt_us: 0,
            rack_end_seq: 0,
            rack_last_delivered: 0,
            rack_reo_wnd_steps: 1,
            rack_reo_wnd_persist: 0,
            rack_dsack_seen: 0,
            rack_advanced: 0,
            is_cwnd_limited: 0,
            rate_app_limited: 1,
            is_sack_reneg: 0,
            ecn_flags: 0,
            nonagle: 0,
            frto: 0,
            tcp_usec_ts: 0,
            tlp_retrans: 0,
        }
    }
}

impl TcpSock {
    /// Packets believed to be in the network (RFC 6675's pipe): sent and resent, less what was SACKed or lost.
    #[inline]
    pub fn packets_in_flight(&self) -> u32 {
        self.packets_out + self.retrans_out - (self.sacked_out + self.lost_out)
    }

    #[inline]
    pub fn in_slow_start(&self) -> bool {
        self.snd_cwnd < self.snd_ssthresh
    }

    #[inline]
    pub fn ca_state(&self) -> CaState {
        CaState::from_u8(self.icsk_ca_state)
    }

    /// True while the window is brought down to ssthresh (states CWR and Recovery).
    #[inline]
    pub fn in_cwnd_reduction(&self) -> bool {
        matches!(self.ca_state(), CaState::Cwr | CaState::Recovery)
    }

    /// Now in jiffies. Like the kernel's, the counter does not start at zero, so that "never" (0) is in the past.
    #[inline]
    pub fn jiffies(&self) -> u32 {
        crate::jiffies::jiffies(self.tcp_clock_cache, self.fairlane_jiffy_ns) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::mem::offset_of;

    #[test]
    fn fields_lie_in_the_cache_lines_that_the_comments_say() {
        let lines = [
            (offset_of!(TcpSock, sk_pacing_rate), 1),
            (offset_of!(TcpSock, icsk_ca_priv), 2),
            (offset_of!(TcpSock, tcp_clock_cache), 4),
            (offset_of!(TcpSock, delivered_ce), 5),
            (offset_of!(TcpSock, bytes_sent), 6),
            (offset_of!(TcpSock, rack_mstamp), 7),
            (offset_of!(TcpSock, bytes_received), 8),
        ];
        lines.iter().for_each(|&(offset, line)| assert_eq!(offset, 64 * line, "line {line}"));
    }
}
