//! Confines compilers of the caller's choice like the native one: the compiler for the kernel, for instance.

use super::{confine, environment_of};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
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
    let folder = tempfile::TempDir::with_prefix("fairlane-")?;
    for (path, bytes) in files {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().expect("is below the folder"))?;
        fs::write(path, bytes)?;
    }
    let mut command = Command::new(program);
    environment_of(command.args(arguments));
    let done = confine(command, std::slice::from_ref(program), folder.path()).output()?;
    Ok(Commanded {
        succeeded: done.status.success(),
        complaints: String::from_utf8_lossy(&done.stderr).into_owned(),
        output: fs::read(folder.path().join(output)).unwrap_or_default(),
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

    #[test]
    fn only_the_folder_and_the_system_are_within_reach() {
        let secret = tempfile::NamedTempFile::new().expect("can be made");
        fs::write(secret.path(), "secret").expect("can be written");
        let script = format!("cat {} >&2; cat x.txt > x.out", secret.path().display());
        let words: Vec<OsString> = ["sh", "-c", &script].map(OsString::from).to_vec();
        let files = BTreeMap::from([(PathBuf::from("x.txt"), b"given".to_vec())]);
        let done = compile_confined(&words, &files, Path::new("x.out")).expect("runs");
        assert_eq!((done.succeeded, done.output.as_slice()), (true, b"given".as_slice()));
        assert!(done.complaints.contains("denied") && !done.complaints.contains("secret\n"), "{}", done.complaints);
    }
}
