//! The campaign in short: the first mutations of each target, the same on every machine, all regressions, and the inputs
//! that libFuzzer found.

use fairlane_fuzz::{corpus, Outcome, Target, TARGETS};

fn survives(name: &str, count: u64) {
    let target: &Target = TARGETS.iter().find(|target| target.name == name).expect("a target");
    let seeds = (target.seeds)();
    for seed in &seeds {
        assert_eq!((target.run)(seed), Outcome::Accepted, "{}", String::from_utf8_lossy(seed));
    }
    for regression in corpus::regressions(name) {
        (target.run)(&regression);
    }
    for found in corpus::found(name) {
        (target.run)(found.as_bytes());
    }
    let outcomes: Vec<Outcome> = (0..count)
        .map(|number| {
            let input = target.input(&seeds, number);
            std::panic::catch_unwind(|| (target.run)(&input)).unwrap_or_else(|_| panic!("{name}: mutation {number}"))
        })
        .collect();
    // If all mutations were rejected, or all accepted, they would test nothing.
    let accepted = outcomes.iter().filter(|&&outcome| outcome == Outcome::Accepted).count() as u64;
    assert!(accepted > count / 50 && accepted < count * 49 / 50, "{accepted} of {count} accepted");
}

#[test]
fn packetdrill() {
    survives("packetdrill", 4_000);
}

#[test]
fn scenario() {
    survives("scenario", 3_000);
}
