//! What `tc qdisc add ... dualpi2` may be told, and what follows from it.

use fairlane_engine::{NS_PER_MS, NS_PER_SEC};
use serde::Deserialize;

use crate::queue::config::{time, zero, Fault};

/// As `tc qdisc add ... dualpi2`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Dualpi2Config {
    /// Of both queues together.
    pub limit_packets: u64,
    /// Of both queues together, the kernel's own share included; absent means two full frames for each packet of the limit.
    pub memlimit_bytes: Option<u64>,
    /// The longest round trip that classic senders have: sets the four that follow, as RFC 9332 Appendix A.1 derives them.
    pub max_rtt_ns: Option<u64>,
    /// The usual one, a sixth of the longest unless said otherwise.
    pub typical_rtt_ns: Option<u64>,
    /// Waiting time that the controller aims at.
    pub target_ns: u64,
    pub tupdate_ns: u64,
    /// Weight of the distance to the target, per second.
    pub alpha_hz: f64,
    /// Weight of the trend, per second.
    pub beta_hz: f64,
    /// The k in k × p.
    pub coupling_factor: u32,
    /// L4S packets that waited longer are marked; absent with `step_thresh_packets`.
    pub step_thresh_ns: Option<u64>,
    /// The same as a length of the L4S queue.
    pub step_thresh_packets: Option<u64>,
    /// The step marks nothing while fewer packets wait in the L4S queue.
    pub min_qlen_step_packets: u64,
    /// Percent of the link that classic packets get while both kinds wait.
    pub classic_protection_percent: u32,
    /// Drop L4S packets, too, once marking all of them does not help; else queues grow to the limit.
    pub drop_on_overload: bool,
    /// Drop on arrival instead of on departure.
    pub drop_enqueue: bool,
    /// Every sender that understands ECN counts as scalable, not only ECT(1).
    pub any_ect: bool,
}

impl Default for Dualpi2Config {
    fn default() -> Self {
        Self {
            limit_packets: 10_000,
            memlimit_bytes: None,
            max_rtt_ns: None,
            typical_rtt_ns: None,
            target_ns: 15 * NS_PER_MS,
            tupdate_ns: 16 * NS_PER_MS,
            alpha_hz: 0.16,
            beta_hz: 3.2,
            coupling_factor: 2,
            step_thresh_ns: None,
            step_thresh_packets: None,
            min_qlen_step_packets: 0,
            classic_protection_percent: 10,
            drop_on_overload: true,
            drop_enqueue: false,
            any_ect: false,
        }
    }
}

/// RFC 9332 Appendix A.1: the step above which every L4S packet is marked.
pub(super) const DEFAULT_STEP_NS: u64 = NS_PER_MS;

impl Dualpi2Config {
    pub(in crate::queue) fn fault(&self) -> Option<Fault> {
        let weight =
            |key, hz: f64| (!(0.0..=MAX_WEIGHT_HZ).contains(&hz)).then_some((key, "must be 0 to 1000000 per second"));
        let coupling = (!(1..=255).contains(&self.coupling_factor))
            .then_some(("coupling_factor", "must be 1 to 255 (RFC 9332: 2, equal rates at equal round trips)"));
        let protection = (self.classic_protection_percent > 100)
            .then_some(("classic_protection_percent", "is above 100; give 0 to 100 (Linux: 10)"));
        let steps = (self.step_thresh_ns.is_some() && self.step_thresh_packets.is_some())
            .then_some(("step_thresh_ns", "and step_thresh_packets exclude each other; leave one of them out"));
        let rtts = self.rtts().and_then(|(typical_ns, max_ns)| self.fault_of_rtts(typical_ns, max_ns));
        zero("limit_packets", self.limit_packets)
            .or(zero("memlimit_bytes", self.memlimit_bytes))
            .or(time("max_rtt_ns", self.max_rtt_ns))
            .or(time("typical_rtt_ns", self.typical_rtt_ns))
            .or(rtts)
            .or(time("target_ns", self.target_ns))
            .or(time("tupdate_ns", self.tupdate_ns))
            .or(weight("alpha_hz", self.alpha_hz))
            .or(weight("beta_hz", self.beta_hz))
            .or(coupling)
            .or(protection)
            .or(steps)
    }

    /// What the controller works with: round trips become its four parameters (RFC 9332 Appendix A.1), in Linux's units
    /// of 1/256 Hz, rounded down as tc does.
    pub(super) fn resolved(&self) -> Self {
        let Some((typical_ns, max_ns)) = self.rtts() else { return self.clone() };
        let tupdate_ns = typical_ns.min(max_ns / 3).max(1);
        let (alpha_hz, beta_hz) = weights_hz(tupdate_ns, max_ns);
        Self { target_ns: typical_ns, tupdate_ns, alpha_hz, beta_hz, ..self.clone() }
    }

    /// The usual round trip and the longest one, where either is given.
    fn rtts(&self) -> Option<(u64, u64)> {
        match (self.typical_rtt_ns, self.max_rtt_ns) {
            (None, None) => None,
            (Some(typical_ns), None) => Some((typical_ns, typical_ns.saturating_mul(TYPICAL_TO_MAX))),
            (None, Some(max_ns)) => Some(((max_ns / TYPICAL_TO_MAX).max(1), max_ns)),
            (Some(typical_ns), Some(max_ns)) => Some((typical_ns, max_ns)),
        }
    }

    fn fault_of_rtts(&self, typical_ns: u64, max_ns: u64) -> Option<Fault> {
        let usual = Self::default();
        let is_set_twice = (self.target_ns, self.tupdate_ns) != (usual.target_ns, usual.tupdate_ns)
            || (self.alpha_hz, self.beta_hz) != (usual.alpha_hz, usual.beta_hz);
        let resolved = self.resolved();
        if typical_ns > max_ns {
            Some(("typical_rtt_ns", "is above max_rtt_ns; give at most the longest round trip"))
        } else if is_set_twice {
            Some((
                "max_rtt_ns",
                "sets target_ns, tupdate_ns, alpha_hz and beta_hz; leave those out, or the round trips",
            ))
        } else if resolved.alpha_hz <= 0.0 || resolved.beta_hz <= 0.0 {
            Some(("max_rtt_ns", "is so long that the weights round to 0; give a shorter one"))
        } else {
            (resolved.beta_hz > MAX_WEIGHT_HZ).then_some(("max_rtt_ns", "is below 300 ns; give a longer one"))
        }
    }
}

/// RFC 9332 Appendix A.1: alpha is 0.1 × tupdate / max_rtt², beta 0.3 / max_rtt.
fn weights_hz(tupdate_ns: u64, max_rtt_ns: u64) -> (f64, f64) {
    let per_s = NS_PER_SEC as f64 / max_rtt_ns as f64;
    let rounded_down = |hz: f64| (hz * 256.0).floor() / 256.0;
    (rounded_down(0.1 * tupdate_ns as f64 / max_rtt_ns as f64 * per_s), rounded_down(0.3 * per_s))
}

/// tc: the longest round trip is taken for six usual ones.
const TYPICAL_TO_MAX: u64 = 6;

const MAX_WEIGHT_HZ: f64 = 1e6;

#[cfg(test)]
mod tests {
    use super::*;

    fn resolved(typical_ms: Option<u64>, max_ms: Option<u64>) -> (u64, u64, f64, f64) {
        let ns = |ms: u64| ms * NS_PER_MS;
        let config =
            Dualpi2Config { typical_rtt_ns: typical_ms.map(ns), max_rtt_ns: max_ms.map(ns), ..Default::default() };
        assert_eq!(config.fault(), None);
        let made = config.resolved();
        (made.target_ns / NS_PER_MS, made.tupdate_ns / NS_PER_MS, made.alpha_hz * 256.0, made.beta_hz * 256.0)
    }

    /// 0.1 × 0.02 s / (0.2 s)² is 0.05 Hz, 12.8 units; 0.3 / 0.2 s is 1.5 Hz, 384 units.
    #[test]
    fn round_trips_set_the_controller() {
        assert_eq!(resolved(Some(20), Some(200)), (20, 20, 12.0, 384.0));
        assert_eq!(resolved(None, Some(300)), (50, 50, 14.0, 256.0));
        assert_eq!(resolved(Some(50), None), (50, 50, 14.0, 256.0));
        assert_eq!(resolved(Some(90), Some(90)), (90, 30, 94.0, 853.0));
    }

    #[test]
    fn without_round_trips_nothing_changes() {
        let config = Dualpi2Config::default();
        assert_eq!(config.resolved(), config);
    }
}
