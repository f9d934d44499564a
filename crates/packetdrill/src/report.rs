//! Result of a script.

use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    Passed,
    Failed,
    /// It needs a feature that this TCP does not have.
    Unsupported,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Report {
    pub verdict: Verdict,
    /// Why it did not pass, in packetdrill's words; empty if it passed.
    pub message: String,
    /// Settings and commands that have no effect here.
    pub notes: Vec<String>,
    /// Lines that the script printed.
    pub printed: Vec<String>,
}
