//! The folder in which a program is compiled.

use super::{scratch_folder, Compiler, Inputs, COMPILE_FLAGS, DEBUG_FLAGS, FOREIGN_FLAGS, INTEGERS_ONLY, LINK_FLAGS};
use crate::bundled::{BUILT_IN, HEADERS, RUNTIME};
use crate::error::LoadError;
use crate::image::PRIVATE_BYTES_PREFIX;
use crate::sandbox::{CommandError, Output, ScratchFolder, OBJECT_BYTES};
use std::fmt::Write;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The subfolder with copies of the program's own headers.
const HOME: &str = "home";

/// A private folder with headers, runtime and program; removed at the end.
pub struct BuildFolder {
    scratch: ScratchFolder,
    path: PathBuf,
}

impl BuildFolder {
    /// `path` is where the program was read from; messages name it. The object will have the sizes of `structures`, each
    /// as C names it.
    pub fn new(path: &Path, inputs: &Inputs, structures: &[String]) -> io::Result<Self> {
        let scratch = scratch_folder()?;
        for (name, text) in HEADERS {
            scratch.write(Path::new(name), text.as_bytes())?;
        }
        scratch.write(Path::new("runtime.o"), RUNTIME)?;
        scratch.write(Path::new("built_in.o"), BUILT_IN)?;
        let mut program = with_place(path, inputs.program.as_bytes());
        program.extend_from_slice(sizes_of(structures).as_bytes());
        scratch.write(Path::new("program.c"), &program)?;
        scratch.make_folder(Path::new(HOME))?;
        let own_folder = path.parent().unwrap_or(Path::new(""));
        for (name, text) in &inputs.headers {
            scratch.write(&Path::new(HOME).join(name), &with_place(&own_folder.join(name), text))?;
        }
        Ok(Self { scratch, path: path.into() })
    }

    pub fn compile(&self, check_writes: bool) -> Result<Output, LoadError> {
        let compiler = Compiler::of_this_machine();
        let mut command = self.command(&compiler);
        if check_writes {
            command.arg("-DFAIRLANE_CHECK_WRITES");
        }
        command.args(["program.c", "runtime.o", "built_in.o"]).args(LINK_FLAGS).args(["-o", "program.so"]);
        self.run(&compiler, command)
    }

    /// The text that the compiler sees, as its standard output.
    pub fn preprocess(&self, check_writes: bool) -> Result<Output, LoadError> {
        let compiler = Compiler::of_this_machine();
        let mut command = self.command(&compiler);
        if check_writes {
            command.arg("-DFAIRLANE_CHECK_WRITES");
        }
        command.args(["-w", "-E", "program.c"]);
        self.run(&compiler, command)
    }

    /// Compiles with debugging information, which says where each member of each structure is.
    pub fn compile_for_debugger(&self) -> Result<Output, LoadError> {
        let compiler = Compiler::of_this_machine();
        let mut command = self.command(&compiler);
        command.args(DEBUG_FLAGS).args(["program.c", "runtime.o", "built_in.o"]);
        command.args(LINK_FLAGS).args(["-o", "program.so"]);
        self.run(&compiler, command)
    }

    /// The shared object.
    pub fn object(&self) -> io::Result<Vec<u8>> {
        self.scratch.read(Path::new("program.so"), OBJECT_BYTES)
    }

    fn command(&self, compiler: &Compiler) -> Command {
        let mut command = compiler.command();
        command.args(COMPILE_FLAGS).args(FOREIGN_FLAGS).args(compiler.optional_flags()).args(INTEGERS_ONLY);
        command.args(["-I", ".", "-I", "native", "-I", "native/bpf", "-I", HOME, "-include", "vmlinux.h"]);
        command
    }

    fn run(&self, compiler: &Compiler, command: Command) -> Result<Output, LoadError> {
        compiler.confine(command, &self.scratch).output().map_err(|error| match error {
            CommandError::CannotStart(_) => {
                LoadError::NoCompiler { compiler: compiler.0.to_string_lossy().into_owned(), path: self.path.clone() }
            }
            excess => LoadError::TooCostly { path: self.path.clone(), excess: excess.to_string() },
        })
    }
}

/// The name in messages of the text that asks for sizes.
const SIZES: &str = "fairlane-sizes";

/// Is an error about the sizes of structures? Those known in one function only have none.
pub fn is_about_sizes(output: &Output) -> bool {
    String::from_utf8_lossy(&output.stderr).lines().any(|line| line.starts_with(SIZES))
}

/// C text that puts the sizes of structures into the object.
fn sizes_of(structures: &[String]) -> String {
    let mut text = String::new();
    for (number, structure) in structures.iter().enumerate() {
        let symbol = format!("{PRIVATE_BYTES_PREFIX}{number}");
        let declaration = format!("static const unsigned long {symbol} __attribute__((used)) = sizeof({structure});");
        writeln!(text, "\n#line 1 \"{SIZES}\"\n{declaration}").expect("writing to a string");
    }
    text
}

/// Messages about a copy name the original.
fn with_place(path: &Path, text: &[u8]) -> Vec<u8> {
    let shown = path.to_string_lossy().replace('\\', "\\\\").replace('"', "\\\"");
    [format!("#line 1 \"{shown}\"\n").as_bytes(), text].concat()
}
