//! The loop that moves packets between devices at the network's times.
//!
//! A packet enters the network when it is read, and the network then determines exactly when it leaves. So lateness
//! never accumulates: a packet that is written late does not delay the others.

use crate::clock::{now_ns, timespec};
use crate::early::Early;
use crate::emulator::{Counts, Emulator};
use crate::report::{Lateness, PortReport, Report};
use fairlane_contract::{Problem, Scenario};
use fairlane_engine::Histogram;
use rustix::event::{poll, PollFd, PollFlags};
use rustix::fd::OwnedFd;
use rustix::io::{read, write, Errno};
use rustix::process::{getpid, pidfd_getfd, pidfd_open, PidfdFlags, PidfdGetfdFlags};
use std::fmt::{self, Display};
use std::num::NonZeroU64;

/// The files of a run, by their descriptors in this process. They are non-blocking.
#[derive(Clone, Debug)]
pub struct Run {
    /// Devices, two for each flow.
    pub ports: Vec<i32>,
    /// The run ends when this file is readable.
    pub stop: i32,
    /// Each sample of the links is written here as a line of JSON; lines that do not fit are skipped.
    pub status: Option<i32>,
    /// The network's time 0 on the machine's monotonic clock; earlier packets are discarded.
    pub origin_ns: u64,
    /// The end in the network's time.
    pub duration_ns: Option<u64>,
    /// Minimum time to wake this thread: a packet that ends a sleep came this much earlier than it is read.
    pub wake_ns: u64,
}

/// Why there is no report.
#[derive(Debug)]
pub enum Failure {
    Scenario(Problem),
    /// The operation that failed, and the kernel's error.
    System(&'static str, std::io::Error),
}

/// Packets read from one port before the next one.
const BATCH: usize = 32;

/// A network in real time, ready to run.
pub struct Live {
    emulator: Emulator,
    ports: Vec<OwnedFd>,
    stop: OwnedFd,
    status: Option<OwnedFd>,
    origin_ns: u64,
    duration_ns: u64,
    wake_ns: u64,
    /// While packets that ended a sleep are read, the network's time is this much behind the clock.
    behind_ns: u64,
    lateness_ns: Histogram,
    written: Vec<PortReport>,
    unwritten: u64,
    reported: usize,
    early: Early,
}

impl Live {
    /// # Errors
    /// An invalid network; files that are not open; ports that are not two for each flow.
    pub fn new(scenario: &Scenario, run: &Run) -> Result<Self, Failure> {
        let emulator = Emulator::new(scenario).map_err(Failure::Scenario)?;
        if run.ports.len() != emulator.ports() {
            let what = format!("there are {} for {} ends of flows", run.ports.len(), emulator.ports());
            return Err(Failure::Scenario(Problem::new("ports", what, "give two for each flow")));
        }
        let ports = run.ports.iter().map(|&port| own(port)).collect::<Result<Vec<_>, _>>()?;
        Ok(Self {
            written: vec![PortReport::default(); ports.len()],
            ports,
            stop: own(run.stop)?,
            status: run.status.map(own).transpose()?,
            origin_ns: run.origin_ns,
            duration_ns: run.duration_ns.unwrap_or(u64::MAX),
            wake_ns: run.wake_ns,
            behind_ns: 0,
            emulator,
            lateness_ns: Histogram::default(),
            unwritten: 0,
            reported: 0,
            early: Early::new(),
        })
    }

    /// Runs to the end, or until stopped.
    ///
    /// # Errors
    /// Devices that cannot be read.
    pub fn run(mut self) -> Result<Report, Failure> {
        // Without a real-time priority the kernel may round sleeps up by this much; the smallest value is 1 ns.
        let _ = rustix::thread::set_current_timer_slack(NonZeroU64::new(1));
        let mut is_ready = vec![false; self.ports.len()];
        loop {
            let here_ns = self.deliver();
            self.report_status();
            if here_ns >= self.duration_ns {
                break;
            }
            let (mut has_read_all, mut index) = (true, 0);
            while index < is_ready.len() {
                if is_ready[index] {
                    is_ready[index] = self.read_port(index)?;
                    has_read_all &= !is_ready[index];
                }
                index += 1;
            }
            self.behind_ns = 0;
            let next_ns = self.emulator.next_ns().min(self.duration_ns);
            if self.wait(&mut is_ready, if has_read_all { next_ns } else { 0 })? {
                break;
            }
        }
        Ok(self.report())
    }

    /// The network's time; none before time 0.
    fn here_ns(&self) -> Option<u64> {
        (now_ns() - self.behind_ns).checked_sub(self.origin_ns)
    }

    /// Writes all packets that are due. Returns the network's time.
    fn deliver(&mut self) -> u64 {
        let mut here_ns = self.here_ns().unwrap_or(0).min(self.duration_ns);
        while self.emulator.next_ns() <= here_ns {
            while let Some(arrival) = self.emulator.next_arrival(here_ns) {
                let at_ns = now_ns() - self.origin_ns;
                self.lateness_ns.record((at_ns - arrival.due_ns).try_into().unwrap_or(u32::MAX));
                match write(&self.ports[arrival.port], arrival.packet) {
                    Ok(_) => self.written[arrival.port].count(at_ns, arrival.packet.len()),
                    Err(_) => self.unwritten += 1,
                }
            }
            here_ns = self.here_ns().unwrap_or(0).min(self.duration_ns);
        }
        here_ns
    }

    /// Reads packets of a port into the network. Returns whether there may be more.
    fn read_port(&mut self, port: usize) -> Result<bool, Failure> {
        for _ in 0..BATCH {
            match read(&self.ports[port], self.emulator.vacant(port)) {
                Ok(0) => return Ok(false),
                Ok(bytes) => {
                    if self.here_ns().is_some() {
                        let here_ns = self.deliver();
                        self.emulator.send(here_ns, port, bytes);
                    }
                }
                Err(Errno::AGAIN | Errno::INTR) => return Ok(false),
                Err(error) => return Err(Failure::System("a device cannot be read", error.into())),
            }
        }
        Ok(true)
    }

    /// Waits until a packet arrives or a deadline of the network is near. Returns whether to stop.
    fn wait(&mut self, is_ready: &mut [bool], until_ns: u64) -> Result<bool, Failure> {
        let files = self.ports.iter().chain([&self.stop]);
        let mut files: Vec<_> = files.map(|file| PollFd::new(file, PollFlags::IN)).collect();
        let (before_ns, due_ns) = (now_ns(), self.origin_ns.saturating_add(until_ns));
        // 0 if less than a wake-up is left: then the loop polls instead of sleeping.
        let sleep_ns = due_ns.saturating_sub(before_ns).saturating_sub(self.early.by_ns());
        let ready = match poll(&mut files, Some(&timespec(sleep_ns))) {
            Ok(ready) => ready,
            Err(Errno::INTR) => return Ok(false),
            Err(error) => return Err(Failure::System("cannot wait for devices", error.into())),
        };
        for (is_ready, file) in is_ready.iter_mut().zip(&files) {
            *is_ready |= !file.revents().is_empty();
        }
        let stops = files.last().is_some_and(|stop| !stop.revents().is_empty());
        let after_ns = now_ns();
        if sleep_ns > 0 {
            if ready == 0 {
                self.early.woken(after_ns, due_ns);
            } else {
                // Not before the sleep: until then the network's time was the clock's.
                self.behind_ns = self.wake_ns.min(after_ns - before_ns);
            }
        }
        self.early.spent(if sleep_ns > 0 { after_ns } else { before_ns }, after_ns);
        Ok(stops)
    }

    fn report_status(&mut self) {
        let Some(status) = &self.status else { return };
        if self.emulator.samples() == self.reported {
            return;
        }
        self.reported = self.emulator.samples();
        let links = self.emulator.series().map(|(name, series)| {
            let sample = serde_json::json!({
                "queue_bytes": series.queue_bytes.last(),
                "queue_delay_ms": series.queue_delay_ms.last(),
                "throughput_mbps": series.throughput_mbps.last(),
                "dropped_packets": series.dropped_packets.last(),
                "marked_packets": series.marked_packets.last(),
            });
            (name.to_owned(), sample)
        });
        let links: serde_json::Map<_, _> = links.collect();
        let t_s = self.emulator.series().find_map(|(_, series)| series.t_s.last().copied());
        let line = serde_json::json!({ "t_s": t_s, "links": links }).to_string() + "\n";
        let _ = write(status, line.as_bytes());
    }

    fn report(self) -> Report {
        let end_ns = self.here_ns().unwrap_or(0).clamp(1, self.duration_ns);
        let (links, series, Counts { entered, refused, missing }) = self.emulator.finish(end_ns);
        Report {
            duration_s: end_ns as f64 / 1e9,
            links,
            series,
            ports: self.written,
            lateness: Lateness::new(&self.lateness_ns),
            entered,
            refused,
            missing,
            unwritten: self.unwritten,
        }
    }
}

/// A duplicate of an open file of this process.
fn own(number: i32) -> Result<OwnedFd, Failure> {
    let duplicate = pidfd_open(getpid(), PidfdFlags::empty())
        .and_then(|process| pidfd_getfd(process, number, PidfdGetfdFlags::empty()));
    duplicate.map_err(|error| Failure::System("cannot take over a file", error.into()))
}

impl Display for Failure {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Scenario(problem) => problem.fmt(to),
            Self::System(what, error) => write!(to, "{what}: {error}"),
        }
    }
}
