//! A recording of a flow's algorithm, whose replays Python times.

use fairlane_algorithm_native as native;
use pyo3::prelude::*;

/// TCP's calls of one flow's algorithm.
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
