//! Checks the configuration of a policer.

use fairlane_contract::PolicerConfig;

use crate::queue::setup::Fault;

pub(in crate::queue) fn fault(config: &PolicerConfig) -> Option<Fault> {
    wrong_pairs(config).or_else(|| wrong_peak(config))
}

/// In Linux, too, a rate needs its burst, and one action polices either bytes or packets.
fn wrong_pairs(config: &PolicerConfig) -> Option<Fault> {
    match (config.rate_bps, config.pkts_rate_pps) {
        (None, None) => {
            Some(("rate_bps", "is missing", "give it with `burst_bytes`, or `pkts_rate_pps` with `pkts_burst_packets`"))
        }
        (Some(_), Some(_)) => Some((
            "pkts_rate_pps",
            "and `rate_bps` exclude each other, as in Linux",
            "remove one, or police it on a link of its own",
        )),
        (Some(_), None) if config.burst_bytes.is_none() => {
            Some(("burst_bytes", "is missing", "give the bytes that pass at once, at least one frame"))
        }
        (Some(_), None) => config.pkts_burst_packets.map(|_| {
            (
                "pkts_burst_packets",
                "belongs to `pkts_rate_pps`",
                "leave it out, `burst_bytes` is the burst of `rate_bps`",
            )
        }),
        (None, Some(_)) if config.pkts_burst_packets.is_none() => {
            Some(("pkts_burst_packets", "is missing", "give the number of packets that pass at once"))
        }
        (None, Some(_)) => config.burst_bytes.map(|_| {
            (
                "burst_bytes",
                "belongs to `rate_bps`",
                "leave it out, `pkts_burst_packets` is the burst of `pkts_rate_pps`",
            )
        }),
    }
}

/// tc also requires the rate and the mtu. It accepts a peak rate below the rate, which then has no effect.
fn wrong_peak(config: &PolicerConfig) -> Option<Fault> {
    let peakrate_bps = config.peakrate_bps?;
    let Some(rate_bps) = config.rate_bps else {
        return Some(("peakrate_bps", "needs `rate_bps`", "leave it out, packets are policed at one rate only"));
    };
    if peakrate_bps <= rate_bps {
        return Some(("peakrate_bps", "is not above `rate_bps`", "give more than `rate_bps`, or leave it out"));
    }
    let missing = ("mtu_bytes", "is missing", "with `peakrate_bps` give the largest frame, its burst");
    config.mtu_bytes.is_none().then_some(missing)
}
