//! A program in memory: one private copy of its code and data.

use crate::elf_loader::Mapped;
use crate::error::LoadError;
use crate::guard::{self, CallbackPointer};
use crate::loadable::Loadable;
use crate::state;
use fairlane_congestion_control::{
    callbacks_of, read_storage_with, Callback, Callbacks, PerCallback, StateMember, TcpSock,
};
use std::ffi::c_void;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::Arc;

/// The loaded object; unloaded with the last flow that uses it.
pub struct Loaded {
    pub algorithm: String,
    /// The chosen `struct tcp_congestion_ops`.
    pub table: String,
    /// The name under which the kernel would register it.
    pub kernel_name: String,
    /// The callbacks that the program has.
    pub entry: PerCallback<Option<CallbackPointer>>,
    pub callbacks: Callbacks,
    /// Of all copies of the program.
    pub divisions: Arc<Divisions>,
    pub flags: u8,
    /// cong_control() as before Linux 6.10: (sk, sample).
    pub short_cong_control: bool,
    current: *mut *mut TcpSock,
    hz: *mut u64,
    listened: *mut u32,
    printed: *mut Printed,
    forget_connection: unsafe extern "C" fn(*mut TcpSock),
    allocations: *mut *mut Allocation,
    /// Comes with Fairlane, and is trusted to write only permitted members.
    pub is_bundled: bool,
    pub shares_memory: bool,
    /// The members of its own memory, if they are known.
    pub state_members: Vec<StateMember>,
    /// A callback runs; only in builds with debug assertions.
    is_running: AtomicBool,
    _mapped: Mapped,
}

/// The lines that print.c collects.
#[repr(C)]
struct Printed {
    used: u32,
    lost: u32,
    text: [u8; 8184],
}

/// Header of each block that helpers.c allocated from the host.
#[repr(C)]
struct Allocation {
    next: *mut Allocation,
}

/// The callbacks that have divided by zero.
#[derive(Debug, Default)]
pub struct Divisions(AtomicU32);

impl Divisions {
    #[cold]
    pub fn add(&self, callback: Callback) {
        self.0.fetch_or(1 << callback as u32, Ordering::Relaxed);
    }

    pub fn first(&self) -> Option<Callback> {
        let divided = self.0.load(Ordering::Relaxed);
        Callback::ALL.into_iter().find(|&callback| divided & 1 << callback as u32 != 0)
    }
}

// SAFETY: the pointers lead to the copy's own memory, which only its flows and its owner use. Flows of one copy do not run at
// the same time (`Algorithm::instantiate_in`): a run gives each group of flows that one thread runs a copy of its own, and
// programs that are not loaded in copies run on one thread. Builds with debug assertions check it at each call.
unsafe impl Send for Loaded {}
// SAFETY: as above.
unsafe impl Sync for Loaded {}

impl Loaded {
    /// Loads a copy of a program, whose copies share `divisions`.
    pub fn new(program: &Loadable, divisions: Arc<Divisions>) -> Result<Self, LoadError> {
        guard::prepare();
        read_storage_with(state::storage);
        let algorithm = program.algorithm.clone();
        let mapped = Mapped::new(&program.object)
            .map_err(|error| LoadError::CannotLoad { algorithm: algorithm.clone(), reason: error.to_string() })?;
        let address = |in_file: u64| mapped.address(in_file);
        // SAFETY: the addresses are those of functions in the library's object file.
        let pointer = |in_file: u64| unsafe {
            std::mem::transmute::<*const c_void, CallbackPointer>(address(in_file) as *const c_void)
        };
        let entry = PerCallback::new(|callback| program.callbacks.of(callback).map(pointer));

        // SAFETY: all addresses below are of symbols that the runtime defines with the types used here
        // (algorithms/interface/native/runtime), in an object that stays mapped as long as `self`.
        unsafe {
            *(address(program.runtime.allocate) as *mut unsafe extern "C" fn(u64) -> *mut c_void) = guard::allocate;
            Ok(Self {
                table: program.table.clone(),
                kernel_name: program.kernel_name.clone(),
                callbacks: callbacks_of(|callback| entry.of(callback).is_some(), program.flags),
                flags: program.flags,
                divisions,
                entry,
                short_cong_control: program.short_cong_control,
                current: address(program.runtime.current) as *mut *mut TcpSock,
                hz: address(program.runtime.hz) as *mut u64,
                listened: address(program.runtime.listened) as *mut u32,
                printed: address(program.runtime.printed) as *mut Printed,
                forget_connection: std::mem::transmute::<u64, unsafe extern "C" fn(*mut TcpSock)>(address(
                    program.runtime.forget_connection,
                )),
                allocations: address(program.runtime.allocations) as *mut *mut Allocation,
                is_bundled: program.is_bundled,
                shares_memory: program.shares_memory,
                state_members: program.state_members.clone(),
                is_running: AtomicBool::new(false),
                _mapped: mapped,
                algorithm,
            })
        }
    }

    /// Checks that no other flow of the copy runs, in builds with debug assertions.
    #[inline(always)]
    pub fn enter(&self) {
        if cfg!(debug_assertions) {
            assert!(!self.is_running.swap(true, Ordering::Acquire), "two flows of one copy run at the same time");
        }
    }

    #[inline(always)]
    pub fn leave(&self) {
        if cfg!(debug_assertions) {
            self.is_running.store(false, Ordering::Release);
        }
    }

    /// Sets the connection whose clock, random numbers and storage the helpers use.
    #[inline]
    pub fn set_current(&self, sock: *mut TcpSock) {
        // SAFETY: the address is the program's variable of this type.
        unsafe { *self.current = sock }
    }

    pub fn set_hz(&self, hz: u64) {
        // SAFETY: as above.
        unsafe { *self.hz = hz }
    }

    /// From now on `bpf_printk` stores its lines.
    pub fn listen(&self) {
        // SAFETY: as above.
        unsafe { *self.listened = 1 }
    }

    /// The lines since the last call.
    pub fn take_printed(&self) -> Vec<String> {
        // SAFETY: as above; no callback runs now, and all values of the program's bytes are valid.
        let printed = unsafe { &mut *self.printed };
        let text = &printed.text[..printed.text.len().min(printed.used as usize)];
        let mut lines: Vec<_> = String::from_utf8_lossy(text).lines().map(str::to_owned).collect();
        if printed.lost > 0 {
            lines.push(format!("({} more lines in this callback, for which there is no room)", printed.lost));
        }
        (printed.used, printed.lost) = (0, 0);
        lines
    }

    /// Frees the connection's storage.
    pub fn forget_connection(&self, sock: &mut TcpSock) {
        // SAFETY: the function walks its own list of the connection's blocks.
        unsafe { (self.forget_connection)(sock) }
    }
}

impl Drop for Loaded {
    fn drop(&mut self) {
        // SAFETY: the list holds blocks of calloc(), each once; the program does not run any more.
        unsafe {
            let mut block = *self.allocations;
            while !block.is_null() {
                let next = (*block).next;
                libc::free(block.cast());
                block = next;
            }
        }
    }
}
