//! The fuzzed readers.

use fairlane_algorithm_native::Programs;
use fairlane_packetdrill::{play, Options, Verdict};
use serde_json::Value;

/// The outcome of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Played or run.
    Accepted,
    /// Rejected with a message.
    Refused,
}

/// A reader of users' files.
pub struct Target {
    pub name: &'static str,
    pub run: fn(&[u8]) -> Outcome,
    /// Inputs that are accepted, to be mutated.
    pub seeds: fn() -> Vec<Vec<u8>>,
    /// The percentage of mutations that change only numbers: in JSON, most other changes are syntax errors.
    pub numbers_percent: u64,
}

impl Target {
    /// The mutation with this number; always the same.
    pub fn input(&self, seeds: &[Vec<u8>], number: u64) -> Vec<u8> {
        crate::mutation::mutated(seeds, number, self.numbers_percent)
    }
}

/// All targets.
pub const TARGETS: &[Target] = &[
    Target { name: "packetdrill", run: packetdrill, seeds: crate::corpus::scripts, numbers_percent: 20 },
    Target { name: "scenario", run: scenario, seeds: crate::corpus::scenarios, numbers_percent: 80 },
];

/// A behaviour script. Its report names the script and has no line longer than a few of its own.
fn packetdrill(data: &[u8]) -> Outcome {
    let Ok(text) = std::str::from_utf8(data) else { return Outcome::Refused };
    let report = play("fuzz.pkt", text, &Options::default());
    if report.verdict == Verdict::Passed {
        return Outcome::Accepted;
    }
    assert!(report.message.starts_with("fuzz.pkt:"), "{}", report.message);
    Outcome::Refused
}

/// A scenario: read, checked, and run if that takes no time.
fn scenario(data: &[u8]) -> Outcome {
    let Ok(text) = std::str::from_utf8(data) else { return Outcome::Refused };
    if fairlane_simulator::check_json(text, &Programs).is_err() {
        return Outcome::Refused;
    }
    let Ok(mut value) = serde_json::from_str::<Value>(text) else { return Outcome::Refused };
    if is_small(&value) {
        let duration_ns = value["duration_ns"].as_u64().unwrap_or(0);
        value["duration_ns"] = duration_ns.min(LONGEST_RUN_NS).into();
        // A shorter run may have flows that begin after its end, which is an error.
        let _ = fairlane_simulator::run_json(&value.to_string(), &Programs);
    }
    Outcome::Accepted
}

/// Whether a run of `LONGEST_RUN_NS` takes milliseconds: few flows, and every link that has a rate is slow.
fn is_small(scenario: &Value) -> bool {
    let list = |name: &str| scenario[name].as_array().map_or(&[][..], Vec::as_slice);
    let rates_bps = list("links").iter().map(|link| link["rate_bps"].as_u64().unwrap_or(0));
    let is_plain = list("cross_traffic").is_empty() && list("media").is_empty();
    is_plain && list("flows").len() <= MOST_FLOWS && rates_bps.max().is_some_and(|bps| bps > 0 && bps <= FASTEST_BPS)
}

const LONGEST_RUN_NS: u64 = 300_000_000;
const MOST_FLOWS: usize = 8;
const FASTEST_BPS: u64 = 100_000_000;
