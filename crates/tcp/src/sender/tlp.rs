//! Tail loss probes (RFC 8985 section 7): no SACK reveals the loss of the last packets of a flight, so another packet
//! is sent after two round trips to elicit an acknowledgement.

use super::ack_info::{meaning::*, AckInfo};
use super::rack::TIMEOUT_MARGIN_US;
use super::timers::TimerKind;
use super::{Sender, INITIAL_RTO_US};
use fairlane_congestion_control::sock::CaState;

impl Sender {
    /// Whether the current state allows tail loss probes.
    #[inline]
    pub(super) fn probes_tail(&self) -> bool {
        self.config.tail_loss_probe && self.config.sack && matches!(self.sock.ca_state(), CaState::Open | CaState::Cwr)
    }

    /// Arms the probe timer if a probe is allowed; with `advancing` the RTO counts from now.
    pub(super) fn schedule_loss_probe(&mut self, advancing: bool) -> bool {
        if self.sock.packets_out == 0 || !self.probes_tail() {
            return false;
        }
        // Two round trips; the ACK of a single packet may be delayed.
        let mut delay_us = if self.sock.srtt_us == 0 {
            u64::from(INITIAL_RTO_US)
        } else if self.sock.packets_out == 1 {
            u64::from(self.sock.srtt_us >> 2) + u64::from(self.config.rto_min_us)
        } else {
            u64::from(self.sock.srtt_us >> 2) + TIMEOUT_MARGIN_US
        };
        let rto_us = if advancing { self.rto_us as i64 } else { self.rto_remaining_us() };
        if rto_us > 0 {
            delay_us = delay_us.min(rto_us as u64);
        }
        self.set_timer(TimerKind::LossProbe, delay_us * 1000);
        true
    }

    /// The probe timer fired: sends new data if there is any, else retransmits the last segment.
    pub(super) fn send_loss_probe(&mut self) {
        if self.tlp_high_seq.is_none() {
            self.sock.tlp_retrans = 0;
            let sent = if self.can_send_new() {
                self.write_probe()
            } else if self.board.is_empty() {
                false
            } else {
                self.retransmit_probe();
                self.sock.tlp_retrans = 1;
                true
            };
            if sent {
                self.tlp_high_seq = Some(self.snd_nxt);
                self.sock.tlp_high_seq = self.snd_nxt as u32;
                self.timer.kind = TimerKind::Off; // the RTO runs from now
            }
        }
        self.rearm_rto();
    }

    /// Processes an acknowledgement while a probe is outstanding (RFC 8985 section 7.4).
    pub(super) fn process_tail_loss_probe_ack(&mut self, ack: u64, info: &AckInfo) {
        let Some(probe_end) = self.tlp_high_seq else { return };
        if ack < probe_end {
            return;
        }
        if self.sock.tlp_retrans == 0 || info.bits & DSACK_OF_PROBE != 0 {
            self.tlp_high_seq = None; // new data arrived, or both copies did: nothing was lost
        } else if ack > probe_end {
            // The probe repaired a loss that nothing else detected: reduce the window.
            self.init_cwnd_reduction();
            self.set_ca_state(CaState::Cwr);
            self.end_cwnd_reduction();
            self.try_keep_open();
        } else if info.bits & (ADVANCED | NOT_DUPLICATE | DATA_SACKED) == 0 {
            self.tlp_high_seq = None; // a pure duplicate ACK: the original had arrived as well
        }
    }
}
