//! Behaviour scripts: plays scripts in packetdrill's language against this TCP, in virtual time.
//!
//! What belongs here: the language (`script/`), the little Python of its assertions (`python/`), the host that a
//! script's shell commands describe (`settings/`), and the player that joins them to a connection of
//! `fairlane_tcp` (`player/`). What does not: TCP itself; where a script shows that it is wrong, `crates/tcp` changes.
//!
//! Like all crates below the command line this one reads no clock, file or environment. One connection is played,
//! opened from either side. What a script needs and this TCP does not have is named, and the script counts as
//! not supported rather than failed. Times are exact, so a script passes always or never.

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

/// Plays a script for callers that speak JSON: `name` goes into messages, `text` is the script, and `options` an
/// [`Options`], whose algorithm is one of `algorithms`. Returns what is wrong with the options otherwise.
pub fn play_json(name: &str, text: &str, options: &str, algorithms: &dyn Algorithms) -> Result<Report, String> {
    Ok(play_with(name, text, &read_options(options)?, algorithms))
}

/// [`Options`] from JSON, or what is wrong with them.
pub fn read_options(options: &str) -> Result<Options, String> {
    serde_json::from_str(options).map_err(|error| format!("options of a script: {error}"))
}
