//! Which limit held a flow, as shares of its time.

use crate::FlowTally;
use fairlane_contract::SendLimits;
use fairlane_transport::SendLimit;

/// The names of the limits in results; of two with the same share, the first is reported.
const NAMES: [(&str, SendLimit); 6] = [
    ("receive window", SendLimit::ReceiveWindow),
    ("send buffer", SendLimit::SendBuffer),
    ("small queue", SendLimit::SmallQueue),
    ("application", SendLimit::Application),
    ("cwnd", SendLimit::CongestionWindow),
    ("pacing", SendLimit::Pacing),
];

/// The shares, from the difference of two tallies.
pub fn send_limits(counted: &FlowTally) -> SendLimits {
    if counted.at_ns == 0 || counted.limits_ns == [0; SendLimit::COUNT] {
        return SendLimits::default();
    }
    let ns = |limit: SendLimit| match limit {
        SendLimit::Application => counted.limits_ns[limit as usize] + counted.limits_ns[SendLimit::Idle as usize],
        limit => counted.limits_ns[limit as usize],
    };
    let share_of = |ns: u64| Some(ns as f64 / counted.at_ns as f64);
    let share = |limit| share_of(ns(limit));
    let most = NAMES.iter().rev().max_by_key(|(_, limit)| ns(*limit)).filter(|(_, limit)| ns(*limit) > 0);
    SendLimits {
        busy_share: share_of(counted.limits_ns[SendLimit::Application as usize..].iter().sum()),
        rwnd_limited_share: share(SendLimit::ReceiveWindow),
        sndbuf_limited_share: share(SendLimit::SendBuffer),
        small_queue_limited_share: share(SendLimit::SmallQueue),
        app_limited_share: share(SendLimit::Application),
        cwnd_limited_share: share(SendLimit::CongestionWindow),
        pacing_limited_share: share(SendLimit::Pacing),
        limited_by: most.map(|&(name, _)| name.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tally(limits: &[(SendLimit, u64)]) -> FlowTally {
        let mut tally = FlowTally { at_ns: 1_000, ..FlowTally::default() };
        for &(limit, ns) in limits {
            tally.limits_ns[limit as usize] = ns;
        }
        tally
    }

    #[test]
    fn shares_are_of_the_measured_time_and_the_largest_is_named() {
        let limits = send_limits(&tally(&[
            (SendLimit::Handshake, 100),
            (SendLimit::Idle, 200),
            (SendLimit::Application, 50),
            (SendLimit::ReceiveWindow, 400),
            (SendLimit::CongestionWindow, 250),
        ]));
        assert_eq!((limits.busy_share, limits.app_limited_share), (Some(0.7), Some(0.25)));
        assert_eq!((limits.rwnd_limited_share, limits.cwnd_limited_share), (Some(0.4), Some(0.25)));
        assert_eq!((limits.pacing_limited_share, limits.sndbuf_limited_share), (Some(0.0), Some(0.0)));
        assert_eq!(limits.limited_by.as_deref(), Some("receive window"));
    }

    #[test]
    fn of_equal_shares_the_first_is_named_and_none_without_any() {
        let equal = tally(&[(SendLimit::CongestionWindow, 500), (SendLimit::Pacing, 500)]);
        assert_eq!(send_limits(&equal).limited_by.as_deref(), Some("cwnd"));
        assert_eq!(send_limits(&tally(&[(SendLimit::Handshake, 900)])).limited_by, None);
        assert_eq!(send_limits(&tally(&[])).busy_share, None, "a transport that does not count");
    }
}
