//! A program in memory: one private copy of its code and data.

use crate::error::LoadError;
use crate::guard::{self, CallbackPointer, Guard};
use crate::image::Image;
use crate::ops::Ops;
use fairlane_congestion_control::{Callbacks, TcpSock};
use std::collections::BTreeMap;
use std::ffi::{c_void, CStr};
use std::fs::File;
use std::io::Write;
use std::os::fd::{AsRawFd, FromRawFd};
use std::rc::Rc;

/// `TCP_CONG_NEEDS_ECN` of the ops' flags.
const NEEDS_ECN: u32 = 2;

/// The loaded object; unloaded when the last flow that uses it is gone.
pub struct Loaded {
    pub algorithm: String,
    /// The `struct tcp_congestion_ops` that was taken.
    pub table: String,
    /// The name under which the kernel would register it.
    pub kernel_name: String,
    pub guard: Rc<Guard>,
    pub entry: Entry,
    pub callbacks: Callbacks,
    /// cong_control() as before Linux 6.10: (sk, sample).
    pub short_cong_control: bool,
    current: *mut *mut TcpSock,
    hz: *mut u64,
    forget_connection: unsafe extern "C" fn(*mut TcpSock),
    allocations: *mut *mut Allocation,
    /// Comes with Fairlane, and is trusted to write only what it may.
    pub is_bundled: bool,
    _library: Library,
}

/// The callbacks that the program has.
#[derive(Clone, Copy)]
pub struct Entry {
    pub ssthresh: CallbackPointer,
    pub undo_cwnd: CallbackPointer,
    pub cong_avoid: Option<CallbackPointer>,
    pub cong_control: Option<CallbackPointer>,
    pub set_state: Option<CallbackPointer>,
    pub cwnd_event: Option<CallbackPointer>,
    /// Since Linux 7.1.
    pub cwnd_event_tx_start: Option<CallbackPointer>,
    pub in_ack_event: Option<CallbackPointer>,
    pub pkts_acked: Option<CallbackPointer>,
    pub min_tso_segs: Option<CallbackPointer>,
    pub sndbuf_expand: Option<CallbackPointer>,
    pub init: Option<CallbackPointer>,
    pub release: Option<CallbackPointer>,
}

/// Header of each block that helpers.c took from the host.
#[repr(C)]
struct Allocation {
    next: *mut Allocation,
}

impl Loaded {
    pub fn new(image: &Image, parameters: &BTreeMap<String, i64>) -> Result<Self, LoadError> {
        let algorithm = image.name().to_owned();
        let object = image.with_parameters(parameters)?;
        let candidates = image.candidate_tables()?;
        let library = Library::open(&algorithm, &object)?;
        let bad = |symbol: &str| LoadError::CannotLoad {
            algorithm: algorithm.clone(),
            reason: format!("no symbol {symbol}"),
        };
        // Symbols have addresses in the file; one that is known in memory tells the distance.
        let reference = *image.symbols.get("fairlane_current").ok_or_else(|| bad("fairlane_current"))?;
        let base = library.symbol("fairlane_current").ok_or_else(|| bad("fairlane_current"))? as u64 - reference;
        let address = |symbol: &str| image.symbols.get(symbol).map(|offset| base + offset).ok_or_else(|| bad(symbol));

        // SAFETY: all addresses below are of symbols that the runtime defines with the types used here
        // (algorithms/interface/native/runtime), in a library that stays loaded as long as `self`.
        unsafe {
            *(address("fairlane_allocate")? as *mut unsafe extern "C" fn(u64) -> *mut c_void) = guard::allocate;
            let (table, entry, ops) = choose_table(image, &candidates, base)?;
            Ok(Self {
                table,
                kernel_name: CStr::from_bytes_until_nul(&ops.name)
                    .map_or_else(|_| String::new(), |name| name.to_string_lossy().into_owned()),
                entry,
                callbacks: callbacks_of(&entry, &ops),
                short_cong_control: argument_count(image, base, ops.cong_control) == Some(2),
                current: address("fairlane_current")? as *mut *mut TcpSock,
                hz: address("CONFIG_HZ")? as *mut u64,
                forget_connection: std::mem::transmute::<u64, unsafe extern "C" fn(*mut TcpSock)>(address(
                    "fairlane_forget_connection",
                )?),
                allocations: address("fairlane_allocations")? as *mut *mut Allocation,
                guard: Guard::of_this_thread(),
                is_bundled: image.is_bundled,
                _library: library,
                algorithm,
            })
        }
    }

    /// The connection that clock, random numbers and storage are about.
    #[inline]
    pub fn set_current(&self, sock: *mut TcpSock) {
        // SAFETY: the address is the program's variable of this type.
        unsafe { *self.current = sock }
    }

    pub fn set_hz(&self, hz: u64) {
        // SAFETY: as above.
        unsafe { *self.hz = hz }
    }

    /// Takes back the connection's storage.
    pub fn forget_connection(&self, sock: &mut TcpSock) {
        // SAFETY: the function walks the list that it has itself hung into the connection.
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

/// A library opened from memory.
struct Library {
    handle: libloading::os::unix::Library,
    /// Closed after the library: its number is part of the name by which the loader knows the library.
    _file: File,
}

impl Library {
    fn open(algorithm: &str, object: &[u8]) -> Result<Self, LoadError> {
        let cannot = |reason: String| LoadError::CannotLoad { algorithm: algorithm.into(), reason };
        let file = in_memory(object).map_err(|error| cannot(error.to_string()))?;
        let path = format!("/proc/self/fd/{}", file.as_raw_fd());
        // SAFETY: our own link, without the C library's start files. A constructor of the program itself would run
        // here, outside the guard.
        let handle = unsafe { libloading::os::unix::Library::open(Some(path), libc::RTLD_NOW | libc::RTLD_LOCAL) };
        Ok(Self { handle: handle.map_err(|error| cannot(error.to_string()))?, _file: file })
    }

    fn symbol(&self, name: &str) -> Option<*mut c_void> {
        // SAFETY: only the address is taken; its users know its type.
        let symbol = unsafe { self.handle.get::<*mut c_void>(name.as_bytes()) };
        symbol.ok().map(|symbol| symbol.into_raw()).filter(|address| !address.is_null())
    }
}

fn in_memory(object: &[u8]) -> std::io::Result<File> {
    // SAFETY: the name is a terminated string; the descriptor is owned by `file` alone.
    let mut file = unsafe {
        let descriptor = libc::memfd_create(c"fairlane-algorithm".as_ptr(), libc::MFD_CLOEXEC);
        if descriptor < 0 {
            return Err(std::io::Error::last_os_error());
        }
        File::from_raw_fd(descriptor)
    };
    file.write_all(object)?;
    Ok(file)
}

/// The first table that the kernel would accept; otherwise what is wrong with the first.
unsafe fn choose_table(
    image: &Image,
    candidates: &[&crate::image::Table],
    base: u64,
) -> Result<(String, Entry, Ops), LoadError> {
    let mut first_error = None;
    for table in candidates {
        let ops = *((base + table.address) as *const Ops);
        match entry_of(image, &table.name, &ops, base) {
            Ok(entry) => return Ok((table.name.clone(), entry, ops)),
            Err(error) => first_error = first_error.or(Some(error)),
        }
    }
    Err(first_error.unwrap_or_else(|| LoadError::NoTable { algorithm: image.name().into() }))
}

unsafe fn entry_of(image: &Image, table: &str, ops: &Ops, base: u64) -> Result<Entry, LoadError> {
    let location = || image.place_of(&[&format!("tcp_congestion_ops {table}")]);
    if !ops.get_info.is_null() {
        return Err(LoadError::UnsupportedCallback { location: location(), table: table.into(), callback: "get_info" });
    }
    let mut lacking = Vec::new();
    if ops.ssthresh.is_null() {
        lacking.push("ssthresh");
    }
    if ops.undo_cwnd.is_null() {
        lacking.push("undo_cwnd");
    }
    if ops.cong_avoid.is_null() && ops.cong_control.is_null() {
        lacking.push("cong_avoid or cong_control");
    }
    let callback = |pointer: *const c_void, name: &'static str| -> Result<Option<CallbackPointer>, LoadError> {
        if pointer.is_null() {
            return Ok(None);
        }
        if unsafe { argument_count(image, base, pointer) }.is_none() {
            let function = image.functions.get(&(pointer as u64).wrapping_sub(base)).cloned().unwrap_or_default();
            if !image.is_raw_program(&function) {
                return Err(LoadError::NotAProgram { location: location(), callback: name, function });
            }
        }
        // SAFETY: the loader has filled the table with the address of a program.
        Ok(Some(unsafe { std::mem::transmute::<*const c_void, CallbackPointer>(pointer) }))
    };
    match (callback(ops.ssthresh, "ssthresh")?, callback(ops.undo_cwnd, "undo_cwnd")?) {
        (Some(ssthresh), Some(undo_cwnd)) if lacking.is_empty() => Ok(Entry {
            ssthresh,
            undo_cwnd,
            cong_avoid: callback(ops.cong_avoid, "cong_avoid")?,
            cong_control: callback(ops.cong_control, "cong_control")?,
            set_state: callback(ops.set_state, "set_state")?,
            cwnd_event: callback(ops.cwnd_event, "cwnd_event")?,
            cwnd_event_tx_start: callback(ops.cwnd_event_tx_start, "cwnd_event_tx_start")?,
            in_ack_event: callback(ops.in_ack_event, "in_ack_event")?,
            pkts_acked: callback(ops.pkts_acked, "pkts_acked")?,
            min_tso_segs: callback(ops.min_tso_segs, "min_tso_segs")?,
            sndbuf_expand: callback(ops.sndbuf_expand, "sndbuf_expand")?,
            init: callback(ops.init, "init")?,
            release: callback(ops.release, "release")?,
        }),
        _ => Err(LoadError::MissingCallback { location: location(), table: table.into(), callbacks: lacking }),
    }
}

fn callbacks_of(entry: &Entry, ops: &Ops) -> Callbacks {
    Callbacks {
        init: entry.init.is_some(),
        release: true, // the host's own part is to take back the connection's storage
        cong_control: entry.cong_control.is_some(),
        set_state: entry.set_state.is_some(),
        cwnd_event: entry.cwnd_event.is_some() || entry.cwnd_event_tx_start.is_some(),
        in_ack_event: entry.in_ack_event.is_some(),
        pkts_acked: entry.pkts_acked.is_some(),
        min_tso_segs: entry.min_tso_segs.is_some(),
        sndbuf_expand: entry.sndbuf_expand.is_some(),
        needs_ecn: ops.flags & NEEDS_ECN != 0,
    }
}

/// How many arguments the author gave a callback; `None` when it was written without BPF_PROG.
unsafe fn argument_count(image: &Image, base: u64, callback: *const c_void) -> Option<u64> {
    let (address, bytes) = image.arity_section?;
    let rows = std::slice::from_raw_parts((base + address) as *const [u64; 2], bytes as usize / 16);
    rows.iter().find(|row| row[0] == callback as u64).map(|row| row[1])
}
