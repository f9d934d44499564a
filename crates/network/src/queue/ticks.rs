//! The kernel's timers, most of which keep time in ticks.

use fairlane_engine::NS_PER_SEC;

/// A timer that Linux arms again each time it has run.
#[derive(Clone, Debug)]
pub(super) struct TickTimer {
    next_ns: u64,
    period_ns: u64,
}

impl TickTimer {
    /// The period is an integer number of ticks plus one: the timer is armed just after a tick, and the timer wheel
    /// never fires early. The queue has been there for long when the run begins: the timer fires once in its first
    /// period, too.
    pub fn new(period_ns: u64, ticks_per_s: u32) -> Self {
        let tick_ns = NS_PER_SEC / u64::from(ticks_per_s);
        let period_ns = (period_ns.div_ceil(tick_ns) + 1) * tick_ns;
        Self { next_ns: period_ns, period_ns }
    }

    /// A high-resolution timer with the given period.
    pub fn precise(period_ns: u64) -> Self {
        Self { next_ns: period_ns, period_ns }
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
