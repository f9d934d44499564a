//! The only clock of the engine's crates.

use rustix::time::{clock_gettime, ClockId, Timespec};

/// The kernel's monotonic clock, which all processes of a machine share.
pub fn now_ns() -> u64 {
    let Timespec { tv_sec, tv_nsec } = clock_gettime(ClockId::Monotonic);
    tv_sec as u64 * 1_000_000_000 + tv_nsec as u64
}

/// A non-negative time in the kernel's format.
pub(crate) fn timespec(time_ns: u64) -> Timespec {
    Timespec { tv_sec: (time_ns / 1_000_000_000) as _, tv_nsec: (time_ns % 1_000_000_000) as _ }
}
