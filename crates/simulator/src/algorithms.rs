//! Where a run's congestion controls come from.
//!
//! Usually from the algorithm host ([`Programs`]). Callers that have others (classes of another language, a
//! recorder between TCP and the program) bring their own [`Algorithms`].

use crate::error::SimulationError;
use fairlane_algorithm_host::{AlgorithmSource, Program};
use fairlane_tcp::CongestionControl;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Makes algorithms of the words of a scenario.
pub trait Algorithms {
    /// # Errors
    /// There is no such algorithm, or not with these parameters.
    fn load(&self, word: &str, parameters: &BTreeMap<String, i64>) -> Result<Rc<dyn Algorithm>, SimulationError>;
}

/// One algorithm with one set of parameters.
pub trait Algorithm {
    /// The congestion control of one flow.
    fn instantiate(&self) -> Box<dyn CongestionControl>;
}

/// The bundled algorithms, and C files.
pub struct Programs;

impl Algorithms for Programs {
    fn load(&self, word: &str, parameters: &BTreeMap<String, i64>) -> Result<Rc<dyn Algorithm>, SimulationError> {
        match Program::load(&AlgorithmSource::parse(word), parameters) {
            Ok(program) => Ok(Rc::new(program)),
            Err(error) => Err(SimulationError::Algorithm(error.to_string())),
        }
    }
}

impl Algorithm for Program {
    fn instantiate(&self) -> Box<dyn CongestionControl> {
        Program::instantiate(self)
    }
}
