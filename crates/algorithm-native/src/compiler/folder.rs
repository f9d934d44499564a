//! The folder in which a program is compiled.

use super::{Compiler, Inputs, COMPILE_FLAGS, DEBUG_FLAGS, FOREIGN_FLAGS, INTEGERS_ONLY, LINK_FLAGS};
use crate::bundled::{BUILT_IN, HEADERS, RUNTIME};
use crate::error::LoadError;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;

/// The subfolder with copies of the program's own headers.
const HOME: &str = "home";

/// A private folder with headers, runtime and program; removed at the end.
pub struct BuildFolder {
    folder: TempDir,
    path: PathBuf,
}

impl BuildFolder {
    /// `path` is where the program was read from; messages name it.
    pub fn new(path: &Path, inputs: &Inputs) -> io::Result<Self> {
        let folder = TempDir::with_prefix("fairlane-")?;
        for (name, text) in HEADERS {
            write(&folder.path().join(name), text.as_bytes())?;
        }
        write(&folder.path().join("runtime.o"), RUNTIME)?;
        write(&folder.path().join("built_in.o"), BUILT_IN)?;
        write(&folder.path().join("program.c"), &with_place(path, inputs.program.as_bytes()))?;
        fs::create_dir_all(folder.path().join(HOME))?;
        let own_folder = path.parent().unwrap_or(Path::new(""));
        for (name, text) in &inputs.headers {
            write(&folder.path().join(HOME).join(name), &with_place(&own_folder.join(name), text))?;
        }
        Ok(Self { folder, path: path.into() })
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

    /// The text that the compiler sees.
    pub fn preprocess(&self) -> Result<String, LoadError> {
        let compiler = Compiler::of_this_machine();
        let mut command = self.command(&compiler);
        command.args(["-w", "-E", "program.c"]);
        Ok(String::from_utf8_lossy(&self.run(&compiler, command)?.stdout).into_owned())
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
        fs::read(self.folder.path().join("program.so"))
    }

    fn command(&self, compiler: &Compiler) -> Command {
        let mut command = compiler.command();
        command.args(COMPILE_FLAGS).args(FOREIGN_FLAGS).args(compiler.optional_flags()).args(INTEGERS_ONLY);
        command.args(["-I", ".", "-I", "native", "-I", "native/bpf", "-I", HOME, "-include", "vmlinux.h"]);
        command
    }

    fn run(&self, compiler: &Compiler, command: Command) -> Result<Output, LoadError> {
        compiler.confine(command, self.folder.path()).output().map_err(|_| LoadError::NoCompiler {
            compiler: compiler.0.to_string_lossy().into_owned(),
            path: self.path.clone(),
        })
    }
}

fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    fs::create_dir_all(path.parent().expect("is below the folder"))?;
    fs::write(path, bytes)
}

/// Messages about a copy name the original.
fn with_place(path: &Path, text: &[u8]) -> Vec<u8> {
    let shown = path.to_string_lossy().replace('\\', "\\\\").replace('"', "\\\"");
    [format!("#line 1 \"{shown}\"\n").as_bytes(), text].concat()
}
