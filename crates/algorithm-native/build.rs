//! Compiles the algorithms of `algorithms/`, and the guard around their callbacks.
//!
//! Every `algorithms/*.c` becomes a shared object whose bytes are part of the crate, so that a bundled
//! algorithm needs no compiler at run time. The crate also embeds the headers and the runtime, with which it compiles
//! users' files.

#![expect(clippy::disallowed_methods, reason = "cargo passes its settings to build scripts in the environment")]

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

include!("src/compile_flags.rs");

/// Programs find the headers of both as those of one folder.
const HEADER_FOLDERS: [&str; 2] = ["interface", "shared"];

fn main() {
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets CARGO_MANIFEST_DIR"));
    let algorithms = root.join("../../algorithms");
    let algorithms = algorithms.canonicalize().unwrap_or_else(|_| panic!("no folder {}", algorithms.display()));
    println!("cargo::rerun-if-changed={}", algorithms.display());
    println!("cargo::rerun-if-changed=native/guard.c");
    println!("cargo::rerun-if-changed=src/compile_flags.rs");

    let mut guard = cc::Build::new();
    guard.file("native/guard.c").opt_level(2).flag("-fPIC").flag_if_supported(place_independent(&root));
    guard.warnings(true).compile("fairlane_guard");

    let runtime = compile_folder(&algorithms, "runtime", &out);
    let built_in = compile_folder(&algorithms, "built_in", &out);
    let mut code = String::from("pub static BUNDLED: &[BundledFile] = &[\n");
    for source in files_below(&algorithms, false, "c") {
        let name = source.file_stem().expect("has a name").to_string_lossy().into_owned();
        let object = out.join(format!("{name}.so"));
        let mut command = compiler();
        command.args(known_flags()).args(INTEGERS_ONLY).args(include_flags(&algorithms)).arg("-DFAIRLANE_CHECK_WRITES");
        command.arg(&source).arg(&runtime).args(LINK_FLAGS).arg("-o").arg(&object);
        run(&mut command);
        // For debuggers: where the members of its own memory are. Never run, hence not optimized, which makes it small.
        let described = out.join(format!("{name}.debug.so"));
        let mut command = compiler();
        command.args(known_flags()).args(INTEGERS_ONLY).args(include_flags(&algorithms)).args(DEBUG_FLAGS).arg("-O0");
        command.arg(&source).args(["-shared", "-nostdlib", "-o"]).arg(&described);
        run(&mut command);
        writeln!(
            code,
            "    BundledFile {{ name: {name:?}, source: include_str!({source:?}), object: include_bytes!({object:?}), \
             described: include_bytes!({described:?}) }},"
        )
        .expect("writing to a string");
    }
    code.push_str("];\npub static HEADERS: &[(&str, &str)] = &[\n");
    for folder in HEADER_FOLDERS.map(|folder| algorithms.join(folder)) {
        for header in files_below(&folder, true, "h") {
            let relative = header.strip_prefix(&folder).expect("is below").to_string_lossy().into_owned();
            writeln!(code, "    ({relative:?}, include_str!({header:?})),").expect("writing to a string");
        }
    }
    for (name, object) in [("RUNTIME", runtime), ("BUILT_IN", built_in)] {
        let start = if name == "RUNTIME" { "];\n" } else { "" };
        writeln!(code, "{start}pub static {name}: &[u8] = include_bytes!({object:?});").expect("writing to a string");
    }
    fs::write(out.join("bundled.rs"), code).expect("OUT_DIR can be written");
}

/// The C files of a folder of `native/` as one relocatable object: `runtime`, the helpers and kernel functions that
/// every program has; `built_in`, the kernel functions that are made of our algorithms.
fn compile_folder(algorithms: &Path, folder: &str, out: &Path) -> PathBuf {
    let whole = out.join(format!("{folder}.o"));
    let mut objects = Vec::new();
    for source in files_below(&algorithms.join("interface/native").join(folder), false, "c") {
        let stem = source.file_stem().expect("has a name").to_string_lossy().into_owned();
        let object = out.join(format!("{folder}-{stem}.o"));
        run(compiler()
            .args(known_flags())
            .args(include_flags(algorithms))
            .arg("-c")
            .arg(&source)
            .arg("-o")
            .arg(&object));
        objects.push(object);
    }
    run(compiler().args(["-r", "-nostdlib"]).args(&objects).arg("-o").arg(&whole));
    whole
}

fn include_flags(algorithms: &Path) -> Vec<String> {
    let folders = HEADER_FOLDERS.iter().chain(&["interface/native"]);
    let flags = folders.map(|folder| format!("-I{}", algorithms.join(folder).display()));
    let independent = place_independent(algorithms.parent().expect("is in the repository"));
    let known = cc::Build::new().is_flag_supported(&independent).unwrap_or(false);
    flags.chain(known.then_some(independent)).chain(["-include".into(), "vmlinux.h".into()]).collect()
}

/// The flag by which descriptions for debuggers do not name the folder of the build, so that all builds are the same.
fn place_independent(folder: &Path) -> String {
    format!("-ffile-prefix-map={}=fairlane", folder.display())
}

/// The flags that this compiler knows, without warnings: bundled programs follow the kernel's style.
fn known_flags() -> Vec<&'static str> {
    let build = cc::Build::new();
    let known = OPTIONAL_FLAGS.iter().filter(|flag| build.is_flag_supported(flag).unwrap_or(false));
    COMPILE_FLAGS.iter().chain(known).copied().chain(["-w"]).collect()
}

fn compiler() -> Command {
    cc::Build::new().get_compiler().path().as_os_str().to_owned().into_command()
}

trait IntoCommand {
    fn into_command(self) -> Command;
}

impl IntoCommand for std::ffi::OsString {
    fn into_command(self) -> Command {
        Command::new(self)
    }
}

/// Files with this extension, in the order of their names.
fn files_below(folder: &Path, recursive: bool, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("cannot list {}: {error}", folder.display()));
    for entry in entries {
        let path = entry.expect("a folder's entry can be read").path();
        if path.is_dir() && recursive {
            found.extend(files_below(&path, true, extension));
        } else if path.extension().is_some_and(|e| e == extension) {
            found.push(path);
        }
    }
    found.sort();
    found
}

fn run(command: &mut Command) {
    let output = command.output().unwrap_or_else(|error| {
        panic!("cannot run the C compiler ({error}); install one, for example with: sudo apt-get install gcc")
    });
    assert!(output.status.success(), "{command:?}\n{}", String::from_utf8_lossy(&output.stderr));
}
