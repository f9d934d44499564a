//! Packets that overtake others by skipping the propagation delay (netem's `reorder` and `gap`).

use fairlane_contract::ReorderConfig;
use fairlane_engine::RandomStream;

use super::correlated::Correlated;

pub(super) struct Reordering {
    gap: u32,
    /// Delayed packets since the last that overtook.
    delayed: u32,
    decide: Correlated,
}

impl Reordering {
    pub fn new(config: &ReorderConfig, stream: RandomStream) -> Self {
        let decide = Correlated::new(config.probability, config.correlation, stream);
        Self { gap: config.gap, delayed: 0, decide }
    }

    /// Whether the packet that leaves the transmitter now skips the delay. As in netem, only candidates draw a number.
    pub fn overtakes(&mut self) -> bool {
        let overtakes = self.delayed >= self.gap - 1 && self.decide.next();
        self.delayed = if overtakes { 0 } else { self.delayed.saturating_add(1) };
        overtakes
    }
}

#[cfg(test)]
mod tests {
    use fairlane_engine::Streams;

    use super::*;

    fn overtaking(probability: f64, gap: u32) -> Vec<usize> {
        let config = ReorderConfig { probability, correlation: 0.0, gap };
        let mut reordering = Reordering::new(&config, Streams::new(1).stream("test", 0));
        (1..=20_000).filter(|_| reordering.overtakes()).collect()
    }

    #[test]
    fn with_certainty_every_gap_th_packet_overtakes() {
        assert_eq!(overtaking(1.0, 5)[..3], [5, 10, 15]);
        assert_eq!(overtaking(1.0, 1).len(), 20_000);
    }

    #[test]
    fn a_share_of_the_candidates_overtakes() {
        assert!((overtaking(0.25, 1).len() as f64 / 5_000.0 - 1.0).abs() < 0.05);
        // Candidates wait for 4 packets, then for 1 / 0.5 on average.
        assert!((overtaking(0.5, 5).len() as f64 / (20_000.0 / 6.0) - 1.0).abs() < 0.05);
    }
}
