//! The source of a run's C programs: in the caller's process, during a check, and in a worker.

use super::request::Programs as Sent;
use super::{policy, Record};
use fairlane_algorithm_native::{state_members, AlgorithmSource, Image, Program, Programs};
use fairlane_congestion_control::{Algorithm, Algorithms, Callbacks, CongestionControl, LoadFailure, StateMember};
use fairlane_simulator::SimulationError;
use serde::Deserialize;
use std::cell::{OnceCell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

/// The program if it is an untrusted C file, and nothing if it may run here.
pub(super) fn of_others(word: &str, parameters: &BTreeMap<String, i64>) -> Result<Sent, SimulationError> {
    let mut found = Sent::default();
    let source = AlgorithmSource::parse(word);
    if matches!(&source, AlgorithmSource::File { path, .. } if !policy::trusts(path)) {
        let image = Image::of(&source).and_then(|image| image.prepare(parameters));
        found.add(word, parameters, image.map_err(|error| SimulationError::Algorithm(error.to_string()))?);
    }
    Ok(found)
}

/// Checks programs without running any, and keeps those that a worker needs.
#[derive(Default)]
pub(super) struct Collector {
    found: RefCell<Sent>,
    /// The run needs the names of the programs' own members.
    names_state: bool,
}

impl Collector {
    pub fn new(scenario: &str, record: Option<Record<'_>>) -> Self {
        Self { names_state: matches!(record, Some(Record::Trace(_))) || names_state(scenario), ..Self::default() }
    }

    pub fn finish(self) -> Sent {
        self.found.into_inner()
    }
}

impl Algorithms for Collector {
    fn load(&self, word: &str, parameters: &BTreeMap<String, i64>) -> Result<Rc<dyn Algorithm>, LoadFailure> {
        if crate::python_algorithm::means_python(word) {
            return Err(format!(
                "{word} is Python and runs in this process, which C files of others never do; give --trust FILE for \
                 the C file, or run them apart"
            )
            .into());
        }
        let source = AlgorithmSource::parse(word);
        if matches!(source, AlgorithmSource::Bundled(_)) {
            return WithState(&Programs).load(word, parameters);
        }
        let mut program = Image::of(&source)?.prepare(parameters)?;
        if self.names_state {
            program.state_members = state_members(&source)?;
        }
        let state = OnceCell::from(program.state_members.clone());
        self.found.borrow_mut().add(word, parameters, program);
        // A placeholder in the checked simulation, which is never called.
        let inner = Programs.load("reno", &BTreeMap::new())?;
        Ok(Rc::new(NamedState { inner, source, state }))
    }
}

/// In a worker: the programs of the request, and bundled ones.
pub(super) struct InWorker(pub Sent);

impl Algorithms for InWorker {
    fn load(&self, word: &str, parameters: &BTreeMap<String, i64>) -> Result<Rc<dyn Algorithm>, LoadFailure> {
        match self.0.find(word, parameters) {
            Some(program) => Ok(Rc::new(Program::load_prepared(program)?)),
            None => WithState(&Programs).load(word, parameters),
        }
    }
}

/// Whether a scenario (JSON) samples members of algorithms' own memory.
pub(crate) fn names_state(scenario: &str) -> bool {
    #[derive(Deserialize)]
    struct Watching {
        #[serde(default)]
        watch: Vec<String>,
    }
    let is_watching = scenario.contains("\"watch\""); // others are not parsed twice
    is_watching && serde_json::from_str(scenario).is_ok_and(|found: Watching| !found.watch.is_empty())
}

/// Algorithms that run here, with the names of the members of the C programs' own memory.
pub(crate) struct WithState<'a>(pub &'a dyn Algorithms);

impl Algorithms for WithState<'_> {
    fn load(&self, word: &str, parameters: &BTreeMap<String, i64>) -> Result<Rc<dyn Algorithm>, LoadFailure> {
        let inner = self.0.load(word, parameters)?;
        if crate::python_algorithm::means_python(word) {
            return Ok(inner);
        }
        let source = AlgorithmSource::parse(word);
        let state = match &source {
            AlgorithmSource::Bundled(_) => OnceCell::new(),
            AlgorithmSource::File { .. } => state_members(&source)?.into(),
        };
        Ok(Rc::new(NamedState { inner, source, state }))
    }
}

struct NamedState {
    inner: Rc<dyn Algorithm>,
    source: AlgorithmSource,
    /// Of a bundled program, read on first use.
    state: OnceCell<Vec<StateMember>>,
}

impl Algorithm for NamedState {
    fn instantiate(&self) -> Box<dyn CongestionControl> {
        self.inner.instantiate()
    }

    fn has_copies(&self) -> bool {
        self.inner.has_copies()
    }

    fn instantiate_in(&self, copy: u32) -> Box<dyn CongestionControl> {
        self.inner.instantiate_in(copy)
    }

    fn callbacks(&self) -> Callbacks {
        self.inner.callbacks()
    }

    fn shares_memory(&self) -> bool {
        self.inner.shares_memory()
    }

    fn listen(&self) {
        self.inner.listen();
    }

    fn state_members(&self) -> &[StateMember] {
        self.state.get_or_init(|| state_members(&self.source).unwrap_or_default())
    }
}
