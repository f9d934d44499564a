//! Probes of a window that the peer has closed (RFC 9293 section 3.8.6.1).

use super::timers::TimerKind;
use super::{Outgoing, Sender};
use crate::segment::{flags, timestamp_ms, Segment};

/// Shortest wait before the first probe.
const MIN_DELAY_US: u64 = 200_000;

impl Sender {
    /// Window probes since the last acknowledgement.
    pub fn probes_out(&self) -> u32 {
        self.probes_out
    }

    /// Starts probing: nothing is in flight, so no ACK would announce that the window opens.
    pub(super) fn start_window_probes(&mut self) {
        self.await_window_probe(0);
    }

    fn await_window_probe(&mut self, backoff: u8) {
        let delay_us = (self.rto_us.max(MIN_DELAY_US) << backoff.min(16)).min(super::MAX_RTO_US);
        self.set_timer(TimerKind::WindowProbe, delay_us * 1000);
    }

    /// The probe timer fired: sends a segment that the peer must answer.
    pub(super) fn send_window_probe(&mut self) {
        if self.sock.packets_out > 0 || self.write_seq == self.snd_nxt {
            return;
        }
        if self.window_end > self.snd_nxt {
            // A little room: send a segment that fits, small as it is, to make progress.
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
        // An old sequence number without payload is outside the window, so the receiver answers.
        let segment = Segment {
            seq: self.snd_una - 1,
            flags: flags::ACK,
            tsval: timestamp_ms(self.sock.tcp_clock_cache),
            ..Segment::default()
        };
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

    /// An acknowledgement while nothing is in flight: probing ends if the window opened far enough; else the probe
    /// timer restarts.
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
