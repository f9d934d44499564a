//! A transmitter that follows a packet-delivery trace in mahimahi's format.
//!
//! Each entry of the trace is an opportunity to send one 1500-byte IP packet with its overhead, all at once. Small
//! frames share an opportunity; a frame larger than the rest of one continues in the next and leaves with its last
//! byte. An opportunity that finds the queue empty is lost, as is one at the very instant a packet arrives. The trace
//! repeats after its last entry. A frame counts as queued until its first byte is sent.
//!
//! With the default overhead of 4 bytes (the header of a TUN device) an opportunity is worth 1504 bytes, as in
//! mahimahi. Unlike there, frames larger than an opportunity are allowed.

use fairlane_engine::NS_PER_MS;

use super::Waiting;

#[derive(Clone, Debug)]
pub(crate) struct Trace {
    /// Opportunities, relative to the start of a round; the last one ends the round.
    times_ns: Vec<u64>,
    opportunity_bytes: u32,
    cursor: Cursor,
    /// Opportunities until this time are lost.
    paused_ns: u64,
}

/// An opportunity and its unused bytes.
#[derive(Clone, Copy, Debug)]
struct Cursor {
    index: usize,
    round_ns: u64,
    left_bytes: u32,
}

impl Trace {
    pub fn new(trace_ms: &[u64], overhead_bytes: u32) -> Self {
        let opportunity_bytes = OPPORTUNITY_IP_BYTES + overhead_bytes;
        Self {
            times_ns: trace_ms.iter().map(|ms| ms * NS_PER_MS).collect(),
            opportunity_bytes,
            cursor: Cursor { index: 0, round_ns: 0, left_bytes: opportunity_bytes },
            paused_ns: 0,
        }
    }

    #[inline(never)]
    pub fn start_ns(&self, frame: Waiting) -> u64 {
        self.time_ns(self.first_after(frame.ready_ns))
    }

    #[inline(never)]
    pub fn transmit(&mut self, frame: Waiting) -> u64 {
        let mut cursor = self.first_after(frame.ready_ns);
        let mut unsent_bytes = frame.frame_bytes;
        while unsent_bytes > cursor.left_bytes {
            unsent_bytes -= cursor.left_bytes;
            cursor = self.next(cursor);
        }
        cursor.left_bytes -= unsent_bytes;
        self.cursor = cursor;
        self.time_ns(cursor)
    }

    /// Loses the opportunities before `until_ns`.
    pub fn pause(&mut self, until_ns: u64) {
        self.paused_ns = until_ns - 1;
    }

    pub fn capacity_bytes(&self, now_ns: u64) -> u64 {
        let rounds = now_ns / self.round_length_ns();
        let in_this_round = now_ns % self.round_length_ns();
        let opportunities = rounds * self.times_ns.len() as u64
            + self.times_ns.partition_point(|&time_ns| time_ns <= in_this_round) as u64;
        opportunities * u64::from(self.opportunity_bytes)
    }

    /// The first opportunity, or rest of one, that a frame in the queue since `ready_ns` may use.
    fn first_after(&self, ready_ns: u64) -> Cursor {
        let ready_ns = ready_ns.max(self.paused_ns);
        let mut cursor = if self.cursor.left_bytes > 0 { self.cursor } else { self.next(self.cursor) };
        if self.time_ns(cursor) > ready_ns {
            return cursor;
        }
        let length_ns = self.round_length_ns();
        let rounds = (ready_ns - cursor.round_ns) / length_ns;
        if rounds > 0 {
            cursor.round_ns += rounds * length_ns;
            cursor.index = 0;
        }
        let in_round_ns = ready_ns - cursor.round_ns;
        cursor.index += self.times_ns[cursor.index..].partition_point(|&time_ns| time_ns <= in_round_ns);
        cursor.left_bytes = self.opportunity_bytes;
        cursor
    }

    fn next(&self, cursor: Cursor) -> Cursor {
        let next = Cursor { index: cursor.index + 1, left_bytes: self.opportunity_bytes, ..cursor };
        if next.index < self.times_ns.len() {
            return next;
        }
        Cursor { index: 0, round_ns: cursor.round_ns + self.round_length_ns(), ..next }
    }

    fn time_ns(&self, cursor: Cursor) -> u64 {
        cursor.round_ns + self.times_ns[cursor.index]
    }

    fn round_length_ns(&self) -> u64 {
        *self.times_ns.last().expect("LinkConfig::validate refuses an empty trace")
    }
}

/// The packet that one entry of a trace stands for.
const OPPORTUNITY_IP_BYTES: u32 = 1500;
