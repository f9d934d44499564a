//! The state of a connection that a congestion control algorithm sees: `struct tcp_sock`, member by member.
//!
//! The names are the kernel's, because programs written for the kernel use them. The layout is our own ([`table`]), and
//! the C headers for programs are generated from it. It is also TCP's own state, so that a callback copies nothing.
//! Sequence numbers in this structure are the low 32 bits of 64-bit stream offsets.

mod min_rtt;
mod table;

pub use table::TcpSock;

/// `ssthresh` when no loss has been seen yet (the kernel's `TCP_INFINITE_SSTHRESH`).
pub const INFINITE_SSTHRESH: u32 = 0x7fff_ffff;

/// The state in `skc_state`.
pub const TCP_ESTABLISHED: u8 = 1;
/// Bytes that an algorithm may keep per connection in `icsk_ca_priv`.
pub const CA_PRIV_BYTES: usize = 104;

/// `ecn_flags`: both ends agreed to ECN.
pub const ECN_OK: u8 = 1;
/// `ecn_flags`: CWR is to go out with the next new data.
pub const ECN_QUEUE_CWR: u8 = 2;
/// `ecn_flags`: ECE goes on every acknowledgement.
pub const ECN_DEMAND_CWR: u8 = 4;
/// `ecn_flags`: both ends agreed to accurate ECN feedback (RFC 9768; since Linux 6.18).
pub const ECN_MODE_ACCECN: u8 = 16;

/// `sk_pacing_status`: this connection is not paced.
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
    /// No sign of loss or congestion.
    Open = 0,
    /// SACKs or duplicate ACKs arrived; perhaps only reordering.
    Disorder = 1,
    /// The window is being reduced after an ECN mark.
    Cwr = 2,
    /// Fast recovery after a detected loss.
    Recovery = 3,
    /// Recovery after a retransmission timeout.
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

    /// True while the window is reduced to ssthresh (states CWR and Recovery).
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
            (offset_of!(TcpSock, bytes_retrans), 8),
        ];
        lines.iter().for_each(|&(offset, line)| assert_eq!(offset, 64 * line, "line {line}"));
    }
}
