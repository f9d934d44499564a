//! The network between the hosts: links and other media, their queues, and the paths through them.
//!
//! What belongs here: everything that happens to a packet between its sender and its receiver (queueing,
//! transmission, propagation, random loss, jitter, duplication, links that follow a trace). What does not:
//! what a packet means. A [`Packet`] carries an opaque payload of any `Copy` type.
//!
//! Packets are carried by *media* (`medium.rs`, one file or folder each in `medium/`). A medium has one or more
//! *stations* at which packets enter; a path is a list of stations, and `network.rs` leads packets along it, event by
//! event. `lookahead.rs` does the same without events, a span of time at a time.
//!
//! A link is a medium with one station and three stages in a row:
//! the *queue* ([`QueueDiscipline`], one file per discipline in `queue/`), the *transmitter* (`transmitter/`:
//! fixed rate, token bucket, trace) and the *wire* (propagation delay and `impairments.rs`). `medium/link.rs` joins
//! them. `buffer.rs` holds the packets of a queue that is not a plain FIFO. What a scenario says about a link is
//! declared in `crates/contract`; `link_check.rs` and `medium_check.rs` refuse what cannot work.
//!
//! All sizes that a medium counts are frame bytes: the IP packet plus `overhead_bytes`.

mod buffer;
mod delays;
mod impairments;
mod link_check;
mod lookahead;
mod medium;
mod medium_check;
mod network;
mod packet;
mod queue;
mod ring;
mod statistics;
mod transmitter;

pub use buffer::{Backlog, Buffer, List, PacketId};
pub use delays::Delays;
pub use link_check::{check_link, check_queue};
pub use lookahead::{Cause, Landing, Lookahead};
pub use medium::StationId;
pub use medium_check::check_medium;
pub use network::{Network, NO_PATH};
pub use packet::{Ecn, Packet};
pub use queue::{Fifo, QueueDiscipline, QueueStats};
pub use statistics::{AccessRecord, AccessStats, MediumTimes, StationStats};
