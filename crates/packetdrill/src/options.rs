//! Options for playing a script.

use serde::Deserialize;
use std::collections::BTreeMap;

#[derive(Clone, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields, default)]
pub struct Options {
    /// Shell commands with settings, applied before the script's own.
    pub setup: String,
    /// Default tolerance of times, in microseconds.
    pub tolerance_usecs: Option<u32>,
    /// Jiffies per second of the kernel that the script was written for (CONFIG_HZ).
    pub hz: Option<u32>,
    /// The congestion control of connections whose socket sets none. Only the caller may specify a file.
    pub algorithm: Option<String>,
    /// Of that congestion control.
    pub parameters: BTreeMap<String, i64>,
}
