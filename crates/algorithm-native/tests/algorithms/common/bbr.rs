//! Shared by the tests of all versions of BBR: their bottleneck, and the rate after an idle period.

use super::path::Path;
use super::{Flow, MSS};
use fairlane_congestion_control::CaEvent;

pub const DELAY_US: f64 = 40_000.0;

/// A bottleneck of 40 Mbit/s and a delay of 40 ms: 138 packets of bandwidth-delay product.
pub fn path_of(algorithm: &str, parameters: &[(&str, i64)]) -> Path {
    let mut flow = Flow::start(algorithm, parameters, DELAY_US as u32);
    flow.sock.fairlane_random = 12_345;
    Path::new(flow, 40.0, DELAY_US)
}

/// The pacing gain with which an idle flow in steady state starts again.
pub fn gain_after_idling(mut path: Path) -> f64 {
    path.run_to(3.0);
    path.flow.sock.app_limited = path.flow.sock.delivered;
    path.flow.control.cwnd_event(&mut path.flow.sock, CaEvent::TxStart);
    path.flow.sock.sk_pacing_rate as f64 * path.service_us / (f64::from(MSS) * 1e6)
}
