//! Why a run cannot begin, or had to end.

use fairlane_tcp::AlgorithmFault;

#[derive(Debug, thiserror::Error)]
pub enum SimulationError {
    /// The scenario makes no sense; the text names the place and the remedy.
    #[error("{0}")]
    Scenario(String),
    /// An algorithm could not be loaded.
    #[error("{0}")]
    Algorithm(String),
    /// An algorithm made a mistake that ended the run.
    #[error("{0}")]
    Fault(String),
}

impl SimulationError {
    pub(crate) fn fault(fault: &AlgorithmFault, flow: u32, now_ns: u64) -> Self {
        Self::Fault(format!("{fault} (flow {flow}, at {:.6} s)", now_ns as f64 / 1e9))
    }
}
