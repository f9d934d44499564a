//! Packet loss: independent, in bursts (Gilbert-Elliott, or in time), or at listed times.

use fairlane_contract::{LinkConfig, LossConfig};
use fairlane_engine::{RandomStream, Streams};

use super::correlated::Correlated;
use crate::outages::Outages;

/// Loss that may change at given times.
pub(crate) struct Loss {
    model: Model,
    stream: RandomStream,
    /// The models that follow, the next one last, and their times.
    later: Vec<(u64, LossConfig)>,
}

enum Model {
    Independent(Correlated),
    GilbertElliott {
        good_to_bad: f64,
        bad_to_good: f64,
        loss_good: f64,
        loss_bad: f64,
        is_bad: bool,
    },
    Bursts {
        times: Outages,
        loss_good: f64,
        loss_bad: f64,
    },
    /// Remaining times, the next one last.
    Listed {
        at_ns: Vec<u64>,
    },
}

impl Loss {
    pub fn new(model: &LossConfig, stream: RandomStream) -> Self {
        Self { model: Model::new(model, &stream), stream, later: Vec::new() }
    }

    /// The loss of a link, with its changes; none if it never loses.
    pub fn of_link(config: &LinkConfig, stream: &impl Fn(&str) -> RandomStream) -> Option<Self> {
        let changes = config.changes.iter().rev();
        let later: Vec<_> = changes.filter_map(|change| Some((change.at_ns, change.loss.clone()?))).collect();
        let first = config.loss.clone().or((!later.is_empty()).then_some(NONE))?;
        Some(Self { later, ..Self::new(&first, stream("link loss")) })
    }

    /// Another model from `at_ns` on, until the next one that is known.
    pub fn change(&mut self, at_ns: u64, model: &LossConfig) {
        let place = self.later.partition_point(|&(other_ns, _)| other_ns > at_ns);
        self.later.insert(place, (at_ns, model.clone()));
    }

    /// Whether the packet that arrives now is lost. Every packet draws the same number of random numbers, so that
    /// probabilities can be varied over one random sequence.
    pub fn next(&mut self, now_ns: u64) -> bool {
        while self.later.last().is_some_and(|&(at_ns, _)| at_ns <= now_ns) {
            let (_, model) = self.later.pop().expect("there is a last one");
            if let Model::Independent(decide) = &self.model {
                self.stream = decide.stream().clone();
            }
            self.model = Model::new(&model, &self.stream);
        }
        self.model.next(now_ns, &mut self.stream)
    }
}

const NONE: LossConfig = LossConfig::Independent { probability: 0.0, correlation: 0.0 };

impl Model {
    /// A Gilbert-Elliott chain starts in the good state. Only models that own a sequence take one of their own, which
    /// `stream` seeds.
    fn new(config: &LossConfig, stream: &RandomStream) -> Self {
        match config {
            &LossConfig::Independent { probability, correlation } => {
                Self::Independent(Correlated::new(probability, correlation, stream.clone()))
            }
            &LossConfig::GilbertElliott { good_to_bad, bad_to_good, loss_good, loss_bad } => {
                Self::GilbertElliott { good_to_bad, bad_to_good, loss_good, loss_bad, is_bad: false }
            }
            LossConfig::Bursts { times, loss_good, loss_bad } => {
                let random = Streams::new(stream.clone().next_u64()).stream("bursts", 0);
                Self::Bursts { times: Outages::new(times, random), loss_good: *loss_good, loss_bad: *loss_bad }
            }
            LossConfig::Listed { at_ns } => {
                let mut at_ns = at_ns.clone();
                at_ns.sort_unstable_by(|one, other| other.cmp(one));
                Self::Listed { at_ns }
            }
        }
    }

    /// The chain first applies the loss probability of its state, then changes state.
    fn next(&mut self, now_ns: u64, stream: &mut RandomStream) -> bool {
        match self {
            Self::Independent(decide) => decide.next(),
            Self::GilbertElliott { good_to_bad, bad_to_good, loss_good, loss_bad, is_bad } => {
                let (loss, leave) = if *is_bad { (*loss_bad, *bad_to_good) } else { (*loss_good, *good_to_bad) };
                let is_lost = stream.with_probability(loss);
                *is_bad ^= stream.with_probability(leave);
                is_lost
            }
            Self::Bursts { times, loss_good, loss_bad } => {
                stream.with_probability(if times.contain(now_ns) { *loss_bad } else { *loss_good })
            }
            Self::Listed { at_ns } => {
                let is_due = at_ns.last().is_some_and(|&at_ns| at_ns <= now_ns);
                if is_due {
                    at_ns.pop();
                }
                is_due
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use fairlane_engine::Streams;

    use super::*;

    const PACKETS: u32 = 400_000;

    /// Share of packets lost, and mean length of a run of losses.
    fn losses(model: LossConfig) -> (f64, f64) {
        let mut loss = Loss::new(&model, Streams::new(11).stream("link loss", 0));
        let fates: Vec<bool> = (0..PACKETS).map(|_| loss.next(0)).collect();
        let lost = fates.iter().filter(|&&is_lost| is_lost).count() as f64;
        let bursts = fates.windows(2).filter(|pair| !pair[0] && pair[1]).count() as f64;
        (lost / f64::from(PACKETS), lost / bursts)
    }

    #[test]
    fn independent_losses_have_their_rate_and_no_memory() {
        let (share, burst) = losses(LossConfig::Independent { probability: 0.05, correlation: 0.0 });
        assert!((share / 0.05 - 1.0).abs() < 0.03, "{share}");
        assert!((burst / (1.0 / 0.95) - 1.0).abs() < 0.02, "{burst}");
    }

    /// Stationary share of the bad state is p / (p + r); a visit to it lasts 1 / r packets on average.
    #[test]
    fn gilbert_losses_have_the_rate_and_burst_length_of_theory() {
        let (p, r) = (0.01, 0.25);
        let (share, burst) =
            losses(LossConfig::GilbertElliott { good_to_bad: p, bad_to_good: r, loss_good: 0.0, loss_bad: 1.0 });
        assert!((share / (p / (p + r)) - 1.0).abs() < 0.05, "{share}");
        assert!((burst * r - 1.0).abs() < 0.05, "{burst}");
    }

    #[test]
    fn elliott_losses_mix_the_rates_of_both_states() {
        let (p, r, good, bad) = (0.02, 0.1, 0.001, 0.4);
        let (share, _) =
            losses(LossConfig::GilbertElliott { good_to_bad: p, bad_to_good: r, loss_good: good, loss_bad: bad });
        let expected = (r * good + p * bad) / (p + r);
        assert!((share / expected - 1.0).abs() < 0.05, "{share}, expected {expected}");
    }

    #[test]
    fn certain_and_impossible_losses() {
        assert_eq!(losses(LossConfig::Independent { probability: 0.0, correlation: 0.0 }).0, 0.0);
        let mut always =
            Loss::new(&LossConfig::Independent { probability: 1.0, correlation: 0.0 }, Streams::new(1).stream("x", 0));
        assert!((0..1000).all(|_| always.next(0)));
    }

    #[test]
    fn a_listed_time_costs_the_next_packet() {
        // Two times before the same packet cost it and the one after it.
        let listed = LossConfig::Listed { at_ns: vec![50, 20, 41, 90] };
        let mut loss = Loss::new(&listed, Streams::new(1).stream("x", 0));
        let lost: Vec<u64> = (0..10).map(|number| 10 * number).filter(|&now_ns| loss.next(now_ns)).collect();
        assert_eq!(lost, [20, 50, 60, 90]);
    }
}
