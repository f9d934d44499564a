//! Explicit congestion notification at the sender (RFC 3168, RFC 9768).

use super::ack_info::{meaning, AckInfo};
use super::Sender;
use crate::accecn::option::ByteCounters;
use crate::accecn::{Acknowledged, DataSender};
use crate::Segment;
use fairlane_congestion_control::sock::{CaState, ECN_MODE_ACCECN, ECN_OK, ECN_QUEUE_CWR};
use fairlane_congestion_control::{ack_event, CaEvent};

impl Sender {
    /// The algorithm handles the marks on arriving data, and all packets are sent with ECT (`TCP_CONG_NEEDS_ECN`).
    #[inline]
    pub(crate) fn algorithm_needs_ecn(&self) -> bool {
        self.callbacks.needs_ecn()
    }

    /// SYN and SYN-ACK are ECN-capable before anything is negotiated: a queue that marks would drop them above its
    /// threshold, and algorithms that need ECN keep it there. So does Linux, for a repeated SYN without ECN flags as well
    /// (`INET_ECN_xmit` when the algorithm is assigned), though RFC 3168 section 6.1.1 forbids it.
    #[inline]
    pub(crate) fn sends_ecn_capable_syns(&self) -> bool {
        self.callbacks.needs_ecn()
    }

    /// Retransmissions and pure ACKs are ECN-capable too: the algorithm needs all marks (RFC 8257 section 3.4), or
    /// AccECN counts them (as in Linux).
    #[inline]
    pub(crate) fn sends_all_ecn_capable(&self) -> bool {
        self.may_use_ecn && (self.uses_accecn() || (self.callbacks.needs_ecn() && self.ecn_enabled()))
    }

    /// New data is ECN-capable.
    #[inline]
    pub(super) fn sends_ecn_capable(&self) -> bool {
        self.may_use_ecn && self.sock.ecn_flags & (ECN_OK | ECN_MODE_ACCECN) != 0
    }

    /// The peer sends AccECN feedback, and it is in use.
    #[inline]
    pub(super) fn uses_accecn(&self) -> bool {
        self.sock.ecn_flags & ECN_MODE_ACCECN != 0
    }

    /// Both ends agreed on AccECN. Called before the connection is established.
    pub(crate) fn use_accecn(&mut self, feedback: DataSender) {
        self.config.ecn = false;
        self.accecn = Some(Box::new(feedback));
    }

    /// ECN is requested or negotiated.
    pub fn uses_ecn(&self) -> bool {
        self.config.ecn
    }

    /// Switches ECN off.
    pub(crate) fn refuse_ecn(&mut self) {
        self.config.ecn = false;
    }

    /// Bytes that arrived at the peer with each mark, as reported by its AccECN options.
    pub fn accecn_bytes(&self) -> Option<ByteCounters> {
        self.accecn.as_ref().map(|accecn| accecn.bytes())
    }

    /// Decodes the AccECN feedback of an ACK after its acknowledged packets are known, then calls `in_ack_event`.
    #[inline(never)]
    pub(super) fn process_accecn(
        &mut self,
        segment: &Segment,
        prior_delivered: u32,
        mut events: u32,
        info: &mut AckInfo,
    ) {
        let packets = self.sock.delivered.wrapping_sub(prior_delivered);
        let acknowledged = Acknowledged { packets, mss: self.sock.mss_cache };
        let marked = self.accecn.as_mut().map_or(0, |accecn| accecn.on_ack(segment, acknowledged));
        if marked > 0 {
            self.sock.delivered_ce = self.sock.delivered_ce.wrapping_add(marked);
            info.bits |= meaning::ECE;
            events |= ack_event::ECE;
        }
        self.call_in_ack_event(events, info);
    }

    /// Reports the mark of arriving data to the algorithm.
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

    /// Returns the pending CWR flag and clears it.
    #[inline]
    pub(super) fn take_cwr(&mut self) -> bool {
        if !self.may_use_ecn {
            return false;
        }
        let pending = self.sock.ecn_flags & ECN_QUEUE_CWR != 0;
        self.sock.ecn_flags &= !ECN_QUEUE_CWR;
        pending
    }

    /// An ACK echoed congestion: reduces the window, once per round trip (RFC 3168 section 6.1.2).
    pub(super) fn enter_cwr(&mut self) {
        self.sock.prior_ssthresh = 0;
        if self.sock.ca_state() < CaState::Cwr {
            self.undo.forget(&mut self.sock);
            self.init_cwnd_reduction();
            self.set_ca_state(CaState::Cwr);
        }
    }
}
