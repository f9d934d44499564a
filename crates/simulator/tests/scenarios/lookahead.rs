//! Lookahead windows give bit-identical results to running event by event.
//!
//! Spans are used only while applications just send, over links that delay every packet, and where connections have no
//! memory in common. Most of the random networks here meet these conditions. Many of their numbers are round, so that
//! events of different flows and links have the same time: then the order of events counts.

use crate::random_networks::{algorithm, config, loss, queue};
use crate::support::{dumbbell, run_text, run_text_by_events, run_text_on_threads, Shared, MS, SEC};
use fairlane_algorithm_native::Programs;
use fairlane_congestion_control::{Algorithm, Algorithms, Callbacks, CongestionControl, LoadFailure, StateMember};
use fairlane_measure::{CallTrace, CallTraceConfig};
use fairlane_simulator::{CaptureConfig, Prepared};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use serde_json::{json, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

const NETWORKS: u32 = 3_000;
const MANY_NETWORKS: u32 = 20_000;
const NETWORKS_ON_THREADS: u32 = 40;
const MANY_NETWORKS_ON_THREADS: u32 = 5_000;
/// Spans are not used where hosts can feel each other sooner than this.
const SHORTEST_SPAN_NS: u64 = 50_000;
const US: u64 = 1_000;

proptest! {
    #![proptest_config(config(NETWORKS))]

    #[test]
    fn results_are_the_same_as_event_by_event(scenario in network()) {
        check(&scenario)?;
    }
}

proptest! {
    #![proptest_config(config(MANY_NETWORKS))]

    #[test]
    #[ignore = "takes many minutes: PROPTEST_RNG_SEED=2 cargo test -p fairlane-simulator --test scenarios lookahead -- --ignored"]
    fn results_of_many_networks_are_the_same_as_event_by_event(scenario in network()) {
        check(&scenario)?;
    }
}

proptest! {
    #![proptest_config(config(NETWORKS_ON_THREADS))]

    #[test]
    fn results_are_the_same_on_any_number_of_threads(scenario in network()) {
        check_on_threads(&scenario)?;
    }
}

proptest! {
    #![proptest_config(config(MANY_NETWORKS_ON_THREADS))]

    #[test]
    #[ignore = "takes many minutes: cargo test --release -p fairlane-simulator --test scenarios of_many_networks_are_the_same_on_any -- --ignored"]
    fn results_of_many_networks_are_the_same_on_any_number_of_threads(scenario in network()) {
        check_on_threads(&scenario)?;
    }
}

/// Threads take turns with windows of few packets on one thread, and with event by event: a flow starts late.
#[test]
fn threads_are_used_where_windows_have_enough_packets() {
    let algorithms = ["cubic", "bbr", "reno", "vegas", "dctcp", "cubic", "bbr3", "copa"];
    let mut scenario = dumbbell(&algorithms, 1_000_000_000, 40 * MS, json!({"kind": "fq_codel"}), SEC);
    scenario["flows"][7]["start_ns"] = json!(500 * MS);
    let read = fairlane_contract::read(&scenario.to_string()).expect("a valid scenario");
    let run = |threads| {
        let result =
            Prepared::new(&read, &Programs).expect("it can be run").on_threads(threads).run().expect("it runs");
        serde_json::to_string(&result).expect("a result can be written")
    };
    assert_eq!(run(1), run(2));
}

/// Links on which some paths end while others go on: at one nanosecond a host answers one packet and the next one is
/// passed on, and both enter the same link.
#[test]
fn an_answer_and_a_packet_that_goes_on_keep_their_order() {
    let links = json!([
        {"name": "shared", "delay_ns": 10 * MS},
        {"name": "next", "rate_bps": 8_000_000, "delay_ns": 10 * MS, "queue": {"kind": "fifo", "limit_packets": 20}},
        {"name": "back", "delay_ns": 10 * MS},
    ]);
    let flow = |forward: &[&str], reverse: &str| json!({"algorithm": "reno", "forward": forward, "reverse": [reverse]});
    let mut ends_first = flow(&["shared"], "next");
    ends_first["sender"] = json!({"wmem_max_bytes": 100_000});
    let goes_on = flow(&["shared", "next"], "back");
    for flows in [[ends_first.clone(), goes_on.clone()], [goes_on, ends_first]] {
        assert_same(&json!({"seed": 1, "duration_ns": SEC, "links": links, "flows": flows}));
    }
}

#[test]
fn connections_that_share_the_memory_of_their_host_take_it_in_order_of_time() {
    let queue = json!({"kind": "fifo", "limit_packets": 100});
    let mut scenario = dumbbell(&["bbr", "reno"], 50_000_000, 20 * MS, queue, 2 * SEC);
    for (flow, start_ns) in [7 * MS, 3 * MS].into_iter().enumerate() {
        scenario["flows"][flow]["start_ns"] = json!(start_ns);
        scenario["flows"][flow]["sender"] = json!({"tcp_memory_bytes": 800_000});
    }
    assert_same(&scenario);
}

#[test]
fn windows_are_used_where_applications_just_send() {
    let base = three_flows();
    assert!(runs_in_windows(&base), "{base}");
    let queues = ["unlimited", "codel", "fq_codel", "pie", "fq_pie", "fq", "cake", "dualpi2", "router"];
    let with_queues = queues.map(|kind| json!({"queue": {"kind": kind}}));
    let others = [
        json!({"queue": {"kind": "red", "limit_bytes": 100_000}}),
        json!({"burst_bytes": 10_000}),
        json!({"rate_bps": null, "trace_ms": [1, 2, 3]}),
        json!({"loss": {"kind": "independent", "probability": 0.001}}),
        json!({"jitter": {"max_ns": MS}}),
        json!({"duplicate_probability": 0.01}),
        json!({"changes": [{"at_ns": 300 * MS, "rate_bps": 5_000_000, "delay_ns": 5 * MS}]}),
    ];
    for link in with_queues.into_iter().chain(others) {
        let scenario = with(&base, "/links/0", &link);
        assert!(runs_in_windows(&scenario), "{scenario}");
    }
    for flow in [
        json!({"workload": {"kind": "iperf3"}}),
        json!({"sender": {"pacing": "fq"}}),
        json!({"transport": "quic"}),
        json!({"stop_ns": 500 * MS}),
        json!({"workload": {"kind": "bytes", "bytes": 10_000}}),
    ] {
        let scenario = with(&base, "/flows/0", &flow);
        assert!(runs_in_windows(&scenario), "{scenario}");
    }
    for info in fairlane_algorithm_native::bundled() {
        let scenario = with(&base, "/flows/0", &json!({"algorithm": info.name}));
        assert!(runs_in_windows(&scenario), "{scenario}");
    }
    let cross_traffic = json!([{"path": ["bottleneck"], "rate_bps": 100_000}]);
    let scenario = with(&base, "", &json!({"cross_traffic": cross_traffic, "warm_up_ns": 300 * MS}));
    assert!(runs_in_windows(&scenario), "{scenario}");
}

#[test]
fn windows_are_not_used_where_hosts_react_at_once_or_share_something() {
    let base = three_flows();
    for link in [
        json!({"delay_ns": 0}),
        json!({"delay_ns": SHORTEST_SPAN_NS - 1}),
        json!({"jitter": {"max_ns": MS, "reorder": true}}),
        json!({"changes": [{"at_ns": 900 * MS, "delay_ns": 0}]}),
    ] {
        let scenario = with(&base, "/links/0", &link);
        assert_not_in_windows(&scenario, |prepared| prepared);
    }
    for flow in [
        json!({"workload": {"kind": "on_off", "on_ns": 20 * MS, "off_ns": 20 * MS}}),
        json!({"workload": {"kind": "request_response", "request_bytes": 100, "response_bytes": 1_000_000}}),
        json!({"workload": {"kind": "bytes", "bytes": 10_000_000}}),
        json!({"sender": {"small_queue_limit_bytes": 1 << 20}}),
        json!({"sender": {"tcp_memory_bytes": 1 << 30}}),
    ] {
        let scenario = with(&base, "/flows/0", &flow);
        assert_not_in_windows(&scenario, |prepared| prepared);
    }
    let in_a_circle =
        with(&base, "/flows/0", &json!({"forward": ["back", "bottleneck"], "reverse": ["bottleneck", "back"]}));
    let half_duplex = json!([{
        "kind": "half_duplex", "name": "channel", "rate_bps": 10_000_000, "delay_ns": 10 * MS,
        "stations": [{"name": "bottleneck"}, {"name": "back"}],
    }]);
    let wifi = json!([{
        "kind": "wifi", "name": "cell", "standard": "n", "band": "2.4ghz", "width_mhz": 20, "guard_interval_ns": 800,
        "stations": [{"name": "station", "uplink": {"name": "bottleneck", "mcs": 1}, "downlink": {"name": "back", "mcs": 1}}],
    }]);
    let on_a_channel = with(&base, "", &json!({"links": [], "media": half_duplex}));
    let in_a_cell = with(&base, "", &json!({"links": [], "media": wifi}));
    for scenario in [in_a_circle, on_a_channel, in_a_cell] {
        assert_not_in_windows(&scenario, |prepared| prepared);
    }
}

#[test]
fn windows_are_not_used_under_a_capture() {
    let file = Shared::default();
    let capture = |mut prepared: Prepared| {
        let config: CaptureConfig = serde_json::from_value(json!({"flows": [0]})).expect("a capture");
        prepared.capture(&config, Box::new(file.clone())).expect("it can be captured");
        prepared
    };
    assert_not_in_windows(&three_flows(), capture);
    assert!(!file.take().is_empty());
}

/// While flows start within two windows of each other, windows are not worth the preparation.
#[test]
fn windows_begin_when_the_applications_become_quiet() {
    let mut scenario = three_flows();
    let flow = scenario["flows"][0].clone();
    let start_ns = |number: u64| number * 15 * MS;
    let starting = |number| with(&flow, "", &json!({"start_ns": start_ns(number)}));
    scenario["flows"] = (0..20).map(starting).collect();
    let first_ns = first_out_of_order_ns(&scenario, |prepared| prepared).expect("windows are used at last");
    assert!(first_ns >= start_ns(19), "at {first_ns} ns");
}

/// Or the comparison above would compare the same way of running with itself.
#[test]
fn many_random_networks_of_several_flows_run_in_windows() {
    let mut runner = TestRunner::deterministic();
    let networks = (0..100).map(|_| network().new_tree(&mut runner).expect("a network").current());
    let with_several_flows: Vec<Value> =
        networks.filter(|network| network["flows"].as_array().expect("flows").len() > 1).collect();
    let in_windows = with_several_flows.iter().filter(|network| runs_in_windows(network)).count();
    assert!(3 * in_windows > with_several_flows.len(), "{in_windows} of {}", with_several_flows.len());
}

fn check(scenario: &Value) -> Result<(), TestCaseError> {
    let text = scenario.to_string();
    let result = run_text(&text).unwrap_or_else(|error| panic!("{error}\n{scenario}"));
    let expected = run_text_by_events(&text).unwrap_or_else(|error| panic!("{error}\n{scenario}"));
    prop_assert!(result == expected, "another result event by event: {}", scenario);
    Ok(())
}

fn check_on_threads(scenario: &Value) -> Result<(), TestCaseError> {
    let text = scenario.to_string();
    let expected = run_text(&text).unwrap_or_else(|error| panic!("{error}\n{scenario}"));
    for threads in [2, 4, 16] {
        let result = run_text_on_threads(&text, threads).unwrap_or_else(|error| panic!("{error}\n{scenario}"));
        prop_assert!(result == expected, "another result on {} threads: {}", threads, scenario);
    }
    Ok(())
}

fn assert_same(scenario: &Value) {
    check(scenario).unwrap_or_else(|difference| panic!("{difference}"));
}

/// Three bulk flows over a path of 20 ms there and back.
fn three_flows() -> Value {
    dumbbell(&["reno", "cubic", "reno"], 10_000_000, 20 * MS, json!({"kind": "fifo", "limit_packets": 20}), 2 * SEC)
}

/// The scenario with other values in the table at `place`.
fn with(scenario: &Value, place: &str, values: &Value) -> Value {
    let mut changed = scenario.clone();
    let table = changed.pointer_mut(place).and_then(Value::as_object_mut).expect("a table");
    table.extend(values.as_object().expect("values").clone());
    changed
}

/// Whether the run used windows; needs two flows that run at the same time.
fn runs_in_windows(scenario: &Value) -> bool {
    first_out_of_order_ns(scenario, |prepared| prepared).is_some()
}

fn assert_not_in_windows(scenario: &Value, prepare: impl Fn(Prepared) -> Prepared) {
    assert!(acknowledgements(scenario, Prepared::by_events).len() > 100, "too few packets to tell: {scenario}");
    assert_eq!(first_out_of_order_ns(scenario, prepare), None, "{scenario}");
}

/// When the run first left the order of events: the time of the first ACK that came later than one it precedes. In a
/// window each host processes all its ACKs in a row.
fn first_out_of_order_ns(scenario: &Value, prepare: impl Fn(Prepared) -> Prepared) -> Option<u64> {
    let calls = acknowledgements(scenario, prepare);
    let by_events = acknowledgements(scenario, Prepared::by_events);
    let first = calls.iter().zip(&by_events).position(|(call, in_order)| call != in_order);
    let at_ns = first.map(|at| by_events[at]["t_ns"].as_u64().expect("a time"));
    let sorted = |calls: &[Value]| calls.iter().map(Value::to_string).collect::<BTreeSet<_>>();
    assert!(sorted(&calls) == sorted(&by_events), "other calls than event by event: {scenario}");
    at_ns
}

/// The acknowledgements of new data in a trace of all flows, in the order of its lines.
fn acknowledgements(scenario: &Value, prepare: impl Fn(Prepared) -> Prepared) -> Vec<Value> {
    let file = Shared::default();
    let config = CallTraceConfig { watch: vec!["delivered".into()], ..CallTraceConfig::default() };
    let trace = CallTrace::new(config, Box::new(file.clone()), &Programs);
    let read = fairlane_contract::read(&scenario.to_string()).expect("a valid scenario");
    let prepared = Prepared::new(&read, &Unordered(&trace)).unwrap_or_else(|error| panic!("{error}\n{scenario}"));
    prepare(prepared).run().expect("it runs to its end");
    trace.finish().expect("a trace");
    let text = String::from_utf8(file.take()).expect("a trace is text");
    text.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect()
}

/// A trace keeps calls in order of time, with its record for a reason. Here the order is what is looked for, so only the
/// algorithms themselves may ask for it.
struct Unordered<'a>(&'a CallTrace<'a>);

impl Algorithms for Unordered<'_> {
    fn load(&self, word: &str, parameters: &BTreeMap<String, i64>) -> Result<Rc<dyn Algorithm>, LoadFailure> {
        let shares_memory = Programs.load(word, parameters)?.shares_memory();
        Ok(Rc::new(UnorderedAlgorithm { traced: self.0.load(word, parameters)?, shares_memory }))
    }
}

struct UnorderedAlgorithm {
    traced: Rc<dyn Algorithm>,
    shares_memory: bool,
}

impl Algorithm for UnorderedAlgorithm {
    fn instantiate(&self) -> Box<dyn CongestionControl> {
        self.traced.instantiate()
    }

    fn callbacks(&self) -> Callbacks {
        self.traced.callbacks()
    }

    fn shares_memory(&self) -> bool {
        self.shares_memory
    }

    fn state_members(&self) -> &[StateMember] {
        self.traced.state_members()
    }
}

/// Bulk flows over links in a row: every path leads through some of them, in their order, so no path leads in a circle.
/// Data and acknowledgements share links. The first and the last link have no rate; data crosses at least one of the
/// others, which limit it.
///
/// ```text
///   first -> a -> b -> c -> last
/// ```
fn network() -> impl Strategy<Value = Value> {
    any::<bool>().prop_flat_map(|is_round| {
        let links = (wire("first", is_round), link("a", is_round), link("b", is_round), link("c", is_round));
        let flows = prop_oneof![
            6 => prop::collection::vec(flow(is_round), 1..8),
            1 => prop::collection::vec(flow(is_round), 8..=40),
        ];
        let clocks =
            (any::<u64>(), SEC..2 * SEC, prop::sample::select(vec![100, 250, 1000]), warm_up_ns(), interval_ns());
        (
            links,
            wire("last", is_round),
            flows,
            prop::collection::vec(cross_traffic(is_round), 0..3),
            memory_bytes(),
            window_ns(),
            clocks,
        )
            .prop_map(|((first, a, b, c), last, flows, cross_traffic, memory_bytes, window_ns, clocks)| {
                let (seed, duration_ns, hz, warm_up_ns, interval_ns) = clocks;
                let mut scenario = json!({
                    "seed": seed, "duration_ns": duration_ns, "hz": hz, "warm_up_ns": warm_up_ns,
                    "series_interval_ns": interval_ns, "links": [first, a, b, c, last, {"name": "instant"}],
                    "flows": flows, "cross_traffic": cross_traffic,
                });
                keep_only_used_links(&mut scenario);
                lengthen_last_links(&mut scenario, window_ns);
                share_memory(&mut scenario, memory_bytes);
                scenario
            })
    })
}

fn warm_up_ns() -> impl Strategy<Value = u64> {
    prop_oneof![Just(0), Just(500 * MS), 0..SEC]
}

fn interval_ns() -> impl Strategy<Value = u64> {
    prop_oneof![4 => Just(100 * MS), 1 => Just(MS), 2 => 5 * MS..SEC, 1 => Just(SEC)]
}

/// The shortest possible window: from a few packets to some round trips.
fn window_ns() -> impl Strategy<Value = u64> {
    prop::sample::select(vec![SHORTEST_SPAN_NS, 2 * MS, 5 * MS, 10 * MS, 20 * MS])
}

/// Memory that the hosts of all TCP flows share.
fn memory_bytes() -> impl Strategy<Value = Option<u64>> {
    prop_oneof![20 => Just(None), 1 => (65_536_u64..1_000_000).prop_map(Some)]
}

fn delay_ns(is_round: bool) -> BoxedStrategy<u64> {
    if is_round {
        prop::sample::select(vec![
            US,
            50 * US,
            100 * US,
            MS,
            2 * MS,
            5 * MS,
            5 * MS,
            10 * MS,
            10 * MS,
            20 * MS,
            150 * MS,
        ])
        .boxed()
    } else {
        prop_oneof![1 => US..SHORTEST_SPAN_NS, 1 => SHORTEST_SPAN_NS..MS, 6 => MS..40 * MS, 1 => 40 * MS..150 * MS]
            .boxed()
    }
}

fn rate_bps(is_round: bool) -> BoxedStrategy<u64> {
    if is_round {
        prop::sample::select(vec![800_000, 4_000_000, 8_000_000, 8_000_000, 12_000_000, 40_000_000]).boxed()
    } else {
        prop_oneof![1 => 100_000_u64..2_000_000, 4 => 2_000_000_u64..20_000_000, 1 => 20_000_000_u64..50_000_000]
            .boxed()
    }
}

fn start_ns(is_round: bool) -> BoxedStrategy<u64> {
    if is_round {
        prop::sample::select(vec![0, 0, 0, 0, 100 * MS, 500 * MS]).boxed()
    } else {
        prop_oneof![3 => Just(0), 3 => 0..100 * MS, 1 => 0..SEC].boxed()
    }
}

/// Impairments of a link that keep packets in order.
fn impairments(is_round: bool) -> impl Strategy<Value = Value> {
    let max_jitter_ns = if is_round { 1..3 * MS } else { 1..20 * MS };
    let jitter = prop_oneof![4 => Just(None), 1 => (max_jitter_ns, 0.0..0.9).prop_map(Some)];
    let duplicates = prop_oneof![4 => Just(0.0), 1 => 0.0..0.05];
    let is_lossy = prop::bool::weighted(0.3);
    let overhead = prop_oneof![Just(None), Just(Some(0))];
    (jitter, duplicates, is_lossy, loss(), overhead).prop_map(|(jitter, duplicates, is_lossy, loss, overhead)| {
        let mut link = json!({"duplicate_probability": duplicates, "overhead_bytes": overhead});
        if let Some((max_ns, correlation)) = jitter {
            link["jitter"] = json!({"max_ns": max_ns, "correlation": correlation});
        }
        if is_lossy && !loss.is_null() {
            link["loss"] = loss;
        }
        link
    })
}

/// A link that nothing limits.
fn wire(name: &'static str, is_round: bool) -> impl Strategy<Value = Value> {
    (delay_ns(is_round), impairments(is_round)).prop_map(move |(delay_ns, mut link)| {
        link["name"] = json!(name);
        link["delay_ns"] = json!(delay_ns);
        link
    })
}

/// A link with a rate, with a token bucket, or with a trace.
fn link(name: &'static str, is_round: bool) -> impl Strategy<Value = Value> {
    let bucket = prop_oneof![4 => Just(None), 1 => prop::sample::select(vec![10_000, 50_000]).prop_map(Some)];
    let queue = prop_oneof![6 => queue(), 1 => special_queue()];
    let switches = (prop::bool::weighted(0.1), prop::bool::weighted(0.2));
    (wire(name, is_round), rate_bps(is_round), queue, bucket, switches).prop_map(
        |(mut link, rate_bps, queue, bucket, (is_traced, changes))| {
            link["queue"] = queue;
            if is_traced {
                link["trace_ms"] = json!([1, 2, 2, 7, 30]);
                return link;
            }
            link["rate_bps"] = json!(rate_bps);
            link["burst_bytes"] = json!(bucket);
            if changes {
                let shorter_ns = link["delay_ns"].as_u64().expect("a delay") / 2 + 1;
                link["changes"] = json!([
                    {"at_ns": 500 * MS, "rate_bps": rate_bps / 2},
                    {"at_ns": 700 * MS, "delay_ns": shorter_ns},
                    {"at_ns": SEC, "rate_bps": rate_bps, "delay_ns": 20 * MS},
                ]);
            }
            link
        },
    )
}

/// Queues that `random_networks` leaves out, and settings of others.
fn special_queue() -> impl Strategy<Value = Value> {
    prop_oneof![
        (0..200 * US, prop::option::of(1..MS)).prop_map(
            |(forwarding, merge)| json!({"kind": "router", "forwarding_ns": forwarding, "merge_interval_ns": merge})
        ),
        (1_000_000_u64..10_000_000)
            .prop_map(|rate| json!({"kind": "policer", "rate_bps": rate, "burst_bytes": 30_000})),
        (500_000_u64..5_000_000).prop_map(|rate| json!({"kind": "fq", "maxrate_bps": rate})),
        (500_000_u64..5_000_000).prop_map(|rate| json!({"kind": "cake", "bandwidth_bps": rate})),
        Just(json!({"kind": "red", "limit_bytes": 200_000, "ecn": true, "adaptive": true})),
        Just(json!({"kind": "codel", "ecn": true, "ce_threshold_ns": MS})),
        Just(json!({"kind": "pie", "ecn": true, "dq_rate_estimator": true})),
    ]
}

/// Some of the links in their order; data crosses one with a rate.
fn forward() -> impl Strategy<Value = Vec<&'static str>> {
    let limited = prop::sample::subsequence(vec!["a", "b", "c"], 1..=2);
    let ends = (prop::bool::weighted(0.3), prop::bool::weighted(0.2));
    (limited, ends, prop::option::weighted(0.2, 0..4_usize)).prop_map(|(mut path, (first, last), instant)| {
        if first {
            path.insert(0, "first");
        }
        if last {
            path.push("last");
        }
        insert_instant(&mut path, instant);
        path
    })
}

fn reverse() -> impl Strategy<Value = Vec<&'static str>> {
    let path = prop::sample::subsequence(vec!["first", "a", "b", "c", "last"], 1..=3);
    (path, prop::option::weighted(0.2, 0..4_usize)).prop_map(|(mut path, instant)| {
        insert_instant(&mut path, instant);
        path
    })
}

fn insert_instant(path: &mut Vec<&str>, place: Option<usize>) {
    if let Some(place) = place {
        path.insert(place.min(path.len()), "instant");
    }
}

/// An application that just sends, or soon does nothing else.
fn workload() -> impl Strategy<Value = Value> {
    prop_oneof![
        30 => Just(json!({"kind": "bulk"})),
        2 => Just(json!({"kind": "iperf3"})),
        1 => (1_u64..20_000).prop_map(|bytes| json!({"kind": "bytes", "bytes": bytes})),
    ]
}

fn flow(is_round: bool) -> impl Strategy<Value = Value> {
    let hosts = prop_oneof![9 => tcp_hosts(), 1 => Just(json!({"transport": "quic"}))];
    let mtu = if is_round { vec![1000, 1500] } else { vec![576, 1500, 1500, 9000] };
    let times = (start_ns(is_round), prop::option::weighted(0.2, MS..SEC));
    (hosts, algorithm(), forward(), reverse(), workload(), prop::sample::select(mtu), times).prop_map(
        |(mut flow, algorithm, forward, reverse, workload, mtu, (start_ns, lasts_ns))| {
            let is_quic = flow["transport"] == "quic";
            flow["algorithm"] = json!(algorithm);
            flow["forward"] = json!(forward);
            flow["reverse"] = json!(reverse);
            flow["workload"] = workload;
            flow["mtu"] = json!(if is_quic { 1500 } else { mtu });
            flow["start_ns"] = json!(start_ns);
            flow["stop_ns"] = json!(lasts_ns.map(|lasts_ns| start_ns + lasts_ns));
            flow
        },
    )
}

fn tcp_hosts() -> impl Strategy<Value = Value> {
    let switches = (any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>());
    let ecn = prop::sample::select(vec!["none", "classic", "accurate", "l4s"]);
    let pacing = prop::sample::select(vec!["internal", "fq", "none"]);
    let interval_ns = prop::sample::select(vec![0, 25_000, MS]);
    (pacing, ecn, interval_ns, switches).prop_map(
        |(pacing, ecn, interval_ns, (offload, timestamps, probes, merge, is_small))| {
            let (uses_ecn, is_accurate) = (ecn != "none", ecn == "accurate" || ecn == "l4s");
            json!({
                "sender": {"pacing": pacing, "ecn": uses_ecn, "accecn": is_accurate, "ect1": ecn == "l4s",
                           "timestamps": timestamps, "tail_loss_probe": probes, "segmentation_offload": offload,
                           "offload": merge},
                "receiver": {"ecn": uses_ecn, "accecn": is_accurate, "offload": merge, "offload_interval_ns": interval_ns,
                             "rmem_max_bytes": if is_small { 200_000 } else { 6_000_000 }},
            })
        },
    )
}

fn cross_traffic(is_round: bool) -> impl Strategy<Value = Value> {
    let rate_bps =
        if is_round { prop_oneof![Just(80_000), Just(800_000)].boxed() } else { (50_000_u64..2_000_000).boxed() };
    let periods = prop::option::of((MS..200 * MS, MS..200 * MS, any::<bool>()));
    (reverse(), rate_bps, start_ns(is_round), periods).prop_map(|(path, rate_bps, start_ns, periods)| {
        let mut source = json!({"path": path, "rate_bps": rate_bps, "packet_bytes": 1000, "start_ns": start_ns});
        if let Some((on_ns, off_ns, exponential)) = periods {
            source["on_ns"] = json!(on_ns);
            source["off_ns"] = json!(off_ns);
            source["exponential"] = json!(exponential);
        }
        source
    })
}

fn paths(scenario: &Value) -> Vec<Vec<String>> {
    let of = |entries: &str, key: &str| -> Vec<Vec<String>> {
        let names = |entry: &Value| serde_json::from_value(entry[key].clone()).expect("a list of names");
        scenario[entries].as_array().expect("a list").iter().map(names).collect()
    };
    [of("flows", "forward"), of("flows", "reverse"), of("cross_traffic", "path")].concat()
}

fn keep_only_used_links(scenario: &mut Value) {
    let used = paths(scenario).concat();
    let links = scenario["links"].as_array_mut().expect("links");
    links.retain(|link| used.iter().any(|name| link["name"] == *name));
}

/// Where paths end, delays are at least `window_ns`.
fn lengthen_last_links(scenario: &mut Value, window_ns: u64) {
    let last_names: Vec<String> =
        paths(scenario).iter().filter_map(|path| path.iter().rfind(|name| *name != "instant").cloned()).collect();
    let links = scenario["links"].as_array_mut().expect("links");
    for link in links.iter_mut().filter(|link| last_names.iter().any(|name| link["name"] == *name)) {
        let delay_ns = link["delay_ns"].as_u64().expect("a delay");
        link["delay_ns"] = json!(delay_ns.max(window_ns));
        for change in link.get_mut("changes").and_then(Value::as_array_mut).into_iter().flatten() {
            if let Some(delay_ns) = change["delay_ns"].as_u64() {
                change["delay_ns"] = json!(delay_ns.max(window_ns));
            }
        }
    }
}

fn share_memory(scenario: &mut Value, memory_bytes: Option<u64>) {
    let flows = scenario["flows"].as_array_mut().expect("flows");
    for flow in flows.iter_mut().filter(|flow| memory_bytes.is_some() && flow["transport"] != "quic") {
        flow["sender"]["tcp_memory_bytes"] = json!(memory_bytes);
    }
}
