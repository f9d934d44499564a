//! A data packet and its acknowledgement through both endpoints, without a network in between.
//!
//! Reported per packet: sending, receiving, half an ACK, and its processing by the sender, with a window of the given
//! size in flight.

use criterion::{criterion_group, criterion_main, BenchmarkId, Criterion, Throughput};
use fairlane_congestion_control::kernel::Reno;
use fairlane_tcp::receiver::EcnMark;
use fairlane_tcp::{Connection, ConnectionConfig, Segment};
use std::collections::VecDeque;

const PACKET_TIME_NS: u64 = 1_200;
const PACKETS: u64 = 1_000;

struct Pair {
    ends: [Connection; 2],
    /// Data and acknowledgements in flight, oldest first.
    wires: [VecDeque<Segment>; 2],
    now_ns: u64,
}

impl Pair {
    fn new(window_packets: u32) -> Self {
        let config = ConnectionConfig { timestamps: true, ..ConnectionConfig::default() };
        let end = || Connection::new(config.clone(), Box::new(Reno), 0);
        let mut pair = Self { ends: [end(), end()], wires: Default::default(), now_ns: 0 };
        pair.ends[0].sender.sock.snd_cwnd = window_packets;
        pair.ends[0].sender.sock.snd_ssthresh = window_packets;
        pair.ends[1].listen();
        pair.ends[0].connect(0);
        pair.collect();
        for _ in 0..4 {
            pair.deliver(0);
            pair.deliver(1);
        }
        pair.ends[0].write(pair.now_ns, 1 << 50);
        pair.collect();
        pair
    }

    fn collect(&mut self) {
        for (end, wire) in self.ends.iter_mut().zip(&mut self.wires) {
            wire.extend(end.take_outgoing().map(|outgoing| outgoing.datagram));
        }
    }

    /// Delivers the oldest segment that end `from` sent.
    fn deliver(&mut self, from: usize) {
        if let Some(segment) = self.wires[from].pop_front() {
            self.now_ns += PACKET_TIME_NS;
            self.ends[1 - from].on_segment(self.now_ns, &segment, EcnMark::Ect0);
            self.collect();
        }
    }
}

fn round_trip(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("data packet and its acknowledgement");
    group.throughput(Throughput::Elements(PACKETS));
    for window_packets in [20, 2_000] {
        group.bench_function(BenchmarkId::from_parameter(window_packets), |bencher| {
            let mut pair = Pair::new(window_packets);
            bencher.iter(|| {
                for _ in 0..PACKETS {
                    pair.deliver(0);
                    pair.deliver(1);
                }
            });
            assert_eq!(pair.ends[0].sender.sock.total_retrans, 0);
        });
    }
    group.finish();
}

criterion_group!(benches, round_trip);
criterion_main!(benches);
