//! Checks conditions on several settings of a link; the declarations of settings check their ranges.

use fairlane_contract::{Limits, LinkConfig, Path, Problem, QueueConfig};

use crate::queue;

/// Whether packets leave this link at the instant they enter.
pub(crate) fn is_instant(link: &LinkConfig) -> bool {
    let has_impairments = link.jitter.is_some() || link.loss.is_some() || link.duplicate_probability > 0.0;
    let has_rate = link.rate_bps.is_some() || link.trace_ms.is_some();
    let is_plain = matches!(link.queue, QueueConfig::Fifo { .. } | QueueConfig::Unlimited {});
    is_plain && !has_rate && link.delay_ns == 0 && link.changes.is_empty() && !has_impairments
}

/// The first invalid parameter of the queue.
pub fn check_queue(queue: &QueueConfig) -> Result<(), Problem> {
    queue.check_limits()?;
    queue::problem(queue).map_or(Ok(()), Err)
}

/// Rejects an invalid configuration with the first problem found.
pub fn check_link(link: &LinkConfig) -> Result<(), Problem> {
    link.check_limits()?;
    check_queue(&link.queue).map_err(|problem| problem.under("queue"))?;
    if link.burst_bytes.is_some() && link.rate_bps.is_none() {
        return Err(Problem::new("burst_bytes", "has no effect", "give `rate_bps`, the rate at which tokens arrive"));
    }
    check_changes(link)?;
    check_trace(link)
}

fn check_changes(link: &LinkConfig) -> Result<(), Problem> {
    for (index, change) in link.changes.iter().enumerate() {
        let check = || {
            if change.rate_bps.is_none() && change.delay_ns.is_none() {
                return Err(Problem::new("", "changes nothing", "give it `rate_bps` or `delay_ns`"));
            }
            if change.rate_bps.is_some() && link.trace_ms.is_some() {
                return Err(exclude_each_other("rate_bps"));
            }
            if index > 0 && link.changes[index - 1].at_ns >= change.at_ns {
                return Err(Problem::new("at_ns", "is not later than the change before it", "sort changes by time"));
            }
            Ok(())
        };
        check().map_err(|problem| problem.under(Path::from("changes").index(index)))?;
    }
    Ok(())
}

fn check_trace(link: &LinkConfig) -> Result<(), Problem> {
    let Some(trace_ms) = &link.trace_ms else { return Ok(()) };
    if link.rate_bps.is_some() {
        return Err(exclude_each_other("rate_bps"));
    }
    if let Some(at) = trace_ms.windows(2).position(|pair| pair[0] > pair[1]) {
        let path = Path::from("trace_ms").index(at + 1);
        return Err(Problem::new(path, "is earlier than the entry before it", "sort the trace"));
    }
    if trace_ms.last() == Some(&0) {
        return Err(Problem::new("trace_ms", "ends at 0 and could never repeat", "give a last entry above 0"));
    }
    Ok(())
}

fn exclude_each_other(key: &str) -> Problem {
    Problem::new(key, "and `trace_ms` exclude each other", "remove one of them")
}
