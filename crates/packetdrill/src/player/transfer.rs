//! System calls that transfer data, or poll for it.

use super::blocking::Step;
use super::calls::unknown;
use super::failure::Failure;
use super::sockets::Role;
use super::Player;
use crate::limits;
use crate::script::{Call, Value};

impl Player<'_> {
    pub(super) fn write(&mut self, line: usize, number: i64, call: &Call, resumed: bool) -> Result<Step, Failure> {
        let flags = flags_of(call);
        if let Some(feature) = missing_feature(call, &flags) {
            return Err(Failure::unsupported(line, feature));
        }
        let Some(bytes) = byte_count(call) else { return Err(unknown(line, &call.name)) };
        let options = &self.socket_mut(number).options;
        let more = flags.contains("MSG_MORE");
        let buffer_bytes = options.send_buffer_bytes.unwrap_or(u64::MAX);
        let Some(endpoint) = &mut self.endpoint else { return Ok(Step::Error("EPIPE")) };
        if endpoint.reset || endpoint.connection.is_closing() {
            return Ok(Step::Error(endpoint.error.take().unwrap_or("EPIPE")));
        }
        if !endpoint.connection.is_established() {
            return Ok(self.would_block(number, call));
        }
        let is_full = buffer_bytes < u64::MAX && !has_room(endpoint.connection.sender.memory_bytes(), buffer_bytes);
        if resumed && is_full {
            return Ok(Step::Blocks);
        }
        let wanted = if resumed { self.unwritten_bytes } else { bytes };
        let written = endpoint.connection.write_with(self.now_ns, wanted, more, buffer_bytes);
        self.unwritten_bytes = wanted - written;
        Ok(match self.would_block(number, call) {
            _ if written == wanted => Step::Done(bytes as i64),
            Step::Error(_) if written > 0 => Step::Done((bytes - self.unwritten_bytes) as i64),
            step => step,
        })
    }

    pub(super) fn read(&mut self, line: usize, number: i64, call: &Call) -> Result<Step, Failure> {
        if let Some(feature) = missing_feature(call, &flags_of(call)) {
            return Err(Failure::unsupported(line, feature));
        }
        let Some(wanted) = byte_count(call) else { return Err(unknown(line, &call.name)) };
        let Some(endpoint) = &mut self.endpoint else { return Ok(Step::Error("ENOTCONN")) };
        let receiver = &endpoint.connection.receiver;
        let bytes = receiver.readable_bytes().min(wanted);
        if bytes > 0 {
            endpoint.connection.read(self.now_ns, bytes);
            return Ok(Step::Done(bytes as i64));
        }
        // The order of tcp_recvmsg: the end of the stream, an error, a direction that is shut.
        if receiver.is_finished() || wanted == 0 {
            return Ok(Step::Done(0));
        }
        if let Some(error) = endpoint.error.take() {
            return Ok(Step::Error(error));
        }
        if endpoint.reset || endpoint.receive_shut {
            return Ok(Step::Done(0));
        }
        Ok(self.would_block(number, call))
    }

    /// `poll([{fd=4, events=POLLIN, revents=POLLIN}], 1, 100) = 1`
    pub(super) fn poll(&mut self, line: usize, call: &Call) -> Result<Step, Failure> {
        let Some(Value::List(entries)) = call.arguments.first() else { return Err(unknown(line, "poll")) };
        let mut ready = 0;
        for entry in entries {
            let Value::Struct(fields) = entry else { return Err(unknown(line, "poll")) };
            let field = |name: &str| fields.iter().find(|(found, _)| found == name).map(|(_, value)| value);
            let number = field("fd").and_then(Value::number).unwrap_or(-1);
            let wanted = field("events").and_then(Value::name).unwrap_or_default();
            let expected = field("revents").and_then(Value::name).unwrap_or_default();
            let found: Vec<&str> = self
                .poll_events(number)
                .into_iter()
                .filter(|event| wanted.split('|').any(|name| name == *event) || matches!(*event, "POLLHUP" | "POLLERR"))
                .collect();
            let mut expected: Vec<&str> = expected.split('|').filter(|name| name.starts_with("POLL")).collect();
            expected.sort_unstable();
            if !found.is_empty() {
                ready += 1;
            }
            let blocks = found.is_empty() && call.arguments.get(2).and_then(Value::number) != Some(0);
            if !blocks && found != expected {
                let detail = format!("Expected revents {} but got {}", expected.join("|"), found.join("|"));
                return Err(Failure::call(line, "poll", detail));
            }
        }
        let waits = ready == 0 && call.arguments.get(2).and_then(Value::number) != Some(0);
        Ok(if waits { Step::Blocks } else { Step::Done(ready) })
    }

    /// In alphabetical order.
    fn poll_events(&self, number: i64) -> Vec<&'static str> {
        let role = self.sockets.by_number.get(&number).map(|socket| socket.role);
        let mut events = Vec::new();
        let Some(endpoint) = &self.endpoint else { return events };
        let connection = &endpoint.connection;
        match role {
            Some(Role::Listening) if connection.is_established() => {
                events.push("POLLIN");
                events.push("POLLRDNORM");
            }
            Some(Role::Connected) => {
                let finished = connection.receiver.is_finished();
                if endpoint.reset {
                    events.push("POLLERR");
                }
                if endpoint.reset || (finished && connection.is_closing()) {
                    events.push("POLLHUP");
                }
                if connection.receiver.readable_bytes() > 0 || finished || endpoint.reset {
                    events.push("POLLIN");
                }
                let buffer_bytes =
                    self.sockets.by_number.get(&number).and_then(|socket| socket.options.send_buffer_bytes);
                let writable = buffer_bytes.is_none_or(|bytes| has_room(connection.sender.memory_bytes(), bytes));
                if connection.is_established() && writable {
                    events.push("POLLOUT");
                }
                if finished || endpoint.reset {
                    events.push("POLLRDHUP");
                }
            }
            _ => {}
        }
        events
    }

    /// Bytes in the queues.
    pub(super) fn ioctl(&mut self, line: usize, call: &Call) -> Result<Step, Failure> {
        let Some(endpoint) = &self.endpoint else { return Ok(Step::Error("EINVAL")) };
        let sender = &endpoint.connection.sender;
        let found = match call.arguments.get(1).and_then(Value::name) {
            Some("SIOCINQ" | "FIONREAD") => endpoint.connection.receiver.readable_bytes(),
            Some("SIOCOUTQ" | "TIOCOUTQ") => sender.unacknowledged_bytes(),
            Some("SIOCOUTQNSD") => sender.unacknowledged_bytes().saturating_sub(sender.flight_bytes()),
            _ => return Err(unknown(line, "ioctl")),
        };
        match call.arguments.get(2).and_then(Value::number) {
            Some(expected) if expected != found as i64 => {
                Err(Failure::call(line, "ioctl", format!("Expected value {expected} but got {found}")))
            }
            _ => Ok(Step::Done(0)),
        }
    }
}

/// Writers wake up when a third of the buffer is free.
fn has_room(memory_bytes: u64, buffer_bytes: u64) -> bool {
    buffer_bytes.saturating_sub(memory_bytes) >= memory_bytes / 2
}

fn is_possible(bytes: &u64) -> bool {
    *bytes <= limits::TRANSFER_BYTES
}

/// Flags of features that this TCP does not have.
const MISSING_FLAGS: &[(&str, &str)] = &[
    ("MSG_ZEROCOPY", "zero-copy sends"),
    ("MSG_FASTOPEN", "TCP Fast Open"),
    ("MSG_OOB", "urgent data"),
    ("MSG_EOR", "ends of records (MSG_EOR)"),
    ("MSG_ERRQUEUE", "the error queue of a socket"),
    ("MSG_PEEK", "reading without taking"),
    ("MSG_TRUNC", "dropping what is read"),
    ("MSG_WAITALL", "waiting for all that is asked for"),
];

fn flags_of(call: &Call) -> String {
    call.arguments.iter().skip(2).filter_map(Value::name).collect::<Vec<_>>().join("|")
}

/// An unsupported feature of a data transfer call: a flag, control messages, or an invalid buffer that must make it
/// fail.
fn missing_feature(call: &Call, flags: &str) -> Option<&'static str> {
    if let Some((_, feature)) = MISSING_FLAGS.iter().find(|(flag, _)| flags.split('|').any(|name| name.trim() == *flag))
    {
        return Some(feature);
    }
    let is_wrong_pointer = |value: &Value| match value {
        Value::Number(_) => true,
        Value::Name(name) => name == "NULL",
        _ => false,
    };
    let buffer = call.arguments.get(1)?;
    let mut buffers = vec![buffer];
    if let Value::Struct(fields) = buffer {
        let field = |start: &str| fields.iter().find(|(name, _)| name.starts_with(start)).map(|(_, value)| value);
        if matches!(field("msg_control"), Some(Value::List(messages)) if !messages.is_empty()) {
            return Some("control messages");
        }
        buffers = field("msg_iov").into_iter().collect();
    }
    let mut vectors = Vec::new();
    for value in buffers {
        match value {
            Value::List(entries) => vectors.extend(entries.iter().filter_map(|entry| match entry {
                Value::Struct(fields) => fields.first().map(|(_, base)| base),
                _ => None,
            })),
            value => vectors.push(value),
        }
    }
    vectors.into_iter().any(is_wrong_pointer).then_some("pointers to memory that is not the caller's")
}

/// Number of bytes to transfer, for all forms of the calls.
fn byte_count(call: &Call) -> Option<u64> {
    let vectors = match (call.name.as_str(), call.arguments.get(1)) {
        ("writev" | "readv", Some(Value::List(vectors))) => vectors,
        ("sendmsg" | "recvmsg", Some(Value::Struct(fields))) => {
            let (_, vectors) = fields.iter().find(|(name, _)| name.starts_with("msg_iov") && !name.ends_with("len"))?;
            let Value::List(vectors) = vectors else { return None };
            vectors
        }
        ("writev" | "readv" | "sendmsg" | "recvmsg", _) => return None,
        _ => return call.arguments.get(2)?.number().and_then(|bytes| u64::try_from(bytes).ok().filter(is_possible)),
    };
    let bytes: Option<Vec<u64>> = vectors
        .iter()
        .map(|vector| match vector {
            Value::Struct(fields) => fields
                .last()
                .and_then(|(_, value)| value.number())
                .and_then(|bytes| u64::try_from(bytes).ok())
                .filter(is_possible),
            _ => None,
        })
        .collect();
    bytes.map(|bytes| bytes.iter().sum()).filter(is_possible)
}
