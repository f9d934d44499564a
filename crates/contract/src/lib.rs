//! The vocabulary that Fairlane and its callers share: the scenario that describes a run, and its result.
//!
//! Each setting, column and unit is declared here once. The engine reads and writes these types; the JSON Schema, the
//! checks of single values, the reader of experiment files, the Python types and the reference pages derive from the
//! declarations. The doc comment of a field is its text in all of these. Types, names, defaults, units and ranges belong
//! here; the meaning of a value, and conditions on several values at once, belong to the crate that uses them, which
//! reports a [`Problem`].
//!
//! All values are integers in full units (ns, bytes, bit/s) unless they need a fraction: the last part of a name is its
//! unit (`units.rs`).
//!
//! # Attributes of a setting in its JSON Schema
//!
//! | attribute | meaning |
//! |---|---|
//! | `minimum`, `maximum`, `exclusiveMinimum`, `exclusiveMaximum` | range of a number |
//! | `minItems`, `maxItems`, `minLength`, `maxLength` | length of a list or a text |
//! | `default` | value of an absent setting; `null` where absence itself has a meaning |
//! | `x-default` | in words, a default that depends on other settings |
//! | `x-unit` | unit; by default the one that the name ends with. `share`: 0 to 1, in files a percentage |
//! | `x-transport` | the only transport for which the setting has a meaning; a table passes it on to its settings |
//! | `x-limit` | the setting limits the length of a queue: `default` if tc gives it one, else `required` |
//! | `x-file` | name in experiment files, if it is not the name without `_ns`, `_bytes`, `_packets`, `_bps` or `_pps`; a dot leads into a table of files, and an empty name means that files have no such key |
//! | `x-file-default` | default in experiment files, if it differs |
//! | `x-hint` | text behind the range in the remedy of a [`Problem`] |
//! | `x-linux` | the release since which Linux has the setting; `none` if it has the default alone. Without it, all supported releases have the setting |
//! | `examples` | values as in experiment files |

mod declarations;
mod limits;
mod problem;
mod read;
mod results;
mod rows;
mod scenario;
mod series;
mod settings;
pub mod units;

pub use declarations::declarations;
pub use limits::Limits;
pub use problem::{Path, PathStep, Problem};
pub use read::read;
pub use results::{
    Accesses, ApplicationMetrics, CrossTrafficResult, Distributions, FlowResult, FlowSummary, LinkResult,
};
pub use results::{PacketRtt, Provenance, RttDistribution, RunMetrics, RunResult, SendLimits, SenderTrace};
pub use rows::{Reading, Rows};
pub use scenario::{CrossTrafficConfig, FlowConfig, Scenario};
pub use series::{Cells, Column, FlowSamples, LinkAccesses, LinkAggregates, LinkSamples, Series, Watched};
pub use settings::*;

pub(crate) const NS_PER_MS: u64 = 1_000_000;
