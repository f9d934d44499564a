//! The simulator in a browser: a scenario in; samples, packet events and the result out while it runs.
//!
//! `make web` compiles this crate for WebAssembly together with the C programs of `algorithms/`, which clang compiles for
//! the same target, into target/web/fairlane.wasm. `fairlane.js` wraps its functions as the classes that `fairlane.d.ts`
//! declares; pages use these alone. The results are those of the native engine, bit for bit (`tools/web` compares them).
//!
//! - `session.rs` is a run that its caller advances, looks into and changes. It knows nothing of WebAssembly, so that
//!   tests run it natively.
//! - `packed.rs` writes samples and events as the arrays that JavaScript reads in place.
//! - `programs.rs` implements the algorithms by the linked C programs. It and the runtime's functions are the second place
//!   with `unsafe`, because calls of C are. There are no signals: a fault stops the instance, whose last call is known.
//! - `exports.rs` has the functions of the module. They exchange bytes in two buffers, by a hand-written interface of a
//!   few functions: wasm-bindgen's command must have the version of its crate, and compiling it costs more time than all
//!   of this.

mod packed;
mod session;

#[cfg(target_arch = "wasm32")]
mod exports;
#[cfg(target_arch = "wasm32")]
mod programs;

pub use session::{hash, Session};
