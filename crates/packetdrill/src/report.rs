//! How a script ended.

use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    Passed,
    Failed,
    /// It needs something that this TCP does not have.
    Unsupported,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Report {
    pub verdict: Verdict,
    /// Why it did not pass, as packetdrill would say it; empty if it passed.
    pub message: String,
    /// Settings and commands that have no effect here.
    pub notes: Vec<String>,
    /// What the script printed, line by line.
    pub printed: Vec<String>,
}
