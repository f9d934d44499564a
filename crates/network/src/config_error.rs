//! Why a network cannot be built: one line each, with the link, the key and the remedy.

use thiserror::Error;

#[derive(Clone, Debug, PartialEq, Error)]
pub enum ConfigError {
    #[error("link \"{link}\": {key} is 0; give a rate above 0, or leave rate_bps out for an infinitely fast link")]
    ZeroRate { link: String, key: &'static str },
    #[error("link \"{link}\": {key} is above {max} bit/s; leave rate_bps out for an infinitely fast link")]
    RateTooHigh { link: String, key: &'static str, max: u64 },
    #[error("link \"{link}\": {key} is above {max_ns} ns; give a shorter time")]
    TimeTooLong { link: String, key: &'static str, max_ns: u64 },
    #[error("link \"{link}\": overhead_bytes is above {max}; tc counts 14 for Ethernet")]
    OverheadTooLarge { link: String, max: u32 },
    #[error("link \"{link}\": mtu_bytes must be {min} to {max}; leave it out for 1500")]
    MtuOutOfRange { link: String, min: u32, max: u32 },
    #[error("link \"{link}\": queue.{key} {problem}")]
    WrongQueue { link: String, key: &'static str, problem: &'static str },
    #[error("link \"{link}\": burst_bytes needs rate_bps, the rate at which the tokens come")]
    BurstWithoutRate { link: String },
    #[error("link \"{link}\": burst_bytes is {bytes}; give 1 to {max}, and at least one frame, or nothing passes")]
    BurstOutOfRange { link: String, bytes: u32, max: u32 },
    #[error("link \"{link}\": {key} is {value}; a probability lies between 0 and 1")]
    NotAProbability { link: String, key: &'static str, value: f64 },
    #[error("link \"{link}\": the change at {at_ns} ns changes nothing; give it rate_bps or delay_ns")]
    EmptyChange { link: String, at_ns: u64 },
    #[error("link \"{link}\": the change at {at_ns} ns does not come after the one before it; sort changes by at_ns, one per time")]
    UnsortedChanges { link: String, at_ns: u64 },
    #[error("link \"{link}\": {key} and trace_ms exclude each other; leave one of them out")]
    TraceAndRate { link: String, key: &'static str },
    #[error("link \"{link}\": trace_ms is empty; give at least one time in milliseconds, or leave it out")]
    EmptyTrace { link: String },
    #[error("link \"{link}\": entry {entry} of trace_ms (counted from 0) lies before the one in front of it; sort the trace")]
    UnsortedTrace { link: String, entry: usize },
    #[error("link \"{link}\": trace_ms ends at 0 and could never be repeated; its last entry must be above 0")]
    TraceWithoutDuration { link: String },
    #[error("path {path} has no links; give it at least one")]
    EmptyPath { path: usize },
    #[error("path {path} has {links} links; a path has at most {max}")]
    PathTooLong { path: usize, links: usize, max: usize },
    #[error("path {path} names link {link}, but there are only {links} links, counted from 0")]
    UnknownLink { path: usize, link: u32, links: usize },
}
