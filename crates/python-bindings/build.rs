//! Puts the data that the Python package reads at run time (studies, calibration, labs, the page of `fairlane live` where
//! `make web` has built it) into the wheel, and hashes the simulator's sources.
//!
//! These folders are at the top of the repository because people read and edit them. A wheel has only files of the
//! package, so they are copied into `OUT_DIR/data`, which `pyproject.toml` includes as `fairlane/data`.

#![expect(clippy::disallowed_methods, reason = "cargo passes its settings to build scripts in the environment")]

mod source_hashes;

use std::{env, fs, io, path::Path};

/// Folders of the repository that go into the wheel.
const FOLDERS: [&str; 3] = ["studies", "calibration", "labs"];
/// The built page.
const PAGE: &str = "target/live";

fn main() -> io::Result<()> {
    // At run time: a build script in a target folder that work trees share was compiled in another of them.
    let repository = Path::new(&of_cargo("CARGO_MANIFEST_DIR")).join("../..");
    let out = of_cargo("OUT_DIR");
    let data = Path::new(&out).join("data");
    if data.exists() {
        fs::remove_dir_all(&data)?; // of files that were deleted in the repository
    }
    for folder in FOLDERS {
        println!("cargo::rerun-if-changed=../../{folder}");
        copy_tree(&repository.join(folder), &data.join(folder))?;
    }
    // `make wheels` sets it: of a folder that is missing, Cargo would not notice when it comes.
    println!("cargo::rerun-if-env-changed=FAIRLANE_PAGE");
    let page = repository.join(PAGE);
    if page.is_dir() {
        println!("cargo::rerun-if-changed=../../{PAGE}");
        copy_tree(&page, &data.join("live"))?;
    }
    fs::write(Path::new(&out).join("sources.json"), source_hashes::as_json(&repository)?)
}

fn of_cargo(variable: &str) -> String {
    env::var(variable).expect("cargo sets it for build scripts")
}

fn copy_tree(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy_tree(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}
