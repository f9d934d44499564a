//! Hostile input for the parts of Fairlane that read it in Rust: behaviour scripts and scenarios.
//!
//! A target takes any bytes and returns an outcome; a panic, an abort or an endless loop is a defect. Three callers
//! share the targets: `tests/short.rs` (a few thousand mutations, in every test run), the program `campaign` (any number
//! of mutations, with counts), and `libfuzzer/` (guided by coverage, with AddressSanitizer). The first two mutate the
//! repository's own scripts and scenarios with a fixed seed, so that a number reproduces a finding.

pub mod corpus;
pub mod mutation;
mod targets;

pub use targets::{Outcome, Target, TARGETS};
