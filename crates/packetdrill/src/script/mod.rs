//! A parsed script, with line numbers.
//!
//! The language is packetdrill's. `parse.rs` reads a whole script, `cursor.rs` is a cursor in its text, and each
//! element of the language has a file with its type, parser and printer. Connections are unknown here; `player/`
//! executes the events.

mod call;
mod cursor;
mod error;
mod options;
mod packet;
mod parse;
mod time;

pub use call::{Call, Value};
pub use error::ScriptError;
pub use options::TcpOption;
pub use packet::{Direction, EcnBits, Packet};
pub use parse::{parse, Action, Event};
pub use time::EventTime;
