//! The policer passes exactly the packets that conform to each of its limits over every interval.

use crate::common::{numbers, times, Arrival, Lab, Send, FULL, MS, SEC};
use fairlane_contract::LinkConfig;
use fairlane_network::check_link;
use proptest::prelude::*;

/// Ethernet's share of a frame.
const OVERHEAD: u32 = 14;
const US: u64 = 1_000;

/// A link without a rate behind a policer: packets that pass arrive at once.
fn lab(parameters: &str) -> Lab {
    let json = format!(r#"{{"name":"x","queue":{{"kind":"policer",{parameters}}}}}"#);
    let link: LinkConfig = serde_json::from_str(&json).unwrap_or_else(|error| panic!("{error}: {json}"));
    assert_eq!(check_link(&link), Ok(()), "{json}");
    Lab::one_link(link)
}

/// Packets at five times the rate: the burst and the rate pass, to within a packet.
#[test]
fn the_rate_passes_and_is_not_delayed() {
    let mut lab = lab(r#""rate_bps":12112000,"burst_bytes":15140"#);
    for number in 0..5_000 {
        lab = lab.send(number * MS / 5, FULL);
    }
    let arrivals = lab.run();
    assert_eq!(arrivals.len(), 10 + 999, "ten at once, one in each of the 999.8 ms");
    assert!(arrivals.iter().all(|arrival| arrival.at_ns == arrival.number * MS / 5));
    assert_eq!(lab.stats(SEC).dropped_packets, 5_000 - 1_009);
}

#[test]
fn frames_larger_than_the_burst_never_pass() {
    let mut lab = lab(r#""rate_bps":12112000,"burst_bytes":1513"#);
    lab = lab.send(0, FULL).send(0, FULL - 1).send(MS, FULL - 1);
    assert_eq!(numbers(&lab.run()), [1, 2]);
}

/// A frame per millisecond, ten in a burst, but no more than one in a tenth of a millisecond: the burst lasts for 1 ms.
#[test]
fn a_peak_rate_spreads_the_burst() {
    let mut lab = lab(r#""rate_bps":12112000,"burst_bytes":15140,"peakrate_bps":121120000,"mtu_bytes":1514"#);
    for slot in 0..=30 {
        lab = lab.send_many(2, slot * 100 * US, FULL);
    }
    let at_peak = (0..=10).map(|slot| slot * 100 * US);
    assert_eq!(times(&lab.run()), at_peak.chain([2 * MS, 3 * MS]).collect::<Vec<_>>());
}

/// Packets dropped for the mtu or the peak rate take no tokens from the rate.
#[test]
fn frames_above_the_mtu_are_dropped() {
    let mut lab = lab(r#""rate_bps":8000,"burst_bytes":3000,"mtu_bytes":1000"#);
    let fits = 1_000 - OVERHEAD;
    lab = lab.send_many(5, 0, fits + 1).send_many(3, 0, fits).send(0, 20);
    let arrivals = lab.run();
    assert_eq!(numbers(&arrivals), [5, 6, 7]);
    let mut peaked = self::lab(r#""rate_bps":8000,"burst_bytes":3000,"mtu_bytes":1000,"peakrate_bps":8000000"#);
    peaked = peaked.send_many(5, 0, fits).send_many(5, MS, fits).send_many(5, 2 * MS, fits).send_many(5, 3 * MS, fits);
    assert_eq!(times(&peaked.run()), [0, MS, 2 * MS]);
}

/// Large and small packets count equally.
#[test]
fn a_packet_rate_counts_packets() {
    let mut lab = lab(r#""pkts_rate_pps":1000,"pkts_burst_packets":10"#);
    for number in 0..5_000 {
        lab = lab.send(number * MS / 5, if number % 3 == 0 { FULL } else { 40 });
    }
    let arrivals = lab.run();
    assert_eq!(arrivals.len(), 10 + 999, "ten at once, one in each of the 999.8 ms");
    assert!(arrivals.iter().any(|arrival| arrival.ip_bytes == FULL));
    assert!(arrivals.iter().any(|arrival| arrival.ip_bytes == 40));
}

/// 20 s of excess traffic at rates without a common divisor: rate times time and the burst pass, to within one frame.
#[test]
fn over_a_long_time_the_rate_is_kept() {
    let bytes = r#""rate_bps":9999991,"burst_bytes":20011"#;
    let peak = format!(r#"{bytes},"peakrate_bps":17000023,"mtu_bytes":1514"#);
    let packets = r#""pkts_rate_pps":997,"pkts_burst_packets":13"#;
    let in_bits = (9_999_991, 8 * 20_011, 8 * 1_514);
    for (parameters, (rate, burst, amount)) in [(bytes, in_bits), (&peak, in_bits), (packets, (997, 13, 1))] {
        let mut lab = lab(parameters);
        for number in 0..40_000 {
            lab = lab.send(number * 500_009, FULL);
        }
        let last_ns = 39_999 * 500_009;
        let passed = lab.run().len() as u64 * amount * SEC;
        let most = burst * SEC + rate * last_ns;
        assert!(passed <= most && most < passed + amount * SEC, "{parameters}: {passed} of {most}");
    }
}

/// One limit: a rate per second, and a burst.
#[derive(Clone, Copy, Debug)]
struct Limit {
    rate_per_s: u64,
    burst: u64,
    /// Bits of frames; otherwise packets.
    is_in_bits: bool,
}

impl Limit {
    fn amount(&self, ip_bytes: u32) -> u64 {
        if self.is_in_bits {
            u64::from(8 * (ip_bytes + OVERHEAD))
        } else {
            1
        }
    }

    /// Whether no interval that ends with `next` has more than the burst and the rate times its length.
    fn allows(&self, passed: &[Send], next: Send) -> bool {
        let mut amount = self.amount(next.ip_bytes);
        amount <= self.burst
            && passed.iter().rev().all(|first| {
                amount += self.amount(first.ip_bytes);
                let most = u128::from(self.burst) * u128::from(SEC)
                    + u128::from(self.rate_per_s) * u128::from(next.at_ns - first.at_ns);
                u128::from(amount) * u128::from(SEC) <= most
            })
    }
}

/// A policer of a scenario, its mtu, and its limits.
fn policer() -> impl Strategy<Value = (String, u32, Vec<Limit>)> {
    let bits = |rate_per_s, burst_bytes: u32| Limit { rate_per_s, burst: 8 * u64::from(burst_bytes), is_in_bits: true };
    let (rate, burst, mtu) = (1_000_000_u64..100_000_000, 1_000_u32..30_000, 500_u32..2_000);
    let rates = (rate.clone(), burst.clone(), mtu.clone()).prop_map(move |(rate, burst, mtu)| {
        let json = format!(r#""rate_bps":{rate},"burst_bytes":{burst},"mtu_bytes":{mtu}"#);
        (json, mtu, vec![bits(rate, burst)])
    });
    let peaks = (rate, burst, 1_u64..1_000_000_000, mtu).prop_map(move |(rate, burst, above, mtu)| {
        let peak = rate + above;
        let json = format!(r#""rate_bps":{rate},"burst_bytes":{burst},"peakrate_bps":{peak},"mtu_bytes":{mtu}"#);
        (json, mtu, vec![bits(rate, burst), bits(peak, mtu)])
    });
    let packets = (100_u64..100_000, 1_u32..20).prop_map(|(rate_per_s, burst)| {
        let json = format!(r#""pkts_rate_pps":{rate_per_s},"pkts_burst_packets":{burst}"#);
        (json, u32::MAX, vec![Limit { rate_per_s, burst: u64::from(burst), is_in_bits: false }])
    });
    prop_oneof![rates, peaks, packets]
}

fn traffic() -> impl Strategy<Value = Vec<Send>> {
    let gap_ns = prop_oneof![2 => Just(0), 3 => 0..20_000_u64, 3 => 0..MS, 1 => 0..20 * MS];
    prop::collection::vec((gap_ns, 20_u32..1_501), 1..150).prop_map(|packets| {
        let mut at_ns = 0;
        let mut send = |(gap_ns, ip_bytes)| {
            at_ns += gap_ns;
            Send { at_ns, path: 0, ip_bytes }
        };
        packets.into_iter().map(&mut send).collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(400) })]

    /// The laws of all limits at once, and their converse: a packet passes exactly if no interval that it ends has more
    /// than the limits allow, and it is not above the mtu.
    #[test]
    fn exactly_what_keeps_within_the_limits_passes((parameters, mtu, limits) in policer(), sends in traffic()) {
        let mut passed: Vec<Send> = Vec::new();
        for &send in &sends {
            if send.ip_bytes + OVERHEAD <= mtu && limits.iter().all(|limit| limit.allows(&passed, send)) {
                passed.push(send);
            }
        }
        let arrived = lab(&parameters).send_all(&sends).run();
        let place = |arrival: &Arrival| (arrival.at_ns, arrival.ip_bytes);
        let arrived: Vec<_> = arrived.iter().map(place).collect();
        prop_assert_eq!(arrived, passed.iter().map(|send| (send.at_ns, send.ip_bytes)).collect::<Vec<_>>());
    }
}
