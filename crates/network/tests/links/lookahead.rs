//! Lookahead windows give the same arrivals and counters as events, and not every network has them.

use crate::cells::station;
use crate::common::{link, FULL, MS, SEC};
use fairlane_contract::{
    ChangeConfig, CodelConfig, HalfDuplexConfig, JitterConfig, LinkConfig, LossConfig, MediumConfig, OutageConfig,
    QueueConfig, RedConfig, ReorderConfig, StationConfig, WhenDown, WifiStandard,
};
use fairlane_engine::{ComponentId, EventQueue, Streams};
use fairlane_network::{Cause, Ecn, Network, Packet, StationId, StationStats};
use proptest::prelude::*;

/// 121.12 us at 100 Mbit/s.
const FRAME_NS: u64 = 121_120;
const RATE_BPS: u64 = 100_000_000;
/// The shortest delays and windows of random networks: shorter ones would take long.
const SHORTEST_NS: u64 = 200_000;

/// Packets of these sizes that one component sends along a path at one time.
#[derive(Clone, Debug)]
struct Burst {
    at_ns: u64,
    sender: ComponentId,
    path: u32,
    ip_bytes: Vec<u32>,
}

/// Time, path, and the packet's number in sending order.
type Arrival = (u64, u32, u64);

/// A network that can change between events and windows.
struct Run {
    network: Network<u64>,
    events: EventQueue,
    /// In order of time and sender, with the number of its first packet.
    bursts: Vec<(Burst, u64)>,
    sent: usize,
    arrivals: Vec<Arrival>,
}

impl Run {
    fn new(links: &[LinkConfig], paths: &[&[u32]], bursts: &[Burst]) -> Self {
        let mut bursts = bursts.to_vec();
        bursts.sort_by_key(|burst| (burst.at_ns, burst.sender));
        let mut next = 0;
        let numbered = bursts.into_iter().map(|burst| {
            let first = next;
            next += burst.ip_bytes.len() as u64;
            (burst, first)
        });
        Self {
            network: network(links, paths),
            events: EventQueue::new(),
            bursts: numbered.collect(),
            sent: 0,
            arrivals: Vec::new(),
        }
    }

    /// Runs all events before `end_ns`. Links act before senders.
    fn by_events(&mut self, end_ns: u64) {
        loop {
            let event_ns = self.events.next_time_ns().unwrap_or(u64::MAX);
            let send_ns = self.bursts.get(self.sent).map_or(u64::MAX, |(burst, _)| burst.at_ns);
            if event_ns.min(send_ns) >= end_ns {
                return;
            }
            if event_ns <= send_ns {
                let (now_ns, component) = self.events.pop().expect("it was just seen");
                if let Some(packet) = self.network.on_event(now_ns, component, &mut self.events) {
                    self.arrivals.push((now_ns, packet.path, packet.payload));
                }
                continue;
            }
            let (burst, first) = &self.bursts[self.sent];
            packets(burst, *first).for_each(|packet| self.network.send(send_ns, &packet, &mut self.events));
            self.sent += 1;
        }
    }

    /// The same in windows, from `start_ns` on, until which everything has run. Sections and buffers are those of two threads.
    fn in_windows(&mut self, mut start_ns: u64, end_ns: u64, window_ns: u64) {
        let mut ahead = self.network.lookahead(2, 2).expect("a network with windows");
        let mut outboxes = [ahead.outbox(0), ahead.outbox(1)];
        self.events.retain(|_, _| false);
        self.network.begin_lookahead(&mut ahead, start_ns);
        let mut horizon_ns = ahead.first_horizon_ns(start_ns);
        let mut sections = self.network.sections(&mut ahead);
        let routes = sections[0].routes();
        while start_ns < end_ns {
            let window_end_ns = end_ns.min(start_ns.saturating_add(window_ns)).min(horizon_ns);
            let mut received = Vec::new();
            sections.iter_mut().for_each(|section| section.deliver(window_end_ns, |arrival| received.push(arrival)));
            // They are ordered link by link.
            received.sort_by_key(|arrival| (arrival.time_ns, arrival.link, arrival.number));
            let record = |arrival: &fairlane_network::Arrival| {
                let packet = sections[routes.section_of(arrival.link)].delivery().by(arrival.link).packet(arrival);
                (arrival.time_ns, packet.path, packet.payload)
            };
            self.arrivals.extend(received.iter().map(record));
            let count = self.bursts[self.sent..].iter().take_while(|(burst, _)| burst.at_ns < window_end_ns).count();
            // Hosts run in any order: here the last sender comes first, with its own bursts in order.
            let mut quanta: Vec<_> = self.bursts[self.sent..][..count].iter().zip(0..).collect();
            quanta.sort_by_key(|((burst, _), _)| std::cmp::Reverse(burst.sender));
            outboxes.iter_mut().for_each(|outbox| outbox.begin_window(start_ns));
            for ((burst, first), number) in quanta {
                let outbox = &mut outboxes[burst.sender as usize % 2];
                outbox.write(packets(burst, *first));
                let cause = Cause { time_ns: burst.at_ns, component: burst.sender, number };
                outbox.send(&routes, cause, burst.path);
            }
            self.sent += count;
            let sent = outboxes.each_ref();
            sections.iter_mut().for_each(|section| section.end_window(&sent, (start_ns, window_end_ns, end_ns)));
            (start_ns, horizon_ns) = (window_end_ns, routes.horizon_ns(window_end_ns, end_ns));
        }
        drop(sections);
        self.network.count_instant(&mut ahead, outboxes.iter_mut());
        self.network.end_lookahead(end_ns, &mut self.events);
    }

    fn stats(&mut self, now_ns: u64) -> Vec<StationStats> {
        (0..self.network.component_count()).map(|link| self.network.station_stats(StationId(link), now_ns)).collect()
    }
}

fn network(links: &[LinkConfig], paths: &[&[u32]]) -> Network<u64> {
    let paths = paths.iter().map(|path| path.iter().copied().map(StationId).collect()).collect();
    Network::new(links, paths, &Streams::new(1)).expect("a valid network")
}

fn packets(burst: &Burst, first: u64) -> impl Iterator<Item = Packet<u64>> + '_ {
    let path = burst.path;
    let packet = move |(&ip_bytes, payload)| Packet { flow: path, path, ip_bytes, hop: 0, ecn: Ecn::Ect0, payload };
    burst.ip_bytes.iter().zip(first..).map(packet)
}

fn full(at_ns: u64, sender: ComponentId, path: u32, packets: usize) -> Burst {
    Burst { at_ns, sender, path, ip_bytes: vec![FULL; packets] }
}

fn fast(delay_ns: u64) -> LinkConfig {
    link(RATE_BPS, delay_ns)
}

fn max_window_ns(links: &[LinkConfig], paths: &[&[u32]]) -> Option<u64> {
    network(links, paths).lookahead(1, 0).map(|ahead| ahead.max_window_ns())
}

#[test]
fn packets_cross_two_hops_in_the_time_that_both_take() {
    let mut run = Run::new(&[fast(10 * MS), fast(5 * MS)], &[&[0, 1]], &[full(0, 2, 0, 3)]);
    run.in_windows(0, SEC, u64::MAX);
    let first_ns = 2 * FRAME_NS + 15 * MS;
    assert_eq!(run.arrivals, [(first_ns, 0, 0), (first_ns + FRAME_NS, 0, 1), (first_ns + 2 * FRAME_NS, 0, 2)]);
}

#[test]
fn bursts_at_the_same_time_are_ordered_by_component() {
    let late = full(MS, 9, 1, 1);
    let early = full(MS, 7, 0, 2);
    let mut run = Run::new(&[fast(10 * MS)], &[&[0], &[0]], &[late, early]);
    run.in_windows(0, SEC, u64::MAX);
    let paths: Vec<u32> = run.arrivals.iter().map(|&(_, path, _)| path).collect();
    assert_eq!(paths, [0, 0, 1]);
}

/// The packet of path 0 reaches the second link when the host of path 1 sends.
#[test]
fn forwarded_packets_precede_those_that_hosts_send_at_the_same_time() {
    let passed_on_ns = FRAME_NS + 10 * MS;
    let bursts = [full(0, 2, 0, 1), full(passed_on_ns, 2, 1, 1)];
    let mut run = Run::new(&[fast(10 * MS), fast(5 * MS)], &[&[0, 1], &[1]], &bursts);
    run.in_windows(0, SEC, u64::MAX);
    let first_ns = passed_on_ns + FRAME_NS + 5 * MS;
    assert_eq!(run.arrivals, [(first_ns, 0, 0), (first_ns + FRAME_NS, 1, 1)]);
}

#[test]
fn the_first_of_two_links_passes_on_first() {
    let links = [fast(10 * MS), fast(10 * MS), fast(5 * MS)];
    let bursts = [full(0, 3, 0, 1), full(0, 4, 1, 1)];
    let mut run = Run::new(&links, &[&[1, 2], &[0, 2]], &bursts);
    run.in_windows(0, SEC, u64::MAX);
    let paths: Vec<u32> = run.arrivals.iter().map(|&(_, path, _)| path).collect();
    assert_eq!(paths, [1, 0]);
}

/// A link at which one path ends and another continues delivers packets of both in order of arrival.
#[test]
fn a_link_where_some_paths_end_passes_the_others_on() {
    let links = [LinkConfig { delay_ns: 10 * MS, ..LinkConfig::new("wire") }, fast(5 * MS)];
    let bursts = [full(0, 2, 0, 1), full(0, 3, 1, 1), full(0, 4, 0, 1)];
    let mut run = Run::new(&links, &[&[0], &[0, 1]], &bursts);
    run.in_windows(0, SEC, u64::MAX);
    assert_eq!(run.arrivals, [(10 * MS, 0, 0), (10 * MS, 0, 2), (15 * MS + FRAME_NS, 1, 1)]);
}

/// The second packet starts when the window ends, so counters read before that do not include it.
#[test]
fn events_at_the_end_of_a_window_belong_to_the_next_one() {
    let links = [fast(10 * MS)];
    let bursts = [full(0, 1, 0, 2)];
    let mut run = Run::new(&links, &[&[0]], &bursts);
    run.in_windows(0, FRAME_NS, u64::MAX);
    let stats = run.stats(FRAME_NS - 1);
    assert_eq!((stats[0].enqueued_packets, stats[0].backlog_packets), (2, 1));
    let mut expected = Run::new(&links, &[&[0]], &bursts);
    expected.by_events(FRAME_NS);
    assert_eq!(stats, expected.stats(FRAME_NS - 1));
}

#[test]
fn windows_are_as_long_as_the_shortest_delay_before_a_host() {
    let two_hops: &[&[u32]] = &[&[0, 1]];
    assert_eq!(max_window_ns(&[fast(MS), fast(7 * MS)], two_hops), Some(8 * MS), "both delay");
    assert_eq!(max_window_ns(&[fast(MS), fast(7 * MS)], &[&[0, 1], &[0]]), Some(MS));
    let after_one: &[&[u32]] = &[&[0, 1], &[0]];
    assert_eq!(max_window_ns(&[fast(7 * MS), fast(MS)], after_one), Some(7 * MS), "paths that end leave others ahead");
    let instant = LinkConfig::new("instant");
    assert_eq!(max_window_ns(&[fast(3 * MS), instant], two_hops), Some(3 * MS), "an instant link holds nothing");
    let shorter = ChangeConfig { at_ns: SEC, delay_ns: Some(2 * MS), ..ChangeConfig::default() };
    assert_eq!(max_window_ns(&[LinkConfig { changes: vec![shorter], ..fast(3 * MS) }], &[&[0]]), Some(2 * MS));
    assert_eq!(max_window_ns(&[fast(60 * SEC)], &[&[0]]), Some(SEC), "times within a window have 32 bits");
}

#[test]
fn no_windows_without_delay_in_a_cycle_or_with_reordering() {
    let one_hop: &[&[u32]] = &[&[0]];
    assert_eq!(max_window_ns(&[fast(0)], one_hop), None);
    assert_eq!(max_window_ns(&[fast(0), fast(MS)], &[&[0, 1]]), None, "not even before another link");
    let without_delay = ChangeConfig { at_ns: SEC, delay_ns: Some(0), ..ChangeConfig::default() };
    assert_eq!(max_window_ns(&[LinkConfig { changes: vec![without_delay], ..fast(MS) }], one_hop), None);
    assert_eq!(max_window_ns(&[LinkConfig::new("instant")], one_hop), None);

    assert_eq!(max_window_ns(&[fast(MS), fast(MS)], &[&[0, 1], &[1, 0]]), None);
    assert_eq!(max_window_ns(&[fast(MS), fast(MS), fast(MS)], &[&[0, 1], &[1, 2], &[2, 0]]), None);
    assert_eq!(max_window_ns(&[fast(MS)], &[&[0, 0]]), None, "a path that crosses a link twice");

    let jitter = |reorder| Some(JitterConfig { max_ns: MS, reorder, ..JitterConfig::default() });
    assert_eq!(max_window_ns(&[LinkConfig { jitter: jitter(true), ..fast(MS) }], one_hop), None);
    assert_eq!(max_window_ns(&[LinkConfig { jitter: jitter(false), ..fast(MS) }], one_hop), Some(MS));
    let spread = |spread_ns| Some(JitterConfig { spread_ns: Some(spread_ns), ..JitterConfig::default() });
    assert_eq!(max_window_ns(&[LinkConfig { jitter: spread(MS / 4), ..fast(MS) }], one_hop), Some(3 * MS / 4));
    assert_eq!(max_window_ns(&[LinkConfig { jitter: spread(MS), ..fast(MS) }], one_hop), None, "down to no delay");
    let reorder = Some(ReorderConfig { probability: 0.1, correlation: 0.0, gap: 1 });
    assert_eq!(max_window_ns(&[LinkConfig { reorder, ..fast(MS) }], one_hop), None);
}

#[test]
fn no_windows_on_a_shared_channel() {
    let stations = ["there", "back"].map(|name| StationConfig { name: name.into(), ..StationConfig::default() });
    let channel = HalfDuplexConfig {
        name: "channel".into(),
        rate_bps: RATE_BPS,
        frames_per_turn: 1,
        delay_ns: MS,
        stations: stations.into(),
        ..HalfDuplexConfig::default()
    };
    for medium in [MediumConfig::HalfDuplex(channel), MediumConfig::Wifi(station(WifiStandard::N, 1))] {
        let paths = vec![vec![StationId(0), StationId(1)], vec![StationId(2), StationId(1)]];
        let network = Network::<u64>::with_media(&[fast(MS)], &[medium], paths, &Streams::new(1), 1000);
        assert!(network.expect("a valid network").lookahead(1, 0).is_none());
    }
}

#[test]
fn no_windows_if_a_host_waits_for_its_interface() {
    let paths = vec![vec![StationId(0)]];
    let network = Network::<u64>::with_host_devices(&[fast(MS)], &[], paths, &Streams::new(1), 1000, &[StationId(0)]);
    assert!(network.expect("a valid network").lookahead(1, 0).is_none());
}

/// Mostly whole milliseconds, so that packets meet.
fn time_ns(most_ns: u64) -> impl Strategy<Value = u64> {
    prop_oneof![3 => (0..=most_ns / MS).prop_map(|ms| ms * MS), 1 => 0..=most_ns]
}

fn any_queue() -> impl Strategy<Value = QueueConfig> {
    let red: RedConfig = serde_json::from_str(r#"{"limit_bytes": 60000, "ecn": true}"#).expect("a configuration");
    prop_oneof![
        2 => Just(QueueConfig::Unlimited {}),
        2 => (1_u64..20).prop_map(|limit| QueueConfig::Fifo { limit_bytes: None, limit_packets: Some(limit) }),
        1 => Just(QueueConfig::Codel(CodelConfig { ecn: true, ..CodelConfig::default() })),
        1 => Just(QueueConfig::Red(red)),
    ]
}

/// A link that keeps packets in order. 8 Mbit/s and no overhead make a packet of 1000 bytes a millisecond long.
fn any_link() -> impl Strategy<Value = LinkConfig> {
    let rate_bps = prop::sample::select(vec![None, Some(8_000_000), Some(16_000_000), Some(13_777_777)]);
    let switches = (any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>(), any_outages());
    (rate_bps, time_ns(20 * MS), any_queue(), switches).prop_map(
        |(rate_bps, delay_ns, queue, (bucket, jitter, impaired, changes, (outages, when_down)))| {
            let loss = LossConfig::Independent { probability: 0.05, correlation: 0.0 };
            let new_bps = rate_bps.map(|_| 32_000_000);
            let change =
                ChangeConfig { at_ns: 50 * MS, rate_bps: new_bps, delay_ns: Some(2 * MS), loss: Some(loss.clone()) };
            LinkConfig {
                outages,
                when_down,
                rate_bps,
                delay_ns: delay_ns.max(SHORTEST_NS),
                overhead_bytes: Some(0),
                burst_bytes: rate_bps.filter(|_| bucket).map(|_| 4_000),
                queue,
                jitter: jitter.then(|| JitterConfig { max_ns: 3 * MS, ..JitterConfig::default() }),
                loss: impaired.then_some(loss),
                duplicate_probability: if impaired { 0.1 } else { 0.0 },
                changes: if changes { vec![change] } else { vec![] },
                ..LinkConfig::new("link")
            }
        },
    )
}

fn any_outages() -> impl Strategy<Value = (Vec<OutageConfig>, WhenDown)> {
    let periodic = (2 * MS..40 * MS, MS / 2..2 * MS).prop_map(|(every_ns, length_ns)| OutageConfig::Periodic {
        every_ns,
        length_ns,
        first_ns: None,
    });
    let random = Just(OutageConfig::Random { mean_length_ns: 2 * MS, mean_distance_ns: 9 * MS });
    let when_down = prop::sample::select(vec![WhenDown::Drop, WhenDown::Hold]);
    let outages = prop::collection::vec(prop_oneof![periodic, random], 0..3);
    (outages, when_down).prop_map(|(outages, when_down)| {
        let when_down = if outages.is_empty() { WhenDown::Drop } else { when_down };
        (outages, when_down)
    })
}

fn any_bursts() -> impl Strategy<Value = Vec<Burst>> {
    let sizes = prop::collection::vec(prop::sample::select(vec![40, 1000, 1000, 1500]), 1..6);
    let burst = (time_ns(100 * MS), 5..9_u32, 0..PATHS.len() as u32, sizes)
        .prop_map(|(at_ns, sender, path, ip_bytes)| Burst { at_ns, sender, path, ip_bytes });
    prop::collection::vec(burst, 1..60)
}

/// Over four links and an instant one: alone, in a row, joining, and ending where others continue.
const PATHS: [&[u32]; 6] = [&[0], &[0, 4, 1], &[1], &[2, 1, 3], &[4, 2], &[0, 3, 4]];

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    /// Also if a run changes from events to windows and back.
    #[test]
    fn windows_and_events_agree(
        links in prop::collection::vec(any_link(), 4),
        bursts in any_bursts(),
        window_ns in prop_oneof![Just(u64::MAX), time_ns(3 * MS)],
        begin_ns in time_ns(60 * MS),
        lasts_ns in time_ns(60 * MS),
    ) {
        let links = [links, vec![LinkConfig::new("instant")]].concat();
        let end_ns = begin_ns + lasts_ns;
        let mut expected = Run::new(&links, &PATHS, &bursts);
        expected.by_events(SEC);
        let mut run = Run::new(&links, &PATHS, &bursts);
        run.by_events(begin_ns);
        run.in_windows(begin_ns, end_ns, window_ns.max(SHORTEST_NS));
        run.by_events(SEC);
        prop_assert_eq!(&run.arrivals, &expected.arrivals);
        prop_assert_eq!(run.stats(SEC), expected.stats(SEC));
    }
}
