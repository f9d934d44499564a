//! Confined compilers: they read untrusted text, and need only the system's headers and a scratch folder.

use super::limits::{is_root, ResourceLimits, User};
use super::rules::Rules;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A command that may read the system's programs and headers and some folders, and write to one.
pub struct ConfinedCommand {
    command: Command,
    readable: Vec<PathBuf>,
    scratch: PathBuf,
    user: Option<User>,
}

/// Generous for any compiler.
const LIMITS: ResourceLimits =
    ResourceLimits { address_space_bytes: 16 << 30, file_bytes: 256 << 20, cpu_s: 60, processes: 4096 };

impl ConfinedCommand {
    /// `command` runs in the folder `scratch`, which it may write to. If the caller is root, it runs as `user`, to whom
    /// the folder is given.
    pub fn new(command: Command, scratch: &Path, user: Option<(u32, u32)>) -> Self {
        let user = user.filter(|_| is_root()).map(|(user, group)| User { user, group });
        Self { command, readable: Vec::new(), scratch: scratch.into(), user }
    }

    /// It may also read this folder or file.
    pub fn readable(mut self, path: &Path) -> Self {
        self.readable.push(path.into());
        self
    }

    /// Runs it to its end.
    pub fn output(mut self) -> io::Result<Output> {
        if let Some(user) = self.user {
            give_away(&self.scratch, user)?;
            self.command.uid(user.user).gid(user.group);
        }
        for (name, value) in [("HOME", self.scratch.as_path()), ("TMPDIR", self.scratch.as_path())] {
            self.command.env(name, value);
        }
        self.command.env("LC_ALL", "C").env("CCACHE_DISABLE", "1").current_dir(&self.scratch);
        // All allocations happen before the fork.
        let mut rules = Some(Rules::of_compiler(&self.readable, &self.scratch));
        // SAFETY: between fork and exec only system calls are made, with arguments prepared here.
        unsafe {
            self.command.pre_exec(move || {
                LIMITS.apply()?;
                rules.take().map_or(Ok(()), Rules::apply)
            });
        }
        self.command.output()
    }
}

/// The user and group for a command started by root: the caller of sudo, or an unprivileged user. The arguments are the
/// values of sudo's variables.
pub fn unprivileged_user(sudo_uid: Option<&str>, sudo_gid: Option<&str>) -> (u32, u32) {
    let User { user, group } = User::calling_sudo(sudo_uid, sudo_gid);
    (user, group)
}

fn give_away(path: &Path, to: User) -> io::Result<()> {
    std::os::unix::fs::lchown(path, Some(to.user), Some(to.group))?;
    if path.is_dir() && !path.is_symlink() {
        for entry in std::fs::read_dir(path)? {
            give_away(&entry?.path(), to)?;
        }
    }
    Ok(())
}
