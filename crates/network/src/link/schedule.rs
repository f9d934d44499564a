//! The scheduled changes of a link's rate and delay, its pauses, and the resulting capacity.

use std::collections::VecDeque;

use fairlane_engine::{Streams, NS_PER_SEC};

use crate::impairments;
use crate::medium::StationId;
use crate::outages::Outages;
use fairlane_contract::{ChangeConfig, LinkConfig, WhenDown};

pub(super) struct Schedule {
    /// Scheduled changes, and pauses as far as they have been needed, in order of time.
    steps: VecDeque<Step>,
    /// Outages in which the transmitter pauses; their present one is the next that is not in `steps`.
    pauses: Vec<Outages>,
    burst_bytes: Option<u32>,
    /// Capacity offered before `since_ns`, in bits × 10⁹; none while the link was infinitely fast.
    earlier_bit_ns: Option<u128>,
    since_ns: u64,
    /// End of the last frame that was transmitted before the present or last pause, and end of that pause.
    before_pause_ns: (u64, u64),
}

/// An entry of the schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Step {
    pub at_ns: u64,
    pub change: Change,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Change {
    /// New rate and delay, where given.
    Values { rate_bps: Option<u64>, delay_ns: Option<u64> },
    /// The transmitter sends nothing before this time.
    Pause { until_ns: u64 },
}

impl Schedule {
    pub fn new(config: &LinkConfig, station: StationId, streams: &Streams) -> Self {
        let stream = |kind: &str| streams.stream(kind, u64::from(station.0));
        let changes = config.changes.iter().filter(|change| change.rate_bps.is_some() || change.delay_ns.is_some());
        let step = |change: &ChangeConfig| Step {
            at_ns: change.at_ns,
            change: Change::Values { rate_bps: change.rate_bps, delay_ns: change.delay_ns },
        };
        let mut schedule = Self {
            steps: changes.map(step).collect(),
            pauses: impairments::outages(config, WhenDown::Hold, &stream),
            burst_bytes: config.burst_bytes,
            earlier_bit_ns: None,
            since_ns: 0,
            before_pause_ns: (0, 0),
        };
        schedule.draw_pause();
        schedule
    }

    pub fn burst_bytes(&self) -> Option<u32> {
        self.burst_bytes
    }

    pub fn next_ns(&self) -> Option<u64> {
        self.steps.front().map(|step| step.at_ns)
    }

    /// The shortest delay from now on; the present one is `delay_ns`.
    pub fn min_delay_ns(&self, delay_ns: u64) -> u64 {
        let coming = self.steps.iter().filter_map(|step| match step.change {
            Change::Values { delay_ns, .. } => delay_ns,
            Change::Pause { .. } => None,
        });
        coming.fold(delay_ns, u64::min)
    }

    /// Adds a step; whether it is the next one.
    pub fn insert(&mut self, step: Step) -> bool {
        let place = self.steps.partition_point(|other| other.at_ns <= step.at_ns);
        self.steps.insert(place, step);
        place == 0
    }

    /// The next step, which is due; until then the link had the rate `rate_bps`.
    pub fn take(&mut self, rate_bps: Option<u64>) -> Option<Step> {
        let step = self.steps.pop_front()?;
        self.earlier_bit_ns = self.capacity_bit_ns(step.at_ns, rate_bps);
        self.since_ns = self.since_ns.max(step.at_ns);
        if let Change::Pause { until_ns } = step.change {
            self.since_ns = self.since_ns.max(until_ns);
            self.draw_pause();
        }
        Some(step)
    }

    /// Draws the next pause if none is among the steps.
    fn draw_pause(&mut self) {
        if self.steps.iter().any(|step| matches!(step.change, Change::Pause { .. })) {
            return;
        }
        self.draw_pause_before(u64::MAX);
    }

    /// Moves the next pause to the steps if it starts before `end_ns`.
    fn draw_pause_before(&mut self, end_ns: u64) -> bool {
        let next = self.pauses.iter_mut().min_by_key(|pause| pause.present().0);
        let Some(next) = next.filter(|pause| pause.present().0 < end_ns) else { return false };
        let (at_ns, until_ns) = next.present();
        next.draw();
        self.insert(Step { at_ns, change: Change::Pause { until_ns } });
        true
    }

    /// Notes that the transmitter, whose last frame ends at `end_ns`, pauses until `until_ns`.
    pub fn pause(&mut self, end_ns: u64, until_ns: u64) {
        self.before_pause_ns = (end_ns, until_ns);
    }

    /// End of the last transmission, of a transmitter that sends nothing before `free_ns`.
    pub fn end_of_frame_ns(&self, free_ns: u64) -> u64 {
        let (end_ns, until_ns) = self.before_pause_ns;
        if free_ns == until_ns {
            end_ns
        } else {
            free_ns
        }
    }

    /// When a frame ends that the transmitter would complete at `end_ns` at the rate `rate_bps`, with the changes and
    /// pauses until then. `early_bit_ns`: how far its exact end lies before `end_ns`, in bits × 10⁹.
    pub fn end_across_steps(&mut self, end_ns: u64, mut rate_bps: u64, early_bit_ns: u64) -> u64 {
        let Some(mut clock_ns) = self.next_ns() else { return end_ns };
        // Bits × 10⁹ that are left at `clock_ns`.
        let mut left = u128::from(end_ns - clock_ns) * u128::from(rate_bps) - u128::from(early_bit_ns);
        let mut number = 0;
        loop {
            let end_ns = clock_ns + left.div_ceil(u128::from(rate_bps)) as u64;
            let Some(step) = self.step(number, end_ns) else { return end_ns };
            if step.at_ns > clock_ns {
                left -= u128::from(step.at_ns - clock_ns) * u128::from(rate_bps);
                clock_ns = step.at_ns;
            }
            match step.change {
                Change::Values { rate_bps: new_bps, .. } => rate_bps = new_bps.unwrap_or(rate_bps),
                Change::Pause { until_ns } => clock_ns = clock_ns.max(until_ns),
            }
            number += 1;
        }
    }

    /// A coming step before `end_ns`. Pauses are drawn as far as that.
    fn step(&mut self, number: usize, end_ns: u64) -> Option<Step> {
        while self.draw_pause_before(end_ns) {}
        self.steps.get(number).copied().filter(|step| step.at_ns < end_ns)
    }

    /// Bytes that the transmitter could have sent until `now_ns`, at the present rate and those before.
    pub fn capacity_bytes(&self, now_ns: u64, rate_bps: Option<u64>) -> Option<u64> {
        self.capacity_bit_ns(now_ns, rate_bps).map(|bit_ns| (bit_ns / u128::from(8 * NS_PER_SEC)) as u64)
    }

    fn capacity_bit_ns(&self, now_ns: u64, rate_bps: Option<u64>) -> Option<u128> {
        let present = rate_bps.map(|rate| u128::from(rate) * u128::from(now_ns.saturating_sub(self.since_ns)));
        match (self.earlier_bit_ns, present) {
            (None, None) => None,
            (earlier, present) => Some(earlier.unwrap_or(0) + present.unwrap_or(0)),
        }
    }
}
