//! Compiles a user's C file with the system's compiler, which runs confined.
//!
//! `folder` makes a folder with Fairlane's headers, the program, and the headers that it includes from its own folder
//! (`headers`). `vmlinux.h` and `bpf_tracing_net.h` are Fairlane's even if the program's folder has others. `assembly`
//! rejects hidden code, and `diagnosis` interprets the compiler's messages.

#![expect(clippy::disallowed_methods, reason = "the user's environment says which compiler is used and where it is")]

mod assembly;
mod command;
mod diagnosis;
mod folder;
mod headers;
mod input_file;
mod kernel_module;
mod more_types;

use crate::c_source::CSource;
use crate::error::LoadError;
use crate::sandbox::{ConfinedCommand, ScratchFolder};
use diagnosis::Diagnosis;
use folder::BuildFolder;
use std::collections::BTreeMap;
use std::env;
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};

pub use command::{compile_confined, Commanded};
pub use headers::Inputs;

include!("../compile_flags.rs");

/// A program's shared object, and the compiler's warnings.
pub struct Compiled {
    pub object: Vec<u8>,
    pub warnings: Vec<String>,
}

/// Compiles a program that was read from `path`.
pub fn compile(path: &Path, inputs: &Inputs, source: &CSource) -> Result<Compiled, LoadError> {
    compile_with(path, inputs, source, &source.private_structures())
}

/// The object has the sizes of these structures.
fn compile_with(path: &Path, inputs: &Inputs, source: &CSource, structures: &[String]) -> Result<Compiled, LoadError> {
    let cannot_read = |reason| LoadError::CannotRead { path: path.into(), reason };
    let no_folder = |reason| LoadError::NoScratchFolder { path: path.into(), reason };
    let folder = BuildFolder::new(path, inputs, structures).map_err(no_folder)?;
    let compile = |check_writes: bool| {
        // With the same flags, so that the checked text is the compiled one.
        let preprocessed = folder.preprocess(check_writes)?;
        if !preprocessed.status.success() {
            return Err(Diagnosis::of(path, &preprocessed).into_error(path));
        }
        match assembly::hidden_in(path, &String::from_utf8_lossy(&preprocessed.stdout)) {
            Some(error) => Err(error),
            None => folder.compile(check_writes),
        }
    };
    let mut output = compile(true)?;
    if !output.status.success() {
        if !structures.is_empty() && folder::is_about_sizes(&output) {
            return compile_with(path, inputs, source, &[]);
        }
        let first = Diagnosis::of(path, &output);
        if first.excess().is_some() {
            return Err(first.into_error(path));
        }
        if first.is_forbidden_write() {
            return Err(LoadError::ForbiddenWrite { location: first.location, reason: first.reason });
        }
        // A copy of a member made with typeof() is read-only as well, and harmless.
        output = compile(false)?;
        if !output.status.success() {
            let diagnosis = Diagnosis::of(path, &output);
            if diagnosis.is_about_floats() {
                return Err(LoadError::FloatingPoint { location: diagnosis.location_of_floats(source) });
            }
            return Err(diagnosis.into_error(path));
        }
    }
    if let Some(error) = diagnosis::reads_of_what_is_not_kept(path, source, &output) {
        return Err(error);
    }
    let warnings = diagnosis::warnings(path, &output);
    Ok(Compiled { object: folder.object().map_err(cannot_read)?, warnings })
}

/// The program in `path` with debugging information, which is only read, never run.
pub fn debug_object(path: &Path) -> Result<Vec<u8>, LoadError> {
    let cannot_read = |reason| LoadError::CannotRead { path: path.into(), reason };
    let no_folder = |reason| LoadError::NoScratchFolder { path: path.into(), reason };
    let folder = BuildFolder::new(path, &Inputs::read(path)?, &[]).map_err(no_folder)?;
    let output = folder.compile_for_debugger()?;
    if !output.status.success() {
        return Err(Diagnosis::of(path, &output).into_error(path));
    }
    folder.object().map_err(cannot_read)
}

/// Clears the environment, except for the search paths of programs and libraries.
fn environment_of(command: &mut Command) {
    command.env_clear().env("LC_ALL", "C");
    for name in ["PATH", "LD_LIBRARY_PATH"] {
        if let Some(value) = env::var_os(name) {
            command.env(name, value);
        }
    }
}

/// A folder for a confined compiler.
fn scratch_folder() -> io::Result<ScratchFolder> {
    let variable = |name: &str| env::var(name).ok();
    ScratchFolder::new(variable("SUDO_UID").as_deref(), variable("SUDO_GID").as_deref())
}

/// Confines `command` to a scratch folder and to files that compilers read; `programs` are those that it starts.
fn confine<'s>(command: Command, programs: &[OsString], scratch: &'s ScratchFolder) -> ConfinedCommand<'s> {
    let confined = ConfinedCommand::new(command, scratch);
    own_folders(programs).iter().fold(confined, |confined, folder| confined.readable(folder))
}

/// The folders of compilers that are not part of the system.
fn own_folders(programs: &[OsString]) -> Vec<PathBuf> {
    let places = env::var_os("PATH").unwrap_or_default();
    let mut folders = Vec::new();
    for word in programs {
        let mut names = env::split_paths(&places).map(|folder| folder.join(word));
        let Some(named) = names.find(|path| path.is_file()) else { continue };
        let Ok(program) = named.canonicalize() else { continue };
        // A link may be elsewhere.
        folders.extend(named.parent().map(Path::to_owned));
        if let Some(prefix) = program.parent().and_then(Path::parent) {
            let parts = ["bin", "include", "lib", "lib64", "libexec", "share"];
            folders.extend(parts.map(|part| prefix.join(part)).into_iter().filter(|folder| folder.is_dir()));
        }
    }
    folders
}

/// The environment variables that change the compiler's output.
pub fn environment() -> OsString {
    Compiler::of_this_machine().0
}

/// The words of `CC`, which may carry flags: "ccache gcc".
struct Compiler(OsString);

impl Compiler {
    fn of_this_machine() -> Self {
        Self(env::var_os("CC").filter(|name| !name.is_empty()).unwrap_or_else(|| "cc".into()))
    }

    fn words(&self) -> impl Iterator<Item = &OsStr> {
        self.0.as_bytes().split(|byte| *byte == b' ').filter(|word| !word.is_empty()).map(OsStr::from_bytes)
    }

    /// The compiler as a command, with a cleared environment.
    fn command(&self) -> Command {
        let mut words = self.words();
        let mut command = Command::new(words.next().unwrap_or(OsStr::new("cc")));
        environment_of(command.args(words));
        command
    }

    /// Confines `command` to a scratch folder and to files that a compiler reads.
    fn confine<'s>(&self, command: Command, scratch: &'s ScratchFolder) -> ConfinedCommand<'s> {
        let words: Vec<OsString> = self.words().map(OsStr::to_owned).collect();
        confine(command, &words, scratch)
    }

    /// The optional flags that it knows; each compiler is asked once.
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
