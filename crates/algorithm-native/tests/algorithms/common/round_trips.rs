//! Round trips as algorithms mark them: one ends with the first ACK of what was sent after it had begun.

use super::Flow;

pub struct RoundTrips {
    pub flow: Flow,
    /// The algorithm's `snd_nxt` at the end of the last round trip.
    end: u32,
}

impl RoundTrips {
    /// In congestion avoidance with this window, the path's own RTT known, at the start of a round trip.
    pub fn new(mut flow: Flow, window: u32, base_us: u32) -> Self {
        flow.set_window(window);
        let mut rounds = Self { flow, end: 0 };
        for _ in 0..2 {
            rounds.next(base_us);
        }
        rounds.flow.sock.snd_cwnd = window;
        rounds.flow.sock.snd_cwnd_cnt = 0;
        rounds
    }

    /// ACKs of one packet each until a round trip ends.
    pub fn next(&mut self, rtt_us: u32) {
        loop {
            let seen = self.flow.sock.snd_nxt;
            self.flow.advance_us(u64::from(rtt_us / self.flow.sock.snd_cwnd.max(1)));
            self.flow.ack(1, rtt_us as i32);
            if self.flow.sock.snd_una > self.end {
                self.end = seen;
                return;
            }
        }
    }

    pub fn cwnd(&self) -> u32 {
        self.flow.sock.snd_cwnd
    }
}
