//! Scenarios for the tests.

use fairlane_algorithm_native::Programs;
use fairlane_simulator::{Prepared, SimulationError};
use serde_json::{json, Value};
use std::io::Write;
use std::sync::{Arc, Mutex};

pub const MS: u64 = 1_000_000;
pub const SEC: u64 = 1_000_000_000;

/// Runs a scenario; panics with the error's text if it cannot be run.
pub fn run(scenario: &Value) -> Value {
    let text = run_text(&scenario.to_string()).unwrap_or_else(|error| panic!("{error}\n{scenario}"));
    serde_json::from_str(&text).expect("a result is JSON")
}

/// The same event by event.
pub fn run_by_events(scenario: &Value) -> Value {
    let text = run_text_by_events(&scenario.to_string()).unwrap_or_else(|error| panic!("{error}\n{scenario}"));
    serde_json::from_str(&text).expect("a result is JSON")
}

/// The result as text.
pub fn run_text(scenario: &str) -> Result<String, SimulationError> {
    fairlane_simulator::run_json(scenario, &Programs)
}

/// The same event by event.
pub fn run_text_by_events(scenario: &str) -> Result<String, SimulationError> {
    let read = fairlane_contract::read(scenario).map_err(SimulationError::Scenario)?;
    let result = Prepared::new(&read, &Programs)?.by_events().run()?;
    Ok(serde_json::to_string(&result).expect("a result can be written"))
}

/// The same on threads, in all windows.
pub fn run_text_on_threads(scenario: &str, threads: usize) -> Result<String, SimulationError> {
    let read = fairlane_contract::read(scenario).map_err(SimulationError::Scenario)?;
    let result = Prepared::new(&read, &Programs)?.always_on_threads(threads).run()?;
    Ok(serde_json::to_string(&result).expect("a result can be written"))
}

/// One bottleneck, everything else without limits. `queue` is a queue's configuration.
pub fn dumbbell(algorithms: &[&str], rate_bps: u64, rtt_ns: u64, queue: Value, duration_ns: u64) -> Value {
    let flows: Vec<Value> = algorithms
        .iter()
        .map(|algorithm| json!({"algorithm": algorithm, "forward": ["bottleneck"], "reverse": ["back"]}))
        .collect();
    json!({
        "seed": 1,
        "duration_ns": duration_ns,
        "links": [
            {"name": "bottleneck", "rate_bps": rate_bps, "delay_ns": rtt_ns / 2, "queue": queue},
            {"name": "back", "delay_ns": rtt_ns - rtt_ns / 2},
        ],
        "flows": flows,
    })
}

pub fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is not a number"))
}

/// A queue that holds one bandwidth-delay product.
pub fn one_bdp(rate_bps: u64, rtt_ns: u64) -> Value {
    json!({"kind": "fifo", "limit_bytes": (rate_bps as u128 * rtt_ns as u128 / 8 / SEC as u128).max(3000) as u64})
}

/// The bytes of a run's capture.
pub fn run_with_capture(scenario: &str, capture: &str) -> Result<Vec<u8>, SimulationError> {
    let file = Shared::default();
    fairlane_simulator::run_with_capture(scenario, capture, Box::new(file.clone()), &Programs)?;
    Ok(file.take())
}

/// A file in memory.
#[derive(Clone, Default)]
pub struct Shared(Arc<Mutex<Vec<u8>>>);

impl Shared {
    /// Its content.
    pub fn take(&self) -> Vec<u8> {
        std::mem::take(&mut self.0.lock().expect("no writer panics"))
    }
}

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().expect("no writer panics").write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
