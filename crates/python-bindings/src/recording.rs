//! A recording of a flow's algorithm, to be played again while Python holds the watch.

use fairlane_algorithm_native as native;
use pyo3::prelude::*;

/// What TCP asked of one flow's algorithm.
#[pyclass(module = "fairlane._engine", unsendable)]
pub(crate) struct Recording {
    inner: native::Recording,
}

impl Recording {
    pub fn new(inner: native::Recording) -> Self {
        Self { inner }
    }
}

#[pymethods]
impl Recording {
    #[getter]
    fn acks(&self) -> u64 {
        self.inner.acks()
    }

    #[getter]
    fn calls(&self) -> u64 {
        self.inner.calls()
    }

    fn replay(&self) -> bool {
        self.inner.replay()
    }

    fn replay_nothing(&self) {
        self.inner.replay_nothing();
    }
}
