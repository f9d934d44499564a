//! Checks conditions on several settings of a link; the declarations of settings check their ranges.

use fairlane_contract::{JitterConfig, Limits, LinkConfig, LossConfig, Path, Problem, QueueConfig, WhenDown};

use crate::{impairments, outages, queue};

/// Whether packets leave this link at the instant they enter.
pub(crate) fn is_instant(link: &LinkConfig) -> bool {
    let is_impaired = link.jitter.is_some() || impairments::has_any(link) || !link.outages.is_empty();
    let has_rate = link.rate_bps.is_some() || link.trace_ms.is_some();
    let is_plain = matches!(link.queue, QueueConfig::Fifo { .. } | QueueConfig::Unlimited {});
    is_plain && !has_rate && link.delay_ns == 0 && link.changes.is_empty() && !is_impaired
}

/// The first invalid parameter of the queue.
pub fn check_queue(queue: &QueueConfig) -> Result<(), Problem> {
    queue.check_limits()?;
    queue::problem(queue).map_or(Ok(()), Err)
}

/// Rejects the queue of a station that a link may have.
pub(crate) fn check_queue_of_station(queue: &QueueConfig) -> Result<(), Problem> {
    match queue {
        QueueConfig::Cake(cake) if cake.ack_filter || cake.ack_filter_aggressive => {
            Err(Problem::new("queue", "has an ACK filter, which only links have", "remove it, or choose a link"))
        }
        _ => Ok(()),
    }
}

/// Rejects an invalid configuration with the first problem found.
pub fn check_link(link: &LinkConfig) -> Result<(), Problem> {
    link.check_limits()?;
    check_queue(&link.queue).map_err(|problem| problem.under("queue"))?;
    if link.burst_bytes.is_some() && link.rate_bps.is_none() {
        return Err(Problem::new("burst_bytes", "has no effect", "give `rate_bps`, the rate at which tokens arrive"));
    }
    check_changes(link)?;
    check_wire(link)?;
    check_trace(link)
}

fn check_wire(link: &LinkConfig) -> Result<(), Problem> {
    link.jitter.as_ref().map_or(Ok(()), check_jitter)?;
    link.loss.as_ref().map_or(Ok(()), check_loss)?;
    for (index, one) in link.outages.iter().enumerate() {
        outages::check(one).map_err(|problem| problem.under(Path::from("outages").index(index)))?;
    }
    if link.duplicate_correlation > 0.0 && link.duplicate_probability == 0.0 {
        let remedy = "give `duplicate_probability`, or remove it";
        return Err(Problem::new("duplicate_correlation", "has no effect", remedy));
    }
    if link.when_down != WhenDown::default() && link.outages.is_empty() {
        return Err(Problem::new("when_down", "has no effect on a link that is never down", "give `outages`"));
    }
    let Some(slot) = &link.slot else { return Ok(()) };
    if slot.max_ns.is_some_and(|max_ns| max_ns < slot.min_ns) {
        return Err(Problem::new("slot", "has a `max_ns` below its `min_ns`", "exchange them"));
    }
    Ok(())
}

fn check_jitter(jitter: &JitterConfig) -> Result<(), Problem> {
    let problem = |what: &str, remedy: &str| Err(Problem::new("jitter", what, remedy));
    match jitter.spread_ns {
        Some(_) if jitter.max_ns > 0 => problem("has both `max_ns` and `spread_ns`", "remove one of them"),
        None if jitter.distribution.is_some() => {
            problem("has a distribution but no `spread_ns`", "give `spread_ns`, its standard deviation")
        }
        _ => Ok(()),
    }
}

fn check_loss(loss: &LossConfig) -> Result<(), Problem> {
    let LossConfig::Bursts { times, .. } = loss else { return Ok(()) };
    outages::check(times).map_err(|problem| problem.under(Path::from("loss").key("times")))
}

fn check_changes(link: &LinkConfig) -> Result<(), Problem> {
    for (index, change) in link.changes.iter().enumerate() {
        let check = || {
            if change.rate_bps.is_none() && change.delay_ns.is_none() && change.loss.is_none() {
                return Err(Problem::new("", "changes nothing", "give it `rate_bps`, `delay_ns` or `loss`"));
            }
            change.loss.as_ref().map_or(Ok(()), check_loss)?;
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
