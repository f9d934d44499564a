//! Generic receive offload: the host's network stack merges consecutive segments of a flow, so that TCP
//! handles, and acknowledges, a batch at a time.
//!
//! What can be merged is what one poll of the network interface finds. An interface interrupts at once
//! after a quiet time, but then not again before a fixed interval has passed (interrupt moderation);
//! what arrives meanwhile is found together. So at a low rate nothing is merged or delayed, at a high
//! rate batches form, and no packet waits longer than the interval. Segments that cannot be merged
//! (pure ACKs, those with PSH, gaps) do not wait here, although a real interface delays them as well.

use crate::segment::{flags, Segment};
use fairlane_engine::fetch;
use fairlane_transport::EcnMark;

/// The merging of one flow's arriving segments.
#[derive(Clone, Debug)]
pub struct Gro {
    interval_ns: u64,
    /// Before this time the interface does not interrupt again.
    quiet_until_ns: u64,
    held: Option<(Segment, EcnMark)>,
    /// Payload of one packet in the held batch.
    packet_bytes: u32,
    /// Flags that belong to the ACE field (RFC 9768 section 3.2.2), and say nothing about a single segment.
    ace_flags: u8,
}

impl Gro {
    /// The default interval: interfaces of 10 to 100 Gbit/s ship with 8 to 50 microseconds.
    pub const DEFAULT_INTERVAL_NS: u64 = 25_000;

    #[inline]
    pub(crate) fn prefetch(&self) {
        fetch(&self.quiet_until_ns);
        fetch(&self.held);
    }

    pub fn new(interval_ns: u64) -> Self {
        Self { interval_ns, quiet_until_ns: 0, held: None, packet_bytes: 0, ace_flags: 0 }
    }

    /// Whether segments carry the ACE field.
    #[inline]
    pub(crate) fn set_accecn(&mut self, on: bool) {
        self.ace_flags = if on { flags::AE | flags::CWR | flags::ECE } else { 0 };
    }

    /// A segment arrives. What TCP is to have now goes to `deliver`, in order.
    #[inline]
    pub fn push(
        &mut self,
        now_ns: u64,
        segment: &Segment,
        mark: impl Into<EcnMark>,
        mut deliver: impl FnMut(&Segment, EcnMark),
    ) {
        let mark = mark.into();
        if self.held.is_some() {
            self.on_timer(now_ns, &mut deliver);
            if self.merge(segment, mark) {
                let packet_is_last = segment.len < self.packet_bytes || segment.flags & LAST_FLAGS != 0;
                if packet_is_last {
                    self.let_go(&mut deliver);
                }
                return;
            }
            // It starts anew: what is held goes first, to keep the order.
            self.let_go(&mut deliver);
        }
        if self.lets_pass(now_ns, segment) {
            deliver(segment, mark);
        } else {
            self.packet_bytes = segment.len;
            self.held = Some((Segment { merged: segment.merged.max(1), ..*segment }, mark));
        }
    }

    /// Whether TCP is to have a segment as it is, now, while nothing else is held.
    #[inline]
    pub(crate) fn lets_pass(&mut self, now_ns: u64, segment: &Segment) -> bool {
        if self.held.is_some() {
            return false;
        }
        let interrupts = now_ns >= self.quiet_until_ns;
        if interrupts {
            self.quiet_until_ns = now_ns + self.interval_ns;
        }
        let is_mergeable = segment.len > 0 && segment.flags & !(flags::ACK | flags::ECE | self.ace_flags) == 0;
        interrupts || !is_mergeable
    }

    /// When the held batch is due; `u64::MAX` when none is held.
    #[inline]
    pub fn deadline_ns(&self) -> u64 {
        self.held.as_ref().map_or(u64::MAX, |_| self.quiet_until_ns)
    }

    /// The interface may interrupt again, and then `deliver` gets what is held.
    pub fn on_timer(&mut self, now_ns: u64, mut deliver: impl FnMut(&Segment, EcnMark)) {
        if self.held.is_some() && now_ns >= self.quiet_until_ns {
            self.quiet_until_ns = now_ns + self.interval_ns;
            self.let_go(&mut deliver);
        }
    }

    fn let_go(&mut self, deliver: &mut impl FnMut(&Segment, EcnMark)) {
        if let Some((segment, mark)) = self.held.take() {
            deliver(&segment, mark);
        }
    }

    /// Appends to the held batch if the segment continues it and differs in nothing else: not in ECN
    /// mark, acknowledgement or timestamps (which tick in milliseconds), nor longer than its packets.
    fn merge(&mut self, segment: &Segment, mark: EcnMark) -> bool {
        let Some((held, held_mark)) = &mut self.held else {
            return false;
        };
        let same_header = held.ack == segment.ack
            && held.has_timestamps == segment.has_timestamps
            && (held.tsval, held.tsecr) == (segment.tsval, segment.tsecr)
            && (held.sack_count, segment.sack_count) == (0, 0)
            && held.accecn_layout | segment.accecn_layout == 0
            && (held.flags ^ segment.flags) & !LAST_FLAGS == 0
            && segment.flags & flags::CWR & !self.ace_flags == 0
            && *held_mark == mark;
        let continues = segment.seq == held.end_seq() && segment.len > 0 && segment.len <= self.packet_bytes;
        if !same_header || !continues || held.len + segment.len > MAX_BATCH_BYTES || held.merged == u8::MAX {
            return false;
        }
        held.len += segment.len;
        held.flags |= segment.flags;
        held.merged += 1;
        true
    }
}

/// Flags that end a batch.
const LAST_FLAGS: u8 = flags::PSH | flags::FIN;
/// An IP packet's 64 KiB, less the headers.
const MAX_BATCH_BYTES: u32 = 65_535 - 20 - 60;
