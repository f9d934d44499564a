//! Explicit congestion notification at the sender (RFC 3168).

use super::Sender;
use crate::sock::CaState;

/// Bits of `TcpSock::ecn_flags`, with the kernel's values.
pub const ECN_OK: u8 = 1;
/// CWR is to go out with the next new data.
pub const ECN_QUEUE_CWR: u8 = 2;

impl Sender {
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
