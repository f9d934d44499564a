//! Explicit congestion notification at the sender (RFC 3168).

use super::Sender;
use fairlane_congestion_control::sock::{CaState, ECN_OK, ECN_QUEUE_CWR};
use fairlane_congestion_control::CaEvent;

impl Sender {
    /// The algorithm wants to hear of the marks on arriving data, and ECT on whatever is sent (`TCP_CONG_NEEDS_ECN`).
    #[inline]
    pub(crate) fn algorithm_needs_ecn(&self) -> bool {
        self.callbacks.needs_ecn
    }

    /// Retransmissions and pure ACKs are ECN-capable too: the algorithm needs the marks of all (RFC 8257 section 3.4).
    #[inline]
    pub(crate) fn sends_all_ecn_capable(&self) -> bool {
        self.callbacks.needs_ecn && self.ecn_enabled()
    }

    /// Tells the algorithm of a mark on arriving data.
    pub(crate) fn on_mark(&mut self, now_ns: u64, event: CaEvent) {
        self.refresh_clock(now_ns);
        self.cwnd_event(event);
    }

    #[inline]
    pub(super) fn ecn_enabled(&self) -> bool {
        self.sock.ecn_flags & ECN_OK != 0
    }

    pub(super) fn queue_cwr(&mut self) {
        if self.ecn_enabled() {
            self.sock.ecn_flags |= ECN_QUEUE_CWR;
        }
    }

    pub(super) fn withdraw_cwr(&mut self) {
        self.sock.ecn_flags &= !ECN_QUEUE_CWR;
    }

    /// Takes the pending CWR flag, once.
    #[inline]
    pub(super) fn take_cwr(&mut self) -> bool {
        let pending = self.sock.ecn_flags & ECN_QUEUE_CWR != 0;
        self.sock.ecn_flags &= !ECN_QUEUE_CWR;
        pending
    }

    /// Congestion was echoed: one window reduction per round trip (RFC 3168 section 6.1.2).
    pub(super) fn enter_cwr(&mut self) {
        self.sock.prior_ssthresh = 0;
        if self.sock.ca_state() < CaState::Cwr {
            self.undo_marker = None;
            self.sock.undo_marker = 0;
            self.init_cwnd_reduction();
            self.set_ca_state(CaState::Cwr);
        }
    }
}
