//! Processes that run untrusted code, and confinement of the compilers that read it.
//!
//! A *spawner* is a small process that is started once and has only loaded Fairlane. For each job it forks a
//! *worker*, which drops every right that it does not need (`rules`, `limits`), reads its request, answers it and
//! exits. A job therefore costs a fork rather than the start of a program, and jobs are isolated from each other. The
//! spawner runs no untrusted code: it forks, waits, and kills workers that miss their deadline (`spawner`). `client`
//! sends it jobs, and `wire` is their protocol. `command` confines compilers to a folder (`scratch`), a root of their
//! own (`namespace`) and a budget (`output`).
//!
//! This module does not know what a job is: the caller of [`serve`] brings a function from request to answer.

mod client;
mod command;
mod limits;
mod namespace;
mod output;
mod rules;
mod scratch;
mod spawner;
mod wire;

pub use client::{Client, Ended, Finished, Limits};
pub use command::{ConfinedCommand, COMPILER_CPU_S, COMPILER_MEMORY_BYTES, OBJECT_BYTES};
pub use output::{CommandError, Output};
pub use rules::missing_protections;
pub use scratch::ScratchFolder;
pub use spawner::{serve, Handler};
