//! Records what TCP asks of one flow's algorithm during a run, to see later what the answers cost.

use crate::algorithms::{Algorithm, Algorithms};
use crate::error::SimulationError;
use crate::scenario::Scenario;
use crate::simulation::Simulation;
use fairlane_algorithm_host::{AlgorithmSource, Program, Recorder, Recording};
use fairlane_tcp::CongestionControl;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Runs the scenario and returns the calls of the first flow's algorithm.
///
/// # Errors
/// As those of a run; and a scenario in which no flow begins.
pub fn record(scenario: &Scenario) -> Result<Recording, SimulationError> {
    let recorder = RecordingFirst::default();
    Simulation::with(scenario, &recorder)?.run()?;
    let recording = recorder.first.borrow_mut().take().and_then(|first| first.finish());
    recording.ok_or_else(|| SimulationError::Scenario("flows: none began, so there is nothing to record".into()))
}

/// Loads programs, and puts a recorder before the first connection that is made: the sender of the first flow.
#[derive(Default)]
struct RecordingFirst {
    first: Rc<RefCell<Option<Recorder>>>,
}

impl Algorithms for RecordingFirst {
    fn load(&self, word: &str, parameters: &BTreeMap<String, i64>) -> Result<Rc<dyn Algorithm>, SimulationError> {
        let program = Program::load(&AlgorithmSource::parse(word), parameters)
            .map_err(|error| SimulationError::Algorithm(error.to_string()))?;
        Ok(Rc::new(Recorded { program, first: self.first.clone() }))
    }
}

struct Recorded {
    program: Program,
    first: Rc<RefCell<Option<Recorder>>>,
}

impl Algorithm for Recorded {
    fn instantiate(&self) -> Box<dyn CongestionControl> {
        if self.first.borrow().is_some() {
            return self.program.instantiate();
        }
        let recorder = Recorder::new(self.program.clone());
        *self.first.borrow_mut() = Some(recorder.clone());
        recorder.congestion_control()
    }
}
