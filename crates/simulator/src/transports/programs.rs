//! The congestion control algorithms of a run.

use crate::error::SimulationError;
use fairlane_congestion_control::{Algorithm, Algorithms};
use std::collections::BTreeMap;
use std::rc::Rc;

/// The algorithm that can emulate several connections.
pub(crate) const CUBIC: &str = "cubic";

/// Loads algorithms; flows with the same algorithm and parameters share one loaded program.
pub(crate) struct Programs<'a> {
    algorithms: &'a dyn Algorithms,
    loaded: BTreeMap<String, Rc<dyn Algorithm>>,
}

impl<'a> Programs<'a> {
    pub fn new(algorithms: &'a dyn Algorithms) -> Self {
        Self { algorithms, loaded: BTreeMap::new() }
    }

    /// Some flows share variables.
    pub fn share_memory(&self) -> bool {
        self.loaded.values().any(|program| program.shares_memory())
    }

    /// Each algorithm has copies for several threads.
    pub fn have_copies(&self) -> bool {
        self.loaded.values().all(|program| program.has_copies())
    }

    /// # Errors
    /// There is no such algorithm, or it does not have these parameters.
    pub fn load(
        &mut self,
        word: &str,
        parameters: &BTreeMap<String, i64>,
    ) -> Result<Rc<dyn Algorithm>, SimulationError> {
        let key = format!("{word} {}", serde_json::to_string(parameters).unwrap_or_default());
        if let Some(program) = self.loaded.get(&key) {
            return Ok(program.clone());
        }
        let program = self
            .algorithms
            .load(word, parameters)
            .map_err(|failure| SimulationError::Algorithm(failure.to_string()))?;
        self.loaded.insert(key, program.clone());
        Ok(program)
    }
}
