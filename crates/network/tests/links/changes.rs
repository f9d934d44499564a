//! Rate and delay that change at given times.

use crate::common::{link, numbers, times, Lab, FULL, MS, SEC};
use fairlane_contract::{ChangeConfig, JitterConfig, LinkConfig, LossConfig};

fn changing(base: LinkConfig, changes: &[(u64, Option<u64>, Option<u64>)]) -> LinkConfig {
    let change = |&(at_ns, rate_bps, delay_ns): &_| ChangeConfig { at_ns, rate_bps, delay_ns, loss: None };
    LinkConfig { changes: changes.iter().map(change).collect(), ..base }
}

#[test]
fn the_rest_of_a_frame_is_sent_at_the_new_rate() {
    // Frames of 121.12 us; the second has sent 58.88 us of its bits at 180 us.
    let config = changing(link(100_000_000, 0), &[(180_000, Some(50_000_000), None)]);
    let arrivals = Lab::one_link(config).send_many(4, 0, FULL).run();
    let second = 180_000 + 2 * (242_240 - 180_000);
    assert_eq!(times(&arrivals), [121_120, second, second + 242_240, second + 2 * 242_240]);
}

#[test]
fn a_frame_may_outlast_several_changes() {
    let plan = [(MS, Some(1_000), None), (2 * MS, Some(12_112_000), None), (MS * 5 / 2, Some(24_224_000), None)];
    let config = changing(link(1_000_000, 0), &plan);
    let arrivals = Lab::one_link(config).send_many(2, 0, FULL).run();
    // 12,112 bits: 1,000 in the first millisecond, 1 in the second, 6,056 in the next half; 5,055 are left.
    let first = MS * 5 / 2 + (5_055 * 1_000_000_000_u64).div_ceil(24_224_000);
    assert_eq!(times(&arrivals), [first, first + 500_000]);
}

#[test]
fn a_very_low_rate_ends_with_its_time() {
    // A rate of 1 bit/s for a second, as if the link were down.
    let config = changing(link(100_000_000, 0), &[(MS, Some(1), None), (SEC, Some(100_000_000), None)]);
    let mut lab = Lab::one_link(config).send_many(100, 0, FULL);
    let arrivals = lab.run();
    assert_eq!(arrivals.len(), 100);
    assert_eq!(arrivals[99].at_ns, 100 * 121_120 + SEC - MS - 9, "0.999 bits have passed, which take 9.99 ns");
}

#[test]
fn loss_changes_for_what_arrives_from_then_on() {
    let change = |at_ns, probability| {
        let loss = Some(LossConfig::Independent { probability, correlation: 0.0 });
        ChangeConfig { at_ns, loss, ..ChangeConfig::default() }
    };
    let changes = vec![change(10 * MS + 121_120, 1.0), change(11 * MS, 0.0), change(12 * MS, 0.5)];
    let config = LinkConfig { changes, ..link(100_000_000, 10 * MS) };
    let arrivals = Lab::one_link(config).send_many(1000, 0, FULL).run();
    let of = |from_ns, to_ns| times(&arrivals).iter().filter(|&&at_ns| (from_ns..to_ns).contains(&at_ns)).count();
    assert_eq!(of(0, 11 * MS), 0);
    assert_eq!(of(11 * MS, 12 * MS), 8);
    assert!((0.45..0.55).contains(&(of(12 * MS, SEC) as f64 / 984.0)), "{}", of(12 * MS, SEC));
}

#[test]
fn a_change_at_the_instant_of_a_start_already_counts() {
    let config = changing(link(100_000_000, 0), &[(121_120, Some(50_000_000), None)]);
    let arrivals = Lab::one_link(config).send_many(2, 0, FULL).run();
    assert_eq!(times(&arrivals), [121_120, 121_120 + 242_240]);
}

#[test]
fn packets_on_the_wire_keep_their_delay() {
    let config = changing(link(100_000_000, 10 * MS), &[(200_000, None, Some(20 * MS))]);
    let arrivals = Lab::one_link(config).send_many(3, 0, FULL).run();
    assert_eq!(times(&arrivals), [10 * MS + 121_120, 10 * MS + 242_240, 20 * MS + 363_360]);
}

#[test]
fn a_shorter_delay_does_not_let_packets_overtake() {
    let config = changing(link(100_000_000, 10 * MS), &[(200_000, None, Some(MS))]);
    let arrivals = Lab::one_link(config).send_many(4, 0, FULL).send(20 * MS, FULL).run();
    let wall = 10 * MS + 242_240;
    assert_eq!(times(&arrivals), [10 * MS + 121_120, wall, wall, wall, 21 * MS + 121_120]);
    assert_eq!(numbers(&arrivals), [0, 1, 2, 3, 4]);
}

#[test]
fn unless_the_link_may_reorder() {
    let jitter = Some(JitterConfig { max_ns: 1, reorder: true, ..JitterConfig::default() });
    let config = changing(LinkConfig { jitter, ..link(100_000_000, 10 * MS) }, &[(200_000, None, Some(MS))]);
    let arrivals = Lab::one_link(config).send_many(4, 0, FULL).run();
    assert_eq!(numbers(&arrivals), [2, 3, 0, 1]);
    assert_eq!(times(&arrivals)[0] / 10, (MS + 3 * 121_120) / 10);
}

#[test]
fn several_changes_and_long_silence() {
    let plan = [(MS, Some(10_000_000), None), (2 * MS, None, Some(MS)), (3 * MS, Some(1_000_000_000), Some(0))];
    let config = changing(link(100_000_000, 0), &plan);
    let arrivals = Lab::one_link(config).send(0, FULL).send(2 * MS, FULL).send(100 * MS, FULL).run();
    // 10,000 bits of the second frame leave by 3 ms, and 2,112 at 1 Gbit/s.
    assert_eq!(times(&arrivals), [121_120, 4 * MS + 2_112, 100 * MS + 12_112]);
}

#[test]
fn an_infinitely_fast_link_may_become_slow() {
    let config = changing(LinkConfig::new("link"), &[(MS, Some(100_000_000), None)]);
    let mut lab = Lab::one_link(config).send_many(2, 0, FULL).send_many(2, MS, FULL);
    assert_eq!(times(&lab.run()), [0, 0, MS + 121_120, MS + 242_240]);
    assert_eq!(lab.stats(3 * MS).capacity_bytes, Some(25_000), "2 ms at 100 Mbit/s");
}

#[test]
fn capacity_follows_the_rate() {
    let config = changing(link(100_000_000, 0), &[(MS, Some(10_000_000), None)]);
    let mut lab = Lab::one_link(config).send_many(100, 0, FULL);
    lab.run_until(3 * MS);
    let stats = lab.stats(3 * MS);
    assert_eq!(stats.capacity_bytes, Some(12_500 + 2 * 1250));
    // 12.5 kB in the first millisecond, 1.25 kB in each of the next: 9 whole frames, and 1,374 bytes of the tenth.
    assert_eq!(stats.transmitted_bytes, 9 * 1514);
}
