//! The source of a run's congestion control algorithms.
//!
//! A scenario names algorithms by words. The caller of the run defines these words: programs compiled from C, Python
//! classes, a recorder in front of either.

use crate::{Callbacks, CongestionControl, StateMember};
use std::collections::BTreeMap;
use std::rc::Rc;

/// Why an algorithm cannot be loaded. Hosts have error types of their own, which a caller may downcast to.
pub type LoadFailure = Box<dyn std::error::Error + Send + Sync>;

/// Loads the algorithms that a scenario names.
pub trait Algorithms {
    /// # Errors
    /// There is no such algorithm, or it does not have these parameters.
    fn load(&self, word: &str, parameters: &BTreeMap<String, i64>) -> Result<Rc<dyn Algorithm>, LoadFailure>;
}

/// One algorithm with one set of parameters.
pub trait Algorithm {
    /// The congestion control of one flow.
    fn instantiate(&self) -> Box<dyn CongestionControl>;
    /// The callbacks of its flows.
    fn callbacks(&self) -> Callbacks;

    /// Its flows may share variables, so that one may depend on earlier calls of another: a run then makes their calls in
    /// order of time.
    fn shares_memory(&self) -> bool {
        false
    }

    /// Whether [`instantiate_in`](Self::instantiate_in) makes flows that may run at the same time on different threads.
    fn has_copies(&self) -> bool {
        false
    }

    /// The congestion control of one flow, in copy number `copy` of the algorithm. Flows of different copies may run at the
    /// same time, those of one copy not.
    fn instantiate_in(&self, copy: u32) -> Box<dyn CongestionControl> {
        let _ = copy;
        self.instantiate()
    }

    /// From now on its flows store the lines that they print, for [`CongestionControl::take_printed`].
    fn listen(&self) {}

    /// Gives the flows that exist, and those to come, other parameters.
    ///
    /// # Errors
    /// There is no such parameter, the value does not fit, or the host cannot change parameters during a run.
    fn change(&self, parameters: &BTreeMap<String, i64>) -> Result<(), String> {
        let _ = parameters;
        Err("its parameters cannot change during a run".to_owned())
    }

    /// The members of its own memory; empty if they are unknown.
    fn state_members(&self) -> &[StateMember] {
        &[]
    }
}
