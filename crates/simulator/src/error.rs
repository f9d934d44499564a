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
    /// A capture could not be written.
    #[error("the capture cannot be written ({0}); see to the disk, or capture fewer flows")]
    Capture(#[from] std::io::Error),
    /// An algorithm made a mistake that ended the run.
    #[error("{0}")]
    Fault(String),
}

impl SimulationError {
    pub(crate) fn fault(fault: &AlgorithmFault, flow: u32, now_ns: u64) -> Self {
        Self::Fault(format!("{fault} (flow {flow}, at {:.6} s)", now_ns as f64 / 1e9))
    }
}
