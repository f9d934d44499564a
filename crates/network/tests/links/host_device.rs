//! The interface of a host: a link like any other, that also reports departures.

use crate::common::{link, FULL, MS};
use fairlane_contract::{JitterConfig, LinkConfig, LossConfig, QueueConfig};
use fairlane_engine::{EventQueue, Streams};
use fairlane_network::{Ecn, Network, Packet, StationId, StationStats};

/// Arrivals and departures with their times, and the counters at the end.
struct Outcome {
    arrivals: Vec<(u64, u64)>,
    departures: Vec<(u64, u64)>,
    stats: StationStats,
}

/// Sends 400 packets, a burst of 8 each millisecond, through one link.
fn run(config: &LinkConfig, is_host_device: bool) -> Outcome {
    let devices = if is_host_device { vec![StationId(0)] } else { vec![] };
    let (links, paths) = (std::slice::from_ref(config), vec![vec![StationId(0)]]);
    let network = Network::<u64>::with_host_devices(links, &[], paths, &Streams::new(7), 1_000, &devices);
    let (mut network, mut events) = (network.expect("a valid network"), EventQueue::new());
    let (mut arrivals, mut departures, mut departed) = (Vec::new(), Vec::new(), Vec::new());
    for burst in 0..50 {
        events.schedule(burst * MS, 1);
    }
    let mut last_ns = 0;
    while let Some((now_ns, component)) = events.pop() {
        last_ns = now_ns;
        if component == 1 {
            for number in 0..8 {
                let payload = now_ns / MS * 8 + number;
                let packet = Packet { flow: 0, path: 0, ip_bytes: FULL, hop: 0, ecn: Ecn::NotEct, payload };
                network.send(now_ns, &packet, &mut events);
            }
        } else if let Some(packet) = network.on_event(now_ns, component, &mut events) {
            arrivals.push((now_ns, packet.payload));
        } else {
            network.take_departed(component, &mut departed);
            departures.extend(departed.drain(..).map(|packet| (now_ns, packet.payload)));
        }
    }
    Outcome { arrivals, departures, stats: network.station_stats(StationId(0), last_ns) }
}

#[test]
fn a_packet_departs_when_its_last_bit_is_transmitted() {
    let outcome = run(&link(100_000_000, 20 * MS), true);
    // 1514 bytes at 100 Mbit/s take 121.12 us; the wire's 20 ms come later.
    let first: Vec<_> = outcome.departures.iter().take(3).copied().collect();
    assert_eq!(first, [(121_120, 0), (242_240, 1), (363_360, 2)]);
    assert_eq!(outcome.arrivals[0], (20 * MS + 121_120, 0));
}

#[test]
fn it_carries_packets_as_any_link_does() {
    let base = link(50_000_000, 3 * MS);
    let fifo = QueueConfig::Fifo { limit_bytes: None, limit_packets: Some(20) };
    let variants = [
        base.clone(),
        LinkConfig { queue: fifo.clone(), ..base.clone() },
        LinkConfig { burst_bytes: Some(10_000), queue: fifo, ..base.clone() },
        LinkConfig { loss: Some(LossConfig::Independent { probability: 0.1, correlation: 0.0 }), ..base.clone() },
        LinkConfig {
            jitter: Some(JitterConfig { max_ns: MS, reorder: true, ..JitterConfig::default() }),
            duplicate_probability: 0.1,
            ..base
        },
    ];
    for config in variants {
        let (host, plain) = (run(&config, true), run(&config, false));
        assert_eq!(host.arrivals, plain.arrivals, "{config:?}");
        assert_eq!(host.stats.delivered_packets, plain.stats.delivered_packets);
        assert_eq!(host.stats.dropped_packets, plain.stats.dropped_packets);
        assert_eq!(host.stats.lost_randomly_packets, plain.stats.lost_randomly_packets);
        assert_eq!(host.stats.mean_delay_ns, plain.stats.mean_delay_ns);
        assert!(plain.departures.is_empty());
    }
}

#[test]
fn every_packet_departs_once_also_if_it_is_dropped_or_lost() {
    let queues = [
        QueueConfig::Fifo { limit_bytes: None, limit_packets: Some(20) },
        serde_json::from_str(r#"{"kind": "codel", "target_ns": 1000000, "interval_ns": 5000000}"#).expect("codel"),
        serde_json::from_str(r#"{"kind": "fq_codel", "limit_packets": 12}"#).expect("fq_codel"),
    ];
    for queue in queues {
        let loss = Some(LossConfig::Independent { probability: 0.2, correlation: 0.0 });
        let outcome = run(&LinkConfig { queue: queue.clone(), loss, ..link(40_000_000, MS) }, true);
        assert!(outcome.stats.dropped_packets > 0, "{queue:?} drops something");
        let mut numbers: Vec<_> = outcome.departures.iter().map(|departure| departure.1).collect();
        numbers.sort_unstable();
        assert_eq!(numbers, (0..400).collect::<Vec<_>>(), "{queue:?}");
    }
}
