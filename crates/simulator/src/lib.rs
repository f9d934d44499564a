//! Puts a scenario together and runs it.
//!
//! What belongs here: the scenario's form, hosts and applications (`flow.rs`, `application.rs`,
//! `cross_traffic.rs`), the event loop (`simulation.rs`) and the result (`results.rs`). What does not:
//! how links, TCP or algorithms behave; they have crates of their own. A run is single-threaded and
//! depends on nothing but its scenario: same text in, same text out.

mod application;
mod build;
mod components;
mod cross_traffic;
mod error;
mod flow;
mod host_queue;
mod results;
mod scenario;
mod simulation;

pub use error::SimulationError;
pub use results::RunResult;
pub use scenario::{CrossTrafficConfig, FlowConfig, Pacing, ReceiverHost, Scenario, SenderHost, Workload};
pub use simulation::Simulation;

/// Runs a scenario given as JSON and returns the result as JSON.
///
/// # Errors
/// A scenario that cannot be read or makes no sense, an algorithm that cannot be loaded or that fails.
pub fn run_json(scenario: &str) -> Result<String, SimulationError> {
    let scenario: Scenario =
        serde_json::from_str(scenario).map_err(|error| SimulationError::Scenario(format!("scenario: {error}")))?;
    let result = Simulation::new(&scenario)?.run()?;
    serde_json::to_string(&result).map_err(|error| SimulationError::Scenario(format!("result: {error}")))
}
