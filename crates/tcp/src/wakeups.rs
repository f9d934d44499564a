//! Which wake-ups the owner of a connection has been asked for and not delivered yet.
//!
//! An owner whose events cannot be taken back delivers each of them, so every one that is not needed costs. A paced
//! connection needs a wake-up soon, again and again, while one for its retransmission timer waits far behind: both are
//! remembered, or the far one would be asked for anew after each of the near ones.

#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct Wakeups {
    /// The earliest; `u64::MAX` without one.
    next_ns: u64,
    /// Another one behind it. Of more than two the rest is forgotten: such a one comes and finds nothing to do.
    later_ns: u64,
}

impl Wakeups {
    pub const NONE: Self = Self { next_ns: u64::MAX, later_ns: u64::MAX };

    #[inline]
    pub fn next_ns(&self) -> u64 {
        self.next_ns
    }

    /// One will be delivered at `time_ns`, before the next.
    #[inline]
    pub fn add(&mut self, time_ns: u64) {
        debug_assert!(time_ns < self.next_ns);
        self.later_ns = self.next_ns;
        self.next_ns = time_ns;
    }

    /// One was delivered; whether it is one that counts.
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
    fn a_near_one_leaves_the_far_one_standing() {
        let mut wakeups = Wakeups::NONE;
        wakeups.add(300);
        for near_ns in [10, 20, 30] {
            wakeups.add(near_ns);
            assert!(wakeups.take(near_ns));
            assert_eq!(wakeups.next_ns(), 300, "no need to ask for it again");
        }
        assert!(wakeups.take(300));
        assert_eq!(wakeups.next_ns(), u64::MAX);
    }

    #[test]
    fn what_was_forgotten_does_not_count() {
        let mut wakeups = Wakeups::NONE;
        [300, 200, 100].into_iter().for_each(|time_ns| wakeups.add(time_ns));
        assert_eq!([100, 200, 300].map(|now_ns| wakeups.take(now_ns)), [true, true, false]);
    }
}
