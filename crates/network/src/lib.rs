//! The network between the hosts: links, the queues in front of them, and the paths made of them.
//!
//! What belongs here: everything that happens to a packet between its sender and its receiver (queueing,
//! transmission, propagation, random loss, jitter, duplication, links that follow a trace). What does not:
//! what a packet means. A [`Packet`] carries a payload of any `Copy` type that nobody here looks into.
//!
//! A link is three stages in a row, one file or folder each:
//! the *queue* ([`QueueDiscipline`], one file per discipline in `queue/`), the *transmitter* (`transmitter/`:
//! fixed rate, token bucket, trace) and the *wire* (propagation delay and `impairments.rs`). `link.rs` joins them,
//! `network.rs` joins links into paths. `buffer.rs` holds the packets of a link whose queue is not a plain FIFO. `config.rs` is what a scenario may say about a link.
//!
//! All sizes that a link counts are frame bytes: the IP packet plus the link's `overhead_bytes`.

mod buffer;
mod config;
mod config_error;
mod delays;
mod impairments;
mod link;
mod network;
mod packet;
mod path_losses;
mod queue;
mod ring;
mod statistics;
mod transmitter;

pub use buffer::{Backlog, Buffer, List, PacketId};
pub use config::{ChangeConfig, JitterConfig, LinkConfig, LossConfig};
pub use config::{ETHERNET_OVERHEAD_BYTES, TUN_OVERHEAD_BYTES};
pub use config_error::ConfigError;
pub use delays::Delays;
pub use network::Network;
pub use packet::{Ecn, Packet};
pub use queue::{CakeConfig, CodelConfig, Dualpi2Config, FqCodelConfig, FqConfig, FqPieConfig};
pub use queue::{Fifo, QueueDiscipline, QueueStats};
pub use queue::{PieConfig, PolicerConfig, QueueConfig, RedConfig};
pub use statistics::LinkStats;
