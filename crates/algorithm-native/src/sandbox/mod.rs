//! Processes in which the code of others runs, and the compilers that read it.
//!
//! A *spawner* is a small process that is started once and has only loaded Fairlane. For each job it forks a
//! *worker*, which gives up every right that it does not need (`rules`, `limits`), reads its request, answers it and
//! ends. So a job costs a fork rather than the start of a program, and no job sees anything of another. The spawner runs
//! no foreign code: it forks, waits, and kills workers that miss their deadline (`spawner`). `client` is the
//! side of the process that wants a job done, `wire` what the two say to each other. `command` confines compilers.
//!
//! This module does not know what a job is: the caller of [`serve`] brings a function from request to answer.

mod client;
mod command;
mod limits;
mod rules;
mod spawner;
mod wire;

pub use client::{Client, Ended, Finished, Limits};
pub use command::{unprivileged_user, ConfinedCommand};
pub use rules::missing_protections;
pub use spawner::{serve, Handler};
