//! Runs struct_ops programs: the bundled algorithms of `algorithms/`, and files that a user brings.
//!
//! What belongs here: compiling a program natively (`compiler`), reading its object file and setting
//! its parameters (`image`, `declarations`), loading it as an instance of its own (`loaded`), and calling
//! it under guard (`instance`, `guard`). [`Program::load`] does all of it, [`Program::instantiate`] makes the
//! [`CongestionControl`](fairlane_tcp::CongestionControl) of one flow. What does not belong here: anything
//! about how TCP uses an algorithm. This is the only crate with `unsafe`: it calls foreign code.
//!
//! A loaded program belongs to the thread that loaded it, and so to one run.

mod bundled;
mod compiler;
mod declarations;
mod error;
mod guard;
mod image;
mod instance;
mod layout;
mod loaded;
mod loops;
mod nearest;
mod program;
mod recording;
mod source;

pub use bundled::{bundled, interface_headers, AlgorithmInfo, ParameterInfo};
pub use error::LoadError;
pub use image::Image;
pub use program::Program;
pub use recording::{Recorder, Recording};
pub use source::AlgorithmSource;
