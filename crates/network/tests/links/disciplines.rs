//! Queue disciplines may do more than first in, first out: delay packets, drop late, mark.

use crate::common::{link, numbers, times, Lab, FULL, MS};
use fairlane_contract::LinkConfig;
use fairlane_engine::Streams;
use fairlane_network::{Buffer, Ecn, List, Network, PacketId, QueueDiscipline, StationId};

/// Delays every packet for a while, drops every third on dequeue and marks the rest.
struct Odd {
    items: List,
    release_ns: Option<u64>,
    hold_ns: u64,
    drops: bool,
    chosen: u64,
}

impl Odd {
    fn new(hold_ns: u64, drops: bool) -> Self {
        Self { items: List::default(), release_ns: None, hold_ns, drops, chosen: 0 }
    }

    fn look_at_head(&mut self, buffer: &Buffer) {
        self.release_ns = self.items.front().map(|packet| buffer.enqueued_ns(packet) + self.hold_ns);
    }
}

impl QueueDiscipline for Odd {
    fn enqueue(&mut self, _now_ns: u64, packet: PacketId, buffer: &mut Buffer) {
        self.items.push_back(packet, buffer);
        self.look_at_head(buffer);
    }

    fn dequeue(&mut self, now_ns: u64, buffer: &mut Buffer) -> Option<PacketId> {
        while self.release_ns.is_some_and(|release_ns| release_ns <= now_ns) {
            let packet = self.items.pop_front(buffer)?;
            self.look_at_head(buffer);
            self.chosen += 1;
            if !self.drops || self.chosen % 3 != 0 {
                buffer.mark(packet);
                return Some(packet);
            }
            buffer.drop(packet);
        }
        None
    }

    fn next_event_ns(&self) -> Option<u64> {
        self.release_ns
    }
}

fn lab(config: LinkConfig, hold_ns: u64, drops: bool) -> Lab {
    let odd = |_: &LinkConfig| Some(Box::new(Odd::new(hold_ns, drops)) as Box<dyn QueueDiscipline>);
    Lab::with(
        Network::with_disciplines(&[config], vec![vec![StationId(0)]], &Streams::new(1), odd).expect("a valid network"),
    )
}

#[test]
fn packets_held_back_start_when_they_are_released() {
    let mut lab = lab(link(100_000_000, MS), 5 * MS, false).send(0, FULL).send(10_000, FULL).send(20 * MS, FULL);
    let first = 5 * MS + 121_120 + MS;
    assert_eq!(times(&lab.run()), [first, first + 121_120, 26 * MS + 121_120]);
}

#[test]
fn the_backlog_counts_while_packets_are_held_back() {
    let mut lab = lab(link(100_000_000, 0), 5 * MS, false).ecn(Ecn::Ect1).send(0, FULL);
    assert_eq!(lab.run()[0].ecn, Ecn::Ce);
    let stats = lab.stats(10 * MS);
    assert_eq!((stats.mean_delay_ns, stats.max_delay_ns), (5 * MS, 5 * MS));
    assert_eq!((stats.mean_backlog_bytes, stats.max_backlog_bytes, stats.marked_packets), (757.0, 1514, 1));
}

#[test]
fn drops_on_the_way_out_are_in_the_books() {
    let mut lab = lab(link(100_000_000, MS), 0, true).send_many(7, 0, FULL);
    assert_eq!(numbers(&lab.run()), [0, 1, 3, 4, 6]);
    let stats = lab.stats(10 * MS);
    assert_eq!((stats.enqueued_packets, stats.dropped_packets, stats.delivered_packets), (7, 2, 5));
}

/// A link becomes idle if the discipline drops its last packet, and works again with the next one.
#[test]
fn a_queue_that_drops_its_last_packet_does_not_stall() {
    let mut lab = lab(link(100_000_000, MS), MS, true).send_many(3, 0, FULL).send_many(2, 50 * MS, FULL);
    assert_eq!(numbers(&lab.run()), [0, 1, 3, 4]);
}

#[test]
fn a_token_bucket_asks_before_it_takes() {
    let bucket = LinkConfig { burst_bytes: Some(1514), ..link(100_000_000, 0) };
    let mut lab = lab(bucket, MS, true).send_many(5, 0, FULL);
    assert_eq!(times(&lab.run()), [MS, MS + 121_120, MS + 2 * 121_120, MS + 3 * 121_120]);
}
