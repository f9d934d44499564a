//! A script as data: what it says, and where each thing stands.
//!
//! The language is packetdrill's. `parse.rs` reads a whole script, `cursor.rs` is the text under the reader's
//! finger, and each kind of thing that a script can say has a file that holds its type, reads it and writes it.
//! Nothing here knows a connection: what the events do is `player/`'s business.

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
