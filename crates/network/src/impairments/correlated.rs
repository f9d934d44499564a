//! Random decisions with netem's correlation.

use fairlane_engine::RandomStream;

/// Decides with a given probability. As in netem's `get_crandom`, the number that decides is a share of the previous one
/// and the rest of a new one, so that a decision resembles the one before it.
pub(super) struct Correlated {
    stream: RandomStream,
    probability: f64,
    correlation: f64,
    last: f64,
}

impl Correlated {
    pub fn new(probability: f64, correlation: f64, mut stream: RandomStream) -> Self {
        let last = if correlation > 0.0 { stream.unit() } else { 0.0 };
        Self { stream, probability, correlation, last }
    }

    pub fn stream(&self) -> &RandomStream {
        &self.stream
    }

    /// Draws one number for each decision, so that probabilities can be varied over one random sequence.
    pub fn next(&mut self) -> bool {
        self.last = self.correlation * self.last + (1.0 - self.correlation) * self.stream.unit();
        self.last < self.probability
    }
}

#[cfg(test)]
mod tests {
    use fairlane_engine::Streams;

    use super::*;

    fn decisions(probability: f64, correlation: f64) -> Vec<bool> {
        let mut decide = Correlated::new(probability, correlation, Streams::new(5).stream("test", 0));
        (0..400_000).map(|_| decide.next()).collect()
    }

    fn share(decisions: &[bool]) -> f64 {
        decisions.iter().filter(|&&decision| decision).count() as f64 / decisions.len() as f64
    }

    #[test]
    fn without_correlation_decisions_are_those_of_the_stream() {
        let mut stream = Streams::new(5).stream("test", 0);
        assert!(decisions(0.3, 0.0).into_iter().all(|decision| decision == stream.with_probability(0.3)));
    }

    #[test]
    fn correlation_makes_runs() {
        let correlated = decisions(0.5, 0.6);
        let after_true: Vec<bool> = correlated.windows(2).filter(|pair| pair[0]).map(|pair| pair[1]).collect();
        assert!((share(&correlated) - 0.5).abs() < 0.01, "the mean of a half stays");
        assert!(share(&after_true) > 0.65, "{}", share(&after_true));
    }

    /// With x' = c x + (1 - c) u the variance is that of u times (1 - c) / (1 + c): small shares become smaller still.
    #[test]
    fn correlation_changes_the_share_as_netem_does() {
        assert!(share(&decisions(0.05, 0.25)) < 0.03);
    }
}
