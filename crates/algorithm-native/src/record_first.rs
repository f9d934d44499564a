//! Records the calls of the first flow's algorithm in a run.

use crate::program::Program;
use crate::recording::{Recorder, Recording};
use fairlane_congestion_control::{Algorithm, Algorithms, Callbacks, CongestionControl, LoadFailure};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// How a program is found.
type Load = fn(&str, &BTreeMap<String, i64>) -> Result<Program, LoadFailure>;

/// Loads programs, and records the first connection: the sender of the first flow.
pub struct RecordFirst {
    load: Load,
    first: Rc<RefCell<Option<Recorder>>>,
}

impl RecordFirst {
    pub fn new(load: Load) -> Self {
        Self { load, first: Rc::default() }
    }

    /// The recording; `None` if no flow began.
    pub fn finish(self) -> Option<Recording> {
        self.first.borrow_mut().take().and_then(Recorder::finish)
    }
}

impl Algorithms for RecordFirst {
    fn load(&self, word: &str, parameters: &BTreeMap<String, i64>) -> Result<Rc<dyn Algorithm>, LoadFailure> {
        Ok(Rc::new(Recorded { program: (self.load)(word, parameters)?, first: self.first.clone() }))
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

    fn callbacks(&self) -> Callbacks {
        self.program.callbacks()
    }

    fn shares_memory(&self) -> bool {
        self.program.shares_memory()
    }
}
