//! Simulated time for quinn-proto.
//!
//! quinn-proto takes times as [`Instant`]s, which only the machine's clock can create. It is read once; its value does
//! not matter, because quinn-proto only compares and subtracts times. A sandbox that forbids the processor's clock must
//! come after [`warm_up`].

use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// Reads the machine's clock, so that no later endpoint of this process, or of a fork of it, has to.
pub fn warm_up() {
    Clock::new();
}

/// Converts between nanoseconds of the simulation and [`Instant`]s.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock {
    origin: Instant,
}

impl Clock {
    #[expect(
        clippy::disallowed_methods,
        reason = "there is no other way to make an Instant, and its value cancels out"
    )]
    pub fn new() -> Self {
        static ORIGIN: OnceLock<Instant> = OnceLock::new();
        Self { origin: *ORIGIN.get_or_init(Instant::now) }
    }

    #[inline]
    pub fn instant(self, time_ns: u64) -> Instant {
        self.origin + Duration::from_nanos(time_ns)
    }

    #[inline]
    pub fn ns(self, instant: Instant) -> u64 {
        instant.saturating_duration_since(self.origin).as_nanos() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nanoseconds_survive() {
        let clock = Clock::new();
        for time_ns in [0, 1, 999_999_999, 3_600_000_000_001] {
            assert_eq!(clock.ns(clock.instant(time_ns)), time_ns);
        }
        assert_eq!(clock.instant(5), Clock::new().instant(5), "all endpoints share an origin");
    }
}
