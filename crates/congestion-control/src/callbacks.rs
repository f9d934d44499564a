//! The callbacks of a congestion control algorithm.
//!
//! They have the form of the kernel's `struct tcp_congestion_ops`: optional callbacks that get the connection, and some
//! of them a sample. TCP uses algorithms through this trait alone.

use crate::sample::{AckSample, RateSample};
use crate::sock::{TcpSock, CA_PRIV_BYTES};

/// The events of `cwnd_event` (`enum tcp_ca_event`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum CaEvent {
    /// First transmission when nothing was in flight.
    TxStart = 0,
    /// The window is restarted after an idle period.
    CwndRestart = 1,
    /// The end of a window reduction.
    CompleteCwr = 2,
    /// A retransmission timeout.
    Loss = 3,
    /// A packet arrived with ECT but without CE (receiver side).
    EcnNoCe = 4,
    /// A packet arrived with CE (receiver side).
    EcnIsCe = 5,
}

/// Bits of the `flags` that `in_ack_event` gets (`enum tcp_ca_ack_event_flags`).
pub mod ack_event {
    /// The ACK took the slow path: it was not the plain advance that TCP predicts.
    pub const SLOWPATH: u32 = 1;
    /// The ACK updated the window.
    pub const WIN_UPDATE: u32 = 2;
    /// The ACK carried ECE.
    pub const ECE: u32 = 4;
}

/// Which callbacks an algorithm has. Those it lacks are never called.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Callbacks {
    pub init: bool,
    pub release: bool,
    /// Without `cong_control`, TCP reduces the window by itself and calls `cong_avoid`.
    pub cong_control: bool,
    pub set_state: bool,
    pub cwnd_event: bool,
    pub in_ack_event: bool,
    pub pkts_acked: bool,
    pub min_tso_segs: bool,
    pub sndbuf_expand: bool,
    /// Features to negotiate: bits of [`congestion_flag`].
    pub flags: u8,
}

/// Flags of an algorithm (`TCP_CONG_*`).
pub mod congestion_flag {
    /// Negotiate ECN, and make all packets ECN-capable.
    pub const NEEDS_ECN: u8 = 2;
    /// Negotiate accurate ECN feedback (RFC 9768; since Linux 7.0).
    pub const NEEDS_ACCECN: u8 = 4;
    /// ECN-capable packets carry ECT(1) instead of ECT(0) (since Linux 7.0).
    pub const ECT_1: u8 = 8;
}

impl Callbacks {
    #[inline]
    pub fn needs_ecn(&self) -> bool {
        self.flags & congestion_flag::NEEDS_ECN != 0
    }

    pub fn needs_accecn(&self) -> bool {
        self.flags & congestion_flag::NEEDS_ACCECN != 0
    }

    pub fn uses_ect1(&self) -> bool {
        self.flags & congestion_flag::ECT_1 != 0
    }
}

/// The largest window, in packets. The kernel warns of a window that is not positive as an `int` (`tcp_snd_cwnd_set`):
/// it is the result of a subtraction that wrapped around. `TCP_INFINITE_SSTHRESH` is as large.
pub const MAX_CWND: u32 = i32::MAX as u32;

/// Is this a window that a connection may have?
#[inline]
pub fn is_window(cwnd: u32) -> bool {
    cwnd.wrapping_sub(1) < MAX_CWND
}

/// The value that a callback left on a connection and that no connection may have: it wrapped around.
#[inline]
pub fn wrapped_value(sock: &TcpSock) -> Option<FaultKind> {
    // SK_PACING_UNLIMITED is u64::MAX.
    let is_rate = sock.sk_pacing_rate.wrapping_add(1) <= 1 << 63;
    if is_window(sock.snd_cwnd) & (sock.snd_ssthresh <= MAX_CWND) & is_rate {
        return None;
    }
    Some(if !is_window(sock.snd_cwnd) {
        FaultKind::Cwnd(sock.snd_cwnd)
    } else if !is_rate {
        FaultKind::PacingRate(sock.sk_pacing_rate)
    } else {
        FaultKind::Ssthresh(sock.snd_ssthresh)
    })
}

/// A fault of a running algorithm.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AlgorithmFault {
    pub algorithm: String,
    /// The callback in which it happened, by its kernel name.
    pub callback: &'static str,
    pub kind: FaultKind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FaultKind {
    DivisionByZero,
    EndlessLoop,
    BadMemoryAccess,
    /// `snd_cwnd` was not from 1 to [`MAX_CWND`] after the callback.
    Cwnd(u32),
    /// `snd_ssthresh` was more than [`MAX_CWND`] after the callback.
    Ssthresh(u32),
    /// `sk_pacing_rate` was negative after the callback, as a signed number, and not -1, which is no limit.
    PacingRate(u64),
    /// The callback returned a window of more than [`MAX_CWND`].
    Answer(u32),
    /// The callback changed a read-only member. `offset` is the position of the first change, in bytes from the start of
    /// `icsk_ca_priv`, the program's own memory.
    ForbiddenWrite {
        member: &'static str,
        offset: i64,
    },
    /// An interpreter's error, as a phrase that follows the algorithm's name.
    Other(String),
}

impl std::fmt::Display for AlgorithmFault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let composed;
        let what = match &self.kind {
            FaultKind::DivisionByZero => "divided by zero",
            FaultKind::EndlessLoop => "did not return (infinite loop)",
            FaultKind::BadMemoryAccess => "touched memory that is not its own",
            FaultKind::Cwnd(0) => "set cwnd to 0",
            FaultKind::Cwnd(value) => {
                composed = format!("set cwnd to {}", wrapped(*value));
                &composed
            }
            FaultKind::Ssthresh(value) => {
                composed = format!("set ssthresh to {}", wrapped(*value));
                &composed
            }
            FaultKind::PacingRate(value) => {
                composed = format!("set the pacing rate to {value}, which is {} as a signed number,", *value as i64);
                &composed
            }
            FaultKind::Answer(value) => {
                composed = format!("returned {}", wrapped(*value));
                &composed
            }
            FaultKind::ForbiddenWrite { member, offset } => {
                composed = format!(
                    "wrote {member}, which it may only read (offset {offset} of its icsk_ca_priv, which has \
                     {CA_PRIV_BYTES} bytes),"
                );
                &composed
            }
            FaultKind::Other(text) => text,
        };
        write!(f, "algorithm {} {what} in callback {}", self.algorithm, self.callback)
    }
}

fn wrapped(value: u32) -> String {
    format!("{value}, which is {} as a signed number,", value as i32)
}

/// One flow's congestion control. The connection's clock (`tcp_mstamp`, `tcp_clock_cache`) is fresh at every call. Calls may
/// come from different threads, one after the other.
pub trait CongestionControl: Send {
    fn callbacks(&self) -> Callbacks;
    fn init(&mut self, sock: &mut TcpSock);
    fn release(&mut self, sock: &mut TcpSock);
    /// [`release`](Self::release) only frees memory of the connection, so it may be called at any time after its end.
    fn only_frees_memory(&self) -> bool {
        false
    }
    /// The new slow start threshold, in packets, after a loss.
    fn ssthresh(&mut self, sock: &mut TcpSock) -> u32;
    /// Grows the window; `acked` packets were newly delivered.
    fn cong_avoid(&mut self, sock: &mut TcpSock, ack: u32, acked: u32);
    /// Controls window and pacing rate alone.
    fn cong_control(&mut self, sock: &mut TcpSock, ack: u32, flag: i32, sample: &RateSample);
    fn set_state(&mut self, sock: &mut TcpSock, new_state: u8);
    fn cwnd_event(&mut self, sock: &mut TcpSock, event: CaEvent);
    fn in_ack_event(&mut self, sock: &mut TcpSock, flags: u32);
    fn pkts_acked(&mut self, sock: &mut TcpSock, sample: &AckSample);
    /// The window after the undo of a spurious reduction.
    fn undo_cwnd(&mut self, sock: &mut TcpSock) -> u32;
    /// The smallest burst that TSO may make, in segments.
    fn min_tso_segs(&mut self, sock: &mut TcpSock) -> u32;
    /// The send buffer as a multiple of the window.
    fn sndbuf_expand(&mut self, sock: &mut TcpSock) -> u32;
    /// The lines printed since the last call. It prints only after [`Algorithm::listen`](crate::Algorithm::listen).
    fn take_printed(&mut self) -> Vec<String> {
        Vec::new()
    }
    /// Prefetches memory of its own that the callbacks touch. A hint: it changes no result.
    fn prefetch(&self) {}
    /// The fault, if there was one; the run must end.
    fn fault(&self) -> Option<AlgorithmFault>;

    /// Something that its author should know, although the run goes on.
    fn warning(&self) -> Option<String> {
        None
    }
}
