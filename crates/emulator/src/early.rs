//! Wakes up before a deadline instead of after it.
//!
//! A kernel wakes a process later than requested, the more so the deeper the processor slept. The loop therefore
//! requests an earlier time and polls the clock until the deadline. How much earlier adapts to the lateness of
//! wake-ups: most should be in time, and polling should be short. Polling is limited, because no other program runs
//! meanwhile.

/// How much earlier to wake up.
#[derive(Debug)]
pub(crate) struct Early {
    early_ns: u64,
    window_ns: u64,
    /// Time spent polling in this window.
    spent_ns: u64,
}

/// A late wake-up makes the next ones earlier, and an early one later, in proportion 20 to 1: one in 21 is late then.
const LATE_STEP_NS: u64 = 4_000;
const EARLY_STEP_NS: u64 = 200;
const MOST_NS: u64 = 100_000;
const WINDOW_NS: u64 = 100_000_000;
/// A third of the time. Linux stops real-time processes that take more than 95 % (sched_rt_runtime_us).
const MOST_SPENT_NS: u64 = WINDOW_NS / 3;

impl Early {
    pub fn new() -> Self {
        Self { early_ns: MOST_NS / 2, window_ns: 0, spent_ns: 0 }
    }

    /// How long before a deadline to wake up; 0 if the limit on polling is reached.
    pub fn by_ns(&self) -> u64 {
        if self.spent_ns < MOST_SPENT_NS {
            self.early_ns
        } else {
            0
        }
    }

    /// A sleep that should have ended before `due_ns` ended at `now_ns`.
    pub fn woken(&mut self, now_ns: u64, due_ns: u64) {
        self.early_ns = if now_ns > due_ns {
            (self.early_ns + LATE_STEP_NS).min(MOST_NS)
        } else {
            self.early_ns.saturating_sub(EARLY_STEP_NS)
        };
    }

    /// The clock was polled from `from_ns` to `to_ns`.
    pub fn spent(&mut self, from_ns: u64, to_ns: u64) {
        if to_ns >= self.window_ns + WINDOW_NS {
            (self.window_ns, self.spent_ns) = (to_ns, 0);
        }
        self.spent_ns += to_ns - from_ns;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_settles_where_few_wake_ups_are_late() {
        let mut early = Early::new();
        // Wake-ups take 10 to 40 us, each as often as the others.
        let mut late = 0;
        for n in 0..20_000u64 {
            let due_ns = 1_000_000 * (n + 1);
            let woken_ns = due_ns - early.by_ns() + 10_000 + n * 7_919 % 30_001;
            late += u32::from(n >= 10_000 && woken_ns > due_ns);
            early.woken(woken_ns, due_ns);
        }
        assert!((300..700).contains(&late), "{late} of 10000");
    }

    #[test]
    fn it_leaves_most_of_the_time_to_others() {
        let mut early = Early::new();
        let mut spent_ns = 0;
        for n in 0..1_000_000u64 {
            let now_ns = n * 1_000;
            if early.by_ns() > 0 {
                early.spent(now_ns, now_ns + 1_000);
                spent_ns += 1_000;
            } else {
                early.spent(now_ns, now_ns);
            }
        }
        assert!(spent_ns <= 340_000_000, "{spent_ns} of a second");
    }
}
