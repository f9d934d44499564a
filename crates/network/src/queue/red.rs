//! RED (Floyd and Jacobson 1993): drops arriving packets with a probability that grows with the mean queue length.
//!
//! ```text
//! mean += (backlog − mean) / 2^Wlog on each arrival; while the queue is idle it decays with time
//! mean < min: nothing      min ≤ mean < max: drop with probability × (mean − min) / (max − min), spread out evenly
//! max ≤ mean: drop everything (Linux has no "gentle" mode above max)
//! ```
//!
//! Parameters and details are those of Linux's red, for which tc computes derived values; `average.rs` keeps the mean,
//! `parameters.rs` derives the values as tc does.

mod average;
mod parameters;

use fairlane_contract::RedConfig;
use fairlane_engine::{RandomStream, NS_PER_MS};

use self::average::Average;
pub(super) use self::parameters::problem;
use self::parameters::Thresholds;
use super::setup::QueueSetup;
use super::ticks::TickTimer;
use super::QueueDiscipline;
use crate::queue::buffer::{Buffer, List, PacketId};

pub(crate) struct Red {
    queue: List,
    limit_bytes: u64,
    ecn: bool,
    harddrop: bool,
    nodrop: bool,
    /// Linux notices that a queue is idle when it dequeues from the empty queue; a token bucket never does that.
    notes_idleness: bool,
    average: Average,
    thresholds: Thresholds,
    /// Arrivals since the last drop while the mean lies between min and max; none outside.
    since_drop: Option<u64>,
    /// The spacing drawn for the next drop; see `Thresholds::spacing`.
    spacing: u64,
    random: RandomStream,
    adaptation: Option<TickTimer>,
}

/// The action that follows from the mean.
enum Action {
    Pass,
    Early,
    Forced,
}

impl Red {
    pub fn new(config: &RedConfig, setup: &QueueSetup) -> Self {
        let numbers = parameters::compute(config).expect("LinkConfig::validate has computed them before");
        let half_second = || TickTimer::new(ADAPTATION_NS, setup.ticks_per_s);
        Self {
            queue: List::default(),
            limit_bytes: config.limit_bytes,
            ecn: config.ecn,
            harddrop: config.harddrop,
            nodrop: config.nodrop,
            notes_idleness: !setup.is_token_bucket,
            average: Average::new(numbers.weight_log, numbers.damping),
            thresholds: numbers.thresholds,
            since_drop: None,
            spacing: 0,
            random: setup.random("red"),
            adaptation: config.adaptive.then(half_second),
        }
    }

    fn action(&mut self, mean_scaled: u64) -> Action {
        let mean = |bytes: u64| bytes << self.average.weight_log();
        if mean_scaled < mean(self.thresholds.min_bytes) {
            self.since_drop = None;
            return Action::Pass;
        }
        if mean_scaled >= mean(self.thresholds.max_bytes) {
            self.since_drop = None;
            return Action::Forced;
        }
        let Some(since_drop) = &mut self.since_drop else {
            self.since_drop = Some(0);
            self.spacing = self.draw_spacing();
            return Action::Pass;
        };
        *since_drop += 1;
        // Spacings between drops are uniform, not geometric (Floyd and Jacobson §7, method 2).
        let above_bytes = (mean_scaled - mean(self.thresholds.min_bytes)) >> self.average.weight_log();
        if above_bytes * *since_drop < self.spacing {
            return Action::Pass;
        }
        *since_drop = 0;
        self.spacing = self.draw_spacing();
        Action::Early
    }

    fn draw_spacing(&mut self) -> u64 {
        self.thresholds.spacing((self.random.next_u64() >> 32) as u32)
    }

    /// Every half second the probability moves towards the one that keeps the mean in the middle.
    fn adapt(&mut self, now_ns: u64) {
        let Some(timer) = &mut self.adaptation else { return };
        loop {
            let at_ns = timer.next_ns();
            if !timer.fires(now_ns) {
                break;
            }
            self.thresholds.adapt(self.average.at(at_ns) >> self.average.weight_log());
        }
    }
}

const ADAPTATION_NS: u64 = 500 * NS_PER_MS;

impl QueueDiscipline for Red {
    fn enqueue(&mut self, now_ns: u64, packet: PacketId, buffer: &mut Buffer) {
        self.adapt(now_ns);
        let mean_scaled = self.average.on_arrival(now_ns, buffer.backlog().bytes);
        let passes = match self.action(mean_scaled) {
            Action::Pass => true,
            Action::Early => self.ecn && (buffer.mark(packet) || self.nodrop),
            Action::Forced => self.ecn && !self.harddrop && (buffer.mark(packet) || self.nodrop),
        };
        if passes && buffer.backlog().bytes + u64::from(buffer.frame_bytes(packet)) <= self.limit_bytes {
            self.queue.push_back(packet, buffer);
        } else {
            buffer.drop(packet);
        }
    }

    fn dequeue(&mut self, now_ns: u64, buffer: &mut Buffer) -> Option<PacketId> {
        self.adapt(now_ns);
        let packet = self.queue.pop_front(buffer)?;
        if self.notes_idleness && self.queue.is_empty() {
            self.average.start_idling(now_ns);
        }
        Some(packet)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fairlane_engine::Streams;

    fn red(json: &str) -> Red {
        let config: RedConfig = serde_json::from_str(json).expect("valid JSON");
        Red::new(&config, &QueueSetup::example(&Streams::new(1)))
    }

    const EXAMPLE: &str = r#"{"limit_bytes":400000,"min_bytes":30000,"max_bytes":90000,"avpkt_bytes":1000,
                              "burst_packets":55,"bandwidth_bps":10000000}"#;

    /// Mean spacing of early drops while the mean stays where it is.
    fn spacing(red: &mut Red, mean_bytes: u64) -> f64 {
        let arrivals = 2_000_000;
        let scaled = mean_bytes << red.average.weight_log();
        let drops = (0..arrivals).filter(|_| matches!(red.action(scaled), Action::Early)).count();
        f64::from(arrivals) / drops as f64
    }

    /// Floyd and Jacobson 1993 §7: spacings are uniform from 1 to 1/p, with p linear from 0 at min to `probability` at max.
    #[test]
    fn the_drop_probability_is_linear_in_the_mean() {
        for mean_bytes in [36_000, 45_000, 60_000, 75_000, 89_000] {
            let probability = 0.02 * (mean_bytes - 30_000) as f64 / 60_000.0;
            let (measured, expected) = (spacing(&mut red(EXAMPLE), mean_bytes), (1.0 / probability + 1.0) / 2.0);
            assert!((measured / expected - 1.0).abs() < 0.02, "{mean_bytes}: {measured}, expected {expected}");
        }
    }

    #[test]
    fn nothing_is_dropped_below_min_and_everything_from_max_on() {
        let mut red = red(EXAMPLE);
        assert!((0..10_000).all(|_| matches!(red.action(29_999 << 5), Action::Pass)));
        assert!((0..10_000).all(|_| matches!(red.action(90_000 << 5), Action::Forced)));
    }

    /// Floyd and Jacobson 1993 §6: the mean of a queue that fills from nothing, burst packets long, stays below min.
    #[test]
    fn a_burst_passes_an_empty_queue() {
        let mut red = red(EXAMPLE);
        let means = (0..55).map(|packets| red.average.on_arrival(0, packets * 1_000));
        assert!(means.last().expect("55 of them") >> 5 < 30_000);
    }

    #[test]
    fn an_idle_queue_forgets() {
        let mut red = red(EXAMPLE);
        red.average.on_arrival(0, 1_600_000);
        let before = red.average.at(0);
        red.average.start_idling(0);
        let after: Vec<u64> = [1, 10, 100, 1_000].map(|ms| red.average.at(ms * NS_PER_MS)).to_vec();
        assert!(after[0] < before && after.windows(2).all(|pair| pair[1] < pair[0]), "{before} {after:?}");
        // A second has room for 1250 packets of 1000 bytes, in Linux's reckoning for 80: 80 × −ln(1 − 1/32) = 2.54.
        assert_eq!(after[3], before >> 2);
    }

    #[test]
    fn the_adaptive_probability_keeps_within_its_bounds() {
        let mut red = red(&EXAMPLE.replace('{', r#"{"adaptive":true,"#));
        let max_scaled = 89_000 << 5;
        for second in 1..1_000 {
            red.average.on_arrival(0, 89_000);
            red.adapt(second * NS_PER_MS * 1_000);
        }
        // The mean has come to 89000, above the middle: up to 50 %, where a drop comes each (2 + 1) / 2 packets.
        assert!((spacing(&mut red, max_scaled >> 5) - 1.5).abs() < 0.1);
    }
}
