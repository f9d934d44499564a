//! A Block Ack session: from a sender to one receiver, with MPDUs numbered in order.
//!
//! Sender and receiver share one window here: an MPDU that was decoded is acknowledged by the Block Ack that follows,
//! because nothing can destroy that. So a slot is `received` for both at once. The receiver releases MPDUs in order;
//! one that the sender gives up is a gap that it skips.

use crate::ring::Ring;
use crate::Packet;

/// Sequence numbers that may be outstanding at least: the bitmap of the shortest compressed Block Ack.
pub(super) const SHORTEST_WINDOW_MPDUS: u64 = 64;

pub(super) struct Session<P> {
    window: Ring<Mpdu<P>>,
    window_mpdus: u64,
    /// MPDUs of the window that were neither received nor dropped.
    pending: u64,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Mpdu<P> {
    pub packet: Packet<P>,
    /// What the packet counted in the queue.
    pub frame_bytes: u32,
    /// With MAC header and delimiter, without padding.
    pub subframe_bytes: u32,
    pub retries: u32,
    pub state: MpduState,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MpduState {
    Pending,
    Received,
    Dropped,
}

impl<P: Copy> Session<P> {
    /// A session whose A-MPDUs have at most `max_ampdu_mpdus`.
    pub fn new(max_ampdu_mpdus: u64) -> Self {
        Self { window: Ring::new(), window_mpdus: max_ampdu_mpdus.max(SHORTEST_WINDOW_MPDUS), pending: 0 }
    }

    /// MPDUs that wait to be transmitted again.
    pub fn pending(&self) -> u64 {
        self.pending
    }

    /// MPDUs that have left the queue and were not released.
    pub fn outstanding(&self) -> u64 {
        self.window.tail() - self.window.head()
    }

    /// The sequence number after the last one.
    pub fn next(&self) -> u64 {
        self.window.tail()
    }

    pub fn is_full(&self) -> bool {
        self.outstanding() >= self.window_mpdus
    }

    pub fn push(&mut self, mpdu: Mpdu<P>) {
        *self.window.extend(|| mpdu) = mpdu;
        self.pending += 1;
    }

    /// The pending MPDUs in order of their numbers.
    pub fn pending_mpdus(&self) -> impl Iterator<Item = (u64, &Mpdu<P>)> {
        let pending = if self.pending == 0 { 0..0 } else { self.window.head()..self.window.tail() };
        pending.map(|number| (number, self.window.get(number))).filter(|(_, mpdu)| mpdu.state == MpduState::Pending)
    }

    /// Decides for each pending MPDU below `end` what became of it.
    pub fn settle(&mut self, end: u64, mut fate: impl FnMut(&mut Mpdu<P>) -> MpduState) {
        for number in self.window.head()..end {
            let mpdu = self.window.get_mut(number);
            if mpdu.state == MpduState::Pending {
                mpdu.state = fate(mpdu);
                self.pending -= u64::from(mpdu.state != MpduState::Pending);
            }
        }
    }

    /// The next MPDU that leaves the window: received and in order, or dropped.
    pub fn release(&mut self) -> Option<&Mpdu<P>> {
        let head = self.window.head();
        if head == self.window.tail() || self.window.get(head).state == MpduState::Pending {
            return None;
        }
        self.window.pop_front();
        Some(self.window.last_popped())
    }
}
