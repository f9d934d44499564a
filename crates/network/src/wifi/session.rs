//! A Block Ack session: from a sender to one receiver, with MPDUs numbered in order.
//!
//! Sender and receiver share one window here: a decoded MPDU is acknowledged by the next Block Ack, which cannot be
//! lost. So a slot is `received` for both at once. The receiver releases MPDUs in order; one that the sender gives up
//! is a gap, which it skips.

use crate::packet::Packet;
use crate::store::Ring;

/// Least window of sequence numbers: the bitmap of the shortest compressed Block Ack.
pub(super) const SHORTEST_WINDOW_MPDUS: u64 = 64;

pub(super) struct Session<P> {
    window: Ring<Mpdu<P>>,
    window_mpdus: u64,
    /// MPDUs of the window that are neither received nor dropped, and those of them that are in no A-MPDU.
    pending: u64,
    waiting: u64,
    /// The number of the last A-MPDU.
    last_aggregate: u32,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Mpdu<P> {
    pub packet: Packet<P>,
    /// Its frame size in the queue.
    pub frame_bytes: u32,
    /// Its size with MAC header and delimiter, without padding.
    pub subframe_bytes: u32,
    pub retries: u32,
    /// Its A-MPDU; 0 for none.
    pub aggregate: u32,
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
        let window_mpdus = max_ampdu_mpdus.max(SHORTEST_WINDOW_MPDUS);
        Self { window: Ring::new(), window_mpdus, pending: 0, waiting: 0, last_aggregate: 0 }
    }

    /// MPDUs that are in an A-MPDU or wait to be transmitted again.
    pub fn pending(&self) -> u64 {
        self.pending
    }

    pub fn waiting(&self) -> u64 {
        self.waiting
    }

    /// MPDUs that have left the queue and are not released yet.
    pub fn outstanding(&self) -> u64 {
        self.window.tail() - self.window.head()
    }

    pub fn is_full(&self) -> bool {
        self.outstanding() >= self.window_mpdus
    }

    /// Starts a new A-MPDU; returns its number.
    pub fn begin_aggregate(&mut self) -> u32 {
        self.last_aggregate = self.last_aggregate.wrapping_add(1).max(1);
        self.last_aggregate
    }

    /// Adds an MPDU that is in an A-MPDU.
    pub fn push(&mut self, mpdu: Mpdu<P>) {
        *self.window.extend(|| mpdu) = mpdu;
        self.pending += 1;
    }

    /// Adds pending MPDUs to an A-MPDU in order, until one does not fit.
    pub fn add_pending(&mut self, aggregate: u32, mut add: impl FnMut(&Mpdu<P>) -> bool) -> bool {
        let pending = if self.waiting == 0 { 0..0 } else { self.window.head()..self.window.tail() };
        for number in pending {
            let mpdu = self.window.get_mut(number);
            if mpdu.state != MpduState::Pending || mpdu.aggregate != 0 {
                continue;
            }
            if !add(mpdu) {
                return false;
            }
            mpdu.aggregate = aggregate;
            self.waiting -= 1;
        }
        true
    }

    /// Sets the state of each MPDU of an A-MPDU; MPDUs that are pending belong to no A-MPDU any more.
    pub fn settle(&mut self, aggregate: u32, mut fate: impl FnMut(&mut Mpdu<P>) -> MpduState) {
        for number in self.window.head()..self.window.tail() {
            let mpdu = self.window.get_mut(number);
            if mpdu.aggregate == aggregate {
                mpdu.state = fate(mpdu);
                mpdu.aggregate = 0;
                let is_pending = mpdu.state == MpduState::Pending;
                self.waiting += u64::from(is_pending);
                self.pending -= u64::from(!is_pending);
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
