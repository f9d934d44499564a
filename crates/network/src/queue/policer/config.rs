//! Checks the configuration of a policer.

use fairlane_contract::PolicerConfig;

use crate::queue::setup::Fault;

/// Rate arithmetic keeps a remainder below the rate in 64 bits; a packet counts as eight bits there.
const MAX_RATE_BPS: u64 = 1_000_000_000_000_000;
const MAX_RATE_PPS: u64 = 100_000_000_000_000;
/// A burst's bits times 10⁹ fit 64 bits.
const MAX_BURST: u32 = 1_000_000_000;

pub(in crate::queue) fn fault(config: &PolicerConfig) -> Option<Fault> {
    wrong_pairs(config).or_else(|| out_of_range(config)).or_else(|| wrong_peak(config))
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

fn out_of_range(config: &PolicerConfig) -> Option<Fault> {
    let is_rate = |rate: Option<u64>, max: u64| rate.is_none_or(|rate| (1..=max).contains(&rate));
    let is_burst = |burst: Option<u32>| burst.is_none_or(|burst| (1..=MAX_BURST).contains(&burst));
    [
        (
            is_rate(config.rate_bps, MAX_RATE_BPS),
            ("rate_bps", "is out of range", "give 1 to 10^15, the rate above which packets are dropped"),
        ),
        (
            is_burst(config.burst_bytes),
            ("burst_bytes", "is out of range", "give 1 to 10^9, and at least one frame, or nothing passes"),
        ),
        (
            is_burst(config.mtu_bytes),
            ("mtu_bytes", "is out of range", "give 1 to 10^9, the largest frame that passes, or leave it out"),
        ),
        (
            is_rate(config.pkts_rate_pps, MAX_RATE_PPS),
            ("pkts_rate_pps", "is out of range", "give 1 to 10^14, the rate above which packets are dropped"),
        ),
        (
            is_burst(config.pkts_burst_packets),
            ("pkts_burst_packets", "is out of range", "give 1 to 10^9, the packets that pass at once"),
        ),
    ]
    .into_iter()
    .find_map(|(is_right, fault)| (!is_right).then_some(fault))
}

/// tc also requires the rate and the mtu. It accepts a peak rate below the rate, which then has no effect.
fn wrong_peak(config: &PolicerConfig) -> Option<Fault> {
    let peakrate_bps = config.peakrate_bps?;
    let Some(rate_bps) = config.rate_bps else {
        return Some(("peakrate_bps", "needs `rate_bps`", "leave it out, packets are policed at one rate only"));
    };
    if !(rate_bps + 1..=MAX_RATE_BPS).contains(&peakrate_bps) {
        return Some((
            "peakrate_bps",
            "is out of range",
            "give more than `rate_bps` and at most 10^15, or leave it out",
        ));
    }
    let missing = ("mtu_bytes", "is missing", "with `peakrate_bps` give the largest frame, its burst");
    config.mtu_bytes.is_none().then_some(missing)
}
