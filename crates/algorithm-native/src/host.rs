//! This crate's algorithms for a simulator: the bundled ones, and C files.

use crate::error::LoadError;
use crate::program::Program;
use crate::source::AlgorithmSource;
use fairlane_congestion_control::{Algorithm, Algorithms, Callbacks, CongestionControl, LoadFailure, StateMember};
use std::collections::BTreeMap;
use std::rc::Rc;

/// The bundled algorithms by their names, and C files by their paths.
#[derive(Clone, Copy, Debug, Default)]
pub struct Programs;

impl Programs {
    /// The program that a scenario names.
    pub fn program(word: &str, parameters: &BTreeMap<String, i64>) -> Result<Program, LoadError> {
        Program::load(&AlgorithmSource::parse(word), parameters)
    }
}

impl Algorithms for Programs {
    fn load(&self, word: &str, parameters: &BTreeMap<String, i64>) -> Result<Rc<dyn Algorithm>, LoadFailure> {
        Ok(Rc::new(Self::program(word, parameters)?))
    }
}

impl Algorithm for Program {
    fn instantiate(&self) -> Box<dyn CongestionControl> {
        Program::instantiate(self)
    }

    fn has_copies(&self) -> bool {
        Program::has_copies(self)
    }

    fn instantiate_in(&self, copy: u32) -> Box<dyn CongestionControl> {
        Program::instantiate_in(self, copy)
    }

    fn callbacks(&self) -> Callbacks {
        Program::callbacks(self)
    }

    fn shares_memory(&self) -> bool {
        Program::shares_memory(self)
    }

    fn listen(&self) {
        Program::listen(self);
    }

    fn state_members(&self) -> &[StateMember] {
        Program::state_members(self)
    }
}
