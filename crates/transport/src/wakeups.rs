//! The pending wake-ups of an endpoint.
//!
//! The event loop cannot cancel an event and delivers each of them, so unnecessary ones cost time. A paced endpoint
//! frequently needs an early wake-up, while the one for its retransmission timer is much later: both are stored, or the
//! later one would be requested again after each of the earlier ones.

/// Two pending wake-ups of an endpoint.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Wakeups {
    /// The earliest; `u64::MAX` without one.
    next_ns: u64,
    /// The one after it. Others are not stored: they are delivered and find no timer due.
    later_ns: u64,
}

impl Wakeups {
    pub const NONE: Self = Self { next_ns: u64::MAX, later_ns: u64::MAX };

    #[inline]
    pub fn next_ns(&self) -> u64 {
        self.next_ns
    }

    /// The stored wake-ups.
    pub fn pending_ns(&self) -> impl Iterator<Item = u64> {
        [self.next_ns, self.later_ns].into_iter().filter(|&time_ns| time_ns != u64::MAX)
    }

    /// A wake-up will be delivered at `time_ns`, before the next.
    #[inline]
    pub fn add(&mut self, time_ns: u64) {
        debug_assert!(time_ns < self.next_ns);
        self.later_ns = self.next_ns;
        self.next_ns = time_ns;
    }

    /// A wake-up was delivered; true if it was stored.
    #[inline]
    pub fn take(&mut self, now_ns: u64) -> bool {
        if self.next_ns != now_ns {
            return false;
        }
        self.next_ns = self.later_ns;
        self.later_ns = u64::MAX;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_earlier_wake_up_leaves_the_later_one_pending() {
        let mut wakeups = Wakeups::NONE;
        wakeups.add(300);
        for early_ns in [10, 20, 30] {
            wakeups.add(early_ns);
            assert!(wakeups.take(early_ns));
            assert_eq!(wakeups.next_ns(), 300, "it need not be asked for again");
        }
        assert!(wakeups.take(300));
        assert_eq!(wakeups.next_ns(), u64::MAX);
    }

    #[test]
    fn a_wake_up_that_is_not_stored_is_ignored() {
        let mut wakeups = Wakeups::NONE;
        [300, 200, 100].into_iter().for_each(|time_ns| wakeups.add(time_ns));
        assert_eq!([100, 200, 300].map(|now_ns| wakeups.take(now_ns)), [true, true, false]);
    }

    #[test]
    fn stored_wake_ups_are_pending() {
        let mut wakeups = Wakeups::NONE;
        let pending_ns = |wakeups: &Wakeups| wakeups.pending_ns().collect::<Vec<_>>();
        assert!(pending_ns(&wakeups).is_empty());
        wakeups.add(300);
        assert_eq!(pending_ns(&wakeups), [300]);
        wakeups.add(200);
        wakeups.add(100);
        assert_eq!(pending_ns(&wakeups), [100, 200]);
        assert!(wakeups.take(100));
        assert_eq!(pending_ns(&wakeups), [200]);
        assert!(wakeups.take(200));
        assert!(pending_ns(&wakeups).is_empty());
    }
}
