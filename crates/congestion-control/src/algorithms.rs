//! How a run finds its congestion control algorithms.
//!
//! A simulator knows an algorithm by a word of its scenario. The caller of the run defines these words: programs
//! compiled from C, Python classes, a recorder in front of either.

use crate::{Callbacks, CongestionControl, StateMember};
use std::collections::BTreeMap;
use std::rc::Rc;

/// Why an algorithm cannot be loaded. Hosts have error types of their own, which a caller may downcast to.
pub type LoadFailure = Box<dyn std::error::Error + Send + Sync>;

/// Makes algorithms of the words of a scenario.
pub trait Algorithms {
    /// # Errors
    /// There is no such algorithm, or it does not have these parameters.
    fn load(&self, word: &str, parameters: &BTreeMap<String, i64>) -> Result<Rc<dyn Algorithm>, LoadFailure>;
}

/// One algorithm with one set of parameters.
pub trait Algorithm {
    /// The congestion control of one flow.
    fn instantiate(&self) -> Box<dyn CongestionControl>;
    /// What flows will have.
    fn callbacks(&self) -> Callbacks;

    /// Its flows may have variables in common, so that what one does can depend on what another did before: a run then makes
    /// their calls in order of time.
    fn shares_memory(&self) -> bool {
        false
    }

    /// From here on its flows keep what they print, for [`CongestionControl::take_printed`].
    fn listen(&self) {}

    /// The members of its own memory; empty where they are not known.
    fn state_members(&self) -> &[StateMember] {
        &[]
    }
}
