//! Blocking calls: `0.1...0.2 read(...)` starts at the first time and returns at the second, while the script
//! continues.

use super::failure::Failure;
use super::Player;
use crate::script::{Call, Event, EventTime};

/// Result of a system call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// It returns this.
    Done(i64),
    /// It fails with this error.
    Error(&'static str),
    /// It blocks until an event.
    Blocks,
}

#[derive(Clone, Debug)]
pub(super) struct BlockedCall {
    line: usize,
    call: Call,
    /// When it must return.
    until_ns: u64,
    /// The script expects it to block.
    is_expected: bool,
    any_time: bool,
    /// Its result, after it has returned.
    outcome: Option<Result<(), Failure>>,
}

impl BlockedCall {
    pub fn new(event: &Event, call: Call, until_ns: u64) -> Self {
        Self {
            line: event.line,
            call,
            until_ns,
            is_expected: matches!(event.time, EventTime::Blocking { .. }),
            any_time: event.time == EventTime::Any,
            outcome: None,
        }
    }

    /// The call returned at `now_ns`: compares the result with the script's expectation.
    pub fn check(&self, step: &Step, now_ns: u64, tolerance_us: i64) -> Result<(), Failure> {
        let expected = &self.call.outcome;
        let (result, errno) = match step {
            Step::Done(result) => (*result, None),
            Step::Error(errno) => (-1, Some(*errno)),
            Step::Blocks => return Ok(()),
        };
        let wrong = |detail: String| Err(Failure::call(self.line, &self.call.name, detail));
        if expected.result.is_some_and(|wanted| wanted != result) {
            let errno = errno.map(|errno| format!(" with errno {errno}")).unwrap_or_default();
            return wrong(format!("Expected result {} but got {result}{errno}", expected.result.unwrap_or_default()));
        }
        if let (Some(wanted), Some(found)) = (&expected.errno, errno) {
            // Two names of the same number.
            let wanted = if wanted == "EWOULDBLOCK" { "EAGAIN" } else { wanted };
            if wanted != found {
                return wrong(format!("Expected errno {wanted} but got {found}"));
            }
        }
        let off_us = (now_ns as i64 - self.until_ns as i64).abs() / 1000;
        if self.is_expected && !self.any_time && off_us > tolerance_us {
            return wrong(format!(
                "Expected the call to return at {:.6} sec but it did at {:.6} sec",
                Player::script_seconds(self.until_ns),
                Player::script_seconds(now_ns)
            ));
        }
        Ok(())
    }
}

impl Player<'_> {
    /// After an event: retries the blocked call.
    pub(super) fn retry_blocked(&mut self) {
        let Some(mut blocked) = self.blocked.take() else { return };
        if blocked.outcome.is_none() {
            let tolerance_us = self.settings.tolerance_us;
            match self.perform(blocked.line, &blocked.call, true) {
                Ok(Step::Blocks) => {}
                Ok(step) => {
                    blocked.outcome = Some(blocked.check(&step, self.now_ns, tolerance_us));
                    self.blocked = Some(blocked);
                    return self.settle();
                }
                Err(failure) => blocked.outcome = Some(Err(failure)),
            }
        }
        self.blocked = Some(blocked);
    }

    /// Waits for the blocked call, which must return before the script continues.
    pub(super) fn finish_blocked(&mut self, _line: usize) -> Result<(), Failure> {
        let Some(blocked) = &self.blocked else { return Ok(()) };
        if blocked.outcome.is_none() {
            let until_ns = blocked.until_ns + (self.settings.tolerance_us * 1000) as u64;
            self.advance(until_ns.max(self.now_ns));
        }
        let Some(blocked) = self.blocked.take() else { return Ok(()) };
        match blocked.outcome {
            Some(outcome) => outcome,
            None => Err(Failure::call(blocked.line, &blocked.call.name, "the call has not returned")),
        }
    }
}
