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

pub use options::Options;
pub use player::play;
pub use report::{Report, Verdict};

/// Plays a script for callers that speak JSON: `name` goes into messages, `text` is the script, and `options` an
/// [`Options`]. Returns a [`Report`], or what is wrong with the options.
pub fn play_json(name: &str, text: &str, options: &str) -> Result<String, String> {
    let options = serde_json::from_str(options).map_err(|error| format!("options of a script: {error}"))?;
    Ok(serde_json::to_string(&play(name, text, &options)).expect("a report is plain text and lists"))
}
