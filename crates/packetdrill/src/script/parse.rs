//! Reads a whole script: options of the command line, an opening shell command, and the events.

use super::call::Call;
use super::cursor::Cursor;
use super::packet::{Direction, Packet};
use super::time::EventTime;
use super::ScriptError;
use crate::limits;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    Packet(Packet),
    Call(Call),
    /// Between backticks.
    Shell(String),
    /// Between `%{` and `}%`.
    Code(String),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    pub line: usize,
    pub time: EventTime,
    pub action: Action,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Script {
    /// `--name=value` as `(line, name, value)`.
    pub options: Vec<(usize, String, String)>,
    /// Line and text of the commands before the first event.
    pub setup: Option<(usize, String)>,
    pub events: Vec<Event>,
}

/// Reads a script.
pub fn parse(text: &str) -> Result<Script, ScriptError> {
    if text.len() > limits::TEXT_BYTES {
        let message = format!("the script is larger than {} MiB", limits::TEXT_BYTES >> 20);
        return Err(ScriptError::syntax(1, message));
    }
    let mut cursor = Cursor::new(text);
    let mut script = Script::default();
    cursor.skip_blanks();
    while cursor.rest().starts_with("--") {
        let line = cursor.line();
        cursor.take("--");
        let name = cursor.word().to_owned();
        cursor.skip_blanks();
        let mut value = String::new();
        if cursor.take("=") {
            cursor.skip_blanks();
            value = cursor.take_while(|c| !c.is_whitespace()).to_owned();
        }
        script.options.push((line, name, value));
        cursor.skip_blanks();
    }
    if cursor.rest().starts_with('`') {
        let line = cursor.line();
        cursor.take("`");
        script.setup = Some((line, cursor.take_until("`")?.to_owned()));
    }
    loop {
        cursor.skip_blanks();
        if cursor.is_at_end() {
            break;
        }
        if script.events.len() == limits::EVENTS {
            let message = format!("the script has more than {} events", limits::EVENTS);
            return Err(ScriptError::syntax(cursor.line(), message));
        }
        script.events.push(read_event(&mut cursor, script.events.is_empty())?);
    }
    if script.events.is_empty() {
        return Err(ScriptError::syntax(cursor.line(), "the script has no events"));
    }
    Ok(script)
}

fn read_event(cursor: &mut Cursor, is_first: bool) -> Result<Event, ScriptError> {
    let line = cursor.line();
    // Commands and code without a time run right after the previous event.
    let is_timeless = cursor.rest().starts_with('`') || cursor.rest().starts_with("%{");
    let time = if is_timeless { EventTime::At { us: 0, relative: !is_first } } else { EventTime::read(cursor)? };
    cursor.skip_blanks();
    let action = if cursor.take("`") {
        Action::Shell(cursor.take_until("`")?.to_owned())
    } else if cursor.take("%{") {
        Action::Code(cursor.take_until("}%")?.to_owned())
    } else if cursor.take("<") {
        Action::Packet(Packet::read(cursor, Direction::Inbound)?)
    } else if cursor.take(">") {
        Action::Packet(Packet::read(cursor, Direction::Outbound)?)
    } else {
        let call = Call::read(cursor)?;
        // At once: what follows is not in the language of TCP.
        if let Some(feature) = call.foreign_socket() {
            return Err(ScriptError::unsupported(line, feature));
        }
        Action::Call(call)
    };
    if matches!(time, EventTime::Blocking { .. }) && !matches!(action, Action::Call(_)) {
        return Err(ScriptError::syntax(line, "only a system call may have a time at which it ends"));
    }
    Ok(Event { line, time, action })
}
