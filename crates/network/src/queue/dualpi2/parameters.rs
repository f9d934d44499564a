//! The parameters of `tc qdisc add ... dualpi2`, and the values derived from them.

use fairlane_contract::Dualpi2Config;
use fairlane_engine::{NS_PER_MS, NS_PER_SEC};

use crate::queue::setup::Fault;

/// RFC 9332 Appendix A.1: the step above which every L4S packet is marked.
pub(super) const DEFAULT_STEP_NS: u64 = NS_PER_MS;

pub(in crate::queue) fn fault(config: &Dualpi2Config) -> Option<Fault> {
    let steps = (config.step_thresh_ns.is_some() && config.step_thresh_packets.is_some()).then_some((
        "step_thresh_ns",
        "and `step_thresh_packets` exclude each other",
        "remove one of them",
    ));
    let rtts = rtts(config).and_then(|(typical_ns, max_ns)| fault_of_rtts(config, typical_ns, max_ns));
    rtts.or(steps)
}

/// The controller's parameters, derived from round-trip times (RFC 9332 Appendix A.1) in Linux's units of 1/256 Hz,
/// rounded down as tc does.
pub(super) fn resolved(config: &Dualpi2Config) -> Dualpi2Config {
    let Some((typical_ns, max_ns)) = rtts(config) else { return config.clone() };
    let tupdate_ns = typical_ns.min(max_ns / 3).max(1);
    let (alpha_hz, beta_hz) = weights_hz(tupdate_ns, max_ns);
    Dualpi2Config { target_ns: typical_ns, tupdate_ns, alpha_hz, beta_hz, ..config.clone() }
}

/// The typical and the maximum RTT, if either is given.
fn rtts(config: &Dualpi2Config) -> Option<(u64, u64)> {
    match (config.typical_rtt_ns, config.max_rtt_ns) {
        (None, None) => None,
        (Some(typical_ns), None) => Some((typical_ns, typical_ns.saturating_mul(TYPICAL_TO_MAX))),
        (None, Some(max_ns)) => Some(((max_ns / TYPICAL_TO_MAX).max(1), max_ns)),
        (Some(typical_ns), Some(max_ns)) => Some((typical_ns, max_ns)),
    }
}

fn fault_of_rtts(config: &Dualpi2Config, typical_ns: u64, max_ns: u64) -> Option<Fault> {
    let usual = Dualpi2Config::default();
    let is_set_twice = (config.target_ns, config.tupdate_ns) != (usual.target_ns, usual.tupdate_ns)
        || (config.alpha_hz, config.beta_hz) != (usual.alpha_hz, usual.beta_hz);
    let resolved = resolved(config);
    if typical_ns > max_ns {
        Some(("typical_rtt_ns", "is above `max_rtt_ns`", "give at most the longest RTT"))
    } else if is_set_twice {
        Some(("max_rtt_ns", "sets `target_ns`, `tupdate_ns`, `alpha_hz` and `beta_hz`", "leave those out, or the RTTs"))
    } else if resolved.alpha_hz <= 0.0 || resolved.beta_hz <= 0.0 {
        Some(("max_rtt_ns", "is too long: the weights round to 0", "give a shorter one"))
    } else {
        (resolved.beta_hz > MAX_WEIGHT_HZ).then_some(("max_rtt_ns", "is below 300 ns", "give a longer one"))
    }
}

/// RFC 9332 Appendix A.1: alpha is 0.1 × tupdate / max_rtt², beta 0.3 / max_rtt.
fn weights_hz(tupdate_ns: u64, max_rtt_ns: u64) -> (f64, f64) {
    let per_s = NS_PER_SEC as f64 / max_rtt_ns as f64;
    let rounded_down = |hz: f64| (hz * 256.0).floor() / 256.0;
    (rounded_down(0.1 * tupdate_ns as f64 / max_rtt_ns as f64 * per_s), rounded_down(0.3 * per_s))
}

/// tc: the longest RTT is assumed to be six times the typical RTT.
const TYPICAL_TO_MAX: u64 = 6;

const MAX_WEIGHT_HZ: f64 = 1e6;

#[cfg(test)]
mod tests {
    use super::*;

    fn of_rtts(typical_ms: Option<u64>, max_ms: Option<u64>) -> (u64, u64, f64, f64) {
        let ns = |ms: u64| ms * NS_PER_MS;
        let config =
            Dualpi2Config { typical_rtt_ns: typical_ms.map(ns), max_rtt_ns: max_ms.map(ns), ..Default::default() };
        assert_eq!(fault(&config), None);
        let made = resolved(&config);
        (made.target_ns / NS_PER_MS, made.tupdate_ns / NS_PER_MS, made.alpha_hz * 256.0, made.beta_hz * 256.0)
    }

    /// 0.1 × 0.02 s / (0.2 s)² is 0.05 Hz, 12.8 units; 0.3 / 0.2 s is 1.5 Hz, 384 units.
    #[test]
    fn round_trips_set_the_controller() {
        assert_eq!(of_rtts(Some(20), Some(200)), (20, 20, 12.0, 384.0));
        assert_eq!(of_rtts(None, Some(300)), (50, 50, 14.0, 256.0));
        assert_eq!(of_rtts(Some(50), None), (50, 50, 14.0, 256.0));
        assert_eq!(of_rtts(Some(90), Some(90)), (90, 30, 94.0, 853.0));
    }

    #[test]
    fn without_round_trips_nothing_changes() {
        let config = Dualpi2Config::default();
        assert_eq!(resolved(&config), config);
    }
}
