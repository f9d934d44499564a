//! Seeds of mutations: the repository's behaviour scripts, a few scenarios, and regressions.

use std::path::{Path, PathBuf};

/// The scripts of `tests/behaviour`.
pub fn scripts() -> Vec<Vec<u8>> {
    let mut found = Vec::new();
    read_below(&here().join("../tests/behaviour"), &mut found);
    assert!(found.len() >= 20, "the scripts are in tests/behaviour");
    found
}

/// Scenarios with many kinds of queue, loss and workload.
pub fn scenarios() -> Vec<Vec<u8>> {
    let mut found = Vec::new();
    read_below(&here().join("scenarios"), &mut found);
    assert!(found.len() >= 4, "the scenarios are in fuzz/scenarios");
    found
}

/// Inputs that once exposed a defect in a target.
pub fn regressions(target: &str) -> Vec<Vec<u8>> {
    let mut found = Vec::new();
    read_below(&here().join("regressions").join(target), &mut found);
    found
}

/// Inputs that libFuzzer found: each reaches code that the others do not.
pub fn found(target: &str) -> Vec<String> {
    let path = here().join("corpus").join(target).with_extension("json");
    let content = std::fs::read(path).expect("the corpora are in fuzz/corpus");
    serde_json::from_slice(&content).expect("a list of texts")
}

fn here() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_path_buf()
}

/// Sorted by name, so that a case is the same on every machine.
fn read_below(folder: &Path, found: &mut Vec<Vec<u8>>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    let mut paths: Vec<PathBuf> = entries.filter_map(Result::ok).map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            read_below(&path, found);
        } else if let Ok(content) = std::fs::read(&path) {
            found.push(content);
        }
    }
}
