//! Checks the configuration of a router.

use fairlane_contract::RouterConfig;

use crate::queue::setup::{time, zero, Fault};

pub(in crate::queue) fn fault(config: &RouterConfig) -> Option<Fault> {
    let no_merging = (config.merge_packets == 0).then_some((
        "merge_packets",
        "is 0",
        "give 2 or more, or leave out `merge_interval_ns` to merge none",
    ));
    let forwarding = time("forwarding_ns", (config.forwarding_ns > 0).then_some(config.forwarding_ns));
    zero("limit_packets", config.limit_packets)
        .or(forwarding)
        .or_else(|| time("merge_interval_ns", config.merge_interval_ns))
        .or(no_merging)
}
