//! Compiles a user's C file with the system's compiler.
//!
//! The program is written beside our own headers and compiled there, so that its `vmlinux.h` and its
//! `bpf_tracing_net.h` are ours even when its folder has others; headers that only its folder has are
//! found there.

use crate::bundled::{INTERFACE, RUNTIME};
use crate::declarations;
use crate::error::LoadError;
use std::ffi::{CString, OsStr, OsString};
use std::fs;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

include!("compile_flags.rs");

/// The shared object made of `source`, which was read from `path`.
pub fn compile(path: &Path, source: &str) -> Result<Vec<u8>, LoadError> {
    let workshop = Workshop::new().map_err(|reason| LoadError::CannotRead { path: path.into(), reason })?;
    let output = workshop.run(path, source, true)?;
    if !output.status.success() {
        let first = Diagnosis::of(path, &output);
        if first.is_forbidden_write() {
            return Err(LoadError::ForbiddenWrite { location: first.location, reason: first.reason });
        }
        // A copy of a member made with typeof() is read-only as well, and harmless.
        let output = workshop.run(path, source, false)?;
        if !output.status.success() {
            let diagnosis = Diagnosis::of(path, &output);
            if diagnosis.is_about_floats() {
                return Err(LoadError::FloatingPoint { location: diagnosis.location_of_floats(source) });
            }
            let Diagnosis { location, reason } = diagnosis;
            return Err(LoadError::DoesNotCompile { location, reason });
        }
    }
    fs::read(workshop.object()).map_err(|reason| LoadError::CannotRead { path: path.into(), reason })
}

/// A private folder with the headers and the runtime, removed at the end.
struct Workshop {
    folder: PathBuf,
}

impl Workshop {
    fn new() -> std::io::Result<Self> {
        let template = std::env::temp_dir().join("fairlane-XXXXXX").into_os_string().into_vec();
        let template = CString::new(template)?.into_raw();
        // SAFETY: the template is a writable, terminated string that mkdtemp() changes in place.
        let (made, template) = unsafe { (!libc::mkdtemp(template).is_null(), CString::from_raw(template)) };
        if !made {
            return Err(std::io::Error::last_os_error());
        }
        let workshop = Self { folder: OsString::from_vec(template.into_bytes()).into() };
        for (name, text) in INTERFACE {
            let file = workshop.folder.join(name);
            fs::create_dir_all(file.parent().expect("is below the folder"))?;
            fs::write(file, text)?;
        }
        fs::write(workshop.folder.join("runtime.o"), RUNTIME)?;
        Ok(workshop)
    }

    fn object(&self) -> PathBuf {
        self.folder.join("program.so")
    }

    fn run(&self, path: &Path, source: &str, check_writes: bool) -> Result<Output, LoadError> {
        let cannot_read = |reason| LoadError::CannotRead { path: path.into(), reason };
        let shown = path.to_string_lossy().replace('\\', "\\\\").replace('"', "\\\"");
        fs::write(self.folder.join("program.c"), format!("#line 1 \"{shown}\"\n{source}")).map_err(cannot_read)?;

        let home = fs::canonicalize(path).map_err(cannot_read)?;
        let home = home.parent().unwrap_or(Path::new("/"));
        // `CC` may carry flags: "ccache gcc".
        let compiler = std::env::var_os("CC").filter(|name| !name.is_empty()).unwrap_or_else(|| "cc".into());
        let mut words = compiler.as_bytes().split(|byte| *byte == b' ').filter(|word| !word.is_empty());
        let mut command = Command::new(OsStr::from_bytes(words.next().unwrap_or(b"cc")));
        command.args(words.map(OsStr::from_bytes)).current_dir(&self.folder).env("LC_ALL", "C");
        command.args(COMPILE_FLAGS).args(INTEGERS_ONLY).args([
            "-I",
            ".",
            "-I",
            "native",
            "-I",
            "native/bpf",
            "-include",
            "vmlinux.h",
        ]);
        command.arg("-I").arg(home);
        if check_writes {
            command.arg("-DFAIRLANE_CHECK_WRITES");
        }
        command.args(["program.c", "runtime.o"]).args(LINK_FLAGS).arg("-o").arg(self.object());
        command
            .output()
            .map_err(|_| LoadError::NoCompiler { compiler: compiler.to_string_lossy().into_owned(), path: path.into() })
    }
}

impl Drop for Workshop {
    fn drop(&mut self) {
        // What cannot be removed is a few kilobytes in the temporary folder.
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// The compiler's first complaint.
struct Diagnosis {
    location: String,
    reason: String,
}

impl Diagnosis {
    fn of(path: &Path, output: &Output) -> Self {
        let text = String::from_utf8_lossy(&output.stderr);
        for line in text.lines() {
            for mark in [": fatal error: ", ": error: "] {
                if let Some((place, reason)) = line.split_once(mark) {
                    let location = place_in(path, place).or_else(|| text.lines().find_map(|line| place_in(path, line)));
                    return Self {
                        location: location.unwrap_or_else(|| without_column(place)),
                        reason: reason.trim().to_owned(),
                    };
                }
            }
        }
        let reason = text.lines().find(|line| line.contains("multiple definition")).or(text.lines().next());
        Self { location: path.display().to_string(), reason: reason.unwrap_or("the compiler failed").to_owned() }
    }

    /// Assigning to a member that is marked read-only, in the words of gcc or clang.
    fn is_forbidden_write(&self) -> bool {
        self.reason.contains("of read-only member") || self.reason.contains("non-static data member")
    }

    /// The compiler may know the function only; the text shows which line it is.
    fn location_of_floats(self, source: &str) -> String {
        let Some((path, line)) = self.location.rsplit_once(':') else { return self.location };
        let Ok(first) = line.parse::<usize>() else { return self.location };
        let line = declarations::line_with_floats(source, first).unwrap_or(first);
        format!("{path}:{line}")
    }

    /// In the words of gcc for x86 and for Arm. clang compiles calls of functions that nobody offers.
    fn is_about_floats(&self) -> bool {
        self.reason.contains("with SSE disabled") || self.reason.contains("use of floating-point types")
    }
}

/// `path:line` if the line names a place in the program itself, and not in a header that a macro comes from.
fn place_in(path: &Path, line: &str) -> Option<String> {
    let path = path.to_string_lossy();
    let after = &line[line.find(&format!("{path}:"))? + path.len() + 1..];
    let digits = after.bytes().take_while(u8::is_ascii_digit).count();
    (digits > 0).then(|| format!("{path}:{}", &after[..digits]))
}

/// `file:line` of `file:line:column`.
fn without_column(place: &str) -> String {
    let mut parts: Vec<&str> = place.rsplitn(3, ':').collect();
    let numbers = parts.iter().take(2).filter(|part| part.bytes().all(|b| b.is_ascii_digit())).count();
    if parts.len() == 3 && numbers == 2 {
        parts.remove(0);
    }
    parts.reverse();
    parts.join(":")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_one_in_the_program_itself() {
        let path = Path::new("a/b.c");
        let note = "    inlined from 'f' at a/b.c:9:7:";
        assert_eq!(place_in(path, note).as_deref(), Some("a/b.c:9"));
        assert_eq!(place_in(path, "native/bpf/bpf_tracing.h:45:2: error: x"), None);
        assert_eq!(place_in(path, "a/b.c: In function 'f':"), None);
    }

    #[test]
    fn a_location_is_file_and_line() {
        assert_eq!(without_column("a/b.c:12:7"), "a/b.c:12");
        assert_eq!(without_column("a/b.c:12"), "a/b.c:12");
        assert_eq!(without_column("ld"), "ld");
    }
}
