//! Holding back duplicate ACKs: behind a hole every segment would otherwise cause one.
//!
//! The first three after each advance go out at once, so that the sender's loss detection is not
//! slower; the following wait for a part of the RTT, at most a millisecond, or until there are too many of
//! them (Linux since 4.18; no RFC).

#[derive(Clone, Debug)]
#[repr(C)]
pub(super) struct CompressedSack {
    /// When what is held back is due; `u64::MAX` when nothing is.
    deadline_ns: u64,
    /// Duplicate ACKs held back since the last one sent.
    held: u32,
    limit: u32,
    delay_ns: u64,
    slack_ns: u64,
    sent_for: u64,
    rtt_percent: u32,
    /// How many went out at once for this end of contiguous data.
    sent: u8,
}

impl CompressedSack {
    pub fn new(limit: u32, delay_ns: u64, rtt_percent: u32, slack_ns: u64) -> Self {
        Self { limit, delay_ns, rtt_percent, slack_ns, held: 0, deadline_ns: u64::MAX, sent: 0, sent_for: 0 }
    }

    /// Decides about one more duplicate ACK; true sends it now. `rtt_us` is the smaller of what the two
    /// halves of this endpoint measured.
    pub fn send_now(&mut self, now_ns: u64, next_expected: u64, rtt_us: u64) -> bool {
        if self.held >= self.limit {
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
        self.held += 1;
        if self.deadline_ns == u64::MAX {
            let delay_ns = self.delay_ns.min(rtt_us * 1000 * u64::from(self.rtt_percent) / 100);
            self.deadline_ns = now_ns + delay_ns + self.slack_ns;
        }
        false
    }

    #[inline]
    pub fn is_holding(&self) -> bool {
        self.held > 0
    }

    /// When what is held back is due; `u64::MAX` when nothing is.
    #[inline]
    pub fn deadline_ns(&self) -> u64 {
        self.deadline_ns
    }

    /// Any ACK tells what the held ones would have told.
    #[inline]
    pub fn on_ack_sent(&mut self) {
        self.held = 0;
        self.deadline_ns = u64::MAX;
    }
}

/// Duplicate ACKs that make a sender retransmit (RFC 5681 §3.2).
const DUPLICATE_ACK_THRESHOLD: u8 = 3;
