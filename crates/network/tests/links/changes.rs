//! Rate and delay that change at given times.

use crate::common::{link, numbers, times, Lab, FULL, MS};
use fairlane_contract::{ChangeConfig, JitterConfig, LinkConfig};

fn changing(base: LinkConfig, changes: &[(u64, Option<u64>, Option<u64>)]) -> LinkConfig {
    let change = |&(at_ns, rate_bps, delay_ns): &_| ChangeConfig { at_ns, rate_bps, delay_ns };
    LinkConfig { changes: changes.iter().map(change).collect(), ..base }
}

#[test]
fn a_frame_in_transmission_keeps_its_rate_and_the_queue_goes_on_at_the_new_one() {
    // Frames of 121.12 us; the second is half sent at 180 us.
    let config = changing(link(100_000_000, 0), &[(180_000, Some(50_000_000), None)]);
    let arrivals = Lab::one_link(config).send_many(4, 0, FULL).run();
    assert_eq!(times(&arrivals), [121_120, 242_240, 242_240 + 242_240, 242_240 + 2 * 242_240]);
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
    assert_eq!(times(&arrivals), [121_120, 3 * MS + 1_211_200, 100 * MS + 12_112]);
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
    // 9 frames end by 1.09 ms: the ninth keeps the old rate beyond the change. The tenth ends at 2.3 ms.
    assert_eq!(stats.transmitted_bytes, 10 * 1514);
}
