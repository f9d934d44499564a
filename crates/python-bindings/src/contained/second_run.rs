//! Detects programs that behave differently in a second run.
//!
//! A result must be a function of the scenario. The sandbox denies an untrusted program clocks, files and system calls,
//! but the program could still depend on addresses, on uninitialized memory, or on the processor's random numbers. Two
//! workers therefore compute the first run of each program in this process in parallel; the second has its heap, its
//! mappings and its stack at other addresses, with other contents. Both must give the same answer and make the same
//! decisions in the same order, even those that do not show in the answer. Later runs of the same program with the same
//! parameters are computed once. With an idle second core this costs no time.

use super::request::{Answer, Request};
use super::workers::{self, NoAnswer};
use super::{Answered, Failure};
use fairlane_algorithm_native::sandbox::{Ended, Finished};
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Hashes of the programs that have given the same answer twice.
static STEADY: Mutex<BTreeSet<[u8; 32]>> = Mutex::new(BTreeSet::new());

/// Sends a request to a worker; to two workers, if it is the first request for one of its programs.
pub(super) fn ask_twice_once(request: Request, wall: Duration) -> Result<Answered, Failure> {
    let names = request.programs.names();
    let hashes: Vec<[u8; 32]> = request.programs.objects().map(|object| *blake3::hash(object).as_bytes()).collect();
    let is_known = {
        let steady = STEADY.lock().unwrap_or_else(PoisonError::into_inner);
        hashes.iter().all(|hash| steady.contains(hash))
    };
    if is_known {
        let finished = workers::ask(&request, None, wall, &|| false).map_err(|end| end.about(&names))?;
        return Ok(Answered { finished, names });
    }
    let elsewhere = Request { elsewhere: true, ..request.clone() };
    let is_moot = AtomicBool::new(false);
    let (first, second) = std::thread::scope(|scope| {
        let second = scope.spawn(|| workers::ask(&elsewhere, None, wall, &|| is_moot.load(Ordering::Relaxed)));
        let first = workers::ask(&request, None, wall, &|| false);
        is_moot.store(first.is_err(), Ordering::Relaxed);
        (first, second.join().expect("it only waits for a worker"))
    });
    let finished = first.map_err(|end| end.about(&names))?;
    if Answer::is_error(&finished.answer) {
        return Ok(Answered { finished, names }); // which says more than that another run differs
    }
    if differ(&finished, &second) {
        return Err(Failure::Fault(format!(
            "{names}: a second run of the same scenario ended differently; an algorithm computes from its arguments, \
             bpf_ktime_get_ns() and bpf_get_prandom_u32() alone, never from addresses or memory that it has not set"
        )));
    }
    if second.is_ok() {
        STEADY.lock().unwrap_or_else(PoisonError::into_inner).extend(hashes);
    }
    Ok(Answered { finished, names })
}

/// A second run that ended for lack of time or memory is no evidence.
fn differ(first: &Finished, second: &Result<Finished, NoAnswer>) -> bool {
    match second {
        Ok(second) => first.answer != second.answer,
        Err(NoAnswer::Ended(end)) => matches!(end, Ended::Exited(_) | Ended::SystemCall | Ended::Signal(_)),
        Err(NoAnswer::Interrupted(_)) => false,
    }
}
