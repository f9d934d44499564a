//! Confines compilers of the caller's choice like the native one: the compiler for the kernel, for instance.

use super::{confine, environment_of, scratch_folder};
use crate::sandbox::{CommandError, OBJECT_BYTES};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::process::Command;

/// The outcome of a compilation.
#[derive(Debug)]
pub struct Commanded {
    pub succeeded: bool,
    /// Its standard error.
    pub complaints: String,
    /// The file that it was to write; empty if it wrote none.
    pub output: Vec<u8>,
}

/// Runs a compiler in a scratch folder that holds `files` (by their path in it) and reads what it wrote to `output`, a
/// path in that folder. It may read the system's headers, and runs without root's rights.
pub fn compile_confined(
    words: &[OsString],
    files: &BTreeMap<PathBuf, Vec<u8>>,
    output: &Path,
) -> io::Result<Commanded> {
    let (program, arguments) = words.split_first().ok_or(io::ErrorKind::InvalidInput)?;
    if let Some(path) = files.keys().map(PathBuf::as_path).chain([output]).find(|path| leaves_folder(path)) {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, format!("{} leaves the folder", path.display())));
    }
    let scratch = scratch_folder()?;
    for (path, bytes) in files {
        scratch.write(path, bytes)?;
    }
    let mut command = Command::new(program);
    environment_of(command.args(arguments));
    let done = match confine(command, std::slice::from_ref(program), &scratch).output() {
        Ok(done) => done,
        Err(CommandError::CannotStart(error)) => return Err(error),
        Err(excess) => {
            return Ok(Commanded {
                succeeded: false,
                complaints: format!("error: the program {excess}"),
                output: Vec::new(),
            })
        }
    };
    Ok(Commanded {
        succeeded: done.status.success(),
        complaints: String::from_utf8_lossy(&done.stderr).into_owned(),
        output: scratch.read(output, OBJECT_BYTES).unwrap_or_default(),
    })
}

fn leaves_folder(path: &Path) -> bool {
    path.components().any(|part| !matches!(part, Component::Normal(_)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_stay_in_the_folder() {
        for path in ["../x.c", "/tmp/x.c"] {
            let files = BTreeMap::from([(PathBuf::from(path), Vec::new())]);
            assert!(compile_confined(&["true".into()], &files, Path::new("x.o")).is_err());
        }
        assert!(compile_confined(&["true".into()], &BTreeMap::new(), Path::new("../x.o")).is_err());
    }

    /// Runs a script confined, beside the file `x.txt`; it may write `x.out`.
    fn run(script: &str) -> Commanded {
        let words: Vec<OsString> = ["sh", "-c", script].map(OsString::from).to_vec();
        let files = BTreeMap::from([(PathBuf::from("x.txt"), b"given".to_vec())]);
        compile_confined(&words, &files, Path::new("x.out")).expect("runs")
    }

    #[test]
    fn only_the_folder_and_the_system_are_within_reach() {
        let secret = tempfile::NamedTempFile::new().expect("can be made");
        std::fs::write(secret.path(), "secret").expect("can be written");
        let done = run(&format!("cat {} >&2; cat x.txt > x.out", secret.path().display()));
        assert_eq!((done.succeeded, done.output.as_slice()), (true, b"given".as_slice()));
        let complaint = &done.complaints;
        assert!(complaint.contains("denied") || complaint.contains("No such file"), "{complaint}");
        assert!(!complaint.contains("secret\n"), "{complaint}");
    }

    #[test]
    fn other_files_have_no_name() {
        let present = tempfile::NamedTempFile::new().expect("can be made");
        let ask = |path: &Path| run(&format!("stat -c %s {} 2>&1 >&2", path.display())).complaints;
        let shown = |path: &Path| ask(path).replace(&*path.to_string_lossy(), "PATH");
        // Without a namespace (root, or a user namespace) this is what remains.
        if run("test -e /etc/passwd && echo visible >&2").complaints.contains("visible") {
            return;
        }
        assert_eq!(shown(present.path()), shown(Path::new("/nowhere")));
        assert!(!run("ls / >&2; cd ..; ls -a .. >&2").complaints.contains("tmp"));
    }

    #[test]
    fn the_output_is_no_link_and_the_folder_is_private() {
        assert!(run("ln -s /etc/passwd x.out").output.is_empty());
        assert!(run("mkfifo x.out; mkdir x.out").output.is_empty());
        let mode = run("stat -c '%a %u' . >&2; id -u >&2").complaints;
        let mut words = mode.split_whitespace();
        assert_eq!(words.next(), Some("700"), "{mode}");
        let (owner, user) = (words.next(), words.next());
        assert!(owner.is_some() && owner == user, "{mode}");
    }

    #[test]
    fn endless_output_is_one_line() {
        let done = run("yes >&2");
        assert!(!done.succeeded && done.output.is_empty());
        assert_eq!(
            done.complaints,
            "error: the program makes the compiler print more than 32 MiB, the most that is read; make it smaller"
        );
        // Devices without an end cannot be read.
        for device in ["/dev/zero", "/dev/urandom", "/dev/full"] {
            let done = run(&format!("head -c 10 {device} > x.out"));
            assert!(done.output.is_empty(), "{device}");
        }
    }
}
