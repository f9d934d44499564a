//! Runs a command with limits on its time and on the size of its output.

use rustix::event::{poll, PollFd, PollFlags};
use std::io::{self, Read};
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// The output of a command, and its exit status.
#[derive(Debug)]
pub struct Output {
    pub status: ExitStatus,
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
}

/// The budget of a command.
#[derive(Clone, Copy, Debug)]
pub(super) struct Budget {
    pub wall: Duration,
    /// Of standard output and standard error, each.
    pub output_bytes: usize,
}

/// Why a command has no output.
#[derive(Debug, thiserror::Error)]
pub enum CommandError {
    #[error(transparent)]
    CannotStart(#[from] io::Error),
    #[error("takes the compiler more than {:.0} s, the most that it may; make it smaller", .0.as_secs_f64())]
    TooLong(Duration),
    #[error("makes the compiler print more than {} MiB, the most that is read; make it smaller", .0 >> 20)]
    TooMuch(usize),
}

/// Runs a command without standard input in a process group of its own, which is killed when a limit is exceeded.
#[expect(clippy::disallowed_methods, reason = "commands have deadlines in real time")]
pub(super) fn output(command: &mut Command, budget: Budget) -> Result<Output, CommandError> {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
    let mut child = command.spawn()?;
    let deadline = Instant::now() + budget.wall;
    let group = child.id() as libc::pid_t;
    // SAFETY: a plain system call. The child has not been waited for, so the number is still that of its group.
    let kill = || unsafe { libc::killpg(group, libc::SIGKILL) };
    let mut streams = (child.stdout.take().expect("is piped"), child.stderr.take().expect("is piped"));
    let mut read = (Vec::new(), Vec::new());
    let mut is_open = (true, true);
    let finished = loop {
        if !is_open.0 && !is_open.1 {
            break Ok(());
        }
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            break Err(CommandError::TooLong(budget.wall));
        }
        let flags = |open: bool| if open { PollFlags::IN } else { PollFlags::empty() };
        let mut waiting = Vec::new();
        if is_open.0 {
            waiting.push(PollFd::new(&streams.0, flags(true)));
        }
        if is_open.1 {
            waiting.push(PollFd::new(&streams.1, flags(true)));
        }
        match poll(&mut waiting, Some(&left.try_into().unwrap_or_default())) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => break Err(io::Error::from(error).into()),
        }
        let ready: Vec<bool> = waiting.iter().map(|one| !one.revents().is_empty()).collect();
        let of_stdout = is_open.0 && ready[0];
        let of_stderr = is_open.1 && ready[ready.len() - 1];
        let step = if of_stdout { take(&mut streams.0, &mut read.0).map(|open| is_open.0 = open) } else { Ok(()) };
        let step = step.and_then(|()| match of_stderr {
            true => take(&mut streams.1, &mut read.1).map(|open| is_open.1 = open),
            false => Ok(()),
        });
        if let Err(error) = step {
            break Err(error.into());
        }
        if read.0.len().max(read.1.len()) > budget.output_bytes {
            break Err(CommandError::TooMuch(budget.output_bytes));
        }
    };
    let finished = finished.and_then(|()| match has_ended_by(group, deadline) {
        true => Ok(()),
        false => Err(CommandError::TooLong(budget.wall)),
    });
    // Processes of its group may outlive it. Until it is waited for, no other group can have its number.
    kill();
    let status = child.wait()?;
    finished.map(|()| Output { status, stdout: read.0, stderr: read.1 })
}

/// Whether a child has ended, at the latest at the deadline. It may close its streams and go on. It is not reaped.
#[expect(clippy::disallowed_methods, reason = "commands have deadlines in real time")]
fn has_ended_by(child: libc::pid_t, deadline: Instant) -> bool {
    loop {
        // SAFETY: numbers only, for which all zeros are a value.
        let mut found: libc::siginfo_t = unsafe { std::mem::zeroed() };
        // SAFETY: the structure lives for the call, and si_pid() reads a number that the call has set.
        let ended = unsafe {
            let options = libc::WEXITED | libc::WNOHANG | libc::WNOWAIT;
            libc::waitid(libc::P_PID, child as libc::id_t, &mut found, options) == 0 && found.si_pid() != 0
        };
        if ended || deadline.saturating_duration_since(Instant::now()).is_zero() {
            return ended;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Takes what is there; false at the end.
fn take(stream: &mut impl Read, read: &mut Vec<u8>) -> io::Result<bool> {
    let mut block = [0; 64 << 10];
    match stream.read(&mut block) {
        Ok(bytes) => {
            read.extend_from_slice(&block[..bytes]);
            Ok(bytes > 0)
        }
        Err(error) if error.kind() == io::ErrorKind::Interrupted => Ok(true),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(script: &str) -> Result<Output, CommandError> {
        let budget = Budget { wall: Duration::from_millis(800), output_bytes: 1 << 20 };
        output(Command::new("sh").args(["-c", script]), budget)
    }

    #[test]
    fn both_streams_and_the_status_are_returned() {
        let done = run("echo out; echo err >&2; exit 3").expect("runs");
        assert_eq!((done.stdout.as_slice(), done.stderr.as_slice()), (b"out\n".as_slice(), b"err\n".as_slice()));
        assert_eq!(done.status.code(), Some(3));
    }

    #[test]
    fn endless_output_and_endless_time_are_ended_with_all_processes() {
        for (script, reason) in [
            ("yes", "print more than 1 MiB"),
            ("yes >&2", "print more than 1 MiB"),
            ("sleep 1000", "more than 1 s"),
            ("exec >/dev/null 2>&1; sleep 1000", "more than 1 s"),
        ] {
            let refused = run(script).expect_err("is ended").to_string();
            assert!(refused.contains(reason), "{script}: {refused}");
        }
    }

    #[test]
    fn a_process_that_is_left_behind_is_ended() {
        let marker = format!("sleep 98765.{}", std::process::id());
        run(&format!("{marker} >/dev/null 2>&1 & true")).expect("runs");
        let found = run(&format!("pgrep -f '^{marker}$'")).expect("runs");
        assert!(found.stdout.is_empty(), "{}", String::from_utf8_lossy(&found.stdout));
    }
}
