//! Hashes of what a result depends on, for the keys of stored runs.
//!
//! Hashes of sources and not of the binary: two machines that build the same sources give the same results and so
//! agree on the keys. One hash for the simulator, headers of the algorithms included, and one for each algorithm, so
//! that an edit of one algorithm spoils no stored run of another.

use std::path::{Path, PathBuf};
use std::{fs, io};

/// Crates whose sources determine a result.
const CRATES: [&str; 6] = ["engine", "network", "tcp", "algorithm-host", "measure", "simulator"];

/// `{"simulator": HASH, "algorithms": {NAME: HASH, ...}}`
pub fn as_json(repository: &Path) -> io::Result<String> {
    let mut files = vec![repository.join("Cargo.lock")];
    for name in CRATES {
        let folder = repository.join("crates").join(name);
        println!("cargo::rerun-if-changed={}", folder.display());
        files.push(folder.join("Cargo.toml"));
        for part in ["src", "native"] {
            collect(&folder.join(part), &mut files)?;
        }
    }
    let algorithms = repository.join("algorithms");
    println!("cargo::rerun-if-changed={}", algorithms.display());
    println!("cargo::rerun-if-changed={}", repository.join("Cargo.lock").display());
    collect(&algorithms.join("interface"), &mut files)?;
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
    Ok(format!("{{\"simulator\":\"{}\",\"algorithms\":{{{}}}}}", simulator.hex(), entries.join(",")))
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
            collect(&path, files)?;
        } else {
            files.push(path);
        }
    }
    Ok(())
}

/// FNV-1a with 128 bits (draft-eastlake-fnv): nobody attacks these keys, and it needs no crate.
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
