//! Runs struct_ops programs: the bundled algorithms of `algorithms/`, and files that a user brings.
//!
//! It compiles a program natively (`compiler`), reads its object file and sets its parameters (`image`, `parameter`,
//! `c_source`), loads it as an instance of its own (`loaded`), and calls it under guard (`guarded`, `guard`).
//! [`Program::load`] does all of it, [`Program::instantiate`] makes the
//! [`CongestionControl`](fairlane_congestion_control::CongestionControl) of one flow. How TCP uses an algorithm is the
//! business of other crates; a simulator gets programs through [`Programs`], one implementation of
//! [`Algorithms`](fairlane_congestion_control::Algorithms). It calls foreign code, and so does `crates/web`; no other
//! crate has `unsafe`.
//!
//! A loaded program belongs to the thread that loaded it, and so to one run.

mod bundled;
mod c_source;
mod compiler;
mod elf_loader;
mod elsewhere;
mod error;
mod guard;
mod guarded;
mod host;
mod image;

mod loadable;
mod loaded;
mod object_file;
mod ops;
mod parameter;
mod program;
mod record_first;
mod recording;
pub mod sandbox;
mod shield;
mod snapshot;
mod source;
mod state;

pub use bundled::interface_headers;
pub use compiler::{compile_confined, Commanded, Inputs};
pub use elsewhere::place_elsewhere;
pub use error::LoadError;
pub use host::Programs;
pub use image::{bundled, AlgorithmInfo, Image};
pub use loadable::Loadable;
pub use parameter::ParameterInfo;
pub use program::Program;
pub use record_first::RecordFirst;
pub use recording::{Recorder, Recording};
pub use shield::digest_of_decisions;
pub use snapshot::{take_warnings, Snapshot};
pub use source::AlgorithmSource;
pub use state::state_members;
