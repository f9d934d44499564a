//! Behaviour scripts: plays scripts in packetdrill's language against this TCP, in virtual time.
//!
//! The crate has the language (`script/`), the subset of Python for its assertions (`python/`), the host that a
//! script's shell commands describe (`settings/`), and the player that applies them to a connection of `fairlane_tcp`
//! (`player/`). It has no TCP of its own: where a script reveals an error, `crates/tcp` changes.
//!
//! Like all crates below the command line this one reads no clock, file or environment. A script plays one connection,
//! opened from either side. If it needs a feature that this TCP does not have, the report names the feature, and the
//! script counts as unsupported rather than failed. Times are exact, so a script passes always or never.

mod limits;
mod options;
mod player;
mod python;
mod report;
mod script;
mod settings;

use fairlane_congestion_control::Algorithms;

pub use options::Options;
pub use player::{play, play_with};
pub use report::{Report, Verdict};

/// Plays a script for callers that use JSON: `name` is for messages, `text` is the script, and `options` an
/// [`Options`], whose algorithm is one of `algorithms`. Fails if the options are invalid.
pub fn play_json(name: &str, text: &str, options: &str, algorithms: &dyn Algorithms) -> Result<Report, String> {
    Ok(play_with(name, text, &read_options(options)?, algorithms))
}

/// [`Options`] from JSON.
pub fn read_options(options: &str) -> Result<Options, String> {
    serde_json::from_str(options).map_err(|error| format!("options of a script: {error}"))
}
