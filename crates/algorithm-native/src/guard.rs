//! The thread's guard around callbacks; the work is done in `native/guard.c`.

use fairlane_congestion_control::FaultKind;
use std::cell::RefCell;
use std::ffi::c_void;

/// A callback: gets its arguments as an array of words.
pub type CallbackPointer = unsafe extern "C" fn(*mut u64) -> u64;

#[repr(C)]
struct RawGuard {
    _private: [u8; 0],
}

extern "C" {
    fn fairlane_guard_prepare() -> *mut RawGuard;
    fn fairlane_guard_release(guard: *mut RawGuard);
    fn fairlane_guarded_call(callback: CallbackPointer, words: *mut u64, result: *mut u64) -> u32;
    fn fairlane_guard_note_division();
    fn fairlane_guard_fault_address() -> usize;
    fn fairlane_guard_pause() -> u32;
    fn fairlane_guard_resume(active: u32);
}

/// A callback returned after a division by zero that got a result (`enum fault` of guard.c).
const DIVIDED: u32 = 5;
/// The thread has no guard yet.
const UNGUARDED: u32 = 6;

/// The result of a callback without a fault.
pub struct Answer {
    pub word: u64,
    /// It divided by zero, with the result that BPF defines.
    pub divided: bool,
}

/// A thread's guard.
struct Guard(*mut RawGuard);

/// Gives the calling thread a guard, with its signal handlers in place, until the thread ends.
#[cold]
pub fn prepare() {
    thread_local! {
        static GUARD: RefCell<Option<Guard>> = const { RefCell::new(None) };
    }
    // SAFETY: prepare() may be called any number of times; it returns the same guard on the same thread.
    let raw = unsafe { fairlane_guard_prepare() };
    assert!(!raw.is_null(), "out of memory");
    // While the thread ends there is no place for it, and nothing releases it.
    let _ = GUARD.try_with(|guard| _ = guard.borrow_mut().get_or_insert_with(|| Guard(raw)));
}

/// Calls a program's function under the thread's guard.
///
/// # Safety
/// `callback` must be a callback of a loaded program, and the words must be its arguments.
#[inline]
pub unsafe fn call(callback: CallbackPointer, words: &mut [u64; 4]) -> Result<Answer, FaultKind> {
    let mut word = 0;
    match fairlane_guarded_call(callback, words.as_mut_ptr(), &mut word) {
        0 => Ok(Answer { word, divided: false }),
        other => after_unusual(other, callback, words, word),
    }
}

#[cold]
#[inline(never)]
unsafe fn after_unusual(
    what: u32,
    callback: CallbackPointer,
    words: &mut [u64; 4],
    word: u64,
) -> Result<Answer, FaultKind> {
    match what {
        DIVIDED => {
            fairlane_guard_note_division();
            Ok(Answer { word, divided: true })
        }
        UNGUARDED => {
            prepare();
            call(callback, words)
        }
        1 => Err(FaultKind::DivisionByZero),
        2 => Err(FaultKind::EndlessLoop),
        4 => Err(FaultKind::Other("read the processor's clock, which makes every run another,".into())),
        _ => Err(FaultKind::BadMemoryAccess),
    }
}

/// The address that the thread's last faulty memory access used; 0 if the processor did not say.
#[cold]
pub fn fault_address() -> usize {
    // SAFETY: after a fault the thread has a guard.
    unsafe { fairlane_guard_fault_address() }
}

impl Drop for Guard {
    fn drop(&mut self) {
        // SAFETY: the thread ends; a later call would get another guard.
        unsafe { fairlane_guard_release(self.0) }
    }
}

/// Zeroed memory for a program, from `calloc`; a fault handler must not interrupt the allocator.
pub unsafe extern "C" fn allocate(bytes: u64) -> *mut c_void {
    let active = fairlane_guard_pause();
    let memory = libc::calloc(1, bytes as usize);
    fairlane_guard_resume(active);
    memory
}
