//! C programs that may run in this process: bundled ones, and files that the user trusts.

use super::policy;
use fairlane_algorithm_native::{AlgorithmSource, Program};
use fairlane_congestion_control::{Algorithm, Algorithms, LoadFailure};
use std::collections::BTreeMap;
use std::rc::Rc;

/// A program is not loaded in this process, as it must run in a worker.
#[derive(Debug, thiserror::Error)]
#[error("{0} runs in a process of its own only; --trust {0} lets it run here")]
pub(crate) struct Refusal(String);

/// Loads a bundled or trusted program into this process; the error is a [`Refusal`] for any other.
pub(crate) fn load_program(word: &str, parameters: &BTreeMap<String, i64>) -> Result<Program, LoadFailure> {
    match AlgorithmSource::parse(word) {
        AlgorithmSource::File { path, .. } if !policy::trusts(&path) => Err(Box::new(Refusal(word.into()))),
        source => Ok(Program::load(&source, parameters)?),
    }
}

/// [`load_program`] for a simulator.
pub(crate) fn load_here(word: &str, parameters: &BTreeMap<String, i64>) -> Result<Rc<dyn Algorithm>, LoadFailure> {
    Ok(Rc::new(load_program(word, parameters)?))
}

/// [`load_here`] as an implementation of the trait.
pub(crate) struct Here;

impl Algorithms for Here {
    fn load(&self, word: &str, parameters: &BTreeMap<String, i64>) -> Result<Rc<dyn Algorithm>, LoadFailure> {
        load_here(word, parameters)
    }
}
