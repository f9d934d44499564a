//! Snapshots of compiled C files, so that all runs of a sweep use the same program.
//!
//! A sweep compiles each file before its first run and provides the result to its workers: later edits of the file
//! change none of its runs.

use crate::c_source::{CSource, PARSE_AT_MOST};
use crate::compiler::{self, Inputs};
use crate::error::LoadError;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// A C file and its object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snapshot {
    pub text: Arc<str>,
    /// The shared object. It depends on everything that was compiled, and on nothing else: the text, its headers, the
    /// compiler and its flags.
    pub object: Arc<[u8]>,
    /// The compiler's warnings, each `file:line: warning: ...`.
    pub warnings: Arc<[String]>,
}

type Taken = BTreeMap<(PathBuf, OsString), (Inputs, Snapshot)>;

/// A cache of snapshots by file and compiler.
static TAKEN: Mutex<Taken> = Mutex::new(BTreeMap::new());

/// Warnings about the files compiled since the last call of [`take_warnings`].
static WARNINGS: Mutex<Option<Vec<String>>> = Mutex::new(None);

static PROVIDED: Mutex<BTreeMap<PathBuf, Snapshot>> = Mutex::new(BTreeMap::new());

/// The compiler's warnings about the files that this process compiled since the last call; `None` if it compiled none.
pub fn take_warnings() -> Option<Vec<String>> {
    WARNINGS.lock().unwrap_or_else(PoisonError::into_inner).take()
}

impl Snapshot {
    /// Compiles the file as it is now; once while it, its headers and the compiler stay the same.
    pub fn take(path: &Path) -> Result<Self, LoadError> {
        let inputs = Inputs::read(path)?;
        let key = (path.to_owned(), compiler::environment());
        let known =
            |taken: &Taken| taken.get(&key).filter(|(of, _)| *of == inputs).map(|(_, snapshot)| snapshot.clone());
        if let Some(snapshot) = known(&TAKEN.lock().unwrap_or_else(PoisonError::into_inner)) {
            return Ok(snapshot);
        }
        let Some(source) = CSource::parse_in_time(&inputs.program) else {
            let seconds = PARSE_AT_MOST.as_secs();
            let excess = format!("takes the parser more than {seconds} s, the most that it may; make it simpler");
            return Err(LoadError::TooCostly { path: path.into(), excess });
        };
        if let Some(line) = source.unbounded_loop() {
            return Err(LoadError::UnboundedLoop { location: format!("{}:{line}", path.display()) });
        }
        let compiled = compiler::compile(path, &inputs, &source)?;
        let (text, object, warnings) =
            (inputs.program.as_str().into(), compiled.object.into(), compiled.warnings.into());
        let snapshot = Self { text, object, warnings };
        let mut pending = WARNINGS.lock().unwrap_or_else(PoisonError::into_inner);
        pending.get_or_insert_default().extend(snapshot.warnings.iter().cloned());
        drop(pending);
        TAKEN.lock().unwrap_or_else(PoisonError::into_inner).insert(key, (inputs.clone(), snapshot.clone()));
        Ok(snapshot)
    }

    /// From now on this process uses the snapshot instead of the file.
    pub fn provide(self, path: PathBuf) {
        PROVIDED.lock().unwrap_or_else(PoisonError::into_inner).insert(path, self);
    }

    /// The provided snapshot, or a new one.
    pub(crate) fn of(path: &Path) -> Result<Self, LoadError> {
        let provided = PROVIDED.lock().unwrap_or_else(PoisonError::into_inner).get(path).cloned();
        provided.map_or_else(|| Self::take(path), Ok)
    }
}
