//! A system call as a script writes it: `write(4, ..., 1000) = -1 EAGAIN (Resource temporarily unavailable)`.

use super::cursor::{is_word_character, Cursor};
use super::ScriptError;

/// An argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// `...`
    Any,
    Number(i64),
    /// A name of a constant, or several joined by `|`.
    Name(String),
    Text(String),
    List(Vec<Value>),
    /// `{fd=4, events=POLLIN}`; a field may lack a name.
    Struct(Vec<(String, Value)>),
}

/// Result of the call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// `None` is written `?`: any result.
    pub result: Option<i64>,
    /// Name of the error, such as `EAGAIN`.
    pub errno: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    pub name: String,
    pub arguments: Vec<Value>,
    pub outcome: Outcome,
}

impl Call {
    pub(super) fn read(cursor: &mut Cursor) -> Result<Self, ScriptError> {
        let name = cursor.word().to_owned();
        if name.is_empty() {
            return Err(cursor.wrong("a packet, a system call, `shell commands` or %{ code }%"));
        }
        cursor.skip_blanks();
        cursor.expect("(")?;
        let arguments = read_values(cursor, ")")?;
        cursor.skip_blanks();
        cursor.expect("=")?;
        cursor.skip_blanks();
        let result = if cursor.take("?") { None } else { Some(read_number(cursor)?) };
        cursor.skip_blanks();
        let mut errno = None;
        if cursor.peek().is_some_and(|c| c == 'E') {
            errno = Some(cursor.word().to_owned());
            cursor.skip_blanks();
        }
        if cursor.take("(") {
            cursor.take_until(")")?; // the error's text
        }
        Ok(Self { name, arguments, outcome: Outcome { result, errno } })
    }

    /// The feature that a `socket` call needs if it does not open a TCP socket.
    pub(super) fn foreign_socket(&self) -> Option<String> {
        if self.name != "socket" {
            return None;
        }
        let mut names = self.arguments.iter().filter_map(Value::name).flat_map(|name| name.split('|'));
        names.find_map(|name| match name.split_once('_')? {
            ("IPPROTO", "TCP" | "IP") | ("SOCK", "STREAM" | "NONBLOCK" | "CLOEXEC") | ("AF" | "PF", "INET") => None,
            ("IPPROTO", "MPTCP") => Some("multipath TCP".into()),
            ("IPPROTO", protocol) => Some(format!("sockets of {protocol}")),
            ("AF" | "PF", "INET6") => Some("IPv6".into()),
            ("SOCK" | "AF" | "PF", _) => Some(format!("sockets other than TCP's ({name})")),
            _ => None,
        })
    }
}

impl Value {
    /// The number, if it is one.
    pub fn number(&self) -> Option<i64> {
        match self {
            Self::Number(number) => Some(*number),
            Self::List(values) if values.len() == 1 => values[0].number(),
            _ => None,
        }
    }

    /// The name, if it is one.
    pub fn name(&self) -> Option<&str> {
        match self {
            Self::Name(name) => Some(name),
            Self::List(values) if values.len() == 1 => values[0].name(),
            _ => None,
        }
    }

    fn read(cursor: &mut Cursor) -> Result<Self, ScriptError> {
        cursor.skip_blanks();
        if cursor.take("...") {
            return Ok(Self::Any);
        }
        if cursor.take("[") {
            return Ok(Self::List(cursor.inside(|cursor| read_values(cursor, "]"))?));
        }
        if cursor.take("{") {
            return Ok(Self::Struct(cursor.inside(read_fields)?));
        }
        if cursor.take("\"") {
            return Ok(Self::Text(cursor.take_until("\"")?.to_owned()));
        }
        if cursor.peek().is_some_and(|c| c.is_ascii_digit() || c == '-') {
            let number = read_number(cursor)?;
            // `0x1|0x2` and the like are rare; sums of names are not numbers.
            return Ok(Self::Number(number));
        }
        let name = cursor.take_while(|c| is_word_character(c) || c == '|' || c.is_whitespace()).trim().to_owned();
        if name.is_empty() {
            return Err(cursor.wrong("an argument"));
        }
        // Addresses, such as `htons(8080)` and `inet_addr("1.2.3.4")`, have no effect here.
        if cursor.take("(") {
            cursor.inside(|cursor| read_values(cursor, ")"))?;
            return Ok(Self::Any);
        }
        Ok(Self::Name(name.split('|').map(str::trim).collect::<Vec<_>>().join("|")))
    }
}

fn read_values(cursor: &mut Cursor, end: &str) -> Result<Vec<Value>, ScriptError> {
    let mut values = Vec::new();
    loop {
        cursor.skip_blanks();
        if cursor.take(end) {
            return Ok(values);
        }
        values.push(Value::read(cursor)?);
        cursor.skip_blanks();
        if !cursor.take(",") && !cursor.rest().starts_with(end) {
            return Err(cursor.wrong(&format!("\",\" or \"{end}\"")));
        }
    }
}

fn read_fields(cursor: &mut Cursor) -> Result<Vec<(String, Value)>, ScriptError> {
    let mut fields = Vec::new();
    loop {
        cursor.skip_blanks();
        if cursor.take("}") {
            return Ok(fields);
        }
        let mut ahead = cursor.clone();
        ahead.take(".");
        let name = ahead.word();
        // `msg_iov(1)=[...]`: the count is redundant.
        if ahead.take("(") {
            ahead.take_until(")")?;
        }
        ahead.skip_blanks();
        if !name.is_empty() && ahead.rest().starts_with('=') {
            ahead.next();
            *cursor = ahead;
            fields.push((name.to_owned(), Value::read(cursor)?));
        } else {
            fields.push((String::new(), Value::read(cursor)?));
        }
        cursor.skip_blanks();
        if !cursor.take(",") && !cursor.rest().starts_with('}') {
            return Err(cursor.wrong("\",\" or \"}\""));
        }
    }
}

fn read_number(cursor: &mut Cursor) -> Result<i64, ScriptError> {
    let before = cursor.clone();
    let negative = cursor.take("-");
    let number = i128::from(cursor.number()?);
    i64::try_from(if negative { -number } else { number }).map_err(|_| before.wrong("a number of 64 bits"))
}
