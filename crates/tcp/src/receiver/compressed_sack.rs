//! ACK compression: delays duplicate ACKs, of which every segment behind a hole would cause one.
//!
//! The first three after each advance are sent at once, so that the sender's loss detection is not delayed. The next
//! ones wait for a fraction of the RTT, at most a millisecond, or until a limited number is delayed (Linux since 4.18;
//! no RFC).

#[derive(Clone, Debug)]
#[repr(C)]
pub(super) struct CompressedSack {
    /// Time at which the delayed ACK is due; `u64::MAX` for none.
    deadline_ns: u64,
    /// Duplicate ACKs suppressed since the last one sent.
    delayed: u32,
    limit: u32,
    delay_ns: u64,
    slack_ns: u64,
    sent_for: u64,
    rtt_percent: u32,
    /// Number of duplicate ACKs sent at once for this end of contiguous data.
    sent: u8,
}

impl CompressedSack {
    pub fn new(limit: u32, delay_ns: u64, rtt_percent: u32, slack_ns: u64) -> Self {
        Self { limit, delay_ns, rtt_percent, slack_ns, delayed: 0, deadline_ns: u64::MAX, sent: 0, sent_for: 0 }
    }

    /// Decides about a duplicate ACK; true sends it now. `rtt_us` is the smaller RTT of this endpoint's two halves.
    pub fn send_now(&mut self, now_ns: u64, next_expected: u64, rtt_us: u64) -> bool {
        if self.delayed >= self.limit {
            return true;
        }
        if self.sent_for != next_expected {
            self.sent_for = next_expected;
            self.sent = 0;
        }
        if self.sent < DUPLICATE_ACK_THRESHOLD {
            self.sent += 1;
            return true;
        }
        self.delayed += 1;
        if self.deadline_ns == u64::MAX {
            let delay_ns = self.delay_ns.min(rtt_us * 1000 * u64::from(self.rtt_percent) / 100);
            self.deadline_ns = now_ns + delay_ns + self.slack_ns;
        }
        false
    }

    #[inline]
    pub fn is_delaying(&self) -> bool {
        self.delayed > 0
    }

    /// Time at which the delayed ACK is due; `u64::MAX` for none.
    #[inline]
    pub fn deadline_ns(&self) -> u64 {
        self.deadline_ns
    }

    /// Any ACK replaces the delayed ones.
    #[inline]
    pub fn on_ack_sent(&mut self) {
        self.delayed = 0;
        self.deadline_ns = u64::MAX;
    }
}

/// Duplicate ACKs that make a sender retransmit (RFC 5681 §3.2).
const DUPLICATE_ACK_THRESHOLD: u8 = 3;
