//! Plays a script: executes its events in virtual time, delivers packets and system calls to the connection, and
//! compares its behaviour with the script's expectations.
//!
//! `endpoint.rs` translates between the script's packets and the connection's segments; `wire.rs` advances time and
//! collects the packets that the connection sends; `expect.rs` compares packets; `calls.rs` and `sockets.rs` are the
//! system calls; `tcp_info.rs` provides the variables of assertions. A relative time counts from the end of the
//! previous event, as in packetdrill.

mod blocking;
mod calls;
mod endpoint;
mod expect;
mod failure;
mod options;
mod sockets;
mod tcp_info;
mod timestamps;
mod transfer;
mod wire;

use crate::limits;
use crate::options::Options;
use crate::python::{self, CodeError, Variables};
use crate::report::{Report, Verdict};
use crate::script::{self, Action, Direction, Event, EventTime, ScriptError};
use crate::settings::{apply_commands, Settings};
use blocking::BlockedCall;
use endpoint::Endpoint;
use failure::Failure;
use fairlane_algorithm_native::Programs;
use fairlane_congestion_control::Algorithms;
use sockets::Sockets;
use std::collections::{BTreeMap, VecDeque};
use wire::{HostQueue, Sniffed};

/// Reads and plays a script; `name` is its name in messages.
pub fn play(name: &str, text: &str, options: &Options) -> Report {
    play_with(name, text, options, &Programs)
}

/// As [`play`], with the caller's source of the algorithm in the options. Algorithms that the script itself names are
/// bundled ones.
pub fn play_with(name: &str, text: &str, options: &Options, algorithms: &dyn Algorithms) -> Report {
    let mut player = Player::new(algorithms);
    player.chosen = options.algorithm.clone().map(|word| (word, options.parameters.clone()));
    apply_commands(&mut player.settings, &options.setup);
    if let Some(us) = options.tolerance_usecs {
        player.settings.tolerance_us = i64::from(us);
    }
    if let Some(hz) = options.hz {
        player.settings.set_hz(hz);
    }
    let outcome = player.play(text);
    let (verdict, message) = match outcome {
        Ok(()) => (Verdict::Passed, String::new()),
        Err(failure) => failure.into_report(name),
    };
    Report { verdict, message, notes: player.settings.notes, printed: player.printed }
}

struct Player<'a> {
    algorithms: &'a dyn Algorithms,
    /// Set by the caller, with parameters.
    chosen: Option<(String, BTreeMap<String, i64>)>,
    settings: Settings,
    now_ns: u64,
    sockets: Sockets,
    /// The connection, once there is one.
    endpoint: Option<Endpoint>,
    /// Packets that the connection sent and no event has expected yet.
    sniffed: VecDeque<Sniffed>,
    host_queue: HostQueue,
    blocked: Option<BlockedCall>,
    /// Bytes that the blocked call has still to write.
    unwritten_bytes: u64,
    variables: Variables,
    printed: Vec<String>,
}

/// The script's time 0. It is not 0, because some clocks use 0 for "never", and it is a time at which all levels of the
/// kernel's timer wheel start a slot.
const START_NS: u64 = 65_536_000_000;

impl<'a> Player<'a> {
    fn new(algorithms: &'a dyn Algorithms) -> Self {
        Self {
            algorithms,
            chosen: None,
            settings: Settings::default(),
            now_ns: START_NS,
            sockets: Sockets::default(),
            endpoint: None,
            sniffed: VecDeque::new(),
            host_queue: HostQueue::default(),
            blocked: None,
            unwritten_bytes: 0,
            variables: Variables::new(),
            printed: Vec::new(),
        }
    }

    fn play(&mut self, text: &str) -> Result<(), Failure> {
        let script = script::parse(text).map_err(|error| match error {
            ScriptError::Syntax { line, message } => Failure::at(line, message),
            ScriptError::Unsupported { line, feature } => Failure::unsupported(line, feature),
        })?;
        for (line, name, value) in &script.options {
            self.settings.apply_option(name, value).map_err(|feature| Failure::unsupported(*line, feature))?;
        }
        if let Some((line, commands)) = &script.setup {
            self.run_commands(*line, commands)?;
        }
        for event in &script.events {
            self.run_event(event)?;
        }
        self.finish_blocked(script.events.last().map_or(0, |event| event.line))
    }

    fn run_commands(&mut self, line: usize, commands: &str) -> Result<(), Failure> {
        apply_commands(&mut self.settings, commands);
        match self.settings.missing {
            Some(feature) => Err(Failure::unsupported(line, feature)),
            None => Ok(()),
        }
    }

    fn run_event(&mut self, event: &Event) -> Result<(), Failure> {
        let line = event.line;
        let (_, until_ns) = self.due_ns(event.time);
        if until_ns > LATEST_NS {
            return Err(Failure::at(line, format!("the event is due later than {} s", limits::SECONDS)));
        }
        match &event.action {
            Action::Packet(packet) if packet.direction == Direction::Outbound => {
                return self.expect_packet(event, packet);
            }
            _ => self.wait_for(event)?,
        }
        match &event.action {
            Action::Packet(packet) => self.inject(line, packet),
            Action::Call(call) => self.run_call(event, call, until_ns),
            Action::Shell(commands) => {
                self.run_commands(line, commands)?;
                if let Some(endpoint) = &mut self.endpoint {
                    endpoint.connection.sender.set_host_refuses(self.settings.queue_is_closed);
                }
                Ok(())
            }
            Action::Code(code) => self.run_code(line, code),
        }
    }

    /// Advances time until the event is due.
    fn wait_for(&mut self, event: &Event) -> Result<(), Failure> {
        let (at_ns, _) = self.due_ns(event.time);
        let late_ns = self.now_ns.saturating_sub(at_ns);
        if late_ns > (self.settings.tolerance_us * 1000) as u64 {
            let late_s = late_ns as f64 / 1e9;
            let tolerance_s = self.settings.tolerance_us as f64 / 1e6;
            return Err(Failure::at(
                event.line,
                format!(
                    "the event is due {late_s:.6} s before the one above it was over; tolerance {tolerance_s:.6} s"
                ),
            ));
        }
        self.advance(at_ns);
        Ok(())
    }

    /// The earliest and the latest time of an event.
    fn due_ns(&self, time: EventTime) -> (u64, u64) {
        let from = |us: i64, relative: bool| {
            let base_ns = if relative { self.now_ns } else { START_NS };
            base_ns.saturating_add_signed(us * 1000)
        };
        match time {
            EventTime::Any => (self.now_ns, self.now_ns + LONGEST_WAIT_NS),
            EventTime::At { us, relative } => (from(us, relative), from(us, relative)),
            EventTime::Between { from_us, to_us, relative } | EventTime::Blocking { from_us, to_us, relative } => {
                (from(from_us, relative), from(to_us, relative))
            }
        }
    }

    fn run_code(&mut self, line: usize, code: &str) -> Result<(), Failure> {
        tcp_info::update(self);
        python::run(code, &mut self.variables, &mut self.printed).map_err(|error| match error {
            CodeError::UnknownName(name) if tcp_info::lacks(&name) => {
                Failure::unsupported(line, format!("{name} of tcp_info"))
            }
            CodeError::UnknownName(name) => Failure::code(line, "NameError", &format!("name '{name}' is not defined")),
            CodeError::Raised { kind, message } => Failure::code(line, &kind, &message),
            CodeError::Unsupported(feature) => Failure::unsupported(line, feature),
        })
    }

    /// Seconds of the script's clock.
    fn script_seconds(ns: u64) -> f64 {
        (ns as f64 - START_NS as f64) / 1e9
    }
}

/// The latest time of an event, and the longest wait for one.
const LATEST_NS: u64 = START_NS + limits::SECONDS as u64 * 1_000_000_000 + LONGEST_WAIT_NS;
/// Longest wait for an event that may happen at any time.
const LONGEST_WAIT_NS: u64 = 300_000_000_000;
