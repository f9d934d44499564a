//! Resource limits and user of a confined process.

use std::io;

/// Upper limits of a confined process.
#[derive(Clone, Copy, Debug)]
pub(super) struct ResourceLimits {
    pub address_space_bytes: u64,
    pub file_bytes: u64,
    pub cpu_s: u64,
    /// The number of processes that its user may have; 0: it may start none.
    pub processes: u64,
}

impl ResourceLimits {
    /// Sets them for the calling process and all that it starts. Allocates nothing.
    pub fn apply(&self) -> io::Result<()> {
        set(libc::RLIMIT_AS, self.address_space_bytes)?;
        set(libc::RLIMIT_FSIZE, self.file_bytes)?;
        // The kernel sends SIGXCPU, and a little later SIGKILL.
        set_both(libc::RLIMIT_CPU, self.cpu_s, self.cpu_s.saturating_add(1))?;
        set(libc::RLIMIT_NPROC, self.processes)?;
        set(libc::RLIMIT_CORE, 0)
    }
}

/// The user and group to become instead of root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct User {
    pub user: u32,
    pub group: u32,
}

impl User {
    /// The user and group that own nothing, on every Linux system; other programs may run as them, too.
    pub const UNPRIVILEGED: Self = Self { user: 65_534, group: 65_534 };

    /// The user of `sudo_uid` and `sudo_gid`, the values of sudo's variables; without them an unprivileged user.
    pub fn calling_sudo(sudo_uid: Option<&str>, sudo_gid: Option<&str>) -> Self {
        Self::of_sudo(sudo_uid, sudo_gid).unwrap_or(Self::UNPRIVILEGED)
    }

    pub fn of_sudo(sudo_uid: Option<&str>, sudo_gid: Option<&str>) -> Option<Self> {
        let number = |text: Option<&str>| text?.parse::<u32>().ok().filter(|&number| number != 0 && number != u32::MAX);
        Some(Self { user: number(sudo_uid)?, group: number(sudo_gid)? })
    }

    /// A user whom hardly any other process has: one of those that systemd keeps free for its dynamic users.
    pub fn of_its_own(random: u64) -> Self {
        const DYNAMIC: std::ops::RangeInclusive<u64> = 61_184..=65_519;
        let number = (DYNAMIC.start() + random % (DYNAMIC.end() - DYNAMIC.start() + 1)) as u32;
        Self { user: number, group: number }
    }

    /// Becomes this user for good. The caller is root.
    pub fn become_it(self) -> io::Result<()> {
        // SAFETY: plain system calls.
        unsafe {
            check(libc::setgroups(0, std::ptr::null()))?;
            check(libc::setresgid(self.group, self.group, self.group))?;
            check(libc::setresuid(self.user, self.user, self.user))
        }
    }
}

pub(super) fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

fn set(resource: libc::__rlimit_resource_t, value: u64) -> io::Result<()> {
    set_both(resource, value, value)
}

fn set_both(resource: libc::__rlimit_resource_t, soft: u64, hard: u64) -> io::Result<()> {
    let mut present = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the structure lives for the call.
    unsafe { check(libc::getrlimit(resource, &mut present))? };
    // Keeps a stricter limit that is already set.
    let hard = hard.min(present.rlim_max);
    let limit = libc::rlimit { rlim_cur: soft.min(hard), rlim_max: hard };
    // SAFETY: as above.
    unsafe { check(libc::setrlimit(resource, &limit)) }
}

pub(super) fn check(result: libc::c_int) -> io::Result<()> {
    if result < 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn root_becomes_the_user_of_sudo_or_an_unprivileged_one() {
        assert_eq!(User::calling_sudo(Some("1000"), Some("100")), User { user: 1000, group: 100 });
        for (user, group) in [(None, None), (Some("0"), Some("0")), (Some("1000"), None), (Some("x"), Some("1"))] {
            assert_eq!(User::calling_sudo(user, group), User::UNPRIVILEGED);
        }
    }
}
