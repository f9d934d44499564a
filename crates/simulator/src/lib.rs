//! Assembles a scenario and runs it.
//!
//! It has hosts and applications (`flow.rs`, `applications/`, `workload.rs`, `cross_traffic.rs`), addresses (`address.rs`),
//! the list of transports (`transports/`), the event loop (`simulation.rs`), lookahead windows, which replace the loop
//! while applications only send (`simulation/lookahead.rs`), the path of a packet through its host (`departure.rs`,
//! `host_queue.rs`), the result (`results.rs`, `link_meter.rs`), and captures (`capture.rs`). `network_alone.rs` gives a
//! scenario's network to hosts that are not simulated. Links, TCP and algorithms are crates of their own. A run depends
//! only on its scenario: same text in, same text out, on any number of threads.

mod address;
mod applications;
mod build;
mod capture;
mod check;
mod components;
mod cross_traffic;
mod departure;
mod error;
mod flow;
mod host_queue;
mod ideal;
mod link_meter;
mod network_alone;
mod prepared;
mod records;
mod results;
mod sender_trace;
mod simulation;
mod sizes;
mod taps;
mod transports;
mod workload;

pub use capture::{CaptureConfig, CaptureFormat, CapturePlace};
pub use error::SimulationError;
pub use fairlane_network::{LiveChange, PacketStep};
pub use fairlane_transport::Side;
pub use link_meter::LinkMeter;
pub use network_alone::network_alone;
pub use prepared::Prepared;
pub use simulation::{Live, LiveFlow, Simulation, Step};
pub use transports::Tcp;

use fairlane_congestion_control::Algorithms;
use fairlane_contract::{Problem, RunResult, Scenario};
use fairlane_measure::{CallTrace, CallTraceConfig};

/// Runs a scenario given as JSON and returns the result as JSON. `algorithms` loads the algorithms that it names.
///
/// # Errors
/// As [`run`].
pub fn run_json(scenario: &str, algorithms: &dyn Algorithms) -> Result<String, SimulationError> {
    let result = run(scenario, algorithms)?;
    Ok(serde_json::to_string(&result).expect("a result has nothing that JSON does not know"))
}

/// Runs a scenario given as JSON.
///
/// # Errors
/// A scenario that is unreadable or invalid, an algorithm that cannot be loaded or that fails.
pub fn run(scenario: &str, algorithms: &dyn Algorithms) -> Result<RunResult, SimulationError> {
    run_on_threads(scenario, algorithms, 1)
}

/// The same on threads, where that is possible ([`Prepared::on_threads`]), with the same result.
///
/// # Errors
/// As [`run`].
pub fn run_on_threads(
    scenario: &str,
    algorithms: &dyn Algorithms,
    threads: usize,
) -> Result<RunResult, SimulationError> {
    let prepared = Prepared::new(&read(scenario)?, algorithms)?; // the scenario is freed before the run
    prepared.on_threads(threads).run()
}

/// Prepares a process whose forks run simulations in a sandbox: reads the clock that QUIC's times count from.
pub fn warm_up() {
    #[cfg(feature = "quic")]
    fairlane_quic::warm_up();
}

/// [`run`] that also writes the packets of chosen flows to `sink`, as a pcapng file, or the qlog of one. `capture` is JSON.
///
/// # Errors
/// As [`run`]; a capture of flows that do not exist, and a failing sink.
pub fn run_with_capture(
    scenario: &str,
    capture: &str,
    sink: Box<dyn std::io::Write>,
    algorithms: &dyn Algorithms,
) -> Result<RunResult, SimulationError> {
    let config: CaptureConfig = serde_json::from_str(capture)
        .map_err(|error| Problem::new("capture", error.to_string(), "see the documentation of captures"))?;
    #[cfg(feature = "quic")]
    if config.format == CaptureFormat::Qlog {
        return Prepared::run_with_qlog(&read(scenario)?, &config, sink, algorithms);
    }
    let mut simulation = Prepared::new(&read(scenario)?, algorithms)?;
    simulation.capture(&config, sink)?;
    simulation.run()
}

/// [`run`] that also writes TCP's calls of the algorithms to `sink`, as lines of JSON. `trace` is JSON, a
/// [`CallTraceConfig`].
///
/// # Errors
/// As [`run`]; names that no algorithm has, and a failing sink.
pub fn run_with_trace(
    scenario: &str,
    trace: &str,
    sink: Box<dyn std::io::Write + Send>,
    algorithms: &dyn Algorithms,
) -> Result<RunResult, SimulationError> {
    let config: CallTraceConfig = serde_json::from_str(trace)
        .map_err(|error| Problem::new("trace", error.to_string(), "see the documentation of traces"))?;
    let trace = CallTrace::new(config, sink, algorithms);
    let simulation = Prepared::new(&read(scenario)?, &trace)?;
    let unknown = trace.unknown_names().into_iter();
    let unknown: Vec<Problem> =
        unknown.map(|(name, remedy)| Problem::new("watch", format!("no algorithm has {name}"), remedy)).collect();
    if !unknown.is_empty() {
        return Err(SimulationError::Scenario(unknown));
    }
    let result = simulation.run();
    let written = trace.finish();
    let result = result?;
    written.map_err(SimulationError::Trace)?;
    Ok(result)
}

/// Checks a scenario given as JSON, without running it.
///
/// # Errors
/// As [`run`], except for algorithms that fail during the run; and names in `watch` that no algorithm has, whose columns
/// a run leaves empty.
pub fn check_json(scenario: &str, algorithms: &dyn Algorithms) -> Result<(), SimulationError> {
    let prepared = Prepared::new(&read(scenario)?, algorithms)?;
    match prepared.unknown_watched() {
        [] => Ok(()),
        unknown => Err(SimulationError::Scenario(unknown.to_vec())),
    }
}

fn read(scenario: &str) -> Result<Scenario, SimulationError> {
    fairlane_contract::read(scenario).map_err(SimulationError::Scenario)
}
