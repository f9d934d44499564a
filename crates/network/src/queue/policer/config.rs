//! What a policer may be told, and which of it makes no sense.

use serde::Deserialize;

use crate::queue::config::Fault;

/// As `tc ... action police ... conform-exceed drop`. A rate of bytes or one of packets, each with its burst.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PolicerConfig {
    pub rate_bps: Option<u64>,
    /// Largest burst that passes at once; a larger frame never does.
    pub burst_bytes: Option<u32>,
    /// The rate within a burst; what passes at once at this rate is one frame of `mtu_bytes`.
    pub peakrate_bps: Option<u64>,
    /// Larger frames are dropped.
    pub mtu_bytes: Option<u32>,
    pub pkts_rate_pps: Option<u64>,
    /// As many packets pass at once.
    pub pkts_burst_packets: Option<u32>,
}

/// The arithmetic of rates keeps a remainder below the rate in 64 bits; a packet counts as eight bits there.
const MAX_RATE_BPS: u64 = 1_000_000_000_000_000;
const MAX_RATE_PPS: u64 = 100_000_000_000_000;
/// A burst's bits times 10⁹ fit 64 bits.
const MAX_BURST: u32 = 1_000_000_000;

impl PolicerConfig {
    pub(in crate::queue) fn fault(&self) -> Option<Fault> {
        self.wrong_pairs().or_else(|| self.out_of_range()).or_else(|| self.wrong_peak())
    }

    /// In Linux, too, a rate needs its burst, and one action polices either bytes or packets.
    fn wrong_pairs(&self) -> Option<Fault> {
        match (self.rate_bps, self.pkts_rate_pps) {
            (None, None) => {
                Some(("rate_bps", "is missing; give it with burst_bytes, or pkts_rate_pps with pkts_burst_packets"))
            }
            (Some(_), Some(_)) => Some((
                "pkts_rate_pps",
                "and rate_bps exclude each other, as in Linux; leave one out, or police it on a link of its own",
            )),
            (Some(_), None) if self.burst_bytes.is_none() => {
                Some(("burst_bytes", "is missing; give the bytes that pass at once, at least one frame"))
            }
            (Some(_), None) => self.pkts_burst_packets.map(|_| {
                ("pkts_burst_packets", "belongs to pkts_rate_pps; leave it out, burst_bytes is the burst of rate_bps")
            }),
            (None, Some(_)) if self.pkts_burst_packets.is_none() => {
                Some(("pkts_burst_packets", "is missing; give the number of packets that pass at once"))
            }
            (None, Some(_)) => self.burst_bytes.map(|_| {
                ("burst_bytes", "belongs to rate_bps; leave it out, pkts_burst_packets is the burst of pkts_rate_pps")
            }),
        }
    }

    fn out_of_range(&self) -> Option<Fault> {
        let is_rate = |rate: Option<u64>, max: u64| rate.is_none_or(|rate| (1..=max).contains(&rate));
        let is_burst = |burst: Option<u32>| burst.is_none_or(|burst| (1..=MAX_BURST).contains(&burst));
        [
            (
                is_rate(self.rate_bps, MAX_RATE_BPS),
                ("rate_bps", "must be 1 to 10^15, the rate above which packets are dropped"),
            ),
            (
                is_burst(self.burst_bytes),
                ("burst_bytes", "must be 1 to 10^9, and at least one frame, or nothing passes"),
            ),
            (
                is_burst(self.mtu_bytes),
                ("mtu_bytes", "must be 1 to 10^9, the largest frame that passes; leave it out for any"),
            ),
            (
                is_rate(self.pkts_rate_pps, MAX_RATE_PPS),
                ("pkts_rate_pps", "must be 1 to 10^14, the packets per second above which packets are dropped"),
            ),
            (
                is_burst(self.pkts_burst_packets),
                ("pkts_burst_packets", "must be 1 to 10^9, the packets that pass at once"),
            ),
        ]
        .into_iter()
        .find_map(|(is_right, fault)| (!is_right).then_some(fault))
    }

    /// tc asks for the rate and the mtu as well. It takes a peak rate below the rate, which then never counts.
    fn wrong_peak(&self) -> Option<Fault> {
        let peakrate_bps = self.peakrate_bps?;
        let Some(rate_bps) = self.rate_bps else {
            return Some(("peakrate_bps", "needs rate_bps; leave it out, packets are policed at one rate only"));
        };
        if !(rate_bps + 1..=MAX_RATE_BPS).contains(&peakrate_bps) {
            return Some(("peakrate_bps", "must be above rate_bps and at most 10^15; leave it out for none"));
        }
        let missing = ("mtu_bytes", "is missing; with peakrate_bps give the largest frame, its burst");
        self.mtu_bytes.is_none().then_some(missing)
    }
}
