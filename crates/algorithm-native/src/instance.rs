//! One flow's congestion control: the trait's methods as guarded calls into the program.

use crate::guard::CallbackPointer;
use crate::loaded::Loaded;
use crate::shield::Passage;
use fairlane_congestion_control::{
    is_window, AckSample, AlgorithmFault, CaEvent, Callbacks, CongestionControl, FaultKind, RateSample, TcpSock,
    MAX_CWND,
};
use std::rc::Rc;

/// After a fault the program is not called again, and answers are harmless defaults.
pub struct Instance<P> {
    loaded: Rc<Loaded>,
    passage: P,
    fault: Option<AlgorithmFault>,
}

impl<P: Passage> Instance<P> {
    pub fn new(loaded: Rc<Loaded>, passage: P) -> Self {
        Self { loaded, passage, fault: None }
    }

    // Inlined into each callback, so that its arguments need no array in memory.
    #[inline(always)]
    fn call(
        &mut self,
        sock: &mut TcpSock,
        name: &'static str,
        callback: Option<CallbackPointer>,
        arguments: [u64; 3],
    ) -> Option<u64> {
        let callback = callback?;
        if self.fault.is_some() {
            return None;
        }
        let seen = self.passage.lend(sock);
        let mut words = [seen as u64, arguments[0], arguments[1], arguments[2]];
        self.loaded.set_current(seen);
        // SAFETY: the callback is of the loaded program, whose compiler has checked its layout; the words are
        // the arguments that the kernel gives this callback, and what they point at lives until it returns.
        let answer = match unsafe { self.loaded.guard.call(callback, &mut words) } {
            Ok(answer) => answer,
            Err(FaultKind::BadMemoryAccess) => {
                let kind = self.passage.explain(sock, self.loaded.guard.fault_address());
                return self.record(sock, name, kind);
            }
            Err(kind) => return self.record(sock, name, kind),
        };
        if let Err(kind) = self.passage.take_back(sock) {
            return self.record(sock, name, kind);
        }
        if !is_window(sock.snd_cwnd) {
            return self.record(sock, name, FaultKind::Cwnd(sock.snd_cwnd));
        }
        Some(answer)
    }

    /// The window that a callback returns.
    fn ask_window(&mut self, sock: &mut TcpSock, name: &'static str, callback: CallbackPointer) -> Option<u32> {
        let window = self.call(sock, name, Some(callback), [0; 3])? as u32;
        if window > MAX_CWND {
            self.record(sock, name, FaultKind::Answer(window));
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
    fn record(&mut self, sock: &mut TcpSock, callback: &'static str, kind: FaultKind) -> Option<u64> {
        // A window of 0 would stop the connection forever.
        sock.snd_cwnd = sock.snd_cwnd.clamp(1, MAX_CWND);
        self.fault = Some(AlgorithmFault { algorithm: self.loaded.algorithm.clone(), callback, kind });
        None
    }
}

impl<P: Passage> CongestionControl for Instance<P> {
    fn callbacks(&self) -> Callbacks {
        self.loaded.callbacks
    }

    fn init(&mut self, sock: &mut TcpSock) {
        // As in the kernel, when a connection gets its algorithm.
        sock.icsk_ca_priv = Default::default();
        sock.icsk_ca_ops = 0;
        name_connection(sock);
        self.loaded.set_hz(1_000_000_000 / sock.fairlane_jiffy_ns.max(1));
        self.call(sock, "init", self.loaded.entry.init, [0; 3]);
    }

    fn release(&mut self, sock: &mut TcpSock) {
        self.call(sock, "release", self.loaded.entry.release, [0; 3]);
        self.loaded.forget_connection(sock);
    }

    fn ssthresh(&mut self, sock: &mut TcpSock) -> u32 {
        let answer = self.ask_window(sock, "ssthresh", self.loaded.entry.ssthresh);
        answer.unwrap_or((sock.snd_cwnd / 2).max(2))
    }

    #[inline]
    fn cong_avoid(&mut self, sock: &mut TcpSock, ack: u32, acked: u32) {
        self.call(sock, "cong_avoid", self.loaded.entry.cong_avoid, [ack.into(), acked.into(), 0]);
    }

    #[inline]
    fn cong_control(&mut self, sock: &mut TcpSock, ack: u32, flag: i32, sample: &RateSample) {
        let mut copy = *sample;
        let lent = self.lent(sample, &mut copy);
        // An int argument arrives sign-extended.
        let arguments =
            if self.loaded.short_cong_control { [lent, 0, 0] } else { [ack.into(), flag as i64 as u64, lent] };
        self.call(sock, "cong_control", self.loaded.entry.cong_control, arguments);
        if P::COPIES_SAMPLES && copy != *sample {
            self.record(sock, "cong_control", wrote("rate_sample"));
        }
    }

    fn set_state(&mut self, sock: &mut TcpSock, new_state: u8) {
        self.call(sock, "set_state", self.loaded.entry.set_state, [new_state.into(), 0, 0]);
    }

    /// The start of a transmission has a callback of its own since Linux 7.1. A program without it was written for
    /// older kernels, and gets the event with all others.
    fn cwnd_event(&mut self, sock: &mut TcpSock, event: CaEvent) {
        let entry = &self.loaded.entry;
        if event == CaEvent::TxStart && entry.cwnd_event_tx_start.is_some() {
            self.call(sock, "cwnd_event_tx_start", entry.cwnd_event_tx_start, [0; 3]);
            return;
        }
        self.call(sock, "cwnd_event", self.loaded.entry.cwnd_event, [event as u64, 0, 0]);
    }

    #[inline]
    fn in_ack_event(&mut self, sock: &mut TcpSock, flags: u32) {
        self.call(sock, "in_ack_event", self.loaded.entry.in_ack_event, [flags.into(), 0, 0]);
    }

    #[inline]
    fn pkts_acked(&mut self, sock: &mut TcpSock, sample: &AckSample) {
        let mut copy = *sample;
        let lent = self.lent(sample, &mut copy);
        self.call(sock, "pkts_acked", self.loaded.entry.pkts_acked, [lent, 0, 0]);
        if P::COPIES_SAMPLES && copy != *sample {
            self.record(sock, "pkts_acked", wrote("ack_sample"));
        }
    }

    fn undo_cwnd(&mut self, sock: &mut TcpSock) -> u32 {
        self.ask_window(sock, "undo_cwnd", self.loaded.entry.undo_cwnd).unwrap_or(sock.snd_cwnd)
    }

    #[inline]
    fn min_tso_segs(&mut self, sock: &mut TcpSock) -> u32 {
        // 2 is the kernel's own minimum (tcp_min_tso_segs).
        self.call(sock, "min_tso_segs", self.loaded.entry.min_tso_segs, [0; 3]).map_or(2, |value| value as u32)
    }

    #[inline]
    fn sndbuf_expand(&mut self, sock: &mut TcpSock) -> u32 {
        self.call(sock, "sndbuf_expand", self.loaded.entry.sndbuf_expand, [0; 3]).map_or(2, |value| value as u32)
    }

    fn take_printed(&mut self) -> Vec<String> {
        self.loaded.take_printed()
    }

    fn warning(&self) -> Option<String> {
        let guard = &self.loaded.guard;
        let mut divided = self.loaded.entry.named().filter(|(_, callback)| guard.has_divided(*callback));
        let (name, _) = divided.next()?;
        Some(format!(
            "algorithm {} divided by zero in callback {name}; as in the kernel, the quotient is 0 and the remainder the \
             dividend",
            self.loaded.algorithm
        ))
    }

    fn prefetch(&self) {
        fairlane_engine::prefetch(&self.loaded);
        fairlane_engine::prefetch(&self.fault);
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
