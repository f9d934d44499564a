//! The network between the hosts: links and other media, their queues, and the paths through them.
//!
//! This crate models everything that happens to a packet between its sender and its receiver: queueing, transmission,
//! propagation, random loss, jitter, duplication. It does not interpret packets: a [`Packet`] carries an opaque payload
//! of any `Copy` type.
//!
//! Packets are carried by *media* (`medium.rs`): links (`link/`), half-duplex channels (`half_duplex/`) and Wi-Fi cells
//! (`wifi/`). A medium has one or more *stations* at which packets enter; a path is a list of stations. `network.rs`
//! moves packets along their paths, event by event; `lookahead/` does the same in windows, without events.
//!
//! A link is a medium with one station and three stages in a row: the *queue* ([`QueueDiscipline`], one file per
//! discipline in `queue/`), the *transmitter* (`transmitter/`: fixed rate, token bucket, trace) and the *wire*
//! (propagation delay and `impairments/`). `store/` keeps the packets of all stages. Scenarios configure them with types
//! of `crates/contract`; each medium has a `check.rs` that rejects invalid values.
//!
//! All sizes that a medium counts are frame bytes: the IP packet plus `overhead_bytes`.

mod any_medium;
mod half_duplex;
mod impairments;
mod link;
mod lookahead;
mod medium;
mod network;
mod outages;
mod packet;
mod packet_log;
mod queue;
mod statistics;
mod store;
mod transmitter;
mod wifi;

pub use any_medium::check_medium;
pub use link::{check_link, check_queue, LiveChange, Refusal};
pub use lookahead::{Arrival, Cause, Delivered, Delivery, Lookahead, Outbox, Routes, Section};
pub use medium::StationId;
pub use network::Network;
pub use packet::{Acknowledgement, Ecn, Packet, ReadAcknowledgement, NO_PATH};
pub use packet_log::{PacketEvent, PacketLog, PacketStep};
pub use queue::{Backlog, Buffer, Delays, Fifo, Limits, List, PacketId, QueueDiscipline, QueueStats};
pub use statistics::{AccessRecord, AccessStats, MediumTimes, StationStats};
