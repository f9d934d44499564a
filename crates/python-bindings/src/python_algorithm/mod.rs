//! Python classes as congestion controls.
//!
//! Calls a class's methods as TCP calls a program's callbacks. `fairlane.algorithm.prototype.loading` in Python finds and
//! checks the class.

mod flow;
mod members;
mod objects;

pub(crate) use objects::{PythonAckSample, PythonRateSample, Sock};

use crate::contained::{load_here, Refusal};
use fairlane_congestion_control::{congestion_flag, Algorithm, Algorithms, Callbacks, CongestionControl, LoadFailure};
use flow::PythonFlow;
use pyo3::prelude::*;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, PoisonError};

/// C programs, and classes of Python files and of this process.
#[derive(Default)]
pub(crate) struct WithPython {
    run: Arc<Run>,
    /// The run has an untrusted C file.
    needs_worker: Cell<bool>,
}

/// State that all Python flows of a run share.
#[derive(Default)]
struct Run {
    /// An exception in a callback that is not the algorithm's fault, such as Ctrl-C.
    interruption: Mutex<Option<PyErr>>,
    /// The number of callbacks.
    calls: AtomicU64,
}

impl WithPython {
    /// Was a program rejected that a worker may run?
    pub fn needs_worker(&self) -> bool {
        self.needs_worker.get()
    }

    pub fn take_interruption(&self) -> Option<PyErr> {
        self.run.interruption.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl Algorithms for WithPython {
    fn load(&self, word: &str, parameters: &BTreeMap<String, i64>) -> Result<Rc<dyn Algorithm>, LoadFailure> {
        if !means_python(word) {
            let loaded = load_here(word, parameters);
            self.needs_worker.set(self.needs_worker.get() || loaded.as_ref().is_err_and(|error| error.is::<Refusal>()));
            return loaded;
        }
        let loaded = Python::attach(|py| {
            let loading = py.import("fairlane.algorithm.prototype.loading")?;
            let found = loading.call_method1("load", (word, parameters.clone()))?;
            let class = found.getattr("cls")?;
            let has = |name: &str| class.hasattr(name);
            let callbacks = Callbacks {
                init: has("init")?,
                release: has("release")?,
                cong_control: has("cong_control")?,
                set_state: has("set_state")?,
                cwnd_event: has("cwnd_event")?,
                in_ack_event: has("in_ack_event")?,
                pkts_acked: has("pkts_acked")?,
                min_tso_segs: has("min_tso_segs")?,
                sndbuf_expand: has("sndbuf_expand")?,
                flags: if found.getattr("needs_ecn")?.extract()? { congestion_flag::NEEDS_ECN } else { 0 },
            };
            PyResult::Ok(PythonAlgorithm {
                name: found.getattr("name")?.extract()?,
                class: class.unbind(),
                callbacks,
                run: self.run.clone(),
            })
        });
        match loaded {
            Ok(algorithm) => Ok(Rc::new(algorithm)),
            Err(error) => Err(Python::attach(|py| error.value(py).to_string()).into()),
        }
    }
}

/// `mine.py`, `mine.py:Mine`, or a class of this process, `python:Mine`.
pub(crate) fn means_python(word: &str) -> bool {
    let name = word.rsplit('/').next().unwrap_or(word);
    word.starts_with("python:") || name.ends_with(".py") || name.contains(".py:")
}

struct PythonAlgorithm {
    name: String,
    class: Py<PyAny>,
    callbacks: Callbacks,
    run: Arc<Run>,
}

impl Algorithm for PythonAlgorithm {
    fn callbacks(&self) -> Callbacks {
        self.callbacks
    }

    /// Variables of a class, of a module, or of its imports.
    fn shares_memory(&self) -> bool {
        true
    }

    fn instantiate(&self) -> Box<dyn CongestionControl> {
        let class = Python::attach(|py| self.class.clone_ref(py));
        Box::new(PythonFlow::new(class, self.name.clone(), self.callbacks, self.run.clone()))
    }
}
