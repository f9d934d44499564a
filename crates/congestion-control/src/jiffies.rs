//! The kernel's coarse clock, and the delay of its timers.
//!
//! Retransmission and delayed-ACK timers count in jiffies of 1/HZ seconds and use a hierarchical timer wheel. Both
//! round up, so a timer is late by up to a jiffy and, for long waits, by up to an eighth of the wait. At HZ = 100 this
//! is visible in every timeout.

/// The counter's value at the start of a run. The kernel's does not start at 0 either, as the stamp 0 means "never".
const INITIAL_JIFFIES: u64 = 1 << 16;
/// Slots of one wheel level, and the factor between the levels' grains (as a shift).
const LEVEL_SLOTS: u64 = 64;
const LEVEL_SHIFT: u32 = 3;

/// The jiffies counter at `now_ns`.
#[inline]
pub fn jiffies(now_ns: u64, jiffy_ns: u64) -> u64 {
    INITIAL_JIFFIES + now_ns / jiffy_ns
}

/// Microseconds as jiffies, rounded up.
#[inline]
pub fn us_to_jiffies(us: u64, jiffy_ns: u64) -> u64 {
    (us * 1000).div_ceil(jiffy_ns)
}

/// When a timer that is armed at `now_ns` for `delay` jiffies fires, in nanoseconds.
///
/// A timer never fires early: it fires at the end of its slot. The slots of the finest level are one jiffy, those of
/// each further level 8 times as long, and a timer goes to the finest level whose range includes it.
pub fn timer_fires_ns(now_ns: u64, delay: u64, jiffy_ns: u64) -> u64 {
    let base = jiffies(now_ns, jiffy_ns);
    let mut level = 0;
    while delay >= (LEVEL_SLOTS - 1) << (LEVEL_SHIFT * level) && level < 8 {
        level += 1;
    }
    let grain = 1_u64 << (LEVEL_SHIFT * level);
    let fires = ((base + delay) / grain + 1) * grain;
    (fires - INITIAL_JIFFIES) * jiffy_ns
}

#[cfg(test)]
mod tests {
    use super::*;
    const JIFFY_NS: u64 = 10_000_000; // HZ = 100

    #[test]
    fn a_short_timer_waits_for_the_end_of_its_jiffy() {
        // 20 jiffies from 3 ms past a tick: the tick after jiffy 20.
        assert_eq!(timer_fires_ns(3_000_000, 20, JIFFY_NS), 210_000_000);
        assert_eq!(timer_fires_ns(0, 4, JIFFY_NS), 50_000_000);
    }

    #[test]
    fn a_long_timer_is_rounded_to_a_coarser_grain() {
        let fires_ns = timer_fires_ns(0, 100, JIFFY_NS);
        assert!(fires_ns > 1_000_000_000 && fires_ns <= 1_080_000_000, "{fires_ns}");
    }
}
