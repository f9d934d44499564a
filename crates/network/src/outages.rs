//! Times at which a link or a Wi-Fi cell is down.

use fairlane_contract::{OutageConfig, Path, Problem};
use fairlane_engine::RandomStream;

/// Outages in order of time.
#[derive(Clone)]
pub(crate) struct Outages {
    source: Source,
    /// The first outage that did not end before the last question.
    begin_ns: u64,
    end_ns: u64,
}

#[derive(Clone)]
enum Source {
    /// Remaining times, the next one last.
    Listed {
        at_ns: Vec<u64>,
        length_ns: u64,
    },
    Periodic {
        next_ns: u64,
        every_ns: u64,
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
            &OutageConfig::Periodic { every_ns, length_ns, first_ns } => {
                Source::Periodic { next_ns: first_ns.unwrap_or(every_ns), every_ns, length_ns }
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

    /// Whether there is an outage at `now_ns`. Times never run backwards from call to call.
    pub fn contain(&mut self, now_ns: u64) -> bool {
        self.overlap(now_ns, now_ns + 1)
    }

    /// Start and end of the present outage; both are the largest number behind the last one.
    pub fn present(&self) -> (u64, u64) {
        (self.begin_ns, self.end_ns)
    }

    /// Goes on to the next outage.
    pub fn draw(&mut self) {
        match &mut self.source {
            Source::Listed { at_ns, length_ns } => {
                self.begin_ns = at_ns.pop().unwrap_or(u64::MAX);
                self.end_ns = self.begin_ns.saturating_add(*length_ns);
            }
            Source::Periodic { next_ns, every_ns, length_ns } => {
                self.begin_ns = *next_ns;
                self.end_ns = self.begin_ns.saturating_add(*length_ns);
                *next_ns = next_ns.saturating_add(*every_ns);
            }
            Source::Random { mean_length_ns, mean_distance_ns, random } => {
                self.begin_ns = self.end_ns + random.exponential_ns(*mean_distance_ns);
                self.end_ns = self.begin_ns + random.exponential_ns(*mean_length_ns).max(1);
            }
        }
    }
}

/// Rejects outages that are out of order or that never end.
pub(crate) fn check(outages: &OutageConfig) -> Result<(), Problem> {
    match outages {
        OutageConfig::Listed { at_ns, length_ns }
            if at_ns.windows(2).any(|pair| pair[0].saturating_add(*length_ns) > pair[1]) =>
        {
            let remedy = "sort them, at least `length_ns` apart";
            return Err(Problem::new(Path::from("at_ns"), "has outages that overlap", remedy));
        }
        OutageConfig::Periodic { every_ns, length_ns, .. } if length_ns >= every_ns => {
            return Err(Problem::new("length_ns", "leaves no time between outages", "give less than `every_ns`"));
        }
        _ => {}
    }
    Ok(())
}
