//! The process that forks workers, and the worker's part until it answers.

use super::limits::{check, is_root, ResourceLimits, User};
use super::rules::{worker_filters, Rules};
use super::wire::{read_framed, receive_job, write_framed, Framed, JobLimits, Report};
use rustix::event::{poll, PollFd, PollFlags};
use rustix::process::{pidfd_open, Pid, PidfdFlags};
use seccompiler::BpfProgram;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, FromRawFd, IntoRawFd, OwnedFd};
use std::time::{Duration, Instant};

/// Makes the pieces of an answer from a request, and may write to a file that came with it.
pub type Handler = fn(Vec<u8>, Option<File>) -> Vec<Vec<u8>>;

/// The worker's descriptors; all others are closed.
const SOCKET: i32 = 3;
const ATTACHMENT: i32 = 4;

/// The exit status of a worker that could not confine itself.
pub(super) const NOT_CONFINED: i32 = 111;

/// Forks a worker for each job that arrives on `control`, until no client is left. Call it in a process that has one
/// thread and no secrets. `warm_up` runs beside the first worker; later workers find its results in memory.
/// `sudo_uid` and `sudo_gid` are sudo's variables: a spawner that is root becomes that user.
pub fn serve(
    control: OwnedFd,
    handler: Handler,
    warm_up: fn(),
    sudo_uid: Option<&str>,
    sudo_gid: Option<&str>,
) -> io::Result<()> {
    if is_root() {
        User::calling_sudo(sudo_uid, sudo_gid).become_it()?;
    }
    let mut spawner = Spawner { filters: worker_filters(), workers: Vec::new(), handler };
    let mut is_warm = false;
    loop {
        if spawner.wait(&control)? {
            match receive_job(control.as_fd()) {
                Ok(Some((limits, descriptors))) => spawner.spawn(limits, descriptors)?,
                Ok(None) => return Ok(()), // the workers end with this process
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
            if !is_warm {
                is_warm = true;
                warm_up();
            }
        }
        spawner.reap();
    }
}

struct Spawner {
    filters: Vec<BpfProgram>,
    workers: Vec<Worker>,
    handler: Handler,
}

struct Worker {
    id: Pid,
    /// Readable when the worker has ended.
    process: OwnedFd,
    /// Broken when the client has given up.
    report: OwnedFd,
    deadline: Instant,
    missed_deadline: bool,
}

#[expect(clippy::disallowed_methods, reason = "workers have deadlines in real time")]
impl Spawner {
    /// Waits for a job, the end of a worker, a client that gives up, or a deadline; true if there may be a job.
    fn wait(&self, control: &OwnedFd) -> io::Result<bool> {
        let mut descriptors = vec![PollFd::new(control, PollFlags::IN)];
        for worker in &self.workers {
            descriptors.push(PollFd::new(&worker.process, PollFlags::IN));
            descriptors.push(PollFd::new(&worker.report, PollFlags::empty()));
        }
        let pending = self.workers.iter().filter(|worker| !worker.missed_deadline);
        let left = pending.map(|worker| worker.deadline.saturating_duration_since(Instant::now())).min();
        let left = left.map(|left| (left + Duration::from_millis(1)).try_into().unwrap_or_default());
        match poll(&mut descriptors, left.as_ref()) {
            Ok(_) => {}
            Err(rustix::io::Errno::INTR) => return Ok(false),
            Err(error) => return Err(error.into()),
        }
        for (worker, descriptors) in self.workers.iter().zip(descriptors[1..].chunks_exact(2)) {
            if !descriptors[1].revents().is_empty() {
                worker.kill();
            }
        }
        Ok(!descriptors[0].revents().is_empty())
    }

    /// `descriptors` are the worker's socket, the pipe for the report, and perhaps a file.
    fn spawn(&mut self, limits: JobLimits, descriptors: Vec<OwnedFd>) -> io::Result<()> {
        let mut descriptors = descriptors.into_iter();
        let (Some(socket), Some(report)) = (descriptors.next(), descriptors.next()) else { return Ok(()) };
        let attachment = descriptors.next();
        let parent = rustix::process::getpid();
        // SAFETY: this process has one thread, so nothing is forbidden in the child.
        let id = unsafe { libc::fork() };
        check(id)?;
        if id == 0 {
            let status = work(parent, &limits, socket, attachment, std::mem::take(&mut self.filters), self.handler);
            // SAFETY: exits without running the parent's exit handlers.
            unsafe { libc::_exit(status) };
        }
        let id = Pid::from_raw(id).expect("a child's number is not 0");
        let process = pidfd_open(id, PidfdFlags::empty())?;
        let deadline = Instant::now() + Duration::from_millis(limits.wall_ms);
        self.workers.push(Worker { id, process, report, deadline, missed_deadline: false });
        Ok(())
    }

    /// Reports workers that have ended, and kills those past their deadline.
    fn reap(&mut self) {
        let now = Instant::now();
        self.workers.retain_mut(|worker| {
            if let Some(report) = worker.ended() {
                let _ = report.send(&worker.report); // the client may have given up
                return false;
            }
            if !worker.missed_deadline && worker.deadline <= now {
                worker.missed_deadline = true;
                worker.kill();
            }
            true
        });
    }
}

impl Worker {
    fn kill(&self) {
        let _ = rustix::process::pidfd_send_signal(&self.process, rustix::process::Signal::KILL);
    }

    fn ended(&self) -> Option<Report> {
        let mut status = 0;
        // SAFETY: numbers only, for which all zeros are a value.
        let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
        // SAFETY: both live for the call.
        let found = unsafe { libc::wait4(self.id.as_raw_nonzero().get(), &mut status, libc::WNOHANG, &mut usage) };
        if found == 0 {
            return None;
        }
        let us = |time: libc::timeval| time.tv_sec as u64 * 1_000_000 + time.tv_usec as u64;
        Some(Report {
            status,
            missed_deadline: self.missed_deadline,
            cpu_us: us(usage.ru_utime) + us(usage.ru_stime),
            peak_rss_kb: usage.ru_maxrss as u64,
        })
    }
}

/// The worker: confines itself, reads the request, answers. Returns its exit status.
fn work(
    parent: Pid,
    limits: &JobLimits,
    socket: OwnedFd,
    attachment: Option<OwnedFd>,
    filters: Vec<BpfProgram>,
    handler: Handler,
) -> i32 {
    let has_attachment = attachment.is_some();
    if confine(parent, limits, socket, attachment, filters).is_err() {
        return NOT_CONFINED;
    }
    // SAFETY: `confine` has put the socket, and the attachment if there is one, at these numbers.
    let (mut socket, attachment) =
        unsafe { (File::from_raw_fd(SOCKET), has_attachment.then(|| File::from_raw_fd(ATTACHMENT))) };
    match read_framed(&mut socket, u64::MAX) {
        Ok(Framed::Complete(request)) => i32::from(write_framed(&mut socket, &handler(request, attachment)).is_err()),
        _ => 1,
    }
}

fn confine(
    parent: Pid,
    limits: &JobLimits,
    socket: OwnedFd,
    attachment: Option<OwnedFd>,
    filters: Vec<BpfProgram>,
) -> io::Result<()> {
    // SAFETY: plain system calls; the descriptors that are overwritten or closed belong to the parent, whose copies stay
    // as they are, and nothing here uses them any more.
    unsafe {
        check(libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL, 0, 0, 0))?;
        if rustix::process::getppid() != Some(parent) {
            return Err(io::Error::other("the parent has ended"));
        }
        // First to numbers above all targets, so that none is overwritten before it is moved. Their owners are dropped
        // without closing: a late close could hit a number in use.
        let socket = libc::fcntl(socket.into_raw_fd(), libc::F_DUPFD, ATTACHMENT + 1);
        let attachment = attachment.map(|file| libc::fcntl(file.into_raw_fd(), libc::F_DUPFD, ATTACHMENT + 1));
        check(libc::dup2(socket, SOCKET))?;
        if let Some(attachment) = attachment {
            check(libc::dup2(attachment, ATTACHMENT))?;
        }
        let first = if attachment.is_some() { ATTACHMENT + 1 } else { SOCKET + 1 };
        check(libc::syscall(libc::SYS_close_range, first, u32::MAX, 0) as i32)?;
    }
    let limits = ResourceLimits {
        address_space_bytes: limits.address_space_bytes,
        file_bytes: limits.file_bytes,
        cpu_s: limits.wall_ms.div_ceil(1000) + 1,
        processes: 0,
    };
    limits.apply()?;
    Rules::of_worker(filters).apply()
}
