//! Untrusted algorithms, which are never executed in this process.
//!
//! A C file that is neither bundled nor trusted is compiled here (by a confined compiler), checked from its object file,
//! and run by a worker (`fairlane_algorithm_native::sandbox`). `policy` has the trusted files, `request` the messages to
//! and from a worker, `local` and `host` the algorithms here and in a worker, `workers` the processes, and `second_run`
//! detects programs whose answers are not a function of the scenario.

mod host;
mod local;
mod policy;
mod request;
mod second_run;
mod workers;

pub(crate) use host::{names_state, WithState};
pub(crate) use local::{load_here, load_program, Here, Refusal};
pub(crate) use policy::set_policy;
pub(crate) use workers::serve;

use fairlane_algorithm_native::sandbox::Finished;
use fairlane_packetdrill::Report;
use fairlane_simulator::SimulationError;
use host::Collector;
use pyo3::PyErr;
use request::{Answer, Request, Task};
use serde_json::Value;
use std::fs::File;
use std::time::Duration;

/// The outcome of a worker's run, as `_engine.run` returns it.
pub(crate) struct ContainedRun {
    pub packed: Vec<u8>,
    pub cpu_s: f64,
    pub peak_rss_mb: f64,
}

/// Why there is no result.
pub(crate) enum Failure {
    Simulation(SimulationError),
    /// Ctrl-C, for instance.
    Interrupted(PyErr),
    /// The end of a worker: a fault of the algorithm, or a failure to start.
    Fault(String),
    Unavailable(String),
}

impl From<SimulationError> for Failure {
    fn from(error: SimulationError) -> Self {
        Self::Simulation(error)
    }
}

/// Checks a scenario whose algorithms include untrusted files, without running any of them.
pub(crate) fn check(scenario: &str) -> Result<(), SimulationError> {
    fairlane_simulator::check_json(scenario, &Collector::new(scenario, None))
}

/// The configuration (JSON) of an additional output file of a run.
#[derive(Clone, Copy)]
pub(crate) enum Record<'a> {
    Capture(&'a str),
    Trace(&'a str),
}

/// Runs a scenario in a worker, and may record it to a file.
pub(crate) fn run(scenario: &str, record: Option<(Record<'_>, File)>) -> Result<ContainedRun, Failure> {
    let collector = Collector::new(scenario, record.as_ref().map(|(record, _)| *record));
    fairlane_simulator::check_json(scenario, &collector)?;
    let programs = collector.finish();
    let wall = policy::run_timeout().unwrap_or_else(|| expected_at_most(scenario));
    let scenario = scenario.to_owned();
    let answered = match record {
        None => second_run::ask_twice_once(Request { task: Task::Run { scenario }, programs, elsewhere: false }, wall)?,
        Some((record, sink)) => {
            let task = match record {
                Record::Capture(capture) => Task::Capture { scenario, capture: capture.into() },
                Record::Trace(trace) => Task::Trace { scenario, trace: trace.into() },
            };
            let names = programs.names();
            let request = Request { task, programs, elsewhere: false };
            let finished = workers::ask(&request, Some(sink), wall, &|| false).map_err(|end| end.about(&names))?;
            Answered { finished, names }
        }
    };
    let Answered { finished, names } = answered;
    let (cpu_s, peak_rss_mb) = (finished.cpu_s, finished.peak_rss_bytes as f64 / 1e6);
    match Answer::read(finished.answer) {
        Some(Answer::Result(packed)) => Ok(ContainedRun { packed, cpu_s, peak_rss_mb }),
        Some(Answer::Error(error)) => Err(error.into()),
        Some(Answer::Report(_)) | None => Err(unreadable(&names)),
    }
}

/// Plays a behaviour script; in a worker if the options (JSON) name an untrusted C file.
pub(crate) fn play(name: &str, text: &str, options: &str) -> Result<Result<Report, String>, Failure> {
    let read = match fairlane_packetdrill::read_options(options) {
        Ok(read) => read,
        Err(what) => return Ok(Err(what)),
    };
    let mut programs = request::Programs::default();
    if let Some(word) = &read.algorithm {
        programs = host::of_others(word, &read.parameters)?;
    }
    if programs.objects().next().is_none() {
        return Ok(Ok(fairlane_packetdrill::play_with(name, text, &read, &local::Here)));
    }
    let task = Task::Script { name: name.into(), text: text.into(), options: options.into() };
    let request = Request { task, programs, elsewhere: false };
    let wall = policy::run_timeout().unwrap_or(SCRIPT_AT_MOST);
    let Answered { finished, names } = second_run::ask_twice_once(request, wall)?;
    match Answer::read(finished.answer) {
        Some(Answer::Report(report)) => Ok(report),
        Some(Answer::Error(error)) => Err(error.into()),
        Some(Answer::Result(_)) | None => Err(unreadable(&names)),
    }
}

/// A worker's answer, not yet parsed, and the names of its programs.
struct Answered {
    finished: Finished,
    names: String,
}

fn unreadable(names: &str) -> Failure {
    Failure::Fault(format!("{names}: the answer of the process that ran it cannot be read"))
}

/// A limit for scripts, which take less than a second.
const SCRIPT_AT_MOST: Duration = Duration::from_secs(60);

/// A generous deadline: about two hundred times the run time for all packets that the network can carry.
fn expected_at_most(scenario: &str) -> Duration {
    const START_S: f64 = 60.0;
    const PACKETS_PER_S: f64 = 20_000.0;
    let scenario: Value = serde_json::from_str(scenario).unwrap_or_default();
    let packets = rates_bps(&scenario) * scenario["duration_ns"].as_f64().unwrap_or(0.0) / 1e9 / (8.0 * 1500.0);
    Duration::try_from_secs_f64(START_S + packets / PACKETS_PER_S).unwrap_or(Duration::MAX)
}

/// The sum of all rates in a scenario, of links, media and cross traffic.
fn rates_bps(part: &Value) -> f64 {
    match part {
        Value::Object(members) => members
            .iter()
            .map(|(key, value)| match (key.as_str(), value.as_f64()) {
                ("rate_bps", Some(rate)) => rate,
                _ => rates_bps(value),
            })
            .sum(),
        Value::Array(parts) => parts.iter().map(rates_bps).sum(),
        _ => 0.0,
    }
}
