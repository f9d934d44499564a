//! Hostile input for the parts of Fairlane that read it in Rust: behaviour scripts and scenarios.
//!
//! A target takes any bytes and returns what became of them; a panic, an abort or an endless loop is a defect. Three
//! callers share the targets: `tests/short.rs` (a few thousand mutations, on every machine), the program `campaign` (as
//! many as asked for, with counts), and `libfuzzer/` (guided by coverage, with AddressSanitizer). The first two mutate
//! the repository's own scripts and scenarios with a fixed seed, so that a finding can be repeated by its number.

pub mod corpus;
pub mod mutation;
mod targets;

pub use targets::{Outcome, Target, TARGETS};
