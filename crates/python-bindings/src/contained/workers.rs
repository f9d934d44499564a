//! The spawner of this process, and a run inside a worker.

use super::host::InWorker;
use super::request::{Answer, Request, Task};
use super::{policy, Failure};
use fairlane_algorithm_native::sandbox::{self, Client, Ended, Finished, Limits};
use fairlane_algorithm_native::{digest_of_decisions, place_elsewhere};
use fairlane_simulator::SimulationError;
use pyo3::{PyErr, Python};
use std::cell::RefCell;
use std::fs::File;
use std::hint::black_box;
use std::io::BufWriter;
use std::os::fd::{AsFd, OwnedFd};
use std::panic;
use std::process::Command;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// More than the largest runs need, and less than machines have.
const MEMORY_BYTES: u64 = 4 << 30;

/// The largest size of a capture.
const CAPTURE_BYTES: u64 = 64 << 30;

/// The largest answer. Two workers answer the first run of a program, and this process holds both answers.
const ANSWER_BYTES: u64 = 1_000_000_000;

static CLIENT: Mutex<Option<Arc<Client>>> = Mutex::new(None);

/// The reason for a missing answer.
pub(super) enum NoAnswer {
    Ended(Ended),
    Interrupted(PyErr),
}

impl NoAnswer {
    /// `names` are the untrusted algorithms in the run.
    pub fn about(self, names: &str) -> Failure {
        match self {
            Self::Interrupted(error) => Failure::Interrupted(error),
            Self::Ended(Ended::CannotStart(error)) => {
                Failure::Unavailable(format!("{names}: a contained process cannot be started: {error}"))
            }
            Self::Ended(end @ (Ended::NotConfined | Ended::SpawnerGone)) => {
                Failure::Unavailable(format!("{names}: {end}"))
            }
            Self::Ended(end) => Failure::Fault(format!("{names}: {end}")),
        }
    }
}

/// Sends a request to a worker. Called without the interpreter's lock. Polls `is_moot`: when the answer is no longer
/// needed, the worker is killed.
pub(super) fn ask(
    request: &Request,
    sink: Option<File>,
    wall: Duration,
    is_moot: &dyn Fn() -> bool,
) -> Result<Finished, NoAnswer> {
    let pieces = request.pieces();
    let file_bytes = if sink.is_some() { CAPTURE_BYTES } else { 0 };
    let limits = Limits { wall, memory_bytes: MEMORY_BYTES, file_bytes, answer_bytes: ANSWER_BYTES };
    let mut interruption = None;
    let mut again = true;
    loop {
        let client = client().map_err(|error| NoAnswer::Ended(Ended::CannotStart(error)))?;
        let mut interrupted = || {
            interruption = Python::attach(|py| py.check_signals()).err();
            interruption.is_some() || is_moot()
        };
        match client.run(&pieces, sink.as_ref().map(AsFd::as_fd), limits, &mut interrupted) {
            Ok(finished) => return Ok(finished),
            Err(Ended::SpawnerGone) if again => {
                again = false;
                *CLIENT.lock().unwrap_or_else(PoisonError::into_inner) = None;
            }
            Err(end) => return Err(interruption.map_or(NoAnswer::Ended(end), NoAnswer::Interrupted)),
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "workers get the user's library path and identity")]
fn client() -> std::io::Result<Arc<Client>> {
    let mut present = CLIENT.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(client) = &*present {
        return Ok(client.clone());
    }
    let words = policy::present().spawner;
    let (program, arguments) = words.split_first().ok_or_else(|| std::io::Error::other("no command for it is set"))?;
    let mut command = Command::new(program);
    command.args(arguments).env_clear();
    for name in ["LD_LIBRARY_PATH", "SUDO_UID", "SUDO_GID"] {
        if let Some(value) = std::env::var_os(name) {
            command.env(name, value);
        }
    }
    let client = Arc::new(Client::start(command)?);
    *present = Some(client.clone());
    Ok(client)
}

/// The spawner's whole life; `control` is its standard input.
pub(crate) fn serve(control: OwnedFd, sudo_uid: Option<&str>, sudo_gid: Option<&str>) -> std::io::Result<()> {
    panic::set_hook(Box::new(|info| LAST_PANIC.with_borrow_mut(|last| *last = info.to_string().replace('\n', " "))));
    // No worker may read the clock, not even the first.
    fairlane_simulator::warm_up();
    // Parses the files of bundled algorithms once, instead of in each worker.
    let parse = || drop(fairlane_algorithm_native::bundled());
    sandbox::serve(control, answer, parse, sudo_uid, sudo_gid)
}

thread_local! {
    static LAST_PANIC: RefCell<String> = const { RefCell::new(String::new()) };
}

fn answer(request: Vec<u8>, attachment: Option<File>) -> Vec<Vec<u8>> {
    let pieces = panic::catch_unwind(move || {
        let request = Request::read(&request);
        if request.elsewhere {
            take_room();
            place_elsewhere();
            return on_another_stack(|| answer_task(request, attachment));
        }
        answer_task(request, attachment)
    });
    let mut pieces = pieces.unwrap_or_else(|_| {
        let said = LAST_PANIC.take();
        Answer::pieces(Err(SimulationError::Fault(format!(
            "the simulator failed, which is a fault of Fairlane's: {said}"
        ))))
    });
    pieces.push(digest_of_decisions().to_ne_bytes().to_vec());
    pieces
}

fn answer_task(request: Request, attachment: Option<File>) -> Vec<Vec<u8>> {
    let algorithms = InWorker(request.programs);
    let result = match request.task {
        Task::Run { scenario } => fairlane_simulator::run(&scenario, &algorithms),
        Task::Trace { scenario, trace } => {
            let sink = BufWriter::new(attachment.expect("a trace has a file"));
            fairlane_simulator::run_with_trace(&scenario, &trace, Box::new(sink), &algorithms)
        }
        Task::Capture { scenario, capture } => {
            let sink = BufWriter::new(attachment.expect("a capture has a file"));
            fairlane_simulator::run_with_capture(&scenario, &capture, Box::new(sink), &algorithms)
        }
        Task::Script { name, text, options } => {
            return Answer::report(&fairlane_packetdrill::play_json(&name, &text, &options, &algorithms));
        }
    };
    Answer::pieces(result.map(crate::packed::pack))
}

/// Allocates memory of all kinds, so that later allocations and mappings get other addresses.
fn take_room() {
    const SMALL: usize = 24;
    for bytes in (1..200).map(|number| SMALL * number) {
        black_box(Box::leak(vec![0xa5_u8; bytes].into_boxed_slice())); // keeps the optimiser from removing it
    }
    // Larger than the threshold of the C library's allocator: the kernel maps it.
    black_box(Box::leak(vec![0xa5_u8; (5 << 20) + 3 * 4096].into_boxed_slice()));
}

/// Calls a function with the stack shifted, and with other bytes than zeros below it.
fn on_another_stack<T>(work: impl FnOnce() -> T) -> T {
    #[inline(never)]
    fn fill_below() {
        black_box([0xa5_u8; 256 << 10]);
    }
    let shift = black_box([0xa5_u8; (64 << 10) + 272]);
    fill_below();
    let answer = work();
    black_box(&shift);
    answer
}
