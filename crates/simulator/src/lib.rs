//! Puts a scenario together and runs it.
//!
//! What belongs here: the scenario's form, hosts and applications (`flow.rs`, `application.rs`,
//! `cross_traffic.rs`), the event loop (`simulation.rs`), the result (`results.rs`) and captures (`capture.rs`). What does not:
//! how links, TCP or algorithms behave; they have crates of their own. A run is single-threaded and
//! depends on nothing but its scenario: same text in, same text out.

mod algorithms;
mod application;
mod build;
mod capture;
mod components;
mod cross_traffic;
mod error;
mod flow;
mod host_queue;
mod json_pieces;
mod recording;
mod results;
mod scenario;
mod simulation;

pub use algorithms::{Algorithm, Algorithms, Programs};
pub use capture::{CaptureConfig, CapturePlace};
pub use error::SimulationError;
pub use fairlane_algorithm_host::Recording;
pub use json_pieces::JsonPieces;
pub use results::RunResult;
pub use scenario::{CrossTrafficConfig, FlowConfig, Pacing, ReceiverHost, Scenario, SenderHost, Workload};
pub use simulation::Simulation;

/// Runs a scenario given as JSON and returns the result as JSON.
///
/// # Errors
/// A scenario that cannot be read or makes no sense, an algorithm that cannot be loaded or that fails.
pub fn run_json(scenario: &str) -> Result<String, SimulationError> {
    Ok(run_json_with(scenario, &Programs)?.into_string())
}

/// The same in pieces, with algorithms from elsewhere.
///
/// # Errors
/// As [`run_json`].
pub fn run_json_with(scenario: &str, algorithms: &dyn Algorithms) -> Result<JsonPieces, SimulationError> {
    as_json(&Simulation::with(&read(scenario)?, algorithms)?.run()?)
}

/// [`run_json_with`] that also writes the packets of chosen flows to `sink`, as a pcapng file. `capture` is JSON.
///
/// # Errors
/// As [`run_json`]; a capture of flows that are not there, and a sink that refuses.
pub fn run_json_with_capture(
    scenario: &str,
    capture: &str,
    sink: Box<dyn std::io::Write>,
    algorithms: &dyn Algorithms,
) -> Result<JsonPieces, SimulationError> {
    let config: CaptureConfig =
        serde_json::from_str(capture).map_err(|error| SimulationError::Scenario(format!("capture: {error}")))?;
    let mut simulation = Simulation::with(&read(scenario)?, algorithms)?;
    simulation.capture(&config, sink)?;
    as_json(&simulation.run()?)
}

/// Says whether a scenario given as JSON could be run, without running it.
///
/// # Errors
/// As [`run_json`], but for algorithms that fail on the way.
pub fn check_json(scenario: &str) -> Result<(), SimulationError> {
    check_json_with(scenario, &Programs)
}

/// The same with algorithms from elsewhere.
///
/// # Errors
/// As [`check_json`].
pub fn check_json_with(scenario: &str, algorithms: &dyn Algorithms) -> Result<(), SimulationError> {
    Simulation::with(&read(scenario)?, algorithms).map(|_| ())
}

/// Runs a scenario given as JSON and returns what TCP asked of the first flow's algorithm.
///
/// # Errors
/// As [`run_json`].
pub fn record_json(scenario: &str) -> Result<Recording, SimulationError> {
    recording::record(&read(scenario)?)
}

fn as_json(result: &RunResult) -> Result<JsonPieces, SimulationError> {
    let mut text = JsonPieces::default();
    serde_json::to_writer(&mut text, result).map_err(|error| SimulationError::Scenario(format!("result: {error}")))?;
    Ok(text)
}

fn read(scenario: &str) -> Result<Scenario, SimulationError> {
    serde_json::from_str(scenario).map_err(|error| SimulationError::Scenario(format!("scenario: {error}")))
}
