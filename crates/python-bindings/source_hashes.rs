//! Hashes of the sources that a result depends on, for the keys of stored runs.
//!
//! They cover sources instead of the binary: machines that build the same sources give the same results and agree on
//! the keys. There is one hash for the simulator, which includes the algorithms' headers, and one for each algorithm,
//! so that an edit of one algorithm invalidates no stored run of another.
//!
//! The crates are the dependencies of this one, by their manifests. A crate that is linked but cannot change a result
//! has `affects-results = false` in `[package.metadata.fairlane]`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::{fs, io};

/// Folders of a crate that are not compiled into the extension.
const NOT_COMPILED: [&str; 3] = ["benches", "examples", "tests"];
/// The first crate, which depends on all others.
const EXTENSION: &str = "fairlane-python-bindings";

/// `{"simulator": HASH, "crates": [NAME, ...], "algorithms": {NAME: HASH, ...}}`
pub fn as_json(repository: &Path) -> io::Result<String> {
    let mut files = vec![repository.join("Cargo.lock")];
    let crates = crates(&repository.join("crates"))?;
    for folder in crates.values() {
        println!("cargo::rerun-if-changed={}", folder.display());
        collect(folder, &mut files)?;
    }
    let algorithms = repository.join("algorithms");
    println!("cargo::rerun-if-changed={}", algorithms.display());
    println!("cargo::rerun-if-changed={}", repository.join("Cargo.lock").display());
    for headers in ["interface", "shared"] {
        collect(&algorithms.join(headers), &mut files)?;
    }
    let mut simulator = Fnv::new();
    for file in &files {
        simulator.file(repository, file)?;
    }
    let mut entries = Vec::new();
    let mut sources: Vec<_> =
        fs::read_dir(&algorithms)?.map(|entry| entry.map(|entry| entry.path())).collect::<Result<_, _>>()?;
    sources.sort();
    for path in sources.iter().filter(|path| path.extension().is_some_and(|extension| extension == "c")) {
        let mut hash = Fnv::new();
        hash.file(repository, path)?;
        let name = path.file_stem().expect("has a name").to_string_lossy();
        entries.push(format!("\"{name}\":\"{}\"", hash.hex()));
    }
    let names: Vec<_> = crates.keys().map(|name| format!("\"{name}\"")).collect();
    Ok(format!(
        "{{\"simulator\":\"{}\",\"crates\":[{}],\"algorithms\":{{{}}}}}",
        simulator.hex(),
        names.join(","),
        entries.join(",")
    ))
}

/// The folders, by name, of the crates of this repository that affect results.
fn crates(folder: &Path) -> io::Result<BTreeMap<String, PathBuf>> {
    let mut known = BTreeMap::new();
    for entry in fs::read_dir(folder)? {
        let folder = entry?.path();
        if let Ok(text) = fs::read_to_string(folder.join("Cargo.toml")) {
            let manifest = Manifest::read(&text);
            known.insert(manifest.name.clone(), (folder, manifest));
        }
    }
    let mut found = BTreeMap::new();
    let mut open = vec![EXTENSION.to_owned()];
    while let Some(name) = open.pop() {
        let Some((folder, manifest)) = known.get(&name) else { continue };
        if manifest.affects_results && found.insert(name, folder.clone()).is_none() {
            open.extend(manifest.dependencies.iter().cloned());
        }
    }
    Ok(found)
}

/// The relevant parts of a `Cargo.toml`.
struct Manifest {
    name: String,
    affects_results: bool,
    /// Those that are compiled in, not those of tests.
    dependencies: BTreeSet<String>,
}

impl Manifest {
    fn read(text: &str) -> Self {
        let mut found = Self { name: String::new(), affects_results: true, dependencies: BTreeSet::new() };
        let mut section = "";
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
            if line.starts_with('[') {
                section = line.trim_matches(['[', ']']);
                continue;
            }
            let Some((key, value)) = line.split_once('=') else { continue };
            let (key, value) = (key.trim(), value.trim());
            match section {
                "package" if key == "name" => value.trim_matches('"').clone_into(&mut found.name),
                "package.metadata.fairlane" if key == "affects-results" => found.affects_results = value == "true",
                "dependencies" | "build-dependencies" => {
                    found.dependencies.insert(key.split('.').next().unwrap_or(key).to_owned());
                }
                _ => {}
            }
        }
        found
    }
}

/// All files below a folder, in the order of their paths.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    if !folder.is_dir() {
        return Ok(());
    }
    let mut paths: Vec<_> =
        fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path())).collect::<Result<_, _>>()?;
    paths.sort();
    for path in paths {
        if path.is_dir() {
            if !path.file_name().is_some_and(|name| NOT_COMPILED.iter().any(|one| name == *one)) {
                collect(&path, files)?;
            }
        } else {
            files.push(path);
        }
    }
    Ok(())
}

/// FNV-1a with 128 bits (draft-eastlake-fnv): these keys need no resistance to attacks, and it needs no crate.
struct Fnv(u128);

impl Fnv {
    fn new() -> Self {
        Self(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d)
    }

    /// Path and content, each with its length.
    fn file(&mut self, repository: &Path, path: &Path) -> io::Result<()> {
        let name = path.strip_prefix(repository).unwrap_or(path).to_string_lossy();
        self.bytes(name.as_bytes());
        self.bytes(&fs::read(path)?);
        Ok(())
    }

    fn bytes(&mut self, bytes: &[u8]) {
        for byte in (bytes.len() as u64).to_be_bytes().iter().chain(bytes) {
            self.0 = (self.0 ^ u128::from(*byte)).wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013b);
        }
    }

    fn hex(&self) -> String {
        format!("{:032x}", self.0)
    }
}
