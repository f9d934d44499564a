//! The user's policy for untrusted algorithms, and the command that starts a spawner. Set by Python.

use serde::Deserialize;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Policy {
    /// Files that the user trusts to run in this process.
    trusted: BTreeSet<PathBuf>,
    /// Time limit of a contained run in seconds; without it the scenario determines the limit.
    run_timeout_s: Option<f64>,
    /// The command that starts a spawner.
    pub spawner: Vec<String>,
}

static POLICY: Mutex<Option<Policy>> = Mutex::new(None);

/// Sets the policy, given as JSON. The error describes invalid JSON.
pub(crate) fn set_policy(policy: &str) -> Result<(), String> {
    let mut policy: Policy = serde_json::from_str(policy).map_err(|error| error.to_string())?;
    policy.trusted = policy.trusted.iter().filter_map(|path| fs::canonicalize(path).ok()).collect();
    *POLICY.lock().unwrap_or_else(PoisonError::into_inner) = Some(policy);
    Ok(())
}

pub(super) fn present() -> Policy {
    POLICY.lock().unwrap_or_else(PoisonError::into_inner).clone().unwrap_or_default()
}

/// May the file run in this process?
pub(super) fn trusts(path: &Path) -> bool {
    let trusted = present().trusted;
    !trusted.is_empty() && fs::canonicalize(path).is_ok_and(|path| trusted.contains(&path))
}

pub(super) fn run_timeout() -> Option<Duration> {
    present().run_timeout_s.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
}
