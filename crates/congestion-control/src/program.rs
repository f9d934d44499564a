//! One flow's congestion control by a C program: the trait's methods as calls of the program's callbacks.
//!
//! Hosts differ in how they load and call programs (natively, in a browser), not in the arguments of a callback nor in the
//! use of its answer.

use crate::{
    wrapped_value, AckSample, AlgorithmFault, CaEvent, Callback, Callbacks, CongestionControl, FaultKind, RateSample,
    TcpSock, MAX_CWND,
};

/// A loaded C program, for the calls of one flow.
pub trait ProgramCalls: Send {
    /// Does the program get copies of samples, so that its writes are found?
    const COPIES_SAMPLES: bool;

    fn algorithm(&self) -> &str;
    fn has(&self, callback: Callback) -> bool;
    /// Bits of [`congestion_flag`](crate::congestion_flag).
    fn flags(&self) -> u8;
    /// Its cong_control() is as before Linux 6.10: (sk, sample).
    fn short_cong_control(&self) -> bool;
    fn set_hz(&self, hz: u64);
    /// Calls a callback with the connection and these arguments; none if the program lacks it. Its answer, if it has one,
    /// is in the lowest bits of the word.
    ///
    /// # Errors
    /// A fault in the callback.
    fn call(&mut self, sock: &mut TcpSock, callback: Callback, words: [u64; 3]) -> Option<Result<u64, FaultKind>>;
    /// Frees the connection's storage.
    fn forget_connection(&self, sock: &mut TcpSock);
    fn take_printed(&self) -> Vec<String>;
    /// Something that its author should know, although the run goes on.
    fn warning(&self) -> Option<String>;
    /// Prefetches its own memory that the callbacks touch, and `besides`.
    fn prefetch<T>(&self, besides: &T);
}

/// The callbacks that TCP calls of a program.
pub fn callbacks_of(has: impl Fn(Callback) -> bool, flags: u8) -> Callbacks {
    Callbacks {
        init: has(Callback::Init),
        release: true, // the host's own part is to take back the connection's storage
        cong_control: has(Callback::CongControl),
        set_state: has(Callback::SetState),
        cwnd_event: has(Callback::CwndEvent) || has(Callback::CwndEventTxStart),
        in_ack_event: has(Callback::InAckEvent),
        pkts_acked: has(Callback::PktsAcked),
        min_tso_segs: has(Callback::MinTsoSegs),
        sndbuf_expand: has(Callback::SndbufExpand),
        flags,
    }
}

/// After a fault the program is not called again, and answers are harmless defaults.
pub struct Instance<P> {
    program: P,
    fault: Option<AlgorithmFault>,
}

impl<P: ProgramCalls> Instance<P> {
    pub fn new(program: P) -> Self {
        Self { program, fault: None }
    }

    // Inlined into each callback, so that its arguments need no array in memory.
    #[inline(always)]
    fn call(&mut self, sock: &mut TcpSock, callback: Callback, arguments: [u64; 3]) -> Option<u64> {
        if self.fault.is_some() {
            return None;
        }
        let answer = match self.program.call(sock, callback, arguments)? {
            Ok(answer) => answer,
            Err(kind) => return self.record(sock, callback, kind),
        };
        if let Some(kind) = wrapped_value(sock) {
            return self.record(sock, callback, kind);
        }
        Some(answer)
    }

    /// The window that a callback returns.
    fn ask_window(&mut self, sock: &mut TcpSock, callback: Callback) -> Option<u32> {
        let window = self.call(sock, callback, [0; 3])? as u32;
        if window > MAX_CWND {
            self.record(sock, callback, FaultKind::Answer(window));
            return None;
        }
        Some(window)
    }

    /// The address of the sample that the program sees.
    #[inline]
    fn lent<S>(&self, sample: &S, copy: &mut S) -> u64 {
        match P::COPIES_SAMPLES {
            true => std::ptr::from_mut(copy) as u64,
            false => std::ptr::from_ref(sample) as u64,
        }
    }

    #[cold]
    fn record(&mut self, sock: &mut TcpSock, callback: Callback, kind: FaultKind) -> Option<u64> {
        // A window of 0 would stop the connection forever.
        sock.snd_cwnd = sock.snd_cwnd.clamp(1, MAX_CWND);
        let algorithm = self.program.algorithm().to_owned();
        self.fault = Some(AlgorithmFault { algorithm, callback: callback.name(), kind });
        None
    }
}

impl<P: ProgramCalls> CongestionControl for Instance<P> {
    fn callbacks(&self) -> Callbacks {
        callbacks_of(|callback| self.program.has(callback), self.program.flags())
    }

    fn init(&mut self, sock: &mut TcpSock) {
        // As in the kernel, when a connection gets its algorithm.
        sock.icsk_ca_priv = Default::default();
        sock.icsk_ca_ops = 0;
        name_connection(sock);
        self.program.set_hz(1_000_000_000 / sock.fairlane_jiffy_ns.max(1));
        self.call(sock, Callback::Init, [0; 3]);
    }

    fn release(&mut self, sock: &mut TcpSock) {
        self.call(sock, Callback::Release, [0; 3]);
        self.program.forget_connection(sock);
    }

    fn only_frees_memory(&self) -> bool {
        !self.program.has(Callback::Release)
    }

    fn ssthresh(&mut self, sock: &mut TcpSock) -> u32 {
        let answer = self.ask_window(sock, Callback::Ssthresh);
        answer.unwrap_or((sock.snd_cwnd / 2).max(2))
    }

    #[inline]
    fn cong_avoid(&mut self, sock: &mut TcpSock, ack: u32, acked: u32) {
        self.call(sock, Callback::CongAvoid, [ack.into(), acked.into(), 0]);
    }

    #[inline]
    fn cong_control(&mut self, sock: &mut TcpSock, ack: u32, flag: i32, sample: &RateSample) {
        let mut copy = *sample;
        let lent = self.lent(sample, &mut copy);
        // An int argument arrives sign-extended.
        let arguments =
            if self.program.short_cong_control() { [lent, 0, 0] } else { [ack.into(), flag as i64 as u64, lent] };
        self.call(sock, Callback::CongControl, arguments);
        if P::COPIES_SAMPLES && copy != *sample {
            self.record(sock, Callback::CongControl, wrote("rate_sample"));
        }
    }

    fn set_state(&mut self, sock: &mut TcpSock, new_state: u8) {
        self.call(sock, Callback::SetState, [new_state.into(), 0, 0]);
    }

    /// The start of a transmission has a callback of its own since Linux 7.1. A program without it was written for
    /// older kernels, and gets the event with all others.
    fn cwnd_event(&mut self, sock: &mut TcpSock, event: CaEvent) {
        if event == CaEvent::TxStart && self.program.has(Callback::CwndEventTxStart) {
            self.call(sock, Callback::CwndEventTxStart, [0; 3]);
            return;
        }
        self.call(sock, Callback::CwndEvent, [event as u64, 0, 0]);
    }

    #[inline]
    fn in_ack_event(&mut self, sock: &mut TcpSock, flags: u32) {
        self.call(sock, Callback::InAckEvent, [flags.into(), 0, 0]);
    }

    #[inline]
    fn pkts_acked(&mut self, sock: &mut TcpSock, sample: &AckSample) {
        let mut copy = *sample;
        let lent = self.lent(sample, &mut copy);
        self.call(sock, Callback::PktsAcked, [lent, 0, 0]);
        if P::COPIES_SAMPLES && copy != *sample {
            self.record(sock, Callback::PktsAcked, wrote("ack_sample"));
        }
    }

    fn undo_cwnd(&mut self, sock: &mut TcpSock) -> u32 {
        self.ask_window(sock, Callback::UndoCwnd).unwrap_or(sock.snd_cwnd)
    }

    #[inline]
    fn min_tso_segs(&mut self, sock: &mut TcpSock) -> u32 {
        // 2 is the kernel's own minimum (tcp_min_tso_segs).
        self.call(sock, Callback::MinTsoSegs, [0; 3]).map_or(2, |value| value as u32)
    }

    #[inline]
    fn sndbuf_expand(&mut self, sock: &mut TcpSock) -> u32 {
        self.call(sock, Callback::SndbufExpand, [0; 3]).map_or(2, |value| value as u32)
    }

    fn take_printed(&mut self) -> Vec<String> {
        self.program.take_printed()
    }

    fn warning(&self) -> Option<String> {
        self.program.warning()
    }

    fn prefetch(&self) {
        self.program.prefetch(&self.fault);
    }

    fn fault(&self) -> Option<AlgorithmFault> {
        self.fault.clone()
    }
}

fn wrote(structure: &str) -> FaultKind {
    FaultKind::Other(format!("wrote its {structure}, which it may only read,"))
}

/// Addresses and ports that identify the flow: 10.1.x.y:40000+ to 10.2.x.y:5201.
fn name_connection(sock: &mut TcpSock) {
    let number = sock.fairlane_flow;
    sock.skc_rcv_saddr = (0x0a01_0000 | (number & 0xffff)).to_be();
    sock.skc_daddr = (0x0a02_0000 | (number & 0xffff)).to_be();
    sock.skc_num = 40_000 + (number % 25_000) as u16;
    sock.skc_dport = (5201 + (number / 25_000) as u16).to_be();
    sock.inet_saddr = sock.skc_rcv_saddr;
    sock.inet_sport = sock.skc_num.to_be();
}
