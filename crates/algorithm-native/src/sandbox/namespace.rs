//! A root folder of its own for a compiler: outside of it no file has a name.
//!
//! Landlock decides who may open a file, but not who may ask whether it exists and how large it is. In a mount namespace
//! with nothing but the system's folders and the scratch folder, there is nothing to ask about. Root may make one, and
//! others where the kernel lets them have a user namespace; elsewhere Landlock protects alone.

use super::limits::check;
use std::ffi::{CStr, CString};
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// The scratch folder's place in the new root.
const SCRATCH: &CStr = c"/build";

/// A new root; its parts are prepared before the fork, as no memory may be allocated after it.
pub(super) struct PrivateRoot {
    /// An empty folder on which the root is mounted.
    root: CString,
    steps: Vec<Step>,
    /// The identity maps of a user namespace; `None` for root, who needs none.
    identity: Option<[(&'static CStr, String); 3]>,
}

enum Step {
    Folder(CString),
    File(CString),
    Link { to: CString, at: CString },
    Bind { from: CString, at: CString },
}

impl PrivateRoot {
    /// `shared` are absolute paths of folders and files, which keep their names; `empty` is an empty folder.
    pub fn prepare<'p>(
        empty: &Path,
        shared: impl Iterator<Item = &'p Path>,
        scratch: &Path,
        is_root: bool,
    ) -> Option<Self> {
        let mut steps = Vec::new();
        let mut made: Vec<PathBuf> = vec!["/".into()];
        for path in shared {
            let Ok(metadata) = fs::symlink_metadata(path) else { continue };
            let inside = |path: &Path| text(&empty.join(path.strip_prefix("/").ok()?));
            let mut above: Vec<&Path> = path.ancestors().skip(1).collect();
            above.reverse();
            for folder in above {
                if !made.contains(&folder.to_owned()) {
                    steps.push(Step::Folder(inside(folder)?));
                    made.push(folder.to_owned());
                }
            }
            let at = inside(path)?;
            if metadata.is_symlink() {
                steps.push(Step::Link { to: text(&fs::read_link(path).ok()?)?, at });
            } else {
                steps.push(if metadata.is_dir() { Step::Folder(at.clone()) } else { Step::File(at.clone()) });
                steps.push(Step::Bind { from: text(path)?, at });
            }
            made.push(path.to_owned());
        }
        let at = text(&empty.join(as_path(SCRATCH).strip_prefix("/").ok()?))?;
        steps.push(Step::Folder(at.clone()));
        steps.push(Step::Bind { from: text(scratch)?, at });
        let (user, group) = (rustix::process::geteuid().as_raw(), rustix::process::getegid().as_raw());
        let identity = [
            (c"/proc/self/setgroups", "deny".to_owned()),
            (c"/proc/self/uid_map", format!("{user} {user} 1")),
            (c"/proc/self/gid_map", format!("{group} {group} 1")),
        ];
        Some(Self { root: text(empty)?, steps, identity: (!is_root).then_some(identity) })
    }

    /// Moves the calling process, which has one thread, to the new root and there to the scratch folder. Allocates
    /// nothing.
    pub fn enter(&self) -> io::Result<()> {
        let none = std::ptr::null();
        let zero = std::ptr::null();
        // SAFETY: system calls with terminated strings that live for the calls.
        unsafe {
            let user = if self.identity.is_some() { libc::CLONE_NEWUSER } else { 0 };
            check(libc::unshare(user | libc::CLONE_NEWNS))?;
            for (file, line) in self.identity.iter().flatten() {
                let descriptor = libc::open(file.as_ptr(), libc::O_WRONLY | libc::O_CLOEXEC);
                check(descriptor)?;
                let written = libc::write(descriptor, line.as_ptr().cast(), line.len());
                libc::close(descriptor);
                check(written as i32)?;
            }
            // Mounts from here on are invisible to others.
            check(libc::mount(none, c"/".as_ptr(), none, libc::MS_REC | libc::MS_PRIVATE, zero))?;
            let flags = libc::MS_NOSUID | libc::MS_NODEV;
            let options = c"size=64k,mode=755".as_ptr().cast();
            check(libc::mount(c"tmpfs".as_ptr(), self.root.as_ptr(), c"tmpfs".as_ptr(), flags, options))?;
            for step in &self.steps {
                step.take()?;
            }
            check(libc::chdir(self.root.as_ptr()))?;
            check(libc::syscall(libc::SYS_pivot_root, c".".as_ptr(), c".".as_ptr()) as i32)?;
            check(libc::umount2(c".".as_ptr(), libc::MNT_DETACH))?;
            check(libc::chdir(SCRATCH.as_ptr()))
        }
    }
}

impl Step {
    /// # Safety
    /// Between fork and exec, in a mount namespace of the process's own.
    unsafe fn take(&self) -> io::Result<()> {
        check(match self {
            Self::Folder(at) => libc::mkdir(at.as_ptr(), 0o755),
            Self::File(at) => {
                let made =
                    libc::open(at.as_ptr(), libc::O_CREAT | libc::O_EXCL | libc::O_WRONLY | libc::O_CLOEXEC, 0o644);
                check(made)?;
                libc::close(made)
            }
            Self::Link { to, at } => libc::symlink(to.as_ptr(), at.as_ptr()),
            Self::Bind { from, at } => {
                let flags = libc::MS_BIND | libc::MS_REC;
                libc::mount(from.as_ptr(), at.as_ptr(), std::ptr::null(), flags, std::ptr::null())
            }
        })
    }
}

fn text(path: &Path) -> Option<CString> {
    CString::new(path.as_os_str().as_bytes()).ok()
}

fn as_path(text: &CStr) -> &Path {
    Path::new(std::ffi::OsStr::from_bytes(text.to_bytes()))
}
