//! The values that tc computes from RED's parameters and passes to the kernel.

use crate::queue::setup::Fault;
use fairlane_contract::Problem;
use fairlane_contract::RedConfig;

/// The slope of the drop probability lies between these.
pub(super) struct Thresholds {
    pub min_bytes: u64,
    pub max_bytes: u64,
    /// Probability at max, in units of 2⁻³².
    probability: u64,
}

/// Decay of the mean while the queue is idle: by powers of two from a table, linearly before the first of them.
pub(super) struct Damping {
    shifts: [u8; 256],
    /// A cell of the table stands for 2^this microseconds.
    cell_log: u32,
}

pub(super) struct Numbers {
    pub weight_log: u32,
    pub thresholds: Thresholds,
    pub damping: Damping,
}

const ONE_PERCENT: u64 = 42_949_673; // 2³² / 100, rounded
const TICK_NS: f64 = 64.0;

pub(super) fn compute(config: &RedConfig) -> Result<Numbers, Fault> {
    let (min_bytes, max_bytes) = thresholds(config);
    if min_bytes == 0 || min_bytes >= max_bytes {
        return Err((
            "min_bytes",
            "is out of range",
            "give more than 0 and less than `max_bytes` (default: a third of it)",
        ));
    }
    if max_bytes > config.limit_bytes || max_bytes > MAX_BYTES {
        return Err((
            "max_bytes",
            "is above `limit_bytes` or 4 GiB",
            "give at most the limit, which should be the largest",
        ));
    }
    let burst_packets = config.burst_packets.unwrap_or_else(|| (2 * min_bytes + max_bytes) / (3 * config.avpkt_bytes));
    let weight_log = weight_log(min_bytes, burst_packets, config.avpkt_bytes)?;
    Ok(Numbers {
        weight_log,
        thresholds: Thresholds {
            min_bytes,
            max_bytes,
            probability: ((config.probability * (1_u64 << 32) as f64) as u64).min(u64::from(u32::MAX)),
        },
        damping: Damping::new(weight_log, config)?,
    })
}

pub(in crate::queue) fn problem(config: &RedConfig) -> Option<Problem> {
    let (key, what, remedy) = compute(config).err()?;
    let is_derived = match key {
        "min_bytes" => config.min_bytes.is_none(),
        "max_bytes" => config.max_bytes.is_none(),
        "burst_packets" => config.burst_packets.is_none(),
        _ => false,
    };
    match is_derived.then(|| enough_bytes(config)).flatten() {
        Some(bytes) => {
            let what = "is too small for the thresholds that follow from it";
            Some(Problem::new("limit_bytes", what, format!("give {bytes} bytes or more")))
        }
        None => Some(Problem::new(key, what, remedy)),
    }
}

const MAX_STEPS: u64 = 1_000;

/// The smallest limit, in steps of one packet, that would be valid with the other parameters unchanged.
fn enough_bytes(config: &RedConfig) -> Option<u64> {
    let larger = |packets: u64| RedConfig {
        limit_bytes: config.limit_bytes.saturating_add(packets.saturating_mul(config.avpkt_bytes)),
        ..config.clone()
    };
    let last_wrong = (0..MAX_STEPS).rev().find(|&packets| compute(&larger(packets)).is_err())?;
    (last_wrong + 1 < MAX_STEPS).then(|| larger(last_wrong + 1).limit_bytes)
}

/// Thresholds times 2^Wlog fit 64 bits.
const MAX_BYTES: u64 = 1 << 32;

fn thresholds(config: &RedConfig) -> (u64, u64) {
    let max_bytes = config.max_bytes.or(config.min_bytes.map(|min| min * 3)).unwrap_or(config.limit_bytes / 4);
    (config.min_bytes.unwrap_or(max_bytes / 3), max_bytes)
}

/// The smallest Wlog with which `burst` packets in a row leave the mean of an empty queue below min (Floyd and Jacobson
/// §6, upper bound for w).
fn weight_log(min_bytes: u64, burst_packets: u64, avpkt_bytes: u64) -> Result<u32, Fault> {
    let excess = burst_packets as f64 + 1.0 - min_bytes as f64 / avpkt_bytes as f64;
    if excess < 1.0 {
        return Err(("burst_packets", "is too small for `min_bytes`", "give at least `min_bytes` / `avpkt_bytes`"));
    }
    let mut weight = 0.5_f64;
    for log in 1..32 {
        if excess <= (1.0 - power(1.0 - weight, burst_packets)) / weight {
            return Ok(log);
        }
        weight /= 2.0;
    }
    Err(("burst_packets", "is too large for any moving average", "give less"))
}

impl Thresholds {
    /// The spacing between drops, from a random number of 32 bits: uniform from 0 to (max − min) / probability, in
    /// packets times the bytes by which the mean exceeds min.
    #[inline]
    pub fn spacing(&self, random: u32) -> u64 {
        let slope_bytes = u128::from(self.max_bytes - self.min_bytes);
        (u128::from(random) * slope_bytes / u128::from(self.probability.max(1))) as u64
    }

    /// Adaptive RED (Floyd, Gummadi and Shenker 2001 §4): additive increase above the middle of the slope,
    /// multiplicative decrease below it.
    pub fn adapt(&mut self, mean_bytes: u64) {
        let fifth = (self.max_bytes - self.min_bytes) / 5;
        if mean_bytes > self.min_bytes + 3 * fifth && self.probability <= 50 * ONE_PERCENT {
            self.probability += ONE_PERCENT.min(self.probability / 4);
        } else if mean_bytes < self.min_bytes + 2 * fifth && self.probability >= ONE_PERCENT {
            self.probability = self.probability / 10 * 9;
        }
    }
}

impl Damping {
    /// tc tabulates powers of e, in cells of time counted in ticks of 64 ns; the kernel reads them as powers of two,
    /// and the cells as microseconds. So in Linux the mean of an idle queue decays 22.5 times more slowly than in the
    /// paper.
    fn new(weight_log: u32, config: &RedConfig) -> Result<Self, Fault> {
        let packet_ns = config.avpkt_bytes as f64 * 8e9 / config.bandwidth_bps as f64;
        let packet_ticks = (packet_ns / TICK_NS).ceil();
        let halvings_per_tick = minus_ln_one_minus(1.0 / (1_u64 << weight_log) as f64) / packet_ticks;
        let longest_ticks = 31.0 / halvings_per_tick;
        let cell_log = (0..32).find(|&log| longest_ticks / ((1_u64 << log) as f64) < 512.0);
        let cell_log =
            cell_log.ok_or(("bandwidth_bps", "is too low for `burst_packets`", "give the rate of the link"))?;
        let mut shifts = [31; 256];
        for (cell, shift) in shifts.iter_mut().enumerate().take(255) {
            *shift = (((cell << cell_log) as f64) * halvings_per_tick).min(31.0) as u8;
        }
        Ok(Self { shifts, cell_log })
    }

    pub fn decayed(&self, scaled: u64, idle_us: u64) -> u64 {
        let idle_us = idle_us.min(255 << self.cell_log);
        match self.shifts[(idle_us >> self.cell_log) as usize] {
            0 => {
                scaled
                    - ((u128::from(scaled) * u128::from(idle_us)) >> self.cell_log).min(u128::from(scaled / 2)) as u64
            }
            shift => scaled >> shift,
        }
    }
}

/// Repeated squaring, because the last bits of the platform's `pow` may differ between machines.
fn power(base: f64, mut exponent: u64) -> f64 {
    let (mut result, mut square) = (1.0, base);
    while exponent > 0 {
        if exponent & 1 == 1 {
            result *= square;
        }
        square *= square;
        exponent >>= 1;
    }
    result
}

/// −ln(1 − x) by its series, for the same reason; x is at most a half.
fn minus_ln_one_minus(x: f64) -> f64 {
    let (mut sum, mut term) = (0.0, x);
    for n in 1..=64 {
        sum += term / f64::from(n);
        term *= x;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Floyd and Jacobson §6, equation 3, for a min of 32 packets; and the example of tc's manual.
    #[test]
    fn the_weight_follows_from_the_burst() {
        for (log, longest_burst) in [(1, 32), (2, 34), (3, 38), (4, 46), (5, 57), (6, 75)] {
            assert_eq!(weight_log(32_000, longest_burst, 1_000), Ok(log), "burst {longest_burst}");
            assert_eq!(weight_log(32_000, longest_burst + 1, 1_000), Ok(log + 1));
        }
        assert_eq!(weight_log(30_000, 55, 1_000), Ok(5));
        assert!(weight_log(30_000, 29, 1_000).is_err());
    }

    #[test]
    fn series_and_squaring_agree_with_the_library() {
        for x in [0.5, 0.25, 0.031_25, 1.0 / 1_024.0] {
            assert!((minus_ln_one_minus(x) + (1.0 - x).ln()).abs() < 1e-15);
            assert!((power(1.0 - x, 55) - (1.0 - x).powi(55)).abs() < 1e-12);
        }
    }
}
