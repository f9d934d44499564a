//! Packet loss: independent, in bursts (Gilbert-Elliott), or at listed times.

use fairlane_engine::RandomStream;

use fairlane_contract::LossConfig;

pub(crate) struct Loss {
    model: LossConfig,
    is_bad: bool,
    stream: RandomStream,
    /// Number of listed losses that have happened.
    happened: usize,
}

impl Loss {
    /// A Gilbert-Elliott chain starts in the good state.
    pub fn new(model: &LossConfig, stream: RandomStream) -> Self {
        let mut model = model.clone();
        if let LossConfig::Listed { at_ns } = &mut model {
            at_ns.sort_unstable();
        }
        Self { model, is_bad: false, stream, happened: 0 }
    }

    /// Whether the packet that arrives now is lost. The chain first applies the loss probability of its state, then
    /// changes state. Every packet draws the same number of random numbers, so that probabilities can be varied over
    /// one random sequence.
    pub fn next(&mut self, now_ns: u64) -> bool {
        match &self.model {
            &LossConfig::Independent { probability } => self.stream.with_probability(probability),
            LossConfig::Listed { at_ns } => {
                let is_due = at_ns.get(self.happened).is_some_and(|&at_ns| at_ns <= now_ns);
                self.happened += usize::from(is_due);
                is_due
            }
            &LossConfig::GilbertElliott { good_to_bad, bad_to_good, loss_good, loss_bad } => {
                let (loss, leave) = if self.is_bad { (loss_bad, bad_to_good) } else { (loss_good, good_to_bad) };
                let is_lost = self.stream.with_probability(loss);
                self.is_bad ^= self.stream.with_probability(leave);
                is_lost
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
        let (share, burst) = losses(LossConfig::Independent { probability: 0.05 });
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
        assert_eq!(losses(LossConfig::Independent { probability: 0.0 }).0, 0.0);
        let mut always = Loss::new(&LossConfig::Independent { probability: 1.0 }, Streams::new(1).stream("x", 0));
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
