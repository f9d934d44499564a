//! The thread's guard around callbacks; the work is done in `native/guard.c`.

use fairlane_congestion_control::FaultKind;
use std::cell::RefCell;
use std::ffi::c_void;
use std::rc::Rc;

/// A callback: gets its arguments as an array of words.
pub type CallbackPointer = unsafe extern "C" fn(*mut u64) -> u64;

#[repr(C)]
struct RawGuard {
    _private: [u8; 0],
}

extern "C" {
    fn fairlane_guard_prepare() -> *mut RawGuard;
    fn fairlane_guard_release(guard: *mut RawGuard);
    fn fairlane_guarded_call(guard: *mut RawGuard, callback: CallbackPointer, words: *mut u64, result: *mut u64)
        -> u32;
    fn fairlane_guard_note_division(guard: *mut RawGuard);
    fn fairlane_guard_fault_address(guard: *const RawGuard) -> usize;
    fn fairlane_guard_pause() -> u32;
    fn fairlane_guard_resume(active: u32);
}

/// Belongs to one thread; everything that calls programs holds on to it.
pub struct Guard {
    raw: *mut RawGuard,
    /// Callbacks that have divided by zero.
    divided: RefCell<Vec<CallbackPointer>>,
}

/// A callback returned after a division by zero that got a result (`enum fault` of guard.c).
const DIVIDED: u32 = 5;

impl Guard {
    /// The calling thread's guard, with its signal handlers in place.
    pub fn of_this_thread() -> Rc<Self> {
        thread_local! {
            static GUARD: RefCell<Option<Rc<Guard>>> = const { RefCell::new(None) };
        }
        // SAFETY: prepare() may be called any number of times; it returns the same guard on the same thread.
        let raw = unsafe { fairlane_guard_prepare() };
        assert!(!raw.is_null(), "out of memory");
        GUARD.with(|guard| {
            guard.borrow_mut().get_or_insert_with(|| Rc::new(Self { raw, divided: RefCell::default() })).clone()
        })
    }

    /// Calls a program's function.
    ///
    /// # Safety
    /// `callback` must be a callback of a loaded program, and the words must be its arguments.
    #[inline]
    pub unsafe fn call(&self, callback: CallbackPointer, words: &mut [u64; 4]) -> Result<u64, FaultKind> {
        let mut result = 0;
        match fairlane_guarded_call(self.raw, callback, words.as_mut_ptr(), &mut result) {
            0 => Ok(result),
            DIVIDED => {
                self.note_division(callback);
                Ok(result)
            }
            fault => Err(kind_of(fault)),
        }
    }

    #[cold]
    fn note_division(&self, callback: CallbackPointer) {
        // SAFETY: the guard lives as long as `self`.
        unsafe { fairlane_guard_note_division(self.raw) }
        let mut divided = self.divided.borrow_mut();
        if !divided.contains(&callback) {
            divided.push(callback);
        }
    }

    /// Whether this callback has divided by zero, with the result that BPF defines.
    #[cold]
    pub fn has_divided(&self, callback: CallbackPointer) -> bool {
        self.divided.borrow().contains(&callback)
    }

    /// Forgets divisions: another program may be at the place of an earlier one.
    pub fn forget_divisions(&self) {
        self.divided.borrow_mut().clear();
    }

    /// The address that the last faulty memory access used; 0 if the processor did not say.
    #[cold]
    pub fn fault_address(&self) -> usize {
        // SAFETY: the guard lives as long as `self`.
        unsafe { fairlane_guard_fault_address(self.raw) }
    }
}

#[cold]
fn kind_of(fault: u32) -> FaultKind {
    match fault {
        1 => FaultKind::DivisionByZero,
        2 => FaultKind::EndlessLoop,
        4 => FaultKind::Other("read the processor's clock, which makes every run another,".into()),
        _ => FaultKind::BadMemoryAccess,
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        // SAFETY: the guard is not used any more, and it is dropped on its own thread, since it is not Send.
        unsafe { fairlane_guard_release(self.raw) }
    }
}

/// Zeroed memory for a program, from `calloc`; a fault handler must not interrupt the allocator.
pub unsafe extern "C" fn allocate(bytes: u64) -> *mut c_void {
    let active = fairlane_guard_pause();
    let memory = libc::calloc(1, bytes as usize);
    fairlane_guard_resume(active);
    memory
}
