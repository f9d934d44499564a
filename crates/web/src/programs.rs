//! The C programs that are linked into the module, as a run's algorithms.
//!
//! All programs share one copy of the runtime (`algorithms/interface/native/runtime`). Flows of one program with different
//! parameters take turns: before a call its parameters get the flow's values, unless they have them. A fault (division by
//! zero, an access outside of all memory, too many steps) stops the instance; the page then asks [`running`] for the name.

#![expect(unsafe_code, reason = "calls linked C code, whose layout its compiler has checked")]

use fairlane_congestion_control::{
    callbacks_of, flags_offset, read_storage_with, Algorithm, Algorithms, Callback, Callbacks, CongestionControl,
    FaultKind, Instance, LoadFailure, PerCallback, ProgramCalls, StateMember, TcpSock,
};
use serde::Deserialize;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::ffi::c_void;
use std::rc::Rc;

/// Names, parameters and state of the programs, as JSON: `fairlane.engine.algorithms_with_state()`.
pub const DESCRIPTION: &str = include_str!(concat!(env!("FAIRLANE_PROGRAMS"), "/programs.json"));

include!(concat!(env!("FAIRLANE_PROGRAMS"), "/programs.rs"));

/// A program by its name. `tools/web` writes the list `PROGRAMS`.
struct Named(&'static str, *const Table);
// SAFETY: the tables are constants, and an instance has one thread.
unsafe impl Sync for Named {}

/// Loop iterations that a callback may make: natively a watchdog ends it after a time, here nothing else would.
const MOST_STEPS: u32 = 50_000_000;

/// `struct fairlane_program`, which `tools/web` defines behind each program.
#[repr(C)]
struct Table {
    /// `struct tcp_congestion_ops`. The address of a function is its number in the module's table; 0 is none.
    ops: *const u8,
    parameters: *const Parameter,
    parameter_count: u32,
}

#[repr(C)]
struct Parameter {
    name: *const u8,
    name_bytes: u32,
    place: *mut u8,
    bytes: u32,
    is_signed: u32,
    is_boolean: u32,
}

// The runtime's variables and functions, and the steps that are left (tools/web/steps.h).
extern "C" {
    static mut fairlane_current: *mut TcpSock;
    static mut fairlane_allocate: unsafe extern "C" fn(u64) -> *mut c_void;
    static mut CONFIG_HZ: u32;
    static mut fairlane_steps_left: u32;
    fn fairlane_forget_connection(sock: *mut TcpSock);
}

thread_local! {
    /// The program that is being called, and its callback.
    static RUNNING: Cell<Option<(&'static str, Callback)>> = const { Cell::new(None) };
}

/// The algorithm and the callback that were running when the instance was stopped, and whether the callback had used up
/// its steps.
pub fn running() -> Option<(String, bool)> {
    let (algorithm, callback) = RUNNING.get()?;
    // SAFETY: a number of the linked runtime; no callback runs any more.
    let is_endless = unsafe { fairlane_steps_left } == 0;
    Some((format!("{algorithm}\n{}", callback.name()), is_endless))
}

#[derive(Deserialize)]
struct Described {
    name: String,
    aliases: Vec<String>,
    state: Vec<StateMember>,
}

/// The linked programs by their names.
pub struct Linked;

impl Algorithms for Linked {
    fn load(&self, word: &str, parameters: &BTreeMap<String, i64>) -> Result<Rc<dyn Algorithm>, LoadFailure> {
        let described: Vec<Described> = serde_json::from_str(DESCRIPTION)?;
        let is_it = |one: &Described| one.name == word || one.aliases.iter().any(|alias| alias == word);
        let Some(found) = described.into_iter().find(is_it) else {
            let known: Vec<_> = PROGRAMS.iter().map(|program| program.0).collect();
            return Err(format!("there is no algorithm {word}; there are {}", known.join(", ")).into());
        };
        let number = PROGRAMS.iter().position(|program| program.0 == found.name).ok_or("a program is not linked")?;
        let Named(name, table) = PROGRAMS[number];
        // SAFETY: the table of a linked program, and the runtime's variable of this type.
        let table = unsafe {
            fairlane_allocate = allocate;
            &*table
        };
        read_storage_with(storage);
        let values = Values { number, table, values: RefCell::new(Vec::new()) };
        values.values.replace(values.of_now());
        values.change(parameters).map_err(|problem| format!("algorithm {name}: {problem}"))?;
        let calls = Calls { name, callbacks: table.callbacks(), flags: table.flags(), values: Rc::new(values) };
        Ok(Rc::new(Program { calls, state: found.state }))
    }
}

struct Program {
    calls: Calls,
    state: Vec<StateMember>,
}

impl Algorithm for Program {
    fn instantiate(&self) -> Box<dyn CongestionControl> {
        Box::new(Instance::new(self.calls.clone()))
    }

    fn callbacks(&self) -> Callbacks {
        callbacks_of(|callback| self.calls.has(callback), self.calls.flags())
    }

    fn state_members(&self) -> &[StateMember] {
        &self.state
    }

    fn change(&self, parameters: &BTreeMap<String, i64>) -> Result<(), String> {
        self.calls.values.change(parameters)
    }
}

/// The parameters of some flows of a program.
struct Values {
    number: usize,
    table: &'static Table,
    values: RefCell<Vec<i64>>,
}

thread_local! {
    /// By program: the values that its variables have now.
    static PRESENT: [Cell<*const Values>; PROGRAMS.len()] = const { [const { Cell::new(std::ptr::null()) }; PROGRAMS.len()] };
    /// By program: the values that it was compiled with, once others were written.
    static DEFAULTS: RefCell<BTreeMap<usize, Vec<i64>>> = const { RefCell::new(BTreeMap::new()) };
}

impl Values {
    /// The values that the program was compiled with.
    fn of_now(&self) -> Vec<i64> {
        let read = || self.table.parameters().iter().map(Parameter::read).collect();
        DEFAULTS.with_borrow_mut(|defaults| defaults.entry(self.number).or_insert_with(read).clone())
    }

    fn change(&self, parameters: &BTreeMap<String, i64>) -> Result<(), String> {
        let known = self.table.parameters();
        let mut values = self.values.borrow().clone();
        for (name, &value) in parameters {
            let Some(at) = known.iter().position(|parameter| parameter.name() == name) else {
                let names: Vec<_> = known.iter().map(Parameter::name).collect();
                return Err(format!("there is no parameter {name}; there are {}", names.join(", ")));
            };
            let (low, high) = known[at].range();
            if !(low..=high).contains(&i128::from(value)) {
                return Err(format!("parameter {name} is {value}; give {low} to {high}"));
            }
            values[at] = value;
        }
        self.values.replace(values);
        PRESENT.with(|present| present[self.number].set(std::ptr::null()));
        Ok(())
    }

    /// Gives the program's variables these values.
    #[inline]
    fn make_present(&self) {
        PRESENT.with(|present| {
            if !std::ptr::eq(present[self.number].get(), self) {
                self.write();
                present[self.number].set(self);
            }
        });
    }

    #[cold]
    fn write(&self) {
        for (parameter, &value) in self.table.parameters().iter().zip(&*self.values.borrow()) {
            parameter.write(value);
        }
    }
}

impl Table {
    fn callbacks(&self) -> PerCallback<usize> {
        // SAFETY: the compiler has written the program's structure there, with addresses at these offsets.
        PerCallback::new(|callback| unsafe { self.ops.add(callback.offset(size_of::<usize>())).cast::<usize>().read() })
    }

    fn flags(&self) -> u8 {
        // SAFETY: as above.
        unsafe { self.ops.add(flags_offset(size_of::<usize>())).read() }
    }

    fn parameters(&self) -> &'static [Parameter] {
        // SAFETY: as above.
        unsafe { std::slice::from_raw_parts(self.parameters, self.parameter_count as usize) }
    }
}

impl Parameter {
    fn name(&self) -> &'static str {
        // SAFETY: a constant of the program, in ASCII.
        unsafe { std::str::from_utf8_unchecked(std::slice::from_raw_parts(self.name, self.name_bytes as usize)) }
    }

    fn read(&self) -> i64 {
        let mut bytes = [0; 8];
        // SAFETY: the variable's address and size.
        unsafe { std::ptr::copy_nonoverlapping(self.place, bytes.as_mut_ptr(), self.bytes as usize) };
        let unused = 64 - 8 * self.bytes;
        let value = i64::from_le_bytes(bytes) << unused;
        if self.is_signed != 0 {
            value >> unused
        } else {
            (value as u64 >> unused) as i64
        }
    }

    fn write(&self, value: i64) {
        // SAFETY: as above; the program reads its parameters as volatile, and no callback runs.
        unsafe { std::ptr::copy_nonoverlapping(value.to_le_bytes().as_ptr(), self.place, self.bytes as usize) };
    }

    fn range(&self) -> (i128, i128) {
        let bits = 8 * self.bytes;
        match (self.is_boolean != 0, self.is_signed != 0) {
            (true, _) => (0, 1),
            (false, true) => (-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
            (false, false) => (0, (1 << bits) - 1),
        }
    }
}

// SAFETY: an instance has one thread.
unsafe impl Send for Calls {}

/// A program with the parameters of a flow.
#[derive(Clone)]
struct Calls {
    name: &'static str,
    callbacks: PerCallback<usize>,
    flags: u8,
    values: Rc<Values>,
}

impl ProgramCalls for Calls {
    const COPIES_SAMPLES: bool = false;

    fn algorithm(&self) -> &str {
        self.name
    }

    #[inline(always)]
    fn has(&self, callback: Callback) -> bool {
        self.callbacks.of(callback) != 0
    }

    fn flags(&self) -> u8 {
        self.flags
    }

    fn short_cong_control(&self) -> bool {
        false
    }

    /// As the runs of an instance, all flows have the same.
    fn set_hz(&self, hz: u64) {
        // SAFETY: the runtime's variable of this type.
        unsafe { CONFIG_HZ = hz as u32 };
    }

    #[inline(always)]
    fn call(&mut self, sock: &mut TcpSock, callback: Callback, words: [u64; 3]) -> Option<Result<u64, FaultKind>> {
        let function = self.callbacks.of(callback);
        if function == 0 {
            return None;
        }
        self.values.make_present();
        let sock: *mut TcpSock = sock;
        let mut words = [sock as u64, words[0], words[1], words[2]];
        RUNNING.set(Some((self.name, callback)));
        // SAFETY: a callback of a linked program with its arguments. A callback whose type is another stops the instance,
        // as the machine checks types of calls through the table.
        let answer = unsafe {
            fairlane_current = sock;
            fairlane_steps_left = MOST_STEPS;
            match callback {
                Callback::Ssthresh | Callback::UndoCwnd | Callback::MinTsoSegs | Callback::SndbufExpand => {
                    let function = std::mem::transmute::<usize, unsafe extern "C" fn(*mut u64) -> u32>(function);
                    u64::from(function(words.as_mut_ptr()))
                }
                _ => {
                    let function = std::mem::transmute::<usize, unsafe extern "C" fn(*mut u64)>(function);
                    function(words.as_mut_ptr());
                    0
                }
            }
        };
        RUNNING.set(None);
        Some(Ok(answer))
    }

    fn forget_connection(&self, sock: &mut TcpSock) {
        // SAFETY: the function walks the connection's own list of blocks.
        unsafe { fairlane_forget_connection(sock) }
    }

    fn take_printed(&self) -> Vec<String> {
        Vec::new()
    }

    fn warning(&self) -> Option<String> {
        None
    }

    fn prefetch<T>(&self, _: &T) {}
}

/// Zeroed memory for a program, for the life of the instance.
unsafe extern "C" fn allocate(bytes: u64) -> *mut c_void {
    Box::leak(vec![0_u64; (bytes as usize).div_ceil(8)].into_boxed_slice()).as_mut_ptr().cast()
}

/// Reads a connection's block of socket storage with this length.
fn storage(sock: &TcpSock, bytes: usize) -> &[u8] {
    /// `struct block` of algorithms/interface/native/runtime/helpers.c; its data follows.
    #[repr(C)]
    struct Block {
        next: *const Block,
        map: *const c_void,
        bytes: u64,
    }
    let mut block = sock.icsk_ca_ops as usize as *const Block;
    // SAFETY: the list holds blocks of the runtime, which live as long as the connection and are not written while a
    // shared reference to the connection exists.
    unsafe {
        while let Some(found) = block.as_ref() {
            if found.bytes as usize == bytes {
                return std::slice::from_raw_parts(block.add(1).cast(), bytes);
            }
            block = found.next;
        }
    }
    &[]
}
