//! Records what a run asks of the algorithm of its first flow.

use crate::host::Programs;
use crate::program::Program;
use crate::recording::{Recorder, Recording};
use fairlane_congestion_control::{Algorithm, Algorithms, CongestionControl, LoadFailure};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Loads programs, and puts a recorder in front of the first connection that is made: the sender of the first flow.
#[derive(Default)]
pub struct RecordFirst {
    first: Rc<RefCell<Option<Recorder>>>,
}

impl RecordFirst {
    /// What was recorded; `None` if no flow began.
    pub fn finish(self) -> Option<Recording> {
        self.first.borrow_mut().take().and_then(Recorder::finish)
    }
}

impl Algorithms for RecordFirst {
    fn load(&self, word: &str, parameters: &BTreeMap<String, i64>) -> Result<Rc<dyn Algorithm>, LoadFailure> {
        Ok(Rc::new(Recorded { program: Programs::program(word, parameters)?, first: self.first.clone() }))
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
