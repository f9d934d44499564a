//! Probing a window that the peer has shut (RFC 9293 section 3.8.6.1).

use super::timers::TimerKind;
use super::{Outgoing, Sender};
use crate::segment::{flags, Segment};

/// Shortest wait before the first probe.
const MIN_DELAY_US: u64 = 200_000;

impl Sender {
    /// Window probes since the last acknowledgement.
    pub fn probes_out(&self) -> u32 {
        self.probes_out
    }

    /// Nothing is in flight and the window is zero, so no ACK would announce a new window: starts probing.
    pub(super) fn start_window_probes(&mut self) {
        self.await_window_probe(0);
    }

    fn await_window_probe(&mut self, backoff: u8) {
        let delay_us = (self.rto_us.max(MIN_DELAY_US) << backoff.min(16)).min(super::MAX_RTO_US);
        self.set_timer(TimerKind::WindowProbe, delay_us * 1000);
    }

    /// The peer's window has been shut for too long: asks for its state with a segment it must answer.
    pub(super) fn send_window_probe(&mut self) {
        if self.sock.packets_out > 0 || self.write_seq == self.snd_nxt {
            return;
        }
        if self.window_end > self.snd_nxt {
            // A little room: send what fits (silly as it is, it makes progress).
            let len = (self.window_end - self.snd_nxt).min(self.next_len(self.write_seq)) as u32;
            let departure_ns = self.departure_ns();
            self.begin_sending();
            self.send_new_segments(1, len, departure_ns, false);
            self.push_last_segment();
            self.rearm_rto();
            self.sock.icsk_backoff = 0;
            self.probes_out = 0;
            return;
        }
        // One old sequence number, no payload: out of window, so that the receiver answers.
        let segment =
            Segment { seq: self.snd_una - 1, flags: flags::ACK, tsval: self.timestamp_ms(), ..Segment::default() };
        self.out.push(Outgoing {
            datagram: segment,
            departure_ns: self.sock.tcp_clock_cache,
            ect: false,
            continues_burst: false,
        });
        self.probes_out += 1;
        self.sock.icsk_backoff = self.sock.icsk_backoff.saturating_add(1);
        self.await_window_probe(self.sock.icsk_backoff);
    }

    /// An acknowledgement while nothing is out: if the window opened far enough, the probing ends; else the peer lives, and the
    /// wait for the next probe begins anew.
    pub(super) fn on_window_probe_ack(&mut self) {
        self.probes_out = 0;
        if self.timer.kind == TimerKind::WindowProbe {
            if self.can_send_new() {
                self.timer.kind = TimerKind::Off;
                self.sock.icsk_backoff = 0;
            } else {
                self.await_window_probe(self.sock.icsk_backoff);
            }
        }
    }
}
