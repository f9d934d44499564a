//! Times at which no frame is received in a cell.

use fairlane_contract::OutageConfig;
use fairlane_engine::RandomStream;

pub(super) struct Outages {
    source: Source,
    /// The first outage that did not end before the last frame.
    begin_ns: u64,
    end_ns: u64,
}

enum Source {
    /// Remaining times, the next one last.
    Listed {
        at_ns: Vec<u64>,
        length_ns: u64,
    },
    Random {
        mean_length_ns: u64,
        mean_distance_ns: u64,
        random: RandomStream,
    },
}

impl Outages {
    pub fn new(config: &OutageConfig, random: RandomStream) -> Self {
        let source = match config {
            OutageConfig::Listed { at_ns, length_ns } => {
                Source::Listed { at_ns: at_ns.iter().rev().copied().collect(), length_ns: *length_ns }
            }
            &OutageConfig::Random { mean_length_ns, mean_distance_ns } => {
                Source::Random { mean_length_ns, mean_distance_ns, random }
            }
        };
        let mut outages = Self { source, begin_ns: 0, end_ns: 0 };
        outages.draw();
        outages
    }

    /// Whether an outage overlaps the time from `start_ns` to `end_ns`. Times never run backwards from call to call.
    pub fn overlap(&mut self, start_ns: u64, end_ns: u64) -> bool {
        while self.end_ns <= start_ns {
            self.draw();
        }
        self.begin_ns < end_ns
    }

    fn draw(&mut self) {
        match &mut self.source {
            Source::Listed { at_ns, length_ns } => {
                self.begin_ns = at_ns.pop().unwrap_or(u64::MAX);
                self.end_ns = self.begin_ns.saturating_add(*length_ns);
            }
            Source::Random { mean_length_ns, mean_distance_ns, random } => {
                self.begin_ns = self.end_ns + random.exponential_ns(*mean_distance_ns);
                self.end_ns = self.begin_ns + random.exponential_ns(*mean_length_ns).max(1);
            }
        }
    }
}
