//! Confined compilers: they read untrusted text, and need only the system's headers and a scratch folder.

use super::limits::{check, ResourceLimits};
use super::namespace::PrivateRoot;
use super::output::{output, Budget, CommandError, Output};
use super::rules::{shared_with_compilers, Rules, SYSTEM_FOLDERS};
use super::scratch::ScratchFolder;
use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// A command that may read the system's programs and headers and some folders, and write to its scratch folder.
pub struct ConfinedCommand<'s> {
    command: Command,
    readable: Vec<PathBuf>,
    scratch: &'s ScratchFolder,
}

/// The largest file that a compiler may write.
pub const OBJECT_BYTES: u64 = 64 << 20;

/// For each process of a compiler. The bundled programs take 0.4 s and 0.1 GB.
pub const COMPILER_CPU_S: u64 = 30;
pub const COMPILER_MEMORY_BYTES: u64 = 2 << 30;
const LIMITS: ResourceLimits = ResourceLimits {
    address_space_bytes: COMPILER_MEMORY_BYTES,
    file_bytes: OBJECT_BYTES,
    cpu_s: COMPILER_CPU_S,
    processes: 4096,
};

/// For the whole command. Preprocessed bundled programs have 0.1 MB.
const BUDGET: Budget = Budget { wall: Duration::from_secs(60), output_bytes: 32 << 20 };

impl<'s> ConfinedCommand<'s> {
    /// `command` runs in the folder `scratch`, and as its user.
    pub fn new(command: Command, scratch: &'s ScratchFolder) -> Self {
        Self { command, readable: Vec::new(), scratch }
    }

    /// It may also read this folder or file.
    pub fn readable(mut self, path: &Path) -> Self {
        self.readable.push(path.into());
        self
    }

    /// Runs it to its end, within limits of time, memory and output.
    pub fn output(mut self) -> Result<Output, CommandError> {
        // Not the folder's path, which only the caller can follow.
        self.command.env("HOME", ".").env("TMPDIR", ".").env("LC_ALL", "C").env("CCACHE_DISABLE", "1");
        let (work, user) = (self.scratch.work(), self.scratch.user);
        let folder = File::open(&work)?;
        let parent = rustix::process::getpid();
        // All allocations happen before the fork.
        let mut rules = Some(Rules::of_compiler(&self.readable, &work));
        let is_of_system = |path: &PathBuf| SYSTEM_FOLDERS.iter().any(|folder| path.starts_with(folder));
        let root = self
            .readable
            .iter()
            .all(is_of_system)
            .then(|| PrivateRoot::prepare(&self.scratch.empty(), shared_with_compilers(), &work, user.is_some()));
        let root = root.flatten();
        // SAFETY: between fork and exec only system calls are made, with arguments prepared here.
        unsafe {
            self.command.pre_exec(move || {
                check(libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL, 0, 0, 0))?;
                if rustix::process::getppid() != Some(parent) {
                    return Err(io::ErrorKind::Interrupted.into());
                }
                if root.as_ref().is_none_or(|root| root.enter().is_err()) {
                    check(libc::fchdir(folder.as_raw_fd()))?;
                }
                if let Some(user) = user {
                    user.become_it()?;
                    // A change of user clears it.
                    check(libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL, 0, 0, 0))?;
                }
                LIMITS.apply()?;
                rules.take().map_or(Ok(()), Rules::apply)
            });
        }
        output(&mut self.command, BUDGET)
    }
}
