//! Implementations of the system calls, except data transfer (`transfer.rs`) and options (`options.rs`).

use super::blocking::{BlockedCall, Step};
use super::failure::Failure;
use super::sockets::{Role, Socket};
use super::Player;
use crate::script::{Call, Event, Value};

impl Player<'_> {
    pub(super) fn run_call(&mut self, event: &Event, call: &Call, until_ns: u64) -> Result<(), Failure> {
        self.finish_blocked(event.line)?;
        let step = self.perform(event.line, call, false)?;
        self.settle();
        let blocked = BlockedCall::new(event, call.clone(), until_ns);
        match step {
            Step::Blocks => self.blocked = Some(blocked),
            step => blocked.check(&step, self.now_ns, self.settings.tolerance_us)?,
        }
        Ok(())
    }

    /// Performs a call; `resumed`: it was started before and has blocked since.
    pub(super) fn perform(&mut self, line: usize, call: &Call, resumed: bool) -> Result<Step, Failure> {
        let name = call.name.as_str();
        if !KNOWN.contains(&name) {
            return Err(unknown(line, name));
        }
        if name == "socket" {
            return self.socket(line, call);
        }
        let Some(number) = call.arguments.first().and_then(Value::number) else {
            return if name == "poll" { self.poll(line, call) } else { Err(unknown(line, name)) };
        };
        if !self.sockets.by_number.contains_key(&number) {
            return Ok(Step::Error("EBADF"));
        }
        match name {
            "bind" => Ok(Step::Done(0)),
            "listen" => {
                self.socket_mut(number).role = Role::Listening;
                Ok(Step::Done(0))
            }
            "accept" | "accept4" => Ok(self.accept(number, call)),
            "connect" => self.connect(line, number, resumed),
            "setsockopt" => self.set_option(line, number, call),
            "getsockopt" => self.check_option(line, number, call),
            "fcntl" => self.fcntl(line, number, call),
            "ioctl" => self.ioctl(line, call),
            "write" | "send" | "sendto" | "writev" | "sendmsg" => self.write(line, number, call, resumed),
            "read" | "recv" | "recvfrom" | "readv" | "recvmsg" => self.read(line, number, call),
            "shutdown" => self.shutdown(line, call),
            "close" => Ok(self.close(number)),
            _ => Err(unknown(line, name)),
        }
    }

    fn socket(&mut self, line: usize, call: &Call) -> Result<Step, Failure> {
        let names: Vec<&str> = call.arguments.iter().filter_map(Value::name).collect();
        let number = call.outcome.result.unwrap_or(3);
        let nonblocking = names.iter().any(|name| name.contains("SOCK_NONBLOCK"));
        if self.sockets.by_number.values().any(|socket| socket.role != Role::Listening) {
            return Err(Failure::unsupported(line, "several connections"));
        }
        self.sockets.by_number.insert(number, Socket { nonblocking, ..Socket::default() });
        Ok(Step::Done(number))
    }

    fn accept(&mut self, number: i64, call: &Call) -> Step {
        let taken = self.sockets.by_number.values().any(|socket| socket.role == Role::Connected);
        let is_ready = !taken && self.endpoint.as_ref().is_some_and(|endpoint| endpoint.connection.is_established());
        if !is_ready {
            return self.would_block(number, call);
        }
        let options = self.socket_mut(number).options.clone();
        let nonblocking = call.arguments.iter().filter_map(Value::name).any(|name| name.contains("SOCK_NONBLOCK"));
        let accepted = call.outcome.result.filter(|&result| result >= 0).unwrap_or(number.saturating_add(1));
        self.sockets.by_number.insert(accepted, Socket { role: Role::Connected, nonblocking, options });
        Step::Done(accepted)
    }

    fn connect(&mut self, line: usize, number: i64, resumed: bool) -> Result<Step, Failure> {
        if !resumed && self.socket_mut(number).role == Role::Fresh {
            if self.endpoint.is_some() {
                return Err(Failure::unsupported(line, "several connections"));
            }
            let options = self.socket_mut(number).options.clone();
            let mut endpoint = self.make_endpoint(line, &options, true)?;
            endpoint.connection.connect(self.now_ns);
            self.endpoint = Some(endpoint);
            let socket = self.socket_mut(number);
            socket.role = Role::Connected;
            return Ok(if socket.nonblocking { Step::Error("EINPROGRESS") } else { Step::Blocks });
        }
        let Some(endpoint) = &self.endpoint else { return Ok(Step::Error("EINVAL")) };
        let (established, reset) = (endpoint.connection.is_established(), endpoint.reset);
        Ok(match (established, reset, resumed) {
            (_, true, _) => Step::Error("ECONNREFUSED"),
            (true, _, true) => Step::Done(0),
            (true, _, false) => Step::Error("EISCONN"),
            (false, _, false) => Step::Error("EALREADY"),
            (false, _, true) => Step::Blocks,
        })
    }

    /// Only the flag O_NONBLOCK matters.
    fn fcntl(&mut self, line: usize, number: i64, call: &Call) -> Result<Step, Failure> {
        let argument = call.arguments.get(2).and_then(Value::name).unwrap_or_default().to_owned();
        let socket = self.socket_mut(number);
        match call.arguments.get(1).and_then(Value::name) {
            Some("F_GETFL") => Ok(Step::Done(if socket.nonblocking { O_RDWR | O_NONBLOCK } else { O_RDWR })),
            Some("F_SETFL") => {
                socket.nonblocking = argument.contains("O_NONBLOCK");
                Ok(Step::Done(0))
            }
            _ => Err(unknown(line, "fcntl")),
        }
    }

    fn close(&mut self, number: i64) -> Step {
        let socket = self.sockets.by_number.remove(&number);
        if let (Some(Socket { role: Role::Connected, options, .. }), Some(endpoint)) = (socket, &mut self.endpoint) {
            let unread = endpoint.connection.receiver.readable_bytes() > 0;
            if unread || options.resets_on_close {
                endpoint.connection.abort(self.now_ns);
            } else if !endpoint.connection.is_established() {
                endpoint.connection.abandon();
            } else if !endpoint.reset {
                endpoint.connection.close(self.now_ns);
            }
        }
        Step::Done(0)
    }

    fn shutdown(&mut self, line: usize, call: &Call) -> Result<Step, Failure> {
        let Some(endpoint) = &mut self.endpoint else { return Ok(Step::Error("ENOTCONN")) };
        let how = call.arguments.get(1).and_then(Value::name);
        if !matches!(how, Some("SHUT_RD" | "SHUT_WR" | "SHUT_RDWR")) {
            return Err(unknown(line, "shutdown"));
        }
        // As in Linux, whose socket is in the state CLOSE in TIME-WAIT, too.
        if !endpoint.connection.is_established() || endpoint.connection.state_number(endpoint.reset) == TCP_CLOSE {
            return Ok(Step::Error("ENOTCONN"));
        }
        if how != Some("SHUT_WR") {
            endpoint.receive_shut = true;
        }
        if how != Some("SHUT_RD") {
            endpoint.connection.close(self.now_ns);
        }
        Ok(Step::Done(0))
    }

    /// A call that cannot proceed fails with EAGAIN, or blocks.
    pub(super) fn would_block(&self, number: i64, call: &Call) -> Step {
        let nonblocking = self.sockets.by_number.get(&number).is_some_and(|socket| socket.nonblocking);
        let says_so = call.arguments.iter().filter_map(Value::name).any(|name| name.contains("MSG_DONTWAIT"));
        if nonblocking || says_so {
            Step::Error("EAGAIN")
        } else {
            Step::Blocks
        }
    }

    pub(super) fn socket_mut(&mut self, number: i64) -> &mut Socket {
        self.sockets.by_number.entry(number).or_default()
    }
}

pub(super) fn unknown(line: usize, name: &str) -> Failure {
    Failure::unsupported(line, format!("system call {name} with these arguments"))
}

const KNOWN: &[&str] = &[
    "socket",
    "bind",
    "listen",
    "accept",
    "accept4",
    "connect",
    "setsockopt",
    "getsockopt",
    "fcntl",
    "ioctl",
    "poll",
    "write",
    "send",
    "sendto",
    "writev",
    "sendmsg",
    "read",
    "recv",
    "recvfrom",
    "readv",
    "recvmsg",
    "shutdown",
    "close",
];
const TCP_CLOSE: u8 = 7;
const O_RDWR: i64 = 2;
const O_NONBLOCK: i64 = 0o4000;
