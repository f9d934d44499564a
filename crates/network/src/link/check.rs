//! Checks the configuration of a link.

use fairlane_contract::{LinkConfig, LossConfig, Path, Problem, QueueConfig};

use crate::queue;

/// The largest overhead: frames stay far below the sizes where rate arithmetic would overflow.
const MAX_OVERHEAD_BYTES: u32 = 65_535;
const MTU_RANGE: std::ops::RangeInclusive<u32> = 68..=65_535;
/// The largest rate, 1 Pbit/s: rate arithmetic keeps a remainder below the rate in 64 bits.
const MAX_RATE_BPS: u64 = 1_000_000_000_000_000;
/// The deepest token bucket: its bits times 10⁹ fit 64 bits.
const MAX_BURST_BYTES: u32 = 1_000_000_000;
/// The longest delay, jitter or trace, and the latest change (115 days): sums of a few of them fit 64 bits.
pub(crate) const MAX_TIME_NS: u64 = 10_000_000_000_000_000;

/// Whether packets leave this link at the instant they enter.
pub(crate) fn is_instant(link: &LinkConfig) -> bool {
    let has_impairments = link.jitter.is_some() || link.loss.is_some() || link.duplicate_probability > 0.0;
    let has_rate = link.rate_bps.is_some() || link.trace_ms.is_some();
    let is_plain = matches!(link.queue, QueueConfig::Fifo { .. } | QueueConfig::Unlimited {});
    is_plain && !has_rate && link.delay_ns == 0 && link.changes.is_empty() && !has_impairments
}

/// The first invalid parameter of the queue.
pub fn check_queue(queue: &QueueConfig) -> Result<(), Problem> {
    queue::problem(queue).map_or(Ok(()), Err)
}

/// Rejects an invalid configuration with the first problem found.
pub fn check_link(link: &LinkConfig) -> Result<(), Problem> {
    let refuse = |key: &str, what: String, remedy: &str| Err(Problem::new(key, what, remedy));
    check_rate(link.rate_bps, "rate_bps")?;
    check_time(link.delay_ns, "delay_ns")?;
    if link.overhead_bytes.is_some_and(|bytes| bytes > MAX_OVERHEAD_BYTES) {
        return refuse("overhead_bytes", format!("is above {MAX_OVERHEAD_BYTES}"), "tc counts 14 for Ethernet");
    }
    if let Some(bytes) = link.mtu_bytes.filter(|bytes| !MTU_RANGE.contains(bytes)) {
        return refuse("mtu_bytes", format!("is {bytes}"), "give 68 to 65535, or leave it out for that of the flows");
    }
    check_queue(&link.queue).map_err(|problem| problem.under("queue"))?;
    if let Some(bytes) = link.burst_bytes {
        if link.rate_bps.is_none() {
            return refuse("burst_bytes", "has no effect".into(), "give `rate_bps`, the rate at which tokens arrive");
        }
        if bytes == 0 || bytes > MAX_BURST_BYTES {
            return refuse(
                "burst_bytes",
                format!("is {bytes}"),
                "give 1 to 10^9, and at least one frame, or nothing passes",
            );
        }
    }
    if let Some(jitter) = &link.jitter {
        check_time(jitter.max_ns, "jitter.max_ns")?;
        if !(0.0..1.0).contains(&jitter.correlation) {
            return refuse("jitter.correlation", format!("is {}", jitter.correlation), "give 0 to less than 1");
        }
    }
    check_probabilities(link)?;
    check_changes(link)?;
    check_trace(link)
}

fn check_probabilities(link: &LinkConfig) -> Result<(), Problem> {
    let mut probabilities = vec![(link.duplicate_probability, "duplicate_probability")];
    match &link.loss {
        &Some(LossConfig::Independent { probability }) => probabilities.push((probability, "loss.probability")),
        &Some(LossConfig::GilbertElliott { good_to_bad, bad_to_good, loss_good, loss_bad }) => probabilities.extend([
            (good_to_bad, "loss.good_to_bad"),
            (bad_to_good, "loss.bad_to_good"),
            (loss_good, "loss.loss_good"),
            (loss_bad, "loss.loss_bad"),
        ]),
        Some(LossConfig::Listed { .. }) | None => {}
    }
    match probabilities.into_iter().find(|(value, _)| !(0.0..=1.0).contains(value)) {
        Some((value, key)) => Err(Problem::new(key, format!("is {value}"), "give a probability between 0 and 1")),
        None => Ok(()),
    }
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
            check_rate(change.rate_bps, "rate_bps")?;
            check_time(change.delay_ns.unwrap_or(0), "delay_ns")?;
            check_time(change.at_ns, "at_ns")
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
    let Some(&last_ms) = trace_ms.last() else {
        return Err(Problem::new("trace_ms", "is empty", "give at least one time, or leave it out"));
    };
    if let Some(at) = trace_ms.windows(2).position(|pair| pair[0] > pair[1]) {
        let path = Path::from("trace_ms").index(at + 1);
        return Err(Problem::new(path, "is earlier than the entry before it", "sort the trace"));
    }
    if last_ms == 0 {
        return Err(Problem::new("trace_ms", "ends at 0 and could never repeat", "give a last entry above 0"));
    }
    check_time(last_ms.saturating_mul(fairlane_engine::NS_PER_MS), "trace_ms")
}

fn exclude_each_other(key: &str) -> Problem {
    Problem::new(key, "and `trace_ms` exclude each other", "remove one of them")
}

fn check_rate(rate_bps: Option<u64>, key: &str) -> Result<(), Problem> {
    let what = match rate_bps {
        Some(0) => "is 0".to_owned(),
        Some(rate) if rate > MAX_RATE_BPS => format!("is above {MAX_RATE_BPS} bit/s"),
        _ => return Ok(()),
    };
    Err(Problem::new(key, what, "give a rate above 0, or leave it out for an infinitely fast link"))
}

fn check_time(time_ns: u64, key: &str) -> Result<(), Problem> {
    if time_ns > MAX_TIME_NS {
        return Err(Problem::new(key, format!("is above {MAX_TIME_NS} ns"), "give a shorter time"));
    }
    Ok(())
}
