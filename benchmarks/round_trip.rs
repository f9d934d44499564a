//! The time in which two threads pass a cache line to and fro, in ns: some 50 to 100 where their processors share a cache,
//! several hundred where they do not.

use std::sync::atomic::{AtomicU64, Ordering::*};
use std::time::Instant;

const ROUNDS: u64 = 300_000;

fn main() {
    let turn = AtomicU64::new(0);
    let wait_for = |number| while turn.load(Acquire) != number {};
    std::thread::scope(|scope| {
        scope.spawn(|| {
            (0..ROUNDS).for_each(|round| {
                wait_for(2 * round + 1);
                turn.store(2 * round + 2, Release);
            });
        });
        let start = Instant::now();
        (0..ROUNDS).for_each(|round| {
            turn.store(2 * round + 1, Release);
            wait_for(2 * round + 2);
        });
        println!("{}", start.elapsed().as_nanos() / u128::from(ROUNDS));
    });
}
