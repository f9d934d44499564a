//! The simulator as a Python module, `fairlane._engine`: glue without logic.
//!
//! It turns a Python call into a call of `fairlane_simulator` or `fairlane_algorithm_native`, and a Rust error into a
//! Python exception. Defaults, units, tables and checks are in `python/fairlane/` (for users) and in `crates/simulator`
//! (for every caller).
//!
//! Scenarios are passed as JSON text. A result is passed as the bytes that the store keeps: metrics as JSON, time series
//! as Arrow (`packed.rs`). The interpreter's lock is released during a run, so that Python can handle Ctrl-C or draw a
//! progress bar.

mod algorithm_list;
mod carrier;
mod contained;
mod packed;
mod pieces;
mod python_algorithm;
mod recording;

use contained::{ContainedRun, Failure, Record, WithState};
use fairlane_algorithm_native::{Inputs, LoadError, RecordFirst, Snapshot};
use fairlane_congestion_control::Algorithms;
use fairlane_contract::{Problem, RunResult};
use fairlane_emulator::{self as emulator, Live, Run};
use fairlane_simulator::SimulationError;
use pyo3::create_exception;
use pyo3::exceptions::{PyOSError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use python_algorithm::{PythonAckSample, PythonRateSample, Sock, WithPython};
use recording::Recording;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::File;
use std::io::BufWriter;
use std::os::fd::AsFd;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

create_exception!(
    fairlane,
    ScenarioError,
    PyValueError,
    "A scenario that cannot be run. The message has a line for each problem; `problems` has them as dictionaries with `path` (keys and indices), `what` and `remedy`."
);
create_exception!(
    fairlane,
    AlgorithmError,
    PyRuntimeError,
    "A congestion control that cannot be used; the message names what is wrong and where."
);
create_exception!(
    fairlane,
    AlgorithmFault,
    AlgorithmError,
    "A congestion control that misbehaved while it ran; the message names the algorithm, the callback and the flow."
);

/// A result packed (see `packed.rs`), in pieces to be joined, and the worker's CPU time in seconds and largest memory in
/// MB; `None` without a worker.
type Packed = (Vec<Py<PyBytes>>, Option<(f64, f64)>);

/// Threads of a run in this process.
static THREADS: AtomicUsize = AtomicUsize::new(1);

/// Sets the number of threads on which this process runs a scenario. Results are the same.
#[pyfunction]
fn use_threads(count: usize) {
    THREADS.store(count, Ordering::Relaxed);
}

/// Runs one scenario, given as JSON.
#[pyfunction]
fn run(py: Python<'_>, scenario: &str) -> PyResult<Packed> {
    with_algorithms(
        py,
        |algorithms| {
            let threads = THREADS.load(Ordering::Relaxed);
            Ok(naming(scenario, algorithms, |algorithms| {
                fairlane_simulator::run_on_threads(scenario, algorithms, threads)
            }))
        },
        || contained::run(scenario, None),
    )
}

/// `run` that writes the packets of chosen flows to a pcapng file. `capture` is JSON.
#[pyfunction]
fn run_with_capture(py: Python<'_>, scenario: &str, capture: &str, path: PathBuf) -> PyResult<Packed> {
    let file = File::create(path)?;
    let again = file.try_clone()?;
    with_algorithms(
        py,
        |algorithms| {
            let file = BufWriter::new(file);
            Ok(naming(scenario, algorithms, |algorithms| {
                fairlane_simulator::run_with_capture(scenario, capture, Box::new(file), algorithms)
            }))
        },
        || contained::run(scenario, Some((Record::Capture(capture), again))),
    )
}

/// `run` that writes TCP's calls of the algorithms, as lines of JSON. `trace` is JSON.
#[pyfunction]
fn run_with_trace(py: Python<'_>, scenario: &str, trace: &str, path: PathBuf) -> PyResult<Packed> {
    let file = File::create(path)?;
    let again = file.try_clone()?;
    with_algorithms(
        py,
        |algorithms| {
            let file = BufWriter::new(file);
            Ok(fairlane_simulator::run_with_trace(scenario, trace, Box::new(file), &WithState(algorithms)))
        },
        || contained::run(scenario, Some((Record::Trace(trace), again))),
    )
}

/// Wraps algorithms so that they name the members of their own memory, if the scenario requires it.
fn naming<T>(scenario: &str, algorithms: &WithPython, use_them: impl FnOnce(&dyn Algorithms) -> T) -> T {
    match contained::names_state(scenario) {
        true => use_them(&WithState(algorithms)),
        false => use_them(algorithms),
    }
}

/// Runs a task here, with Python classes as algorithms, or in a worker if there is an untrusted C file. Raises the
/// exception that interrupted it, such as Ctrl-C.
fn with_algorithms(
    py: Python<'_>,
    here: impl FnOnce(&WithPython) -> PyResult<Result<RunResult, SimulationError>> + Send,
    in_worker: impl FnOnce() -> Result<ContainedRun, Failure> + Send,
) -> PyResult<Packed> {
    let (pieces, usage) = py.detach(|| {
        let algorithms = WithPython::default();
        let result = here(&algorithms)?;
        if result.is_err() && algorithms.needs_worker() {
            let run = in_worker().map_err(no_result)?;
            return Ok((vec![run.packed], Some((run.cpu_s, run.peak_rss_mb))));
        }
        match algorithms.take_interruption() {
            Some(interruption) => Err(interruption),
            None => result.map(|result| (packed::pack(result), None)).map_err(as_python),
        }
    })?;
    // Each piece is dropped as soon as Python has it.
    Ok((pieces.into_iter().map(|piece| PyBytes::new(py, &piece).unbind()).collect(), usage))
}

/// The result of a run of bundled algorithms as JSON, the text that every host of the engine gives.
#[pyfunction]
fn run_json(py: Python<'_>, scenario: &str) -> PyResult<String> {
    py.detach(|| fairlane_simulator::run_json(scenario, &WithState(&contained::Here))).map_err(as_python)
}

/// Raises the errors of `run` that need no simulation.
#[pyfunction]
fn check(py: Python<'_>, scenario: &str) -> PyResult<()> {
    let checked = py.detach(|| {
        let algorithms = WithPython::default();
        let checked = naming(scenario, &algorithms, |algorithms| fairlane_simulator::check_json(scenario, algorithms));
        if checked.is_err() && algorithms.needs_worker() {
            return contained::check(scenario);
        }
        checked
    });
    checked.map_err(as_python)
}

/// Runs one scenario, given as JSON, and returns TCP's calls of the first flow's algorithm, a C program.
#[pyfunction]
fn record(scenario: &str) -> PyResult<Recording> {
    let first = RecordFirst::new(contained::load_program);
    fairlane_simulator::run(scenario, &first).map_err(as_python)?;
    let nothing = || ScenarioError::new_err("flows: no flow begins, so there is nothing to record; start one earlier");
    Ok(Recording::new(first.finish().ok_or_else(nothing)?))
}

/// The built-in congestion controls with their parameters, as JSON.
#[pyfunction]
fn algorithms(py: Python<'_>) -> String {
    py.detach(algorithm_list::as_json)
}

/// The same with the members of each algorithm's own memory, as JSON.
#[pyfunction]
fn algorithms_with_state(py: Python<'_>) -> PyResult<String> {
    py.detach(algorithm_list::with_state).map_err(|error| AlgorithmError::new_err(error.to_string()))
}

/// A full description (JSON) of one congestion control, by name or by the path of its C file, with these parameters
/// (JSON).
#[pyfunction]
fn describe(py: Python<'_>, word: &str, parameters: &str) -> PyResult<String> {
    let parameters: BTreeMap<String, i64> = serde_json::from_str(parameters)
        .map_err(|error| scenario_error(vec![Problem::new("parameters", error.to_string(), "")]))?;
    py.detach(|| algorithm_list::describe(word, &parameters))
        .map_err(|error| AlgorithmError::new_err(error.to_string()))
}

/// Compiles a C file as it is now: its text, and the shared object.
#[pyfunction]
fn compile(py: Python<'_>, path: PathBuf) -> PyResult<(String, Py<PyBytes>)> {
    let taken = py.detach(|| Snapshot::take(&path)).map_err(|error| AlgorithmError::new_err(error.to_string()))?;
    Ok((taken.text.to_string(), PyBytes::new(py, &taken.object).unbind()))
}

/// A C file as it is now, and those headers of its folder that it includes, by their names there.
#[pyfunction]
fn read_program(path: PathBuf) -> PyResult<(String, BTreeMap<PathBuf, Vec<u8>>)> {
    let inputs = Inputs::read(&path).map_err(|error| match error {
        LoadError::CannotRead { reason, .. } => PyErr::from(reason),
        other => AlgorithmError::new_err(other.to_string()),
    })?;
    Ok((inputs.program, inputs.headers))
}

/// Runs a compiler, confined, in a folder that holds `files`: whether it succeeded, its messages, and the file `output`.
#[pyfunction]
fn compile_confined(
    py: Python<'_>,
    command: Vec<OsString>,
    files: BTreeMap<PathBuf, Vec<u8>>,
    output: PathBuf,
) -> PyResult<(bool, String, Py<PyBytes>)> {
    let done = py.detach(|| fairlane_algorithm_native::compile_confined(&command, &files, &output))?;
    Ok((done.succeeded, done.complaints, PyBytes::new(py, &done.output).unbind()))
}

/// The compiler's warnings about C files that were compiled since the last call; None if there were no such files.
#[pyfunction]
fn take_warnings() -> Option<Vec<String>> {
    fairlane_algorithm_native::take_warnings()
}

/// From now on this process uses the result of `compile` instead of the file.
#[pyfunction]
fn provide(path: PathBuf, text: &str, object: &[u8]) {
    Snapshot { text: text.into(), object: object.into(), warnings: [].into() }.provide(path);
}

/// The headers that congestion controls are compiled with, as JSON.
#[pyfunction]
fn interface() -> String {
    algorithm_list::interface()
}

/// The members of the kernel's structures that algorithms may name, as JSON.
#[pyfunction]
fn kernel_members() -> String {
    algorithm_list::kernel_members()
}

/// Plays a behaviour script in packetdrill's language and returns a report as JSON. `options` is JSON too.
#[pyfunction]
fn packetdrill(py: Python<'_>, name: &str, text: &str, options: &str) -> PyResult<String> {
    let report = py.detach(|| contained::play(name, text, options)).map_err(no_result)?;
    let report = report.map_err(|what| scenario_error(vec![Problem::new("", what, "")]))?;
    Ok(serde_json::to_string(&report).expect("a report is plain text and lists"))
}

/// Hashes of this build's sources, as JSON.
#[pyfunction]
fn build() -> &'static str {
    include_str!(concat!(env!("OUT_DIR"), "/sources.json"))
}

/// The BLAKE3 hash of some bytes: 128 bits as 32 hexadecimal digits.
#[pyfunction]
fn checksum(py: Python<'_>, data: &[u8]) -> String {
    let hash = py.detach(|| blake3::hash(data));
    hash.to_hex()[..32].to_owned()
}

/// The problems of a queue, given as JSON: a list as JSON, empty if the queue is valid.
#[pyfunction]
fn queue_problems(queue: &str) -> String {
    let problems = match fairlane_contract::read(queue) {
        Ok(queue) => fairlane_network::check_queue(&queue).err().into_iter().collect(),
        Err(problems) => problems,
    };
    serde_json::to_string(&problems).expect("problems are texts and numbers")
}

/// The problems of a shared medium, given as JSON: a list as JSON, empty if the medium is valid.
#[pyfunction]
fn medium_problems(medium: &str) -> String {
    let problems = match fairlane_contract::read(medium) {
        Ok(medium) => fairlane_network::check_medium(&medium).err().into_iter().collect(),
        Err(problems) => problems,
    };
    serde_json::to_string(&problems).expect("problems are texts and numbers")
}

/// The problems of a link, given as JSON: a list as JSON, empty if the link is valid.
#[pyfunction]
fn link_problems(link: &str) -> String {
    let problems = match fairlane_contract::read(link) {
        Ok(link) => fairlane_network::check_link(&link).err().into_iter().collect(),
        Err(problems) => problems,
    };
    serde_json::to_string(&problems).expect("problems are texts and numbers")
}

/// Carries packets between devices as a scenario's network does, until `stop` is readable or the time is over. Returns a
/// report as JSON.
#[pyfunction]
fn emulate(
    py: Python<'_>,
    scenario: &str,
    ports: Vec<i32>,
    stop: i32,
    status: Option<i32>,
    times_ns: (u64, Option<u64>, u64),
) -> PyResult<String> {
    let scenario = fairlane_contract::read(scenario).map_err(scenario_error)?;
    let (origin_ns, duration_ns, wake_ns) = times_ns;
    let run = Run { ports, stop, status, origin_ns, duration_ns, wake_ns };
    let report = py.detach(|| Live::new(&scenario, &run)?.run()).map_err(|failure| match failure {
        emulator::Failure::Scenario(problem) => scenario_error(vec![problem]),
        emulator::Failure::System(..) => PyOSError::new_err(failure.to_string()),
    })?;
    Ok(serde_json::to_string(&report).expect("a report is numbers and lists"))
}

/// The declarations of scenario, result and units, as JSON.
#[pyfunction]
fn contract() -> String {
    fairlane_contract::declarations().to_string()
}

fn scenario_error(problems: Vec<Problem>) -> PyErr {
    let lines: Vec<_> = problems.iter().map(ToString::to_string).collect();
    let error = ScenarioError::new_err(lines.join("\n"));
    let attached = Python::attach(|py| -> PyResult<()> {
        let text = serde_json::to_string(&problems).expect("problems are texts and numbers");
        error.value(py).setattr("problems", py.import("json")?.call_method1("loads", (text,))?)
    });
    match attached {
        Ok(()) => error,
        Err(other) => other,
    }
}

fn as_python(error: SimulationError) -> PyErr {
    match error {
        SimulationError::Scenario(problems) => scenario_error(problems),
        SimulationError::Algorithm(message) => AlgorithmError::new_err(message),
        SimulationError::Capture(error) | SimulationError::Trace(error) => error.into(),
        SimulationError::Fault(message) => AlgorithmFault::new_err(message),
    }
}

fn no_result(failure: Failure) -> PyErr {
    match failure {
        Failure::Simulation(error) => as_python(error),
        Failure::Interrupted(error) => error,
        Failure::Fault(message) => AlgorithmFault::new_err(message),
        Failure::Unavailable(message) => AlgorithmError::new_err(message),
    }
}

/// Sets (JSON) the C files that run in this process, the time limit of others, and the command that starts the spawner
/// of their workers.
#[pyfunction]
fn contain(policy: &str) -> PyResult<()> {
    contained::set_policy(policy).map_err(PyValueError::new_err)
}

/// The protections against untrusted algorithms that this kernel lacks.
#[pyfunction]
fn missing_protections() -> Vec<&'static str> {
    fairlane_algorithm_native::sandbox::missing_protections()
}

/// Starts workers until the caller closes standard input. For a process that does nothing else.
#[pyfunction]
fn serve_workers(py: Python<'_>, sudo_uid: Option<String>, sudo_gid: Option<String>) -> PyResult<()> {
    let control = std::io::stdin().as_fd().try_clone_to_owned()?;
    py.detach(|| contained::serve(control, sudo_uid.as_deref(), sudo_gid.as_deref())).map_err(Into::into)
}

#[pymodule]
fn _engine(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("ScenarioError", py.get_type::<ScenarioError>())?;
    module.add("AlgorithmError", py.get_type::<AlgorithmError>())?;
    module.add("AlgorithmFault", py.get_type::<AlgorithmFault>())?;
    module.add_function(wrap_pyfunction!(run, module)?)?;
    module.add_function(wrap_pyfunction!(run_json, module)?)?;
    module.add_function(wrap_pyfunction!(run_with_capture, module)?)?;
    module.add_function(wrap_pyfunction!(run_with_trace, module)?)?;
    module.add_function(wrap_pyfunction!(use_threads, module)?)?;
    module.add_function(wrap_pyfunction!(check, module)?)?;
    module.add_function(wrap_pyfunction!(contain, module)?)?;
    module.add_function(wrap_pyfunction!(missing_protections, module)?)?;
    module.add_function(wrap_pyfunction!(serve_workers, module)?)?;
    module.add_function(wrap_pyfunction!(record, module)?)?;
    module.add_class::<Recording>()?;
    module.add_class::<Sock>()?;
    module.add_class::<PythonRateSample>()?;
    module.add_class::<PythonAckSample>()?;
    module.add_function(wrap_pyfunction!(algorithms, module)?)?;
    module.add_function(wrap_pyfunction!(algorithms_with_state, module)?)?;
    module.add_function(wrap_pyfunction!(describe, module)?)?;
    module.add_function(wrap_pyfunction!(compile, module)?)?;
    module.add_function(wrap_pyfunction!(provide, module)?)?;
    module.add_function(wrap_pyfunction!(read_program, module)?)?;
    module.add_function(wrap_pyfunction!(compile_confined, module)?)?;
    module.add_function(wrap_pyfunction!(take_warnings, module)?)?;
    module.add_function(wrap_pyfunction!(interface, module)?)?;
    module.add_function(wrap_pyfunction!(kernel_members, module)?)?;
    module.add_function(wrap_pyfunction!(packetdrill, module)?)?;
    module.add_function(wrap_pyfunction!(checksum, module)?)?;
    module.add_function(wrap_pyfunction!(queue_problems, module)?)?;
    module.add_function(wrap_pyfunction!(medium_problems, module)?)?;
    module.add_function(wrap_pyfunction!(link_problems, module)?)?;
    module.add_function(wrap_pyfunction!(emulate, module)?)?;
    module.add_function(wrap_pyfunction!(contract, module)?)?;
    module.add_function(wrap_pyfunction!(build, module)?)
}
