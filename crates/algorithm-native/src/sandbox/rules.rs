//! Limits a process's access to the kernel: Landlock for files and network, seccomp for system calls.

use super::limits::check;
use landlock::{
    Access, AccessFs, AccessNet, PathBeneath, PathFd, Ruleset, RulesetAttr, RulesetCreated, RulesetCreatedAttr, Scope,
    ABI,
};
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
};
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

/// The newest set of rights that is used; an older kernel enforces those that it knows.
const LANDLOCK: ABI = ABI::V6;

/// Folders of the system's compilers, libraries and headers.
pub(super) const SYSTEM_FOLDERS: &[&str] =
    &["/usr", "/bin", "/lib", "/lib32", "/lib64", "/libx32", "/opt", "/nix/store", "/gnu/store", "/etc/alternatives"];

/// Single files that every program start reads.
const SYSTEM_FILES: &[&str] = &["/etc/ld.so.cache", "/etc/ld.so.preload"];

/// The device that compilers write to. Others have no end, and a program could include them.
const DEVICES: &[&str] = &["/dev/null"];

/// The system's files and folders that a compiler needs.
pub(super) fn shared_with_compilers() -> impl Iterator<Item = &'static Path> {
    SYSTEM_FOLDERS.iter().chain(SYSTEM_FILES).chain(DEVICES).map(Path::new)
}

/// Rules that are made before a process is forked, and applied in it.
pub(super) struct Rules {
    landlock: Option<RulesetCreated>,
    seccomp: Vec<BpfProgram>,
    /// Reading the processor's clock is a fault.
    forbid_clock: bool,
}

impl Rules {
    /// For a worker: no file, no network, and only the system calls of a program that computes.
    pub fn of_worker(seccomp: Vec<BpfProgram>) -> Self {
        Self { landlock: ruleset(), seccomp, forbid_clock: true }
    }

    /// For a compiler: the system's programs and headers, the folders in `readable`, and a scratch folder.
    pub fn of_compiler(readable: &[PathBuf], scratch: &Path) -> Self {
        let read = AccessFs::from_read(LANDLOCK);
        let system = SYSTEM_FOLDERS.iter().chain(SYSTEM_FILES).map(Path::new);
        let rules = system.chain(readable.iter().map(PathBuf::as_path)).map(|path| (path, read));
        let devices = DEVICES.iter().map(|path| (Path::new(*path), AccessFs::ReadFile | AccessFs::WriteFile));
        let scratch = [(scratch, AccessFs::from_all(LANDLOCK))];
        let landlock = ruleset().and_then(|set| allow(set, rules.chain(devices).chain(scratch)));
        Self {
            landlock,
            seccomp: filter(&compiler_calls(), SeccompAction::Errno(libc::EPERM as u32), SeccompAction::Allow)
                .into_iter()
                .collect(),
            forbid_clock: false,
        }
    }

    /// Applies them to the calling process, for good.
    pub fn apply(self) -> io::Result<()> {
        // SAFETY: plain system calls without pointers.
        unsafe { check(libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))? };
        if let Some(landlock) = self.landlock {
            landlock.restrict_self().map_err(io::Error::other)?;
        }
        if self.forbid_clock {
            forbid_clock();
        }
        for seccomp in &self.seccomp {
            seccompiler::apply_filter(seccomp).map_err(io::Error::other)?;
        }
        Ok(())
    }
}

/// The filters of workers, made once for all of them. None on a processor or a kernel that has none. The kernel uses
/// the stricter answer of both.
pub(super) fn worker_filters() -> Vec<BpfProgram> {
    let denied = SeccompAction::Errno(libc::EACCES as u32);
    let named = filter(&calls_that_name_files(), SeccompAction::Allow, denied);
    named.into_iter().chain(filter(&worker_calls(), SeccompAction::KillProcess, SeccompAction::Allow)).collect()
}

/// The protections that this kernel lacks, each as a phrase for a message.
pub fn missing_protections() -> Vec<&'static str> {
    let mut missing = Vec::new();
    if ruleset().is_none() || landlock_version() < 1 {
        missing.push("Landlock (files)");
    }
    if worker_filters().is_empty() {
        missing.push("seccomp (system calls)");
    }
    if !cfg!(target_arch = "x86_64") {
        missing.push("PR_SET_TSC (reading the processor's clock)");
    }
    missing
}

fn landlock_version() -> i64 {
    const LANDLOCK_CREATE_RULESET_VERSION: u32 = 1;
    // SAFETY: without a structure the call only returns a version.
    unsafe {
        libc::syscall(
            libc::SYS_landlock_create_ruleset,
            std::ptr::null::<u8>(),
            0_usize,
            LANDLOCK_CREATE_RULESET_VERSION,
        )
    }
}

/// A set that forbids everything.
fn ruleset() -> Option<RulesetCreated> {
    Ruleset::default()
        .handle_access(AccessFs::from_all(LANDLOCK))
        .and_then(|set| set.handle_access(AccessNet::from_all(LANDLOCK)))
        .and_then(|set| set.scope(Scope::from_all(LANDLOCK)))
        .and_then(|set| set.create())
        .ok()
}

fn allow<'p>(
    mut set: RulesetCreated,
    rules: impl Iterator<Item = (&'p Path, landlock::BitFlags<AccessFs>)>,
) -> Option<RulesetCreated> {
    for (path, access) in rules {
        let Ok(opened) = PathFd::new(path) else { continue };
        // Rights of folders make no sense for a file.
        let access = if path.is_dir() { access } else { access & AccessFs::from_file(LANDLOCK) };
        set = set.add_rule(PathBeneath::new(opened, access)).ok()?;
    }
    Some(set)
}

fn forbid_clock() {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: without pointers. A virtual machine may lack it: a second run then detects reads of the clock.
    unsafe {
        libc::prctl(libc::PR_SET_TSC, libc::PR_TSC_SIGSEGV, 0, 0, 0);
    }
}

type Calls = BTreeMap<i64, Vec<SeccompRule>>;

/// A filter that answers these calls with `listed`, and others with `otherwise`.
fn filter(calls: &Calls, otherwise: SeccompAction, listed: SeccompAction) -> Option<BpfProgram> {
    // SAFETY: without pointers; a kernel without seccomp fails, and the other protections are used alone.
    if unsafe { libc::prctl(libc::PR_GET_SECCOMP, 0, 0, 0, 0) } < 0 {
        return None;
    }
    let processor = std::env::consts::ARCH.try_into().ok()?;
    SeccompFilter::new(calls.clone(), otherwise, listed, processor).ok()?.try_into().ok()
}

/// System calls of the C library that name a file. A worker may make them, and every one fails in the same way, whether
/// the file exists or not: Landlock, which forbids opening, would tell.
fn calls_that_name_files() -> Calls {
    unconditional(&[libc::SYS_openat, libc::SYS_newfstatat, libc::SYS_statx])
}

/// System calls of the simulator and the C library during a run: memory, the answer, signals of the guard, and mapping
/// an object from memory.
fn worker_calls() -> Calls {
    let mut calls = unconditional(&[
        libc::SYS_read,
        libc::SYS_write,
        libc::SYS_writev,
        libc::SYS_pread64,
        libc::SYS_close,
        libc::SYS_lseek,
        libc::SYS_fstat,
        libc::SYS_fcntl,
        libc::SYS_memfd_create,
        libc::SYS_mmap,
        libc::SYS_munmap,
        libc::SYS_mremap,
        libc::SYS_mprotect,
        libc::SYS_madvise,
        libc::SYS_brk,
        libc::SYS_futex,
        libc::SYS_getrandom,
        libc::SYS_getpid,
        libc::SYS_gettid,
        libc::SYS_rt_sigaction,
        libc::SYS_rt_sigprocmask,
        libc::SYS_rt_sigreturn,
        libc::SYS_sigaltstack,
        libc::SYS_timer_create,
        libc::SYS_timer_settime,
        libc::SYS_timer_delete,
        libc::SYS_sched_yield,
        libc::SYS_exit,
        libc::SYS_exit_group,
    ]);
    calls.extend(calls_that_name_files());
    // abort() sends itself a signal; malloc() names its memory.
    calls.insert(libc::SYS_tgkill, only_if(2, libc::SIGABRT as u64));
    calls.insert(libc::SYS_prctl, only_if(0, 0x5356_4d41)); // PR_SET_VMA
    calls
}

/// System calls of compilers and linkers. None for network, other processes, mounts or keys.
fn compiler_calls() -> Calls {
    let mut calls = worker_calls();
    calls.extend(unconditional(&[
        libc::SYS_clone,
        libc::SYS_clone3,
        libc::SYS_execve,
        libc::SYS_wait4,
        libc::SYS_waitid,
        libc::SYS_kill,
        libc::SYS_tgkill,
        libc::SYS_prctl,
        libc::SYS_pipe2,
        libc::SYS_dup,
        libc::SYS_dup3,
        libc::SYS_pwrite64,
        libc::SYS_readv,
        libc::SYS_pselect6,
        libc::SYS_ppoll,
        libc::SYS_ioctl,
        libc::SYS_flock,
        libc::SYS_ftruncate,
        libc::SYS_fallocate,
        libc::SYS_fadvise64,
        libc::SYS_copy_file_range,
        libc::SYS_sendfile,
        libc::SYS_getdents64,
        libc::SYS_readlinkat,
        libc::SYS_faccessat,
        libc::SYS_faccessat2,
        libc::SYS_unlinkat,
        libc::SYS_renameat,
        libc::SYS_renameat2,
        libc::SYS_mkdirat,
        libc::SYS_linkat,
        libc::SYS_symlinkat,
        libc::SYS_fchmod,
        libc::SYS_fchmodat,
        libc::SYS_utimensat,
        libc::SYS_umask,
        libc::SYS_chdir,
        libc::SYS_fchdir,
        libc::SYS_getcwd,
        libc::SYS_statfs,
        libc::SYS_fstatfs,
        libc::SYS_getuid,
        libc::SYS_geteuid,
        libc::SYS_getgid,
        libc::SYS_getegid,
        libc::SYS_getppid,
        libc::SYS_getrlimit,
        libc::SYS_setrlimit,
        libc::SYS_prlimit64,
        libc::SYS_getrusage,
        libc::SYS_times,
        libc::SYS_uname,
        libc::SYS_sysinfo,
        libc::SYS_gettimeofday,
        libc::SYS_clock_gettime,
        libc::SYS_clock_getres,
        libc::SYS_nanosleep,
        libc::SYS_clock_nanosleep,
        libc::SYS_set_tid_address,
        libc::SYS_set_robust_list,
        libc::SYS_rseq,
        libc::SYS_sched_getaffinity,
        libc::SYS_sched_setaffinity,
        libc::SYS_setitimer,
        libc::SYS_restart_syscall,
    ]));
    #[cfg(target_arch = "x86_64")]
    calls.extend(unconditional(&[
        libc::SYS_arch_prctl,
        libc::SYS_open,
        libc::SYS_creat,
        libc::SYS_stat,
        libc::SYS_lstat,
        libc::SYS_access,
        libc::SYS_readlink,
        libc::SYS_unlink,
        libc::SYS_rename,
        libc::SYS_mkdir,
        libc::SYS_rmdir,
        libc::SYS_link,
        libc::SYS_symlink,
        libc::SYS_chmod,
        libc::SYS_dup2,
        libc::SYS_pipe,
        libc::SYS_poll,
        libc::SYS_select,
        libc::SYS_fork,
        libc::SYS_vfork,
        libc::SYS_alarm,
        libc::SYS_getdents,
        libc::SYS_getpgrp,
        libc::SYS_time,
        libc::SYS_utime,
    ]));
    calls
}

fn unconditional(calls: &[i64]) -> Calls {
    calls.iter().map(|&call| (call, Vec::new())).collect()
}

fn only_if(argument: u8, value: u64) -> Vec<SeccompRule> {
    let condition = SeccompCondition::new(argument, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, value);
    vec![SeccompRule::new(vec![condition.expect("an argument from 0 to 5")]).expect("one condition")]
}
