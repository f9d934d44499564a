//! Cost of one packet on one link: enqueueing, transmission and delivery, with its share of the event queue.
//!
//! A fixed number of packets circulates: each arriving packet is sent immediately. The payload is as large as a TCP
//! segment of the simulator.

use criterion::{criterion_group, criterion_main, Criterion, Throughput};
use fairlane_contract::{JitterConfig, LinkConfig, LossConfig};
use fairlane_engine::{EventQueue, Streams};
use fairlane_network::{Ecn, Fifo, Network, Packet, QueueDiscipline, StationId};

type Payload = [u64; 9];

const PACKETS: u64 = 100_000;

struct Loop {
    network: Network<Payload>,
    events: EventQueue,
    now_ns: u64,
    arrivals: u64,
}

impl Loop {
    fn new(links: &[LinkConfig], paths: Vec<Vec<StationId>>, window: u32, general: bool) -> Self {
        let path_count = paths.len() as u32;
        let discipline =
            |config: &LinkConfig| general.then(|| Box::new(Fifo::new(&config.queue)) as Box<dyn QueueDiscipline>);
        let network = Network::with_disciplines(links, paths, &Streams::new(1), discipline).expect("a valid network");
        let mut circle = Self { network, events: EventQueue::new(), now_ns: 0, arrivals: 0 };
        for number in 0..window {
            let packet = Packet {
                flow: number % path_count,
                path: number % path_count,
                ip_bytes: 1500,
                hop: 0,
                ecn: Ecn::NotEct,
                payload: [u64::from(number); 9],
            };
            circle.network.send(0, &packet, &mut circle.events);
        }
        circle
    }

    fn run(&mut self, packets: u64) {
        let end = self.arrivals + packets;
        while self.arrivals < end {
            let (now_ns, component) = self.events.pop().expect("packets circulate for ever");
            self.now_ns = now_ns;
            if let Some(&packet) = self.network.on_event(now_ns, component, &mut self.events) {
                self.arrivals += 1;
                self.network.send(now_ns, &packet, &mut self.events);
            }
        }
    }
}

fn link(rate_bps: Option<u64>, delay_ns: u64) -> LinkConfig {
    LinkConfig { rate_bps, delay_ns, ..LinkConfig::new("link") }
}

fn benches(criterion: &mut Criterion) {
    let one = |config: LinkConfig, window| Loop::new(&[config], vec![vec![StationId(0)]], window, false);
    let bottleneck = || link(Some(1_000_000_000), 10_000_000);
    let jitter = |reorder| Some(JitterConfig { max_ns: 100_000, reorder, ..JitterConfig::default() });
    let access: Vec<LinkConfig> =
        (0..501).map(|n| if n == 0 { bottleneck() } else { link(None, 1_000_000 + n * 1_000) }).collect();
    // Each packet belongs to one of ten flows, by the path that it takes over the same link.
    let queued = |queue: &str| {
        let queue = serde_json::from_str(queue).expect("valid JSON of a queue");
        Loop::new(&[LinkConfig { queue, ..bottleneck() }], vec![vec![StationId(0)]; 10], 2_000, false)
    };
    let cases = [
        ("bottleneck", one(bottleneck(), 2_000)),
        ("bottleneck, 60000 packets inside", one(bottleneck(), 60_000)),
        ("delay only", one(link(None, 10_000_000), 1_000)),
        ("token bucket", one(LinkConfig { burst_bytes: Some(1_540), ..bottleneck() }, 2_000)),
        ("red", queued(r#"{"kind":"red","limit_bytes":10000000,"probability":0.0001}"#)),
        ("codel", queued(r#"{"kind":"codel","limit_packets":10000,"target_ns":100000000}"#)),
        ("fq_codel", queued(r#"{"kind":"fq_codel","target_ns":100000000}"#)),
        ("pie", queued(r#"{"kind":"pie","limit_packets":10000,"target_ns":100000000}"#)),
        ("fq_pie", queued(r#"{"kind":"fq_pie","target_ns":100000000}"#)),
        ("fq", queued(r#"{"kind":"fq","flow_limit_packets":10000}"#)),
        ("cake", queued(r#"{"kind":"cake","rtt_ns":2000000000}"#)),
        ("dualpi2", queued(r#"{"kind":"dualpi2","target_ns":100000000}"#)),
        ("general FIFO", Loop::new(&[bottleneck()], vec![vec![StationId(0)]], 2_000, true)),
        (
            "loss and jitter in order",
            one(
                LinkConfig {
                    loss: Some(LossConfig::Independent { probability: 0.0, correlation: 0.0 }),
                    jitter: jitter(false),
                    ..bottleneck()
                },
                2_000,
            ),
        ),
        ("jitter with reordering", one(LinkConfig { jitter: jitter(true), ..bottleneck() }, 2_000)),
        (
            "two links, 500 access links",
            Loop::new(&access, (1..=500).map(|link| vec![StationId(0), StationId(link)]).collect(), 2_000, false),
        ),
    ];
    let mut group = criterion.benchmark_group("packets through a link");
    group.throughput(Throughput::Elements(PACKETS));
    for (name, mut circle) in cases {
        circle.run(200_000); // into the steady state
        group.bench_function(name, |bencher| bencher.iter(|| circle.run(PACKETS)));
    }
}

criterion_group! {
    name = links;
    config = Criterion::default().sample_size(20).measurement_time(std::time::Duration::from_secs(2));
    targets = benches
}
criterion_main!(links);
