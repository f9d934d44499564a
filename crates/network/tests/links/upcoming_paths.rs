//! A link names the paths of the packets that arrive next, in their order, for prefetching.

use crate::common::{link, Lab, Send, FULL, MS};
use fairlane_contract::LinkConfig;
use fairlane_engine::Streams;
use fairlane_network::{Fifo, Network, QueueDiscipline, StationId, NO_PATH};

const PATHS: [u32; 5] = [2, 0, 1, 1, 0];

fn arrived(lab: &mut Lab, end_ns: u64) -> Vec<u32> {
    lab.run_until(end_ns).iter().map(|arrival| arrival.flow).collect()
}

fn upcoming(lab: &Lab) -> [u32; 4] {
    lab.network.upcoming_paths(0)
}

/// 10 ms of wire hold all five packets of 121 us when the first one arrives.
fn check(network: Network<u64>) {
    let sends = PATHS.map(|path| Send { at_ns: 0, path, ip_bytes: FULL });
    let mut lab = Lab::with(network).send_all(&sends);
    assert_eq!(arrived(&mut lab, 10 * MS + 121_120), [2]);
    assert_eq!(upcoming(&lab), [0, 1, 1, 0]);
    assert_eq!(arrived(&mut lab, 10 * MS + 3 * 121_120), [0, 1]);
    assert_eq!(upcoming(&lab), [1, 0, NO_PATH, NO_PATH]);
}

#[test]
fn on_a_link_with_a_plain_queue() {
    let links = [link(100_000_000, 10 * MS)];
    check(Network::new(&links, vec![vec![StationId(0)]; 3], &Streams::new(1)).unwrap());
}

#[test]
fn on_a_link_with_a_queue_discipline() {
    let links = [link(100_000_000, 10 * MS)];
    let fifo = |config: &LinkConfig| Some(Box::new(Fifo::new(&config.queue)) as Box<dyn QueueDiscipline>);
    check(Network::with_disciplines(&links, vec![vec![StationId(0)]; 3], &Streams::new(1), fifo).unwrap());
}

#[test]
fn queued_packets_are_not_known() {
    let mut lab = Lab::one_link(link(100_000_000, 0)).send_many(3, 0, FULL);
    lab.run_until(1);
    assert_eq!(upcoming(&lab), [0, NO_PATH, NO_PATH, NO_PATH], "one is in transmission, two wait");
}
