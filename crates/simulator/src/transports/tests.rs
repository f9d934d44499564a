//! Runs with a transport that is not TCP, with two transports at once, and with checks of the calling order.

use super::constant_window::{ConstantWindow, ConstantWindows, HEADER_BYTES, PAYLOAD_BYTES};
use super::{Endpoints, Place, Tcp, TcpTransports, Transports};
use crate::capture::CaptureConfig;
use crate::error::SimulationError;
use crate::simulation::Simulation;
use fairlane_algorithm_native::Programs;
use fairlane_contract::{FlowConfig, Rows, RunResult, Scenario};
use fairlane_transport::{Checked, Either, EitherWireFormat, Transport, WireFormat};
use serde_json::{json, Value};
use std::rc::Rc;

const MS: u64 = 1_000_000;
const SEC: u64 = 1_000_000_000;
const RTT_NS: u64 = 40 * MS;

/// Flows through one bottleneck of 20 Mbit/s, for ten seconds.
fn scenario(flows: Value, bottleneck: Value) -> Scenario {
    let mut flows = flows;
    for flow in flows.as_array_mut().expect("a list of flows") {
        flow["forward"] = json!(["bottleneck"]);
        flow["reverse"] = json!(["back"]);
    }
    let mut link = json!({"name": "bottleneck", "rate_bps": 20_000_000, "delay_ns": RTT_NS / 2,
        "queue": {"kind": "fifo", "limit_packets": 100}});
    for (key, value) in bottleneck.as_object().expect("settings of a link") {
        link[key] = value.clone();
    }
    let links = json!([link, {"name": "back", "delay_ns": RTT_NS / 2}]);
    serde_json::from_value(json!({"seed": 1, "duration_ns": 10 * SEC, "links": links, "flows": flows}))
        .expect("a scenario")
}

/// One row of a result.
fn row<R>(rows: &Rows<R>, at: usize) -> R {
    rows.iter().nth(at).expect("the flow exists")
}

fn run<T: Transport>(scenario: &Scenario, mut transports: impl Transports<T>) -> RunResult {
    let simulation = Simulation::with_transports(scenario, &mut transports).expect("it can be run");
    simulation.run().expect("it runs to its end")
}

/// The same transports, each endpoint in a [`Checked`].
struct WithChecks<A>(A);

struct CheckedEndpoints<T>(Rc<dyn Endpoints<T>>);

impl<T: Transport + 'static, A: Transports<T>> Transports<Checked<T>> for WithChecks<A> {
    fn endpoints(&mut self, config: &FlowConfig) -> Result<Rc<dyn Endpoints<Checked<T>>>, SimulationError> {
        Ok(Rc::new(CheckedEndpoints(self.0.endpoints(config)?)))
    }

    fn share_memory(&self) -> bool {
        self.0.share_memory()
    }
}

impl<T: Transport> Endpoints<Checked<T>> for CheckedEndpoints<T> {
    fn endpoint(&self, place: Place, now_ns: u64) -> Checked<T> {
        Checked::new(self.0.endpoint(place, now_ns))
    }

    fn mss_bytes(&self) -> u32 {
        self.0.mss_bytes()
    }

    fn wire_format(&self) -> Box<dyn WireFormat<T::Datagram>> {
        self.0.wire_format()
    }
}

/// TCP, and a constant window for the flows that name it instead of an algorithm.
struct Mixed<'a>(TcpTransports<'a>, ConstantWindows);

type TcpOrWindow = Either<Tcp, ConstantWindow>;

enum MixedEndpoints {
    Tcp(Rc<dyn Endpoints<Tcp>>),
    Window(Rc<dyn Endpoints<ConstantWindow>>),
}

impl Transports<TcpOrWindow> for Mixed<'_> {
    fn endpoints(&mut self, config: &FlowConfig) -> Result<Rc<dyn Endpoints<TcpOrWindow>>, SimulationError> {
        Ok(Rc::new(match config.algorithm.as_str() {
            "constant window" => MixedEndpoints::Window(self.1.endpoints(config)?),
            _ => MixedEndpoints::Tcp(self.0.endpoints(config)?),
        }))
    }

    fn share_memory(&self) -> bool {
        self.0.share_memory() || self.1.share_memory()
    }
}

impl Endpoints<TcpOrWindow> for MixedEndpoints {
    fn endpoint(&self, place: Place, now_ns: u64) -> TcpOrWindow {
        match self {
            Self::Tcp(endpoints) => Either::first(endpoints.endpoint(place, now_ns)),
            Self::Window(endpoints) => Either::second(endpoints.endpoint(place, now_ns)),
        }
    }

    fn mss_bytes(&self) -> u32 {
        match self {
            Self::Tcp(endpoints) => endpoints.mss_bytes(),
            Self::Window(endpoints) => endpoints.mss_bytes(),
        }
    }

    fn wire_format(&self) -> Box<dyn WireFormat<<TcpOrWindow as Transport>::Datagram>> {
        match self {
            Self::Tcp(endpoints) => Box::new(EitherWireFormat::First(endpoints.wire_format())),
            Self::Window(endpoints) => Box::new(EitherWireFormat::Second(endpoints.wire_format())),
        }
    }
}

fn close(value: f64, expected: f64, tolerance: f64) -> bool {
    (value - expected).abs() <= tolerance * expected
}

/// Goodput of a window that the path does not limit.
fn window_mbps(window_packets: u32, rtt_ms: f64) -> f64 {
    f64::from(window_packets * PAYLOAD_BYTES * 8) / 1e3 / rtt_ms
}

#[test]
fn a_constant_window_alone_gets_a_window_per_rtt() {
    let scenario = scenario(json!([{"algorithm": "none"}]), json!({}));
    let result = run(&scenario, WithChecks(ConstantWindows(20)));
    let flow = &row(&result.flows, 0);
    // One RTT: the delay of both directions, and the transmission of one frame of data.
    let rtt_ms = (RTT_NS as f64 + f64::from(HEADER_BYTES + PAYLOAD_BYTES + 14) * 8.0 / 0.02) / 1e6;
    assert!(close(flow.goodput_mbps, window_mbps(20, rtt_ms), 0.01), "{}", flow.goodput_mbps);
    assert!(close(flow.min_rtt_ms.expect("measured"), rtt_ms, 0.001), "{:?}", flow.min_rtt_ms);
    assert!(close(flow.packet_rtt.packet_rtt_median_ms.expect("measured"), rtt_ms, 0.2));
    assert_eq!((flow.mss_bytes, flow.retransmits, flow.lost_packets), (PAYLOAD_BYTES, 0, 0));
    assert_eq!(flow.summary.mean_cwnd_packets, Some(20.0));
    assert_eq!(flow.bytes_delivered, flow.data_packets_received * u64::from(PAYLOAD_BYTES));
    assert!(close(result.links[0].utilisation, flow.throughput_mbps / 20.0, 0.01));
    assert_eq!(row(&result.series.flows, 0).cwnd_packets[50], 20);
}

#[test]
fn a_constant_window_fills_the_queue_and_repairs_loss() {
    let flows = json!([{"algorithm": "none"}]);
    let result = run(&scenario(flows.clone(), json!({})), WithChecks(ConstantWindows(180)));
    assert!(result.links[0].utilisation > 0.97, "{}", result.links[0].utilisation);
    assert!(row(&result.flows, 0).packet_rtt.packet_rtt_median_ms.expect("measured") > 70.0, "a standing queue");

    let lossy = json!({"loss": {"kind": "independent", "probability": 0.02}});
    let result = run(&scenario(flows, lossy), WithChecks(ConstantWindows(20)));
    let flow = &row(&result.flows, 0);
    assert!(flow.retransmits > 20 && flow.timeouts > 10, "{} {}", flow.retransmits, flow.timeouts);
    assert!(u64::from(flow.retransmits).abs_diff(flow.lost_packets) <= 2, "{} {}", flow.retransmits, flow.lost_packets);
    assert!(flow.bytes_delivered > 1_000_000);
}

#[test]
fn applications_and_captures_work_with_any_transport() {
    let scenario = scenario(
        json!([
            {"algorithm": "none", "workload": {"kind": "bytes", "bytes": 100_000}},
            {"algorithm": "none", "workload": {"kind": "request_response", "request_bytes": 200, "response_bytes": 9_000}},
            {"algorithm": "none", "workload": {"kind": "on_off", "on_ns": SEC, "off_ns": SEC}},
            {"algorithm": "none", "workload": {"kind": "iperf3"}},
        ]),
        json!({}),
    );
    let result = run(&scenario, WithChecks(ConstantWindows(10)));
    // 100 packets take ten windows, and the handshake one more RTT.
    assert!(
        close(row(&result.flows, 0).completion_s.expect("it completes"), 0.45, 0.1),
        "{:?}",
        row(&result.flows, 0).completion_s
    );
    assert!(row(&result.flows, 1).application.requests_completed.expect("counted") > 200);
    // Half of the time; data that is ready at the end of each period, 64 KiB, takes a quarter of a second more.
    let on_share = 0.5 * 1.27;
    assert!(
        close(row(&result.flows, 2).goodput_mbps, window_mbps(10, 40.6) * on_share, 0.1),
        "{}",
        row(&result.flows, 2).goodput_mbps
    );
    assert!(
        close(row(&result.flows, 3).goodput_mbps, window_mbps(10, 40.6), 0.1),
        "{}",
        row(&result.flows, 3).goodput_mbps
    );

    let config: CaptureConfig = serde_json::from_value(json!({"flows": [0]})).expect("a capture");
    let file = Rc::new(std::cell::RefCell::new(Vec::new()));
    let mut simulation = Simulation::with_transports(&scenario, &mut ConstantWindows(10)).expect("it can be run");
    simulation.capture(&config, Box::new(Shared(file.clone()))).expect("memory takes it");
    simulation.run().expect("it runs to its end");
    let udp_packets = file.borrow().windows(3).filter(|bytes| bytes == &[64, 17, bytes[2]]).count();
    assert!(udp_packets >= 202, "{udp_packets}: each of 100 packets, its acknowledgement, and the handshake");
}

struct Shared(Rc<std::cell::RefCell<Vec<u8>>>);

impl std::io::Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.borrow_mut().extend(bytes);
        Ok(bytes.len())
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn one_network_carries_two_transports() {
    let scenario = scenario(json!([{"algorithm": "cubic"}, {"algorithm": "constant window"}]), json!({}));
    let result = run(&scenario, WithChecks(Mixed(TcpTransports::new(&scenario, &Programs), ConstantWindows(20))));
    let [tcp, window] = [0, 1].map(|flow| row(&result.flows, flow));
    assert_eq!((tcp.mss_bytes, window.mss_bytes), (1448, PAYLOAD_BYTES));
    let rtt_ms = window.packet_rtt.packet_rtt_mean_ms.expect("measured");
    assert!(close(window.goodput_mbps, window_mbps(20, rtt_ms), 0.05), "{} at {rtt_ms} ms", window.goodput_mbps);
    assert!(tcp.goodput_mbps > 10.0 && tcp.goodput_mbps + window.goodput_mbps < 20.0, "{}", tcp.goodput_mbps);
    assert!(close(tcp.packet_rtt.packet_rtt_mean_ms.expect("measured"), rtt_ms, 0.1), "they share the queue");
}

#[test]
fn the_simulator_keeps_the_calling_order_and_a_detour_changes_nothing() {
    let fq = json!({"pacing": "fq", "offload": true});
    let flows = json!([
        {"algorithm": "cubic"},
        {"algorithm": "bbr", "sender": fq, "receiver": {"offload": true}},
        {"algorithm": "dctcp", "sender": {"ecn": true}, "receiver": {"ecn": true}, "stop_ns": 5 * SEC},
        {"algorithm": "reno", "workload": {"kind": "iperf3"}},
        {"algorithm": "cubic", "workload": {"kind": "bytes", "bytes": 3_000_000}, "start_ns": SEC},
        {"algorithm": "bbr", "workload": {"kind": "request_response", "request_bytes": 200, "response_bytes": 90_000}},
        {"algorithm": "reno", "workload": {"kind": "on_off", "on_ns": SEC, "off_ns": SEC, "exponential": true}},
        {"algorithm": "cubic", "workload": {"kind": "poisson_flows", "rate_per_s": 5.0, "mean_bytes": 20_000}},
    ]);
    let bottleneck = json!({"loss": {"kind": "independent", "probability": 0.005}, "duplicate_probability": 0.001,
        "queue": {"kind": "fq_codel"}});
    let scenario = scenario(flows, bottleneck);
    let text = |result: &RunResult| serde_json::to_string(result).expect("a result is JSON");
    let plain = text(&run(&scenario, TcpTransports::new(&scenario, &Programs)));
    let checked = text(&run(&scenario, WithChecks(TcpTransports::new(&scenario, &Programs))));
    let mixed = text(&run(&scenario, Mixed(TcpTransports::new(&scenario, &Programs), ConstantWindows(1))));
    assert!(plain == checked, "Checked only looks");
    assert!(plain == mixed, "Either only passes on");
}

#[test]
fn only_this_folder_names_a_transport() {
    let source = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for entry in std::fs::read_dir(source).expect("the crate's source") {
        let path = entry.expect("an entry").path();
        if path.is_file() {
            let text = std::fs::read_to_string(&path).expect("text");
            assert!(!text.contains("fairlane_tcp"), "{} names TCP", path.display());
        }
    }
}
