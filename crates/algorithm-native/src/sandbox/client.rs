//! The client of a spawner.

use super::command::OBJECT_BYTES;
use super::spawner::NOT_CONFINED;
use super::wire::{read_framed, send_job, write_framed, Framed, JobLimits, Report};
use rustix::net::{socketpair, AddressFamily, SocketFlags, SocketType};
use rustix::pipe::{pipe_with, PipeFlags};
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// The limits of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Real time until the worker is killed.
    pub wall: Duration,
    /// Memory that it may map.
    pub memory_bytes: u64,
    /// Bytes that it may write to a file that it is given.
    pub file_bytes: u64,
    /// The longest answer that is read; it is in the caller's memory.
    pub answer_bytes: u64,
}

/// A job that was answered.
#[derive(Debug)]
pub struct Finished {
    pub answer: Vec<u8>,
    /// CPU time and memory of the worker alone.
    pub cpu_s: f64,
    pub peak_rss_bytes: u64,
}

/// Why a job has no answer. Each message is one sentence about "it", the contained program.
#[derive(Debug, thiserror::Error)]
pub enum Ended {
    #[error("it was still running after {:.0} s and was ended; --run-timeout allows more", .0.as_secs_f64())]
    Deadline(Duration),
    #[error("it used more than its {:.0} s of CPU time and was ended; --run-timeout allows more", .0.as_secs_f64())]
    CpuTime(Duration),
    #[error("it ended the process that ran it (exit status {0}); an algorithm returns from its callbacks")]
    Exited(i32),
    #[error("it made a system call, which an algorithm must not, and was ended")]
    SystemCall,
    #[error("it ran out of memory ({:.1} GB are allowed) or was aborted", *.0 as f64 / 1e9)]
    Memory(u64),
    #[error("it wrote more than the {:.1} GB that a file may have, and was ended", *.0 as f64 / 1e9)]
    FileSize(u64),
    #[error("the process that ran it was ended by signal {0}")]
    Signal(i32),
    #[error(
        "its answer has more than {} MB, the most that is read; record less, or run it for a shorter time", .0 / 1_000_000
    )]
    AnswerTooLong(u64),
    #[error("the process that was to run it could not be confined; --trust FILE runs a file without")]
    NotConfined,
    #[error("stopped")]
    Interrupted,
    #[error("the process that starts contained runs is gone; run it again")]
    SpawnerGone,
    #[error("a contained process cannot be started: {0}")]
    CannotStart(#[from] io::Error),
}

/// A connection to a spawner. May be used by many threads, and after a fork.
pub struct Client {
    control: OwnedFd,
    spawner: Child,
}

impl Client {
    /// Starts a spawner: `command` must call [`serve`](super::serve) with its standard input.
    pub fn start(mut command: Command) -> io::Result<Self> {
        let (control, theirs) = socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None)?;
        command.stdin(Stdio::from(theirs)).stdout(Stdio::null()).stderr(Stdio::null());
        Ok(Self { control, spawner: command.spawn()? })
    }

    /// Runs a job. Polls `interrupted`, and ends the job when that returns true.
    pub fn run(
        &self,
        request: &[impl AsRef<[u8]>],
        attachment: Option<BorrowedFd>,
        limits: Limits,
        interrupted: &mut dyn FnMut() -> bool,
    ) -> Result<Finished, Ended> {
        let (mut socket, theirs) = UnixStream::pair()?;
        let (report, their_report) = pipe_with(PipeFlags::CLOEXEC).map_err(io::Error::from)?;
        let descriptors = [theirs.as_fd(), their_report.as_fd()].into_iter().chain(attachment);
        let wall_ms = limits.wall.as_millis().try_into().unwrap_or(u64::MAX);
        let (address_space_bytes, file_bytes) = (limits.memory_bytes, limits.file_bytes.max(OBJECT_BYTES)); // an object is a file in memory before it is mapped
        let job = JobLimits { wall_ms, address_space_bytes, file_bytes };
        send_job(self.control.as_fd(), &job, &descriptors.collect::<Vec<_>>()).map_err(|_| Ended::SpawnerGone)?;
        drop((theirs, their_report));

        let _ = write_framed(&mut socket, request); // a worker that is gone is reported below
        socket.set_read_timeout(Some(LOOK_UP))?;
        let mut patient = Patient { socket, interrupted, gave_up: false };
        let answer = read_framed(&mut patient, limits.answer_bytes);
        if patient.gave_up {
            return Err(Ended::Interrupted);
        }
        // A worker that still writes gets an error now, and ends.
        drop(patient);
        if matches!(answer, Ok(Framed::TooLong)) {
            return Err(Ended::AnswerTooLong(limits.answer_bytes));
        }
        let report = Report::receive(&mut File::from(report)).ok_or(Ended::SpawnerGone)?;
        match (answer, end_of(&report, limits)) {
            (_, Some(end)) => Err(end),
            (Ok(Framed::Complete(answer)), None) => {
                let (cpu_s, peak_rss_bytes) = (report.cpu_us as f64 / 1e6, report.peak_rss_kb * 1024);
                Ok(Finished { answer, cpu_s, peak_rss_bytes })
            }
            (_, None) => Err(Ended::Exited(0)),
        }
    }

    /// Is the spawner still running?
    pub fn is_alive(&mut self) -> bool {
        matches!(self.spawner.try_wait(), Ok(None))
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.spawner.kill();
        let _ = self.spawner.wait();
    }
}

/// The interval at which `interrupted` is polled.
const LOOK_UP: Duration = Duration::from_millis(100);

/// Waits for an answer, and polls `interrupted`.
struct Patient<'i> {
    socket: UnixStream,
    interrupted: &'i mut dyn FnMut() -> bool,
    gave_up: bool,
}

impl Read for Patient<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.socket.read(buffer) {
                Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted) => {
                    if (self.interrupted)() {
                        self.gave_up = true;
                        return Err(io::Error::other("given up"));
                    }
                }
                other => return other,
            }
        }
    }
}

/// Why a worker with this exit status has no answer; `None` if it should have one.
fn end_of(report: &Report, limits: Limits) -> Option<Ended> {
    if report.missed_deadline {
        return Some(Ended::Deadline(limits.wall));
    }
    if libc::WIFEXITED(report.status) {
        return match libc::WEXITSTATUS(report.status) {
            0 => None,
            NOT_CONFINED => Some(Ended::NotConfined),
            status => Some(Ended::Exited(status)),
        };
    }
    Some(match libc::WTERMSIG(report.status) {
        libc::SIGSYS => Ended::SystemCall,
        libc::SIGABRT => Ended::Memory(limits.memory_bytes),
        libc::SIGXCPU => Ended::CpuTime(limits.wall),
        libc::SIGXFSZ => Ended::FileSize(limits.file_bytes),
        signal => Ended::Signal(signal),
    })
}
