//! PIE's proportional-integral controller (RFC 8033 §4 and §5) in the integers of Linux.
//!
//! A probability is an integer up to 2⁵⁶ − 1. Deviations of Linux from the RFC that are followed here: the probability
//! also rises by 2 % per step while the delay is above 250 ms; delays come from time stamps unless the estimator is
//! enabled. One is not followed: Linux does not start over after a mark that was overdue, and marks every packet from
//! then on.

use fairlane_engine::{RandomStream, NS_PER_MS, NS_PER_SEC};

pub(crate) struct Controller {
    pub target_ns: u64,
    pub alpha: u32,
    pub beta: u32,
    pub bytemode: bool,
    pub dq_rate_estimator: bool,
    pub mtu_frame_bytes: u32,
}

/// The state of one queue.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct State {
    pub probability: u64,
    /// Sum of the probabilities of all arrivals since the last drop.
    luck: u64,
    delay_ns: u64,
    old_delay_ns: u64,
    /// Remaining burst allowance, during which no packet is dropped.
    burst_ns: u64,
    /// Last departure, or start of the rate measurement.
    departed_ns: Option<u64>,
    /// Bytes that left since the rate measurement began.
    departed_bytes: Option<u64>,
    /// Estimated rate of departures in bytes per second; 0 while unknown.
    rate: u64,
}

/// A packet that leaves the queue.
pub(crate) struct Departure {
    pub delay_ns: u64,
    pub frame_bytes: u32,
    /// The backlog behind it.
    pub left_bytes: u64,
}

pub(crate) const MAX_PROBABILITY: u64 = u64::MAX >> 8;
const PERCENT: u64 = MAX_PROBABILITY / 100;
/// RFC 8033 §4.1: no drops in the first 150 ms after the queue was idle.
const BURST_ALLOWANCE_NS: u64 = 150 * NS_PER_MS;
/// RFC 8033 §5.5: the controller reacts more strongly above this delay.
const HIGH_DELAY_NS: u64 = 250 * NS_PER_MS;
/// RFC 8033 §5.2: the rate is measured over this many bytes, and only if the backlog is at least as large.
const RATE_THRESHOLD_BYTES: u64 = 16_384;

impl Default for State {
    fn default() -> Self {
        Self {
            probability: 0,
            luck: 0,
            delay_ns: 0,
            old_delay_ns: 0,
            burst_ns: BURST_ALLOWANCE_NS,
            departed_ns: None,
            departed_bytes: None,
            rate: 0,
        }
    }
}

impl State {
    /// A packet was dropped.
    pub fn forget_luck(&mut self) {
        self.luck = 0;
    }

    /// Congestion has ended: the next one begins with a new allowance. The last measurements stay.
    fn restart(&mut self) {
        let Self { probability, delay_ns, old_delay_ns, .. } = *self;
        *self = Self { probability, delay_ns, old_delay_ns, ..Self::default() };
    }
}

impl Controller {
    /// Whether to drop an arriving packet although there is room (RFC 8033 §4.1, §5.4).
    #[inline]
    pub fn drops_early(
        &self,
        state: &mut State,
        backlog_bytes: u64,
        frame_bytes: u32,
        random: &mut RandomStream,
    ) -> bool {
        let is_calm = state.delay_ns < self.target_ns / 2 && state.probability < MAX_PROBABILITY / 5;
        if state.burst_ns > 0 || is_calm || backlog_bytes < 2 * u64::from(self.mtu_frame_bytes) {
            return false;
        }
        let probability = if self.bytemode && frame_bytes <= self.mtu_frame_bytes {
            u64::from(frame_bytes) * (state.probability / u64::from(self.mtu_frame_bytes))
        } else {
            state.probability
        };
        state.luck = if probability == 0 { 0 } else { state.luck + probability };
        // Not before 0.85 drops are due, and certainly once 8.5 are.
        if state.luck < 85 * PERCENT {
            return false;
        }
        let is_overdue = state.luck >= MAX_PROBABILITY / 2 * 17;
        let drops = is_overdue || random.next_u64() >> 8 < probability;
        if drops {
            state.luck = 0;
        }
        drops
    }

    /// Measures the delay and uses up the burst allowance.
    #[inline]
    pub fn on_dequeue(&self, state: &mut State, now_ns: u64, departure: Departure) {
        let passed_ns = if self.dq_rate_estimator {
            self.measure_rate(state, now_ns, &departure)
        } else {
            // The delay of the last packet says nothing about later ones.
            state.delay_ns = if departure.left_bytes == 0 { 0 } else { departure.delay_ns };
            state.departed_ns.replace(now_ns).map_or(0, |before_ns| now_ns - before_ns)
        };
        state.burst_ns = state.burst_ns.saturating_sub(passed_ns);
    }

    /// RFC 8033 §5.2: the mean rate over each 16 KiB that leave a queue of at least that size. Returns the duration of
    /// a measurement when it ends.
    fn measure_rate(&self, state: &mut State, now_ns: u64, departure: &Departure) -> u64 {
        let is_long = departure.left_bytes >= RATE_THRESHOLD_BYTES;
        if is_long && state.departed_bytes.is_none() {
            state.departed_bytes = Some(0);
            state.departed_ns = Some(now_ns);
        }
        let (Some(bytes), Some(since_ns)) = (&mut state.departed_bytes, state.departed_ns) else { return 0 };
        *bytes += u64::from(departure.frame_bytes);
        let passed_ns = now_ns - since_ns;
        if *bytes < RATE_THRESHOLD_BYTES || passed_ns == 0 {
            return 0;
        }
        let rate = (u128::from(*bytes) * u128::from(NS_PER_SEC) / u128::from(passed_ns)) as u64;
        state.rate = if state.rate == 0 { rate } else { state.rate - state.rate / 8 + rate / 8 };
        state.departed_bytes = is_long.then_some(0);
        state.departed_ns = Some(now_ns);
        passed_ns
    }

    /// One step of the controller (RFC 8033 §4.2), every tupdate.
    pub fn update(&self, state: &mut State, backlog_bytes: u64) {
        if self.dq_rate_estimator {
            state.old_delay_ns = state.delay_ns;
            state.delay_ns = match state.rate {
                0 => 0,
                rate => (u128::from(backlog_bytes) * u128::from(NS_PER_SEC) / u128::from(rate)) as u64,
            };
        }
        let delay_ns = state.delay_ns;
        let change = self.change(state);
        let wanted = i128::from(state.probability) + change;
        state.probability = wanted.clamp(0, i128::from(MAX_PROBABILITY)) as u64;
        // An idle queue decays (RFC 8033 §5.6); a queue with packets but without delay was only sampled too early.
        let is_idle = delay_ns == 0 && state.old_delay_ns == 0 && backlog_bytes == 0;
        if is_idle {
            state.probability -= state.probability / 64;
        }
        let is_short = |delay_ns| delay_ns < self.target_ns / 2;
        let knows_rate = !self.dq_rate_estimator || state.rate > 0;
        if is_short(delay_ns) && is_short(state.old_delay_ns) && state.probability == 0 && knows_rate {
            state.restart();
        }
        state.old_delay_ns = delay_ns;
    }

    fn change(&self, state: &State) -> i128 {
        // Weights are in sixteenths per second, scaled down while the probability is small, so that a step does not
        // change it out of proportion (RFC 8033 §4.2, table).
        let mut shift = 4;
        if state.probability < MAX_PROBABILITY / 10 {
            shift += 1;
            let mut bound = MAX_PROBABILITY / 100;
            while state.probability < bound && bound >= MAX_PROBABILITY / 1_000_000 {
                shift += 2;
                bound /= 10;
            }
        }
        let weigh = |weight: u32| i128::from((u64::from(weight) * (MAX_PROBABILITY / NS_PER_SEC)) >> shift);
        let difference = |from_ns: u64| i128::from(state.delay_ns) - i128::from(from_ns);
        let mut change =
            weigh(self.alpha) * difference(self.target_ns) + weigh(self.beta) * difference(state.old_delay_ns);
        let two_percent = i128::from(2 * PERCENT);
        if change > two_percent && state.probability >= MAX_PROBABILITY / 10 {
            change = two_percent;
        }
        if state.delay_ns > HIGH_DELAY_NS {
            change += two_percent;
        }
        change
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fairlane_engine::Streams;

    fn controller() -> Controller {
        let target_ns = 15 * NS_PER_MS;
        Controller { target_ns, alpha: 2, beta: 20, bytemode: false, dq_rate_estimator: false, mtu_frame_bytes: 1_514 }
    }

    /// The state of a queue with this delay, after one step.
    fn step(state: &mut State, delay_ms: u64) -> f64 {
        state.delay_ns = delay_ms * NS_PER_MS;
        controller().update(state, 100_000);
        state.probability as f64 / MAX_PROBABILITY as f64
    }

    /// RFC 8033 §4.2: p += alpha × (delay − target) + beta × (delay − old delay), with 1/8 and 5/4 per second, scaled
    /// down by the table of the RFC where p is small.
    #[test]
    fn one_step_follows_the_update_rule() {
        for (percent, divisor) in
            [(0.00005, 2048.0), (0.0005, 512.0), (0.005, 128.0), (0.05, 32.0), (0.5, 8.0), (5.0, 2.0)]
        {
            let before = percent / 100.0;
            let probability = (before * MAX_PROBABILITY as f64) as u64;
            let mut state = State { probability, old_delay_ns: 20 * NS_PER_MS, ..State::default() };
            let change = step(&mut state, 30) - before;
            let expected = (0.125 * 0.015 + 1.25 * 0.010) / divisor;
            assert!((change / expected - 1.0).abs() < 0.001, "{percent} %: {change}, expected {expected}");
        }
    }

    #[test]
    fn a_large_probability_rises_by_two_percent_at_most() {
        let mut state = State { probability: MAX_PROBABILITY / 5, ..State::default() };
        assert!((step(&mut state, 200) - 0.22).abs() < 1e-6);
        // Above 250 ms, the same again (RFC 8033 §5.5).
        let mut state = State { probability: MAX_PROBABILITY / 5, ..State::default() };
        assert!((step(&mut state, 400) - 0.24).abs() < 1e-6);
    }

    #[test]
    fn an_idle_queue_forgets_by_a_64th_per_step_and_starts_anew() {
        let mut state = State { probability: MAX_PROBABILITY / 2, burst_ns: 0, ..State::default() };
        controller().update(&mut state, 0);
        let expected = (0.5 - 0.125 * 0.015) * (63.0 / 64.0);
        assert!((state.probability as f64 / MAX_PROBABILITY as f64 - expected).abs() < 1e-6);
        for _ in 0..10_000 {
            controller().update(&mut state, 0);
        }
        assert_eq!(state, State::default());
    }

    /// RFC 8033 §5.4: no drop before 0.85 of one is due, certain once 8.5 are; in between with the probability itself.
    #[test]
    fn drops_are_spread_out() {
        let mut random = Streams::new(1).stream("test", 0);
        let probability = MAX_PROBABILITY / 20 + 1;
        let mut state = State { probability, burst_ns: 0, delay_ns: 30 * NS_PER_MS, ..State::default() };
        let (mut since, mut spacings) = (0, Vec::new());
        for _ in 0..200_000 {
            since += 1;
            if controller().drops_early(&mut state, 100_000, 1_514, &mut random) {
                spacings.push(since);
                since = 0;
            }
        }
        assert!(spacings.iter().all(|spacing| (17..=170).contains(spacing)));
        let mean = f64::from(spacings.iter().sum::<i32>()) / spacings.len() as f64;
        // 16 passes, then geometric with 1/20, cut off at 170.
        assert!((mean / 36.0 - 1.0).abs() < 0.03, "{mean}");
    }

    #[test]
    fn short_queues_and_the_first_150_ms_are_spared() {
        let mut random = Streams::new(1).stream("test", 0);
        let fresh = State { probability: MAX_PROBABILITY, delay_ns: 30 * NS_PER_MS, ..State::default() };
        let spent = State { burst_ns: 0, ..fresh.clone() };
        let mut drops =
            |mut state: State, backlog_bytes| controller().drops_early(&mut state, backlog_bytes, 1_514, &mut random);
        assert!(!drops(fresh.clone(), 100_000), "the allowance is not used up");
        assert!(!drops(spent.clone(), 2 * 1_514 - 1), "fewer than two packets wait");
        assert!(drops(spent, 100_000));
        let mut state = fresh;
        for ms in 0..=150 {
            let departure = Departure { delay_ns: 30 * NS_PER_MS, frame_bytes: 1_514, left_bytes: 100_000 };
            assert_eq!(state.burst_ns, (150 - ms.max(1) + 1) * NS_PER_MS);
            controller().on_dequeue(&mut state, ms * NS_PER_MS, departure);
        }
        assert_eq!(state.burst_ns, 0);
    }
}
