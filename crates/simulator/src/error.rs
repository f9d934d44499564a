//! Errors of a run.

use fairlane_congestion_control::AlgorithmFault;
use fairlane_contract::Problem;

#[derive(Debug, thiserror::Error)]
pub enum SimulationError {
    /// The scenario is invalid; at least one problem.
    #[error("{}", lines(.0))]
    Scenario(Vec<Problem>),
    /// An algorithm could not be loaded.
    #[error("{0}")]
    Algorithm(String),
    /// A capture could not be written.
    #[error("the capture cannot be written ({0}); check the disk, or capture fewer flows")]
    Capture(#[from] std::io::Error),
    /// A trace could not be written.
    #[error("the trace cannot be written ({0}); check the disk, or trace a shorter time")]
    Trace(std::io::Error),
    /// A fault of an algorithm ended the run.
    #[error("{0}")]
    Fault(String),
}

impl SimulationError {
    pub(crate) fn fault(fault: &AlgorithmFault, flow: u32, now_ns: u64) -> Self {
        Self::Fault(format!("{fault} (flow {flow}, at {:.6} s)", now_ns as f64 / 1e9))
    }
}

impl From<Problem> for SimulationError {
    fn from(problem: Problem) -> Self {
        Self::Scenario(vec![problem])
    }
}

fn lines(problems: &[Problem]) -> String {
    problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}
