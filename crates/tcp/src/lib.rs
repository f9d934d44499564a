//! TCP as Linux does it, without any I/O: segments and the time go in, segments and deadlines come out.
//!
//! `sender/` decides what to transmit and when (scoreboard, RACK-TLP, PRR, RTO, F-RTO, undo, pacing, delivery-rate
//! samples); `receiver/` decides what to acknowledge (SACK, delayed and quick ACKs, window autotuning); `accecn/`
//! contains accurate ECN feedback, in which both halves take part; `connection.rs` joins them.
//!
//! Links, queues and workloads do not belong here. Algorithms are known only by the trait
//! [`fairlane_congestion_control::CongestionControl`]. No clock is read: each call gets `now_ns`.

pub mod accecn;
pub mod connection;
mod host_memory;
pub mod receiver;
mod route_memory;
pub mod segment;
pub mod sender;
mod wire_format;

pub use connection::{Connection, ConnectionConfig, Misbehaviour};
pub use host_memory::HostMemory;
pub use route_memory::RouteMemory;
pub use segment::{PeerOffer, Segment};
pub use sender::{Outgoing, SenderConfig};
pub use wire_format::{SynOffer, TcpWireFormat};
