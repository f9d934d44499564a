//! Private folders of confined compilers.
//!
//! `$TMPDIR/fairlane-compile-*` has mode 0700 and belongs to the caller, who holds the lock of a file in it (`flock`)
//! until it is removed. The lock ends with its process, however that ends: the next start removes folders whose lock is
//! free. `fairlane/files.py` treats its temporary folders in the same way, and each removes those of the other. The
//! compiler works in a folder inside. If the caller is root, that belongs to a user whom no other process has, and nobody
//! but root reaches it; root follows no link there and opens no file but regular ones.

use super::limits::{is_root, User};
use rustix::fs::{flock, FlockOperation};
use std::fs::{self, DirBuilder, File, OpenOptions, Permissions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::Once;

const PREFIX: &str = "fairlane-";
const PURPOSE: &str = "compile-";
/// The file that tells a temporary folder from any other, and whose lock says that it is in use.
const LOCK: &str = ".fairlane-lock";

/// A folder for one compilation.
pub struct ScratchFolder {
    folder: PathBuf,
    /// The compiler's user, if the caller is root.
    pub(super) user: Option<User>,
    _lock: File,
}

impl ScratchFolder {
    /// `sudo_uid` and `sudo_gid` are sudo's variables: a compiler started by root becomes that user, who may have
    /// installed it, or else a user of its own.
    pub fn new(sudo_uid: Option<&str>, sudo_gid: Option<&str>) -> io::Result<Self> {
        static SWEPT: Once = Once::new();
        let parent = std::env::temp_dir();
        SWEPT.call_once(|| remove_abandoned(&parent));
        let (folder, lock) = loop {
            let folder = parent.join(format!("{PREFIX}{PURPOSE}{:016x}", random()?));
            match DirBuilder::new().mode(0o700).create(&folder) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
                other => other?,
            }
            let lock =
                OpenOptions::new().read(true).write(true).create_new(true).mode(0o600).open(folder.join(LOCK))?;
            // Another process may take it for an abandoned one before this line, and remove it. Without locks in this
            // file system nobody can.
            let _ = flock(&lock, FlockOperation::LockExclusive);
            if folder.join(LOCK).exists() {
                break (folder, lock);
            }
        };
        let mut made = Self { folder, user: None, _lock: lock };
        for inner in [made.work(), made.empty()] {
            DirBuilder::new().mode(0o700).create(inner)?;
        }
        if is_root() {
            let own = match User::of_sudo(sudo_uid, sudo_gid) {
                Some(user) => user,
                None => User::of_its_own(random()?),
            };
            // The own user does not exist in a container with few users.
            let candidates = [own, User::UNPRIVILEGED];
            let given = candidates
                .into_iter()
                .find(|user| std::os::unix::fs::lchown(made.work(), Some(user.user), Some(user.group)).is_ok());
            made.user = Some(given.ok_or_else(io::Error::last_os_error)?);
        }
        Ok(made)
    }

    /// Puts a file for the compiler to read into the folder.
    pub fn write(&self, name: &Path, bytes: &[u8]) -> io::Result<()> {
        let mut folder = self.work();
        for part in name.parent().unwrap_or(Path::new("")).components() {
            folder.push(part);
            if !folder.is_dir() {
                fs::create_dir(&folder)?;
                fs::set_permissions(&folder, Permissions::from_mode(0o755))?;
            }
        }
        let path = self.work().join(name);
        let mut file = OpenOptions::new().write(true).create_new(true).open(path)?;
        file.set_permissions(Permissions::from_mode(0o644))?;
        file.write_all(bytes)
    }

    /// Makes a folder in it.
    pub fn make_folder(&self, name: &Path) -> io::Result<()> {
        let folder = self.work().join(name);
        fs::create_dir_all(&folder)?;
        fs::set_permissions(&folder, Permissions::from_mode(0o755))
    }

    /// The file that a compiler wrote; an error if it is larger than the limit, a link, or no regular file.
    pub fn read(&self, name: &Path, limit_bytes: u64) -> io::Result<Vec<u8>> {
        let flags = libc::O_NOFOLLOW | libc::O_NONBLOCK | libc::O_NOCTTY;
        let file = OpenOptions::new().read(true).custom_flags(flags).open(self.work().join(name))?;
        if !file.metadata()?.is_file() {
            return Err(io::Error::other("the compiler's output is not a regular file"));
        }
        let mut bytes = Vec::new();
        file.take(limit_bytes + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > limit_bytes {
            return Err(io::Error::other(format!("its object file has more than {} MiB", limit_bytes >> 20)));
        }
        Ok(bytes)
    }

    /// Where the compiler works.
    pub(super) fn work(&self) -> PathBuf {
        self.folder.join("work")
    }

    /// An empty folder, over which a root folder may be mounted.
    pub(super) fn empty(&self) -> PathBuf {
        self.folder.join("root")
    }
}

impl Drop for ScratchFolder {
    fn drop(&mut self) {
        let _ = remove(&self.folder); // or else a later start removes it
    }
}

/// Removes the caller's folders whose lock no process has.
fn remove_abandoned(parent: &Path) {
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with(PREFIX) {
            let _ = remove_if_abandoned(&entry.path());
        }
    }
}

fn remove_if_abandoned(folder: &Path) -> io::Result<()> {
    let found = fs::symlink_metadata(folder)?;
    if !found.is_dir() || found.uid() != rustix::process::geteuid().as_raw() {
        return Ok(());
    }
    let flags = libc::O_NOFOLLOW | libc::O_NONBLOCK;
    let lock = OpenOptions::new().read(true).write(true).custom_flags(flags).open(folder.join(LOCK))?;
    match flock(&lock, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => remove(folder),
        Err(_) => Ok(()),
    }
}

/// Removes a folder, its lock last, so that a later start finds what could not be removed. Follows no links.
fn remove(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            fs::remove_dir_all(entry.path())?;
        } else if entry.file_name() != LOCK {
            fs::remove_file(entry.path())?;
        }
    }
    fs::remove_dir_all(folder)
}

fn random() -> io::Result<u64> {
    let mut bytes = [0; 8];
    // SAFETY: the bytes live for the call.
    let got = unsafe { libc::getrandom(bytes.as_mut_ptr().cast(), bytes.len(), 0) };
    match got {
        8 => Ok(u64::from_ne_bytes(bytes)),
        _ => Err(io::Error::last_os_error()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_private_and_removed() {
        let scratch = ScratchFolder::new(None, None).expect("can be made");
        let mode = |path: &Path| fs::metadata(path).expect("is there").permissions().mode() & 0o777;
        assert_eq!((mode(&scratch.folder), mode(&scratch.work())), (0o700, 0o700));
        let owner = fs::metadata(&scratch.folder).expect("is there").uid();
        assert_eq!(owner, rustix::process::geteuid().as_raw());
        if is_root() {
            let inner = fs::metadata(scratch.work()).expect("is there").uid();
            assert!(inner != 0 && inner != User::UNPRIVILEGED.user, "{inner}");
            let other = ScratchFolder::new(None, None).expect("can be made");
            assert_ne!(fs::metadata(other.work()).expect("is there").uid(), inner);
        }
        let folder = scratch.folder.clone();
        drop(scratch);
        assert!(!folder.exists());
    }

    #[test]
    fn abandoned_folders_are_removed_and_others_kept() {
        let parent = tempfile::tempdir().expect("can be made");
        let make = |name: &str| {
            let folder = parent.path().join(name);
            fs::create_dir_all(folder.join("work")).expect("can be made");
            fs::write(folder.join(LOCK), "").expect("can be written");
            folder
        };
        let (abandoned, held, other) = (make("fairlane-compile-1"), make("fairlane-shell-2"), make("else"));
        let unlocked = make("fairlane-compile-4");
        fs::remove_file(unlocked.join(LOCK)).expect("is there");
        let outside = tempfile::NamedTempFile::new().expect("can be made");
        std::os::unix::fs::symlink(outside.path(), abandoned.join("link")).expect("can be made");
        std::os::unix::fs::symlink(parent.path().join("else"), parent.path().join("fairlane-compile-3"))
            .expect("can be made");
        let lock = File::open(held.join(LOCK)).expect("can be opened");
        flock(&lock, FlockOperation::NonBlockingLockExclusive).expect("is free");
        remove_abandoned(parent.path());
        assert_eq!((abandoned.exists(), held.exists(), other.join("work").exists()), (false, true, true));
        assert!(outside.path().exists() && unlocked.exists());
        drop(lock);
        remove_abandoned(parent.path());
        assert!(!held.exists());
    }

    #[test]
    fn only_regular_files_of_a_limited_size_are_read_back() {
        let scratch = ScratchFolder::new(None, None).expect("can be made");
        scratch.write(Path::new("a/b/in.h"), b"text").expect("can be written");
        assert_eq!(scratch.read(Path::new("a/b/in.h"), 4).expect("is small"), b"text");
        let refused = |name: &str| scratch.read(Path::new(name), 3).expect_err("is refused").to_string();
        assert!(refused("a/b/in.h").contains("more than 0 MiB"));
        std::os::unix::fs::symlink("/etc/passwd", scratch.work().join("link")).expect("can be made");
        refused("link");
        assert!(refused("a").contains("not a regular file"));
    }
}
