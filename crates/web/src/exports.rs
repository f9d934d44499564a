//! The functions of the module. Only `fairlane.js` calls them.
//!
//! An argument of text is written into the input buffer before the call; an answer is read from the output buffer after
//! it. A function that may fail returns 1 if the output is the message of an error. An instance has one run.

#![expect(
    unsafe_code,
    reason = "a function that JavaScript finds by its name counts as unsafe; no pointer is followed"
)]

use crate::programs::{self, Linked};
use crate::{hash, Session};
use std::cell::RefCell;

thread_local! {
    static INPUT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static OUTPUT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static SESSION: RefCell<Option<Session>> = const { RefCell::new(None) };
}

/// Makes room for an argument of `bytes` bytes, and returns its address.
#[no_mangle]
extern "C" fn fairlane_input(bytes: usize) -> *mut u8 {
    INPUT.with_borrow_mut(|input| {
        input.clear();
        input.resize(bytes, 0);
        input.as_mut_ptr()
    })
}

#[no_mangle]
extern "C" fn fairlane_output() -> *const u8 {
    OUTPUT.with_borrow(|output| output.as_ptr())
}

#[no_mangle]
extern "C" fn fairlane_output_bytes() -> usize {
    OUTPUT.with_borrow(Vec::len)
}

#[no_mangle]
extern "C" fn fairlane_version() {
    answer(env!("CARGO_PKG_VERSION"));
}

#[no_mangle]
extern "C" fn fairlane_algorithms() {
    answer(programs::DESCRIPTION);
}

/// Prepares the run of the scenario in the input buffer.
#[no_mangle]
extern "C" fn fairlane_new(records_steps: u32) -> u32 {
    std::panic::set_hook(Box::new(|panic| answer(panic.to_string())));
    let session = Session::new(&input(), &Linked, records_steps != 0);
    result(session.map(|session| {
        let described = session.describe();
        SESSION.set(Some(session));
        described
    }))
}

#[no_mangle]
extern "C" fn fairlane_advance(until_ns: f64) -> u32 {
    with_session(|session| session.advance(until_ns as u64))
}

/// `until`: 0 a packet leaves a sender, 1 an acknowledgement arrives at one, 2 a packet is dropped or lost.
#[no_mangle]
extern "C" fn fairlane_step(until: u32, at_most_ns: f64) -> u32 {
    with_session(|session| session.step(until, at_most_ns as u64))
}

/// Applies the change in the input buffer.
#[no_mangle]
extern "C" fn fairlane_change() -> u32 {
    with_session(|session| session.change(&input()).map(|()| Vec::new()))
}

#[no_mangle]
extern "C" fn fairlane_scenario() -> u32 {
    with_session(|session| Ok(session.scenario().into_bytes()))
}

#[no_mangle]
extern "C" fn fairlane_result() -> u32 {
    with_session(|session| session.result().map(|text| text.as_bytes().to_vec()))
}

/// The hash of the result.
#[no_mangle]
extern "C" fn fairlane_result_hash() -> u32 {
    with_session(|session| session.result().map(|text| hash(text).into_bytes()))
}

/// After the instance was stopped: names the algorithm and the callback in which that happened, and whether it ran out of
/// steps (1) or not (0); 2 if no program was running, and the output has the message of a panic, if there was one.
#[no_mangle]
extern "C" fn fairlane_stopped() -> u32 {
    match programs::running() {
        Some((whose, is_endless)) => {
            answer(whose);
            u32::from(is_endless)
        }
        None => 2,
    }
}

fn input() -> String {
    INPUT.with_borrow(|input| String::from_utf8_lossy(input).into_owned())
}

fn answer(bytes: impl Into<Vec<u8>>) {
    OUTPUT.set(bytes.into());
}

fn result(result: Result<impl Into<Vec<u8>>, String>) -> u32 {
    match result {
        Ok(bytes) => {
            answer(bytes);
            0
        }
        Err(message) => {
            answer(message);
            1
        }
    }
}

fn with_session(work: impl FnOnce(&mut Session) -> Result<Vec<u8>, String>) -> u32 {
    SESSION.with_borrow_mut(|session| match session {
        Some(session) => result(work(session)),
        None => result(Err::<Vec<u8>, _>("there is no run".to_owned())),
    })
}
