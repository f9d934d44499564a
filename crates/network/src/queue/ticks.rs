//! The kernel's timers, which keep time in ticks.

use fairlane_engine::NS_PER_SEC;

/// A timer that Linux arms again each time it has run. Its period is a whole number of ticks and one more: a timer is
/// armed just after a tick, and the timer wheel never fires early.
#[derive(Clone, Debug)]
pub(super) struct TickTimer {
    next_ns: u64,
    period_ns: u64,
}

impl TickTimer {
    /// Fires first after `first_ns`, counted from the start of the run.
    pub fn new(first_ns: u64, period_ns: u64, ticks_per_s: u32) -> Self {
        let tick_ns = NS_PER_SEC / u64::from(ticks_per_s);
        let round_up = |time_ns: u64| (time_ns.div_ceil(tick_ns) + 1) * tick_ns;
        Self { next_ns: round_up(first_ns), period_ns: round_up(period_ns) }
    }

    /// True once for each time that the timer has fired by `now_ns`.
    #[inline]
    pub fn fires(&mut self, now_ns: u64) -> bool {
        let is_due = self.next_ns <= now_ns;
        if is_due {
            self.next_ns += self.period_ns;
        }
        is_due
    }

    pub fn next_ns(&self) -> u64 {
        self.next_ns
    }
}
