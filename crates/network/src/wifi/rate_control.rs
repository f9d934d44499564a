//! Rate control like Linux's `minstrel_ht`: statistics from Block Acks, a best, a second and a most reliable rate for
//! retries, and occasional probes of other rates.
//!
//! Deviations: only the queue's configured number of streams is used, and the number of attempts per stage of the retry
//! chain is fixed instead of derived from a time budget.

use fairlane_engine::RandomStream;

use super::phy::Rate;

pub(super) struct RateControl {
    /// From the slowest to the fastest.
    candidates: Vec<Candidate>,
    random: RandomStream,
    next_update_ns: u64,
    best: usize,
    second: usize,
    most_reliable: usize,
    current: usize,
    /// PPDUs in a row that were not answered.
    failures: u32,
    ppdus: u64,
    /// EWMA of the MPDUs of a PPDU.
    mean_mpdus: f64,
}

struct Candidate {
    rate: Rate,
    /// Probability that an MPDU at this rate arrives with an error; unknown to rate control.
    loss: f64,
    attempts: u32,
    successes: u32,
    /// EWMA of the share of MPDUs that were confirmed; none if the rate was never tried.
    confirmed: Option<f64>,
}

/// The rate of a PPDU.
#[derive(Clone, Copy, Debug)]
pub(super) struct Choice {
    pub rate: Rate,
    pub mpdu_loss: f64,
    /// Its index among the candidates.
    index: usize,
    /// A probe is a single MPDU.
    pub is_probe: bool,
}

/// Statistics are updated 20 times a second.
const UPDATE_INTERVAL_NS: u64 = 50_000_000;
/// Weight of the past in each update (EWMA_LEVEL 96 of 128).
const WEIGHT_OF_PAST: f64 = 0.75;
/// One PPDU in this many is a probe; one probe in the other number is of a rate that cannot beat the best.
const PPDUS_PER_PROBE: u64 = 10;
const PROBES_PER_SLOW_PROBE: u64 = 8;
/// Attempts at the best and at the second rate, before the most reliable one is used.
const ATTEMPTS_PER_STAGE: u32 = 2;
/// A rate with a smaller share is not used; a larger share counts as this, because collisions take the rest.
const LEAST_CONFIRMED: f64 = 0.1;
const MOST_CONFIRMED: f64 = 0.9;
/// Rates with at least this share are equally reliable.
const RELIABLE: f64 = 0.95;
const SUBFRAME_BYTES: f64 = 1_544.0;
/// Approximate time for contention and Block Ack of a PPDU.
const ACCESS_NS: f64 = 150_000.0;

impl RateControl {
    /// `candidates`: rates and their error probabilities, from the slowest to the fastest; at least one.
    pub fn new(candidates: Vec<(Rate, f64)>, random: RandomStream) -> Self {
        let candidate = |(rate, loss)| Candidate { rate, loss, attempts: 0, successes: 0, confirmed: None };
        Self {
            candidates: candidates.into_iter().map(candidate).collect(),
            random,
            next_update_ns: UPDATE_INTERVAL_NS,
            best: 0,
            second: 0,
            most_reliable: 0,
            current: 0,
            failures: 0,
            ppdus: 0,
            mean_mpdus: 1.0,
        }
    }

    /// The rate of the next PPDU.
    pub fn choose(&mut self, now_ns: u64) -> Choice {
        if now_ns >= self.next_update_ns {
            self.update();
            self.next_update_ns = now_ns + UPDATE_INTERVAL_NS;
        }
        self.ppdus += 1;
        let probe = if self.failures == 0 && self.ppdus % PPDUS_PER_PROBE == 0 { self.probe() } else { None };
        self.current = probe.unwrap_or(match self.failures / ATTEMPTS_PER_STAGE {
            0 => self.best,
            1 => self.second,
            _ => self.most_reliable,
        });
        let Candidate { rate, loss, .. } = self.candidates[self.current];
        Choice { rate, mpdu_loss: loss, index: self.current, is_probe: probe.is_some() }
    }

    /// The next PPDU was formed with this choice.
    pub fn resume(&mut self, choice: Choice) {
        self.current = choice.index;
    }

    /// Counts the MPDUs of the last PPDU that a Block Ack confirmed; none without one.
    pub fn note(&mut self, attempts: u32, successes: u32) {
        let candidate = &mut self.candidates[self.current];
        candidate.attempts += attempts;
        candidate.successes += successes;
        self.failures = if successes > 0 { 0 } else { self.failures + 1 };
        self.mean_mpdus += (f64::from(attempts) - self.mean_mpdus) / 8.0;
    }

    fn probe(&mut self) -> Option<usize> {
        let index = self.random.below(self.candidates.len() as u64) as usize;
        let may_be_better = self.goodput(index, 1.0) > self.expected(self.best);
        let is_turn_of_slow = (self.ppdus / PPDUS_PER_PROBE) % PROBES_PER_SLOW_PROBE == 0;
        (index != self.best && (may_be_better || is_turn_of_slow)).then_some(index)
    }

    fn update(&mut self) {
        for candidate in &mut self.candidates {
            if candidate.attempts > 0 {
                let share = f64::from(candidate.successes) / f64::from(candidate.attempts);
                let past = candidate.confirmed.unwrap_or(share);
                candidate.confirmed = Some(WEIGHT_OF_PAST * past + (1.0 - WEIGHT_OF_PAST) * share);
                (candidate.attempts, candidate.successes) = (0, 0);
            }
        }
        let fastest = |wifi: &Self, without: Option<usize>| {
            let others = (0..wifi.candidates.len()).filter(|&index| Some(index) != without);
            others.fold(None, |best: Option<usize>, index| match best {
                Some(best) if wifi.expected(best) >= wifi.expected(index) => Some(best),
                _ => Some(index),
            })
        };
        if self.candidates.iter().all(|candidate| candidate.confirmed.unwrap_or(0.0) < LEAST_CONFIRMED) {
            (self.best, self.second, self.most_reliable) = (0, 0, 0);
            return;
        }
        self.best = fastest(self, None).unwrap_or(0);
        self.second = fastest(self, Some(self.best)).unwrap_or(self.best);
        self.most_reliable = (0..self.candidates.len()).fold(self.best, |most, index| {
            let [old, new] = [most, index].map(|one| self.candidates[one].confirmed.unwrap_or(0.0).min(RELIABLE));
            let is_better = new > old || (new >= RELIABLE && self.expected(index) > self.expected(most));
            if is_better {
                index
            } else {
                most
            }
        });
    }

    /// Estimated throughput of a rate, in confirmed bytes per ns.
    fn expected(&self, index: usize) -> f64 {
        let confirmed = self.candidates[index].confirmed.unwrap_or(0.0);
        if confirmed < LEAST_CONFIRMED {
            return 0.0;
        }
        self.goodput(index, confirmed.min(MOST_CONFIRMED))
    }

    fn goodput(&self, index: usize, confirmed: f64) -> f64 {
        let bytes = self.mean_mpdus * SUBFRAME_BYTES;
        let ppdu_ns = self.candidates[index].rate.ppdu_ns(bytes as u32) as f64;
        confirmed * bytes / (ACCESS_NS + ppdu_ns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fairlane_engine::Streams;

    /// PPDUs of 10 MPDUs for two seconds at 1 ms each; gives how often each rate was used in the second one.
    fn uses(losses: [f64; 3]) -> [u32; 3] {
        let rate = |bits_per_symbol| Rate { bits_per_symbol, ..Rate::for_tests() };
        let rates = [(rate(100), losses[0]), (rate(200), losses[1]), (rate(400), losses[2])];
        let mut control = RateControl::new(rates.to_vec(), Streams::new(1).stream("control", 0));
        let mut outcomes = Streams::new(1).stream("outcomes", 0);
        let mut uses = [0; 3];
        for ms in 0..2_000 {
            let choice = control.choose(ms * 1_000_000);
            let mpdus = if choice.is_probe { 1 } else { 10 };
            let arrived = (0..mpdus).filter(|_| !outcomes.with_probability(choice.mpdu_loss)).count();
            control.note(mpdus, arrived as u32);
            if ms >= 1_000 {
                uses[control.current] += 1;
            }
        }
        uses
    }

    #[test]
    fn without_errors_the_fastest_rate_is_used() {
        let [slow, middle, fast] = uses([0.0; 3]);
        assert!(fast > 900 && slow + middle > 0, "{slow} {middle} {fast}");
    }

    #[test]
    fn a_rate_with_many_errors_is_left_to_probes() {
        let [slow, middle, fast] = uses([0.0, 0.0, 0.9]);
        assert!(middle > 850 && fast < 100, "{slow} {middle} {fast}");
        let [slow, middle, fast] = uses([0.0, 0.95, 1.0]);
        assert!(slow > 850, "{slow} {middle} {fast}");
    }

    /// 400 bits with 20 % errors are more than 200 without.
    #[test]
    fn a_few_errors_do_not_make_a_rate_slower_than_the_next() {
        let [slow, middle, fast] = uses([0.0, 0.0, 0.2]);
        assert!(fast > 850, "{slow} {middle} {fast}");
    }
}
