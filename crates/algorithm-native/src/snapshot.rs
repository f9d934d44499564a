//! C files as they were compiled once, so that all runs of a sweep run the same program.
//!
//! A sweep compiles each file before its first run and provides the outcome to its workers: what happens to the file
//! meanwhile changes none of its runs.

use crate::c_source::CSource;
use crate::compiler;
use crate::error::LoadError;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// A C file and what it was compiled to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snapshot {
    pub text: Arc<str>,
    /// The shared object. It depends on everything that was compiled, and on nothing else: the text, its headers, the
    /// compiler and its flags.
    pub object: Arc<[u8]>,
}

static PROVIDED: Mutex<BTreeMap<PathBuf, Snapshot>> = Mutex::new(BTreeMap::new());

impl Snapshot {
    /// Compiles the file as it is now.
    pub fn take(path: &Path) -> Result<Self, LoadError> {
        let bytes = fs::read(path).map_err(|reason| LoadError::CannotRead { path: path.into(), reason })?;
        let text = String::from_utf8_lossy(&bytes);
        let source = CSource::parse(&text);
        if let Some(line) = source.unbounded_loop() {
            return Err(LoadError::UnboundedLoop { location: format!("{}:{line}", path.display()) });
        }
        let object = compiler::compile(path, &source)?.into();
        Ok(Self { object, text: text.as_ref().into() })
    }

    /// From here on this process uses the snapshot instead of the file.
    pub fn provide(self, path: PathBuf) {
        PROVIDED.lock().unwrap_or_else(PoisonError::into_inner).insert(path, self);
    }

    /// The snapshot that was provided, or else one of now.
    pub(crate) fn of(path: &Path) -> Result<Self, LoadError> {
        let provided = PROVIDED.lock().unwrap_or_else(PoisonError::into_inner).get(path).cloned();
        provided.map_or_else(|| Self::take(path), Ok)
    }
}
