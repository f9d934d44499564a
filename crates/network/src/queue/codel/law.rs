//! CoDel's control law (RFC 8289 §5), with Linux's choices where the RFC leaves them open.
//!
//! 1. No drop while at most one MTU is backlogged in the whole queue (RFC: one largest packet).
//! 2. 1/√count has 16 bits and is refined by one Newton step per drop.
//! 3. Re-entering the dropping state within 16 intervals resumes from the number of drops that the last phase added.

use crate::queue::buffer::{Buffer, List, PacketId};
use crate::Ecn;

/// The parameters, shared by all flows of a queue.
pub(crate) struct Law {
    pub target_ns: u64,
    pub interval_ns: u64,
    pub mtu_frame_bytes: u32,
    pub ecn: bool,
    pub ce_threshold_ns: Option<u64>,
    /// Selects the packets that the threshold may mark.
    pub ce_threshold_applies: fn(Ecn) -> bool,
}

/// The state of one flow.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct State {
    /// Drops in this dropping phase, continued from the last one after a relapse.
    pub count: u32,
    /// Its value when the phase began.
    last_count: u32,
    /// 1/√count in units of 2⁻¹⁶.
    inverse_root: u16,
    is_dropping: bool,
    /// When the delay will have been above target for an interval; 0 while it is below.
    patience_ends_ns: u64,
    next_drop_ns: u64,
}

impl Law {
    /// Dequeues the flow's next packet, after the drops that are due.
    #[inline]
    pub fn dequeue(&self, state: &mut State, now_ns: u64, queue: &mut List, buffer: &mut Buffer) -> Option<PacketId> {
        let mut head = queue.pop_front(buffer);
        let is_bad = self.is_bad(state, now_ns, head, buffer);
        if is_bad && state.is_dropping {
            head = self.continue_dropping(state, now_ns, head, queue, buffer);
        } else if is_bad {
            head = self.start_dropping(state, now_ns, head, queue, buffer);
        } else {
            state.is_dropping = false;
        }
        if let (Some(packet), Some(threshold_ns)) = (head, self.ce_threshold_ns) {
            let delay_ns = now_ns - buffer.enqueued_ns(packet);
            if delay_ns > threshold_ns && (self.ce_threshold_applies)(buffer.ecn(packet)) {
                buffer.mark(packet);
            }
        }
        head
    }

    /// Whether the delay has been above target for an interval.
    #[inline]
    fn is_bad(&self, state: &mut State, now_ns: u64, head: Option<PacketId>, buffer: &Buffer) -> bool {
        let Some(packet) = head else {
            state.patience_ends_ns = 0;
            return false;
        };
        let delay_ns = now_ns - buffer.enqueued_ns(packet);
        let behind_bytes = buffer.backlog().bytes - u64::from(buffer.frame_bytes(packet));
        if delay_ns < self.target_ns || behind_bytes <= u64::from(self.mtu_frame_bytes) {
            state.patience_ends_ns = 0;
            return false;
        }
        if state.patience_ends_ns == 0 {
            state.patience_ends_ns = now_ns + self.interval_ns;
        }
        now_ns > state.patience_ends_ns
    }

    #[inline(never)]
    fn continue_dropping(
        &self,
        state: &mut State,
        now_ns: u64,
        mut head: Option<PacketId>,
        queue: &mut List,
        buffer: &mut Buffer,
    ) -> Option<PacketId> {
        while let Some(packet) = head.filter(|_| now_ns >= state.next_drop_ns) {
            state.count = state.count.wrapping_add(1);
            state.improve_root();
            if self.ecn && buffer.mark(packet) {
                state.next_drop_ns = self.after(state.next_drop_ns, state);
                break;
            }
            buffer.drop(packet);
            head = queue.pop_front(buffer);
            if !self.is_bad(state, now_ns, head, buffer) {
                state.is_dropping = false;
                break;
            }
            state.next_drop_ns = self.after(state.next_drop_ns, state);
        }
        head
    }

    #[inline(never)]
    fn start_dropping(
        &self,
        state: &mut State,
        now_ns: u64,
        mut head: Option<PacketId>,
        queue: &mut List,
        buffer: &mut Buffer,
    ) -> Option<PacketId> {
        let packet = head.expect("an empty queue is not bad");
        if !(self.ecn && buffer.mark(packet)) {
            buffer.drop(packet);
            head = queue.pop_front(buffer);
            self.is_bad(state, now_ns, head, buffer); // the new head may end the patience anew
        }
        state.is_dropping = true;
        let added = state.count.wrapping_sub(state.last_count);
        // The last phase may have ended before its next drop.
        let is_relapse = now_ns < state.next_drop_ns + RELAPSE_INTERVALS * self.interval_ns;
        if added > 1 && is_relapse {
            state.count = added;
            state.improve_root();
        } else {
            state.count = 1;
            state.inverse_root = u16::MAX;
        }
        state.last_count = state.count;
        state.next_drop_ns = self.after(now_ns, state);
        head
    }

    /// The control law: interval / √count later.
    fn after(&self, time_ns: u64, state: &State) -> u64 {
        time_ns + ((self.interval_ns * u64::from(state.inverse_root)) >> 16)
    }
}

impl State {
    /// One Newton step towards 1/√count: x ← x (3 − count x²) / 2. If count has jumped (after a batch of drops in
    /// fq_codel) the step diverges; so it does in Linux, whose arithmetic wraps in the same way.
    fn improve_root(&mut self) {
        let x = u64::from(self.inverse_root) << 16; // now in units of 2⁻³²
        let x_squared = (x * x) >> 32;
        let factor = (3_u64 << 32).wrapping_sub(u64::from(self.count).wrapping_mul(x_squared));
        // A quarter of the factor, so that the product fits 64 bits; the shift below compensates.
        let improved = (factor >> 2).wrapping_mul(x) >> 31;
        self.inverse_root = (improved >> 16) as u16;
    }
}

const RELAPSE_INTERVALS: u64 = 16;

/// A flow's queue and its state share a cache line.
const _: () = assert!(std::mem::size_of::<State>() <= 32);

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 8289 §5.4 (drop spacing by the inverse square root), approximated.
    #[test]
    fn the_root_follows_the_count() {
        let mut state = State { count: 1, inverse_root: u16::MAX, ..State::default() };
        for count in 2..10_000_u32 {
            state.count = count;
            state.improve_root();
            let expected = 65_536.0 / f64::from(count).sqrt();
            let error = (f64::from(state.inverse_root) - expected).abs() / expected;
            // One step per drop cannot keep up with the first, large changes.
            assert!(error < 0.002 + 1.2 / f64::from(count * count), "count {count}: {error}");
        }
    }
}
