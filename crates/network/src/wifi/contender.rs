//! EDCA (802.11-2020 §10.23.2): when a node may transmit.
//!
//! A node counts its backoff down while the medium is idle. Nothing is done slot by slot: from the time at which it
//! may begin to count and the number of slots that are left follows when its access is due, and when another node is
//! first, how many slots it has counted by then.

use fairlane_engine::RandomStream;

/// The contention state of a node: the access point, a station, or the access point's beacons.
pub(super) struct Contender {
    aifs_ns: u64,
    cw_min: u32,
    cw_max: u32,
    cw: u32,
    failures: u32,
    /// Slots that are left to count.
    backoff: u32,
    /// The medium is idle for this node from here on, unless another node transmits.
    idle_ns: u64,
    random: RandomStream,
}

/// After this number of failures in a row the contention window starts anew (dot11ShortRetryLimit).
const FAILURES_UNTIL_RESET: u32 = 7;

impl Contender {
    pub fn new(aifs_ns: u64, (cw_min, cw_max): (u32, u32), random: RandomStream) -> Self {
        Self { aifs_ns, cw_min, cw_max, cw: cw_min, failures: 0, backoff: 0, idle_ns: 0, random }
    }

    /// When the node transmits, with something to send from `ready_ns` on and no other transmission before.
    pub fn access_ns(&self, ready_ns: u64, slot_ns: u64) -> u64 {
        ready_ns.max(self.idle_ns + self.aifs_ns + u64::from(self.backoff) * slot_ns)
    }

    /// A packet arrived at the empty node. If the medium is busy and no backoff is left from the last transmission, a
    /// new one is drawn (10.23.2.4 a).
    pub fn on_packet(&mut self, now_ns: u64, is_busy: bool) {
        if self.backoff == 0 && (is_busy || now_ns < self.idle_ns) {
            self.draw_backoff();
        }
    }

    /// Another node transmits from `now_ns` on. A slot is counted at the end of AIFS and at the end of each idle slot
    /// thereafter (10.23.2.4), so the boundary at which the other one started counts, too.
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

    /// What went on before is over at `idle_ns`.
    pub fn wait_until(&mut self, idle_ns: u64) {
        self.idle_ns = idle_ns;
    }

    fn draw_backoff(&mut self) {
        self.backoff = self.random.below(u64::from(self.cw) + 1) as u32;
    }
}
