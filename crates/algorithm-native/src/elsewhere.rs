//! Other addresses for the programs of a second run, which must give the same results.

use crate::elf_loader;
use crate::shield::Shielded;
use std::cell::Cell;

thread_local! {
    static ELSEWHERE: Cell<bool> = const { Cell::new(false) };
}

/// From now on programs on this thread, and the copies of connections that they see, have addresses that they would not
/// have had, also within their pages.
pub fn place_elsewhere() {
    ELSEWHERE.set(true);
    // The kernel gives a mapping the first place that is large enough. This takes the place of the first copy, which moves
    // all of them.
    Box::leak(Box::new(Shielded::new()));
}

/// Takes the place in memory that the next mapping of this length would have had.
pub(crate) fn take_place(bytes: usize) {
    if ELSEWHERE.get() {
        let _ = elf_loader::reserve(bytes); // without memory the next mapping fails as well, and is reported
    }
}
