//! The application's side of a sender: writing, closing, socket options, and how much of the data is sent.

use super::Sender;
use fairlane_congestion_control::sock::{SK_PACING_NEEDED, SK_PACING_NONE};

impl Sender {
    /// The application writes `bytes` more.
    pub fn write(&mut self, now_ns: u64, bytes: u64) {
        self.refresh_clock(now_ns);
        self.note_application_limit();
        if self.config.exact_writes {
            self.restart_after_idle();
            self.write_exactly(bytes, false, u64::MAX);
            return;
        }
        self.awaits_space = bytes >= self.offered_bytes;
        if self.snd_nxt == self.write_seq {
            self.write_queue.end_buffer(self.snd_nxt);
        }
        self.write_seq += bytes;
        self.sock.write_seq = self.write_seq as u32;
        self.restart_after_idle();
        if self.memory.is_some() {
            self.settle_memory();
        }
        self.push();
    }

    /// Writes with explicit boundaries; `more` announces another write (MSG_MORE).
    ///
    /// Returns how many bytes fit into a send buffer of `buffer_bytes`.
    pub fn write_with(&mut self, now_ns: u64, bytes: u64, more: bool, buffer_bytes: u64) -> u64 {
        self.refresh_clock(now_ns);
        self.note_application_limit();
        self.restart_after_idle();
        self.write_exactly(bytes, more, buffer_bytes)
    }

    /// Switches Nagle's algorithm; switching it off sends delayed data, even if TCP_CORK delays it.
    pub fn set_nagle(&mut self, now_ns: u64, on: bool) {
        self.config.nagle = on;
        if !on {
            self.refresh_clock(now_ns);
            self.push_as_if_corked(false);
        }
    }

    /// TCP_CORK: while it is on, a segment below the MSS waits for more data.
    pub fn set_cork(&mut self, now_ns: u64, on: bool) {
        self.corked = on;
        if !on {
            self.refresh_clock(now_ns);
            self.push();
        }
    }

    /// Sends as much as possible, with the given state of the cork for this one call.
    pub(super) fn push_as_if_corked(&mut self, corked: bool) {
        let set = std::mem::replace(&mut self.corked, corked);
        self.push();
        self.corked = set;
    }

    /// Limits the rate in bytes per second (SO_MAX_PACING_RATE), pacing by TCP's own timer if needed.
    pub fn limit_pacing(&mut self, bytes_per_second: u64) {
        self.sock.sk_max_pacing_rate = bytes_per_second;
        self.sock.sk_pacing_rate = self.sock.sk_pacing_rate.min(bytes_per_second);
        if self.sock.sk_pacing_status == SK_PACING_NONE {
            self.sock.sk_pacing_status = SK_PACING_NEEDED;
        }
    }

    /// The application closes: a FIN follows the last byte.
    pub fn close(&mut self, now_ns: u64) {
        if self.fin_pending {
            return;
        }
        self.refresh_clock(now_ns);
        self.fin_pending = true;
        self.write_seq += 1;
        self.sock.write_seq = self.write_seq as u32;
        self.push();
    }

    /// Everything written so far was acknowledged.
    pub fn all_acknowledged(&self) -> bool {
        self.snd_una == self.write_seq
    }

    /// Bytes written and not yet acknowledged.
    pub fn unacknowledged_bytes(&self) -> u64 {
        self.write_seq - self.snd_una
    }

    /// Bytes sent and not yet acknowledged.
    pub fn flight_bytes(&self) -> u64 {
        self.snd_nxt - self.snd_una
    }

    /// Bytes written and not yet sent.
    pub fn unsent_bytes(&self) -> u64 {
        let fin = u64::from(self.fin_pending && self.snd_nxt < self.write_seq);
        self.write_seq - self.snd_nxt - fin
    }

    /// Bytes written and acknowledged; SYN and FIN do not count.
    pub fn acknowledged_bytes(&self) -> u64 {
        let fin = u64::from(self.fin_pending && self.all_acknowledged());
        self.snd_una - 1 - fin
    }
}
