//! Generic receive offload: the host's network stack merges consecutive segments of a flow, so that TCP processes and
//! acknowledges batches.
//!
//! Segments of one poll of the network interface are merged. After a quiet time an interface interrupts at once, but
//! then not again within a fixed interval (interrupt moderation); one poll finds all segments that arrive in between.
//! So at a low rate no segment is merged or delayed, at a high rate batches form, and no packet waits longer than the
//! interval. Segments that cannot be merged (pure ACKs, those with PSH, gaps) are not delayed here, although a real
//! interface delays them as well.

use crate::segment::{flags, Segment};
use fairlane_engine::prefetch;
use fairlane_transport::EcnMark;

/// The merging of one flow's arriving segments.
#[derive(Clone, Debug)]
pub struct Gro {
    interval_ns: u64,
    /// End of the interval without interrupts.
    quiet_until_ns: u64,
    batch: Option<(Segment, EcnMark)>,
    /// Payload of one packet in the batch.
    packet_bytes: u32,
    /// Flags of the ACE field (RFC 9768 section 3.2.2), if it is in use; they do not apply to a single segment.
    ace_flags: u8,
}

impl Gro {
    /// The default interval: interfaces of 10 to 100 Gbit/s ship with 8 to 50 microseconds.
    pub const DEFAULT_INTERVAL_NS: u64 = 25_000;

    #[inline]
    pub(crate) fn prefetch(&self) {
        prefetch(&self.quiet_until_ns);
        prefetch(&self.batch);
    }

    pub fn new(interval_ns: u64) -> Self {
        Self { interval_ns, quiet_until_ns: 0, batch: None, packet_bytes: 0, ace_flags: 0 }
    }

    /// Whether segments carry the ACE field.
    #[inline]
    pub(crate) fn set_accecn(&mut self, on: bool) {
        self.ace_flags = if on { flags::AE | flags::CWR | flags::ECE } else { 0 };
    }

    /// A segment arrives. Passes segments that TCP receives now to `deliver`, in order.
    #[inline]
    pub fn push(
        &mut self,
        now_ns: u64,
        segment: &Segment,
        mark: impl Into<EcnMark>,
        mut deliver: impl FnMut(&Segment, EcnMark),
    ) {
        let mark = mark.into();
        if self.batch.is_some() {
            self.on_timer(now_ns, &mut deliver);
            if self.merge(segment, mark) {
                let packet_is_last = segment.len < self.packet_bytes || segment.flags & LAST_FLAGS != 0;
                if packet_is_last {
                    self.flush(&mut deliver);
                }
                return;
            }
            // It starts a new batch: the previous one is delivered first, to keep the order.
            self.flush(&mut deliver);
        }
        if self.bypasses(now_ns, segment) {
            deliver(segment, mark);
        } else {
            self.packet_bytes = segment.len;
            self.batch = Some((Segment { merged: segment.merged.max(1), ..*segment }, mark));
        }
    }

    /// Whether a segment bypasses GRO while no batch is queued.
    #[inline]
    pub(crate) fn bypasses(&mut self, now_ns: u64, segment: &Segment) -> bool {
        if self.batch.is_some() {
            return false;
        }
        let interrupts = now_ns >= self.quiet_until_ns;
        if interrupts {
            self.quiet_until_ns = now_ns + self.interval_ns;
        }
        let is_mergeable = segment.len > 0 && segment.flags & !(flags::ACK | flags::ECE | self.ace_flags) == 0;
        interrupts || !is_mergeable
    }

    /// Time at which the batch is delivered; `u64::MAX` for none.
    #[inline]
    pub fn deadline_ns(&self) -> u64 {
        self.batch.as_ref().map_or(u64::MAX, |_| self.quiet_until_ns)
    }

    /// If the interface may interrupt again, passes the batch to `deliver`.
    pub fn on_timer(&mut self, now_ns: u64, mut deliver: impl FnMut(&Segment, EcnMark)) {
        if self.batch.is_some() && now_ns >= self.quiet_until_ns {
            self.quiet_until_ns = now_ns + self.interval_ns;
            self.flush(&mut deliver);
        }
    }

    fn flush(&mut self, deliver: &mut impl FnMut(&Segment, EcnMark)) {
        if let Some((segment, mark)) = self.batch.take() {
            deliver(&segment, mark);
        }
    }

    /// Appends a segment to the batch if it continues it, is not longer than its packets, and has the same ECN mark,
    /// acknowledgement and timestamps (which tick in milliseconds).
    fn merge(&mut self, segment: &Segment, mark: EcnMark) -> bool {
        let Some((batch, batch_mark)) = &mut self.batch else {
            return false;
        };
        let same_header = batch.ack == segment.ack
            && batch.has_timestamps == segment.has_timestamps
            && (batch.tsval, batch.tsecr) == (segment.tsval, segment.tsecr)
            && (batch.sack_count, segment.sack_count) == (0, 0)
            && batch.accecn_layout | segment.accecn_layout == 0
            && (batch.flags ^ segment.flags) & !LAST_FLAGS == 0
            && segment.flags & flags::CWR & !self.ace_flags == 0
            && *batch_mark == mark;
        let continues = segment.seq == batch.end_seq() && segment.len > 0 && segment.len <= self.packet_bytes;
        if !same_header || !continues || batch.len + segment.len > MAX_BATCH_BYTES || batch.merged == u8::MAX {
            return false;
        }
        batch.len += segment.len;
        batch.flags |= segment.flags;
        batch.merged += 1;
        true
    }
}

/// Flags that end a batch.
const LAST_FLAGS: u8 = flags::PSH | flags::FIN;
/// An IP packet's 64 KiB, less the headers.
const MAX_BATCH_BYTES: u32 = 65_535 - 20 - 60;
