//! EDCA (802.11-2020 §10.23.2): when a node may transmit.
//!
//! A node counts its backoff down while the medium is idle, but not slot by slot: its access time follows from the time
//! at which it may begin to count and the slots that remain. When another node transmits first, the slots counted by
//! then follow in the same way.

use fairlane_engine::RandomStream;

/// The contention state of a node: the access point, a station, or the access point's beacons.
pub(super) struct Contender {
    aifs_ns: u64,
    cw_min: u32,
    cw_max: u32,
    cw: u32,
    failures: u32,
    /// Slots left of the backoff.
    backoff: u32,
    /// From here on the medium is idle for this node, unless another one transmits.
    idle_ns: u64,
    random: RandomStream,
}

/// After this many failures in a row the contention window is reset (dot11ShortRetryLimit).
const FAILURES_UNTIL_RESET: u32 = 7;

impl Contender {
    pub fn new(aifs_ns: u64, (cw_min, cw_max): (u32, u32), random: RandomStream) -> Self {
        Self { aifs_ns, cw_min, cw_max, cw: cw_min, failures: 0, backoff: 0, idle_ns: 0, random }
    }

    /// When the node transmits if it has packets from `ready_ns` on and no other node is first.
    pub fn access_ns(&self, ready_ns: u64, slot_ns: u64) -> u64 {
        ready_ns.max(self.idle_ns + self.aifs_ns + u64::from(self.backoff) * slot_ns)
    }

    /// A packet arrived at an empty node. If the medium is busy and the last transmission left no backoff, a new one is
    /// drawn (10.23.2.4 a).
    pub fn on_packet(&mut self, now_ns: u64, is_busy: bool) {
        if self.backoff == 0 && (is_busy || now_ns < self.idle_ns) {
            self.draw_backoff();
        }
    }

    /// Another node transmits from `now_ns` on. A slot is counted at the end of AIFS and of each idle slot after it
    /// (10.23.2.4), so the slot boundary at which the other node started counts too.
    pub fn freeze(&mut self, now_ns: u64, slot_ns: u64) {
        if let Some(counted_ns) = now_ns.checked_sub(self.idle_ns + self.aifs_ns) {
            let slots = counted_ns / slot_ns + 1;
            self.backoff = u64::from(self.backoff).saturating_sub(slots) as u32;
        }
    }

    pub fn succeed(&mut self) {
        self.failures = 0;
        self.cw = self.cw_min;
        self.draw_backoff();
    }

    pub fn fail(&mut self) {
        self.failures += 1;
        if self.failures == FAILURES_UNTIL_RESET {
            self.failures = 0;
            self.cw = self.cw_min;
        } else {
            self.cw = (2 * self.cw + 1).min(self.cw_max);
        }
        self.draw_backoff();
    }

    /// The exchange ends at `idle_ns`.
    pub fn wait_until(&mut self, idle_ns: u64) {
        self.idle_ns = idle_ns;
    }

    fn draw_backoff(&mut self) {
        self.backoff = self.random.below(u64::from(self.cw) + 1) as u32;
    }
}
