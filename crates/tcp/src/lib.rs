//! TCP as Linux does it, without any I/O: segments and the time go in, segments and deadlines come out.
//!
//! What belongs here: both halves of a connection. `sender/` decides what to transmit and when
//! (scoreboard, RACK-TLP, PRR, RTO, F-RTO, undo, pacing, delivery-rate samples); `receiver/` decides
//! what to acknowledge (SACK, delayed and quick ACKs, window autotuning); `accecn/` is accurate ECN feedback,
//! which both halves have a part in; `connection.rs` joins them.
//! What does not: links, queues, workloads, and the algorithms themselves, which TCP only knows as the
//! trait [`fairlane_congestion_control::CongestionControl`]. No clock is read: each call gets `now_ns`.

pub mod accecn;
mod algorithm_echo;
pub mod connection;
mod ecn_handshake;
mod fetch;
mod host_memory;
pub mod negotiation;
pub mod receiver;
mod route_memory;
pub mod segment;
pub mod sender;
mod socket;
mod transport;
mod wire_format;

pub use connection::{Connection, ConnectionConfig};
pub use host_memory::HostMemory;
pub use negotiation::PeerOffer;
pub use route_memory::RouteMemory;
pub use segment::Segment;
pub use sender::{Outgoing, SenderConfig};
pub use wire_format::{SynOffer, TcpWireFormat};
