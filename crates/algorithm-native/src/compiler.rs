//! Compiles a user's C file with the system's compiler.
//!
//! The program is written into the folder of our own headers and compiled there, so that its `vmlinux.h` and its
//! `bpf_tracing_net.h` are ours even when its folder has others; headers that only its folder has are
//! found there.

use crate::bundled::{INTERFACE, RUNTIME};
use crate::c_source::CSource;
use crate::error::LoadError;
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::{Mutex, PoisonError};
use tempfile::TempDir;

include!("compile_flags.rs");

/// How the headers mark the members that the simulator does not keep; both compilers repeat it.
const NOT_KEPT: &str = "not kept by the simulator";

/// The shared object made of `source`, which was read from `path`.
pub fn compile(path: &Path, source: &CSource) -> Result<Vec<u8>, LoadError> {
    let folder = BuildFolder::new().map_err(|reason| LoadError::CannotRead { path: path.into(), reason })?;
    let mut output = folder.run(path, source.text(), true)?;
    if !output.status.success() {
        let first = Diagnosis::of(path, &output);
        if first.is_forbidden_write() {
            return Err(LoadError::ForbiddenWrite { location: first.location, reason: first.reason });
        }
        // A copy of a member made with typeof() is read-only as well, and harmless.
        output = folder.run(path, source.text(), false)?;
        if !output.status.success() {
            let diagnosis = Diagnosis::of(path, &output);
            if diagnosis.is_about_floats() {
                return Err(LoadError::FloatingPoint { location: diagnosis.location_of_floats(source) });
            }
            let Diagnosis { location, reason } = diagnosis;
            return Err(LoadError::DoesNotCompile { location, reason });
        }
    }
    if let Some(error) = reads_of_what_is_not_kept(path, source, &output) {
        return Err(error);
    }
    fs::read(folder.object()).map_err(|reason| LoadError::CannotRead { path: path.into(), reason })
}

/// A private folder with the headers and the runtime, removed at the end.
struct BuildFolder {
    folder: TempDir,
}

impl BuildFolder {
    fn new() -> std::io::Result<Self> {
        let folder = TempDir::with_prefix("fairlane-")?;
        for (name, text) in INTERFACE {
            let file = folder.path().join(name);
            fs::create_dir_all(file.parent().expect("is below the folder"))?;
            fs::write(file, text)?;
        }
        fs::write(folder.path().join("runtime.o"), RUNTIME)?;
        Ok(Self { folder })
    }

    fn object(&self) -> PathBuf {
        self.folder.path().join("program.so")
    }

    fn run(&self, path: &Path, source: &str, check_writes: bool) -> Result<Output, LoadError> {
        let cannot_read = |reason| LoadError::CannotRead { path: path.into(), reason };
        let shown = path.to_string_lossy().replace('\\', "\\\\").replace('"', "\\\"");
        let program = format!("#line 1 \"{shown}\"\n{source}");
        fs::write(self.folder.path().join("program.c"), program).map_err(cannot_read)?;

        let home = fs::canonicalize(path).map_err(cannot_read)?;
        let home = home.parent().unwrap_or(Path::new("/"));
        let compiler = Compiler::of_this_machine();
        let mut command = compiler.command();
        command.current_dir(self.folder.path()).args(COMPILE_FLAGS).args(compiler.optional_flags()).args(INTEGERS_ONLY);
        command.args(["-I", ".", "-I", "native", "-I", "native/bpf", "-include", "vmlinux.h"]);
        command.arg("-I").arg(home);
        if check_writes {
            command.arg("-DFAIRLANE_CHECK_WRITES");
        }
        command.args(["program.c", "runtime.o"]).args(LINK_FLAGS).arg("-o").arg(self.object());
        let no_compiler =
            |_| LoadError::NoCompiler { compiler: compiler.0.to_string_lossy().into_owned(), path: path.into() };
        command.output().map_err(no_compiler)
    }
}

/// The words of `CC`, which may carry flags: "ccache gcc".
struct Compiler(OsString);

impl Compiler {
    fn of_this_machine() -> Self {
        Self(std::env::var_os("CC").filter(|name| !name.is_empty()).unwrap_or_else(|| "cc".into()))
    }

    fn command(&self) -> Command {
        let mut words = self.0.as_bytes().split(|byte| *byte == b' ').filter(|word| !word.is_empty());
        let mut command = Command::new(OsStr::from_bytes(words.next().unwrap_or(b"cc")));
        command.args(words.map(OsStr::from_bytes)).env("LC_ALL", "C");
        command
    }

    /// Those that it knows; each compiler is asked once.
    fn optional_flags(&self) -> Vec<&'static str> {
        static KNOWN: Mutex<BTreeMap<OsString, Vec<&str>>> = Mutex::new(BTreeMap::new());
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        let ask = || OPTIONAL_FLAGS.iter().copied().filter(|flag| self.knows(flag)).collect();
        known.entry(self.0.clone()).or_insert_with(ask).clone()
    }

    fn knows(&self, flag: &str) -> bool {
        let output = self.command().args([flag, "-Werror", "-fsyntax-only", "-x", "c", "/dev/null"]).output();
        output.is_ok_and(|output| output.status.success())
    }
}

/// The members that the program reads although the simulator does not keep them, with the place of the first.
fn reads_of_what_is_not_kept(path: &Path, source: &CSource, output: &Output) -> Option<LoadError> {
    let text = String::from_utf8_lossy(&output.stderr);
    let mut location = None;
    let mut members = Vec::new();
    for line in text.lines() {
        let Some((place, message)) = line.split_once(": warning: ") else { continue };
        let Some(member) = message.split('\'').nth(1).filter(|_| message.contains(NOT_KEPT)) else { continue };
        let place = match source.unconditional_read(member) {
            Ok(None) => continue,
            Ok(Some(line)) => format!("{}:{line}", path.display()),
            Err(()) => place_in(path, &format!("{place}:")).unwrap_or_else(|| without_column(place)),
        };
        location.get_or_insert(place);
        if !members.iter().any(|known| known == member) {
            members.push(member.to_owned());
        }
    }
    Some(LoadError::NotKept { location: location?, members })
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
        let complaints = || text.lines().filter(|line| !line.contains("warning: "));
        let reason = complaints().find(|line| line.contains("multiple definition")).or(complaints().next());
        Self { location: path.display().to_string(), reason: reason.unwrap_or("the compiler failed").to_owned() }
    }

    /// Assigning to a member that is marked read-only, in the words of gcc or clang.
    fn is_forbidden_write(&self) -> bool {
        self.reason.contains("of read-only member") || self.reason.contains("non-static data member")
    }

    /// The compiler may know the function only; the text shows which line it is.
    fn location_of_floats(self, source: &CSource) -> String {
        let Some((path, line)) = self.location.rsplit_once(':') else { return self.location };
        let Ok(first) = line.parse::<usize>() else { return self.location };
        let line = source.line_with_floats(first).unwrap_or(first);
        format!("{path}:{line}")
    }

    /// The messages of gcc for x86 and for Arm. clang compiles calls of undefined functions.
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
